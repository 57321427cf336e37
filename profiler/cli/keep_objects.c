// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements keep_objects.h. The cache has perf's layout: FOLDER/PATH/BUILD-ID/elf and .../debug,
 * and the link FOLDER/.build-id/XX/YYYY... to that folder, by which readers find it.
 */
#include "profiler/cli/keep_objects.h"

#include <fcntl.h>

#include "dwarf/elf/image.h"
#include "base/memory.h"
#include "base/cursor.h"
#include "base/files.h"
#include "base/text.h"
#include "profiler/ingest/session.h"
#include "profiler/objects/dso.h"

/* Copies the bytes of a file. Returns whether all of them were written. */
static bool copy_bytes(int in, int out, off_t left)
{
	ssize_t got = 0;

	/* file systems that can share the blocks of both files do */
	while (left > 0 && (got = copy_file_range(in, NULL, out, NULL, (size_t)left, 0)) > 0)
		left -= got;
	while (left > 0) {
		char bytes[65536];

		got = read(in, bytes, sizeof(bytes));
		if (got <= 0 || write(out, bytes, (size_t)got) != got)
			return false;
		left -= got;
	}
	return true;
}

/* Copies the open file `in` as `name` into a folder. It gets its name only when it is complete, so
 * that readers never see a part of it. Nobody may do more with the copy than with the file; one
 * without a name could be opened by its process's owner alone. */
static bool copy_file(int in, const struct stat *status, int folder, const char *name)
{
	_cleanup_free_ char *temporary = xasprintf("%s.%d", name, (int)getpid());
	int out = openat(folder, temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			 status->st_mode & (status->st_nlink ? 0755 : 0700));
	bool good;

	if (out < 0)
		return false;
	good = copy_bytes(in, out, status->st_size);
	good = close(out) == 0 && good && renameat(folder, temporary, folder, name) == 0;
	if (!good)
		unlinkat(folder, temporary, 0);
	return good;
}

struct keeper {
	int folder; /* of the cache */
	char *path; /* of the same */
	const struct keep_options *options;
	struct kept_objects *kept;
};

/* Returns whether the open file has the build id: the one at its path may be another now. */
static bool is_object(int fd, const struct build_id *wanted)
{
	_cleanup_free_ char *path = xasprintf(OPEN_FILE_FOLDER "%d", fd);
	struct elf_image *image = NULL;
	_cleanup_error_ struct error *error = elf_image_open(path, &image);
	bool same = !error && elf_image_is_build(image, wanted);

	elf_image_close(image);
	return same;
}

/* Copies `from` as `name` into the folder of the object, unless it is there. */
static void keep_file(struct keeper *keeper, const struct dso *dso, const char *from, int place,
		      const char *name)
{
	_cleanup_close_ int in = -1;
	struct stat status;
	_cleanup_error_ struct error *error = NULL;

	if (faccessat(place, name, F_OK, 0) == 0)
		return;
	error = ordinary_file_open(from, &in, &status);
	if (error || !is_object(in, &dso->build_id))
		return;
	if (keeper->kept->bytes + (uint64_t)status.st_size > keeper->options->limit) {
		keeper->kept->left++;
		keeper->kept->left_bytes += (uint64_t)status.st_size;
		return;
	}
	if (!copy_file(in, &status, place, name))
		return;
	keeper->kept->added++;
	keeper->kept->bytes += (uint64_t)status.st_size;
}

/* Links FOLDER/.build-id/XX/YYYY... to the object's folder, unless such a link is there. */
static void link_build_id(const struct keeper *keeper, const char *name, const char *id)
{
	_cleanup_free_ char *below = xasprintf(".build-id/%.2s", id);
	_cleanup_free_ char *target = xasprintf("../..%s/%s", name, id);
	_cleanup_close_ int folder = believed_folder_open(keeper->folder, below, true);

	if (folder >= 0 && symlinkat(target, folder, id + 2))
		return;
}

/* Returns the path of the object: its own, its process's, or that of the descriptor that was held.
 * NULL: it is in the cache already, or gone. The caller frees it. */
static char *object_source(const struct keeper *keeper, struct dso *dso)
{
	const struct elf_image *image = dso_image(dso, NULL, NULL);
	int held = keeper->options->find_held(keeper->options->held, &dso->build_id);

	/* the image may come from the cache or from another file */
	if (image && (!strcmp(elf_image_path(image), dso->long_name) ||
		      starts_with(elf_image_path(image), "/proc/")))
		return xstrdup(elf_image_path(image));
	return held < 0 ? NULL : xasprintf(OPEN_FILE_FOLDER "%d", held);
}

/* Lists the object if a companion of it can be made. */
static void list_unindexed(struct keeper *keeper, struct dso *dso)
{
	const struct elf_image *image = dso_image(dso, NULL, NULL);
	struct kept_objects *kept = keeper->kept;

	if (!keeper->options->unindexed || !image || dso_companion_file(dso) ||
	    strcmp(elf_image_path(image), dso->long_name) != 0 || dso->build_id.size < 2 ||
	    !(elf_image_has_debug_info(image) || dso_debug_image(dso, NULL)))
		return;
	array_add(kept->unindexed, kept->unindexed_count, kept->unindexed_capacity) =
		xstrdup(dso->long_name);
}

static void keep_dso(void *data, struct dso *dso)
{
	struct keeper *keeper = data;
	const struct elf_image *debug;

	if (dso->kind != DSO_USER || dso->long_name[0] != '/' || strstr(dso->long_name, "/../"))
		return;
	if (!dso->build_id.size) {
		if (!keeper->kept->nameless && ends_with(dso->long_name, " (deleted)"))
			keeper->kept->nameless = xstrdup(dso->long_name);
		return;
	}
	_cleanup_free_ char *from = object_source(keeper, dso);

	if (!from)
		return;
	list_unindexed(keeper, dso);

	const struct build_id_text id = build_id_text(&dso->build_id);
	_cleanup_free_ char *below = xasprintf("%s/%s", dso->long_name, id.hex);
	_cleanup_close_ int place = believed_folder_open(keeper->folder, below, true);

	if (place < 0)
		return;
	keep_file(keeper, dso, from, place, "elf");
	debug = dso_debug_image(dso, NULL);
	if (debug && strncmp(elf_image_path(debug), keeper->path, strlen(keeper->path)) != 0)
		keep_file(keeper, dso, elf_image_path(debug), place, "debug");
	link_build_id(keeper, dso->long_name, id.hex);
}

struct error *each_recorded_dso(struct session *session, bool all,
				void (*found)(void *data, struct dso *dso), void *data)
{
	struct sample_counts *counts = NULL;
	size_t count;

	RETURN_ERROR(session_count(session, COUNT_DSO, &counts));

	struct dso *const *dsos = session_dsos(session, &count);
	_cleanup_free_ bool *has_samples = xcalloc(count + 1, sizeof(*has_samples));

	for (size_t i = 0; i < counts->count; i++)
		if (counts->entries[i].dso)
			has_samples[counts->entries[i].dso->id] = true;
	for (size_t i = 0; i < count; i++)
		if (has_samples[i] || (all && dsos[i]->has_code))
			found(data, dsos[i]);
	sample_counts_destroy(counts);
	return NULL;
}

/* Makes a folder with those above it. */
static void make_folders(const char *path)
{
	_cleanup_free_ char *copy = xstrdup(path);

	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(copy, 0755);
		*slash = '/';
	}
	(void)mkdir(copy, 0755);
}

/* Opens the cache and sets *path to its path. One that the user names is made. ~/.debug is made and
 * used only in a home that is believed: $HOME may be that of another user (sudo, su), or meant not
 * to exist. Returns -1 if there is none. */
static int open_cache(char **path)
{
	const char *home = getenv("HOME");
	struct stat status;

	*path = NULL;
	if (build_id_folder) {
		make_folders(build_id_folder);
		*path = xstrdup(build_id_folder);
		return open(build_id_folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	}
	if (!home)
		return -1;
	_cleanup_close_ int above = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	*path = xasprintf("%s/.debug", home);
	return above < 0 || fstat(above, &status) || file_distrust(&status)
		       ? -1
		       : believed_folder_open(above, ".debug", true);
}

struct error *keep_objects(const char *path, const struct keep_options *options,
			   struct kept_objects *kept)
{
	const struct session_options forced = { .force = true };
	_cleanup_free_ char *cache = NULL;
	_cleanup_close_ int descriptor = open_cache(&cache);
	struct keeper keeper = {
		.folder = descriptor, .path = cache, .options = options, .kept = kept
	};
	struct session *session = NULL;
	struct error *error;

	*kept = (struct kept_objects){ 0 };
	if (descriptor < 0)
		return NULL;
	error = session_open(path, &forced, &session);
	if (!error)
		error = each_recorded_dso(session, options->all, keep_dso, &keeper);
	session_close(session);
	return error;
}
