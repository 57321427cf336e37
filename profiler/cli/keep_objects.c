// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements keep_objects.h. The cache has perf's layout: FOLDER/PATH/BUILD-ID/elf and .../debug,
 * and the link FOLDER/.build-id/XX/YYYY... to that folder, by which readers find it.
 */
#include "profiler/cli/keep_objects.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dwarf/elf/image.h"
#include "profiler/base/memory.h"
#include "profiler/base/cursor.h"
#include "profiler/ingest/session.h"
#include "profiler/objects/dso.h"

/* Creates a folder with those above it. */
static bool make_folders(const char *path)
{
	_cleanup_free_ char *copy = xstrdup(path);

	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0755) && errno != EEXIST)
			return false;
		*slash = '/';
	}
	return mkdir(copy, 0755) == 0 || errno == EEXIST;
}

/* Copies a file. It gets its name only when it is complete, so that readers never see a part of
 * it. */
static bool copy_file(const char *from, const char *to)
{
	_cleanup_free_ char *temporary = xasprintf("%s.%d", to, (int)getpid());
	struct stat status;
	int in, out;
	bool good = false;
	struct error *error = ordinary_file_open(from, &in, &status);

	if (error) {
		error_destroy(error);
		return false;
	}
	out = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
		   0444 | (status.st_mode & 0755));
	if (out >= 0) {
		off_t left = status.st_size;
		ssize_t got = 0;

		/* file systems that can share the blocks of both files do */
		while (left > 0 &&
		       (got = copy_file_range(in, NULL, out, NULL, (size_t)left, 0)) > 0)
			left -= got;
		while (left > 0) {
			char bytes[65536];

			got = read(in, bytes, sizeof(bytes));
			if (got <= 0 || write(out, bytes, (size_t)got) != got)
				break;
			left -= got;
		}
		good = left <= 0 && close(out) == 0 && rename(temporary, to) == 0;
		if (!good)
			unlink(temporary);
	}
	close(in);
	return good;
}

struct keeper {
	char *folder;
	uint64_t limit;
	struct kept_objects *kept;
};

/* Copies `from` as `name` into the folder of the object, unless it is there. */
static void keep_file(struct keeper *keeper, const char *from, const char *place, const char *name)
{
	_cleanup_free_ char *to = xasprintf("%s/%s", place, name);
	struct stat status;

	if (access(to, F_OK) == 0 || stat(from, &status) || !S_ISREG(status.st_mode))
		return;
	if (keeper->kept->bytes + (uint64_t)status.st_size > keeper->limit) {
		keeper->kept->left++;
		keeper->kept->left_bytes += (uint64_t)status.st_size;
		return;
	}
	if (!make_folders(place) || !copy_file(from, to))
		return;
	keeper->kept->added++;
	keeper->kept->bytes += (uint64_t)status.st_size;
}

/* Links FOLDER/.build-id/XX/YYYY... to the folder of the object. */
static void link_build_id(const struct keeper *keeper, const char *name, const char *id)
{
	_cleanup_free_ char *folder = xasprintf("%s/.build-id/%.2s", keeper->folder, id);
	_cleanup_free_ char *link = xasprintf("%s/%s", folder, id + 2);
	_cleanup_free_ char *target = xasprintf("../..%s/%s", name, id);

	if (make_folders(folder) && symlink(target, link) && errno == EEXIST)
		return; /* the link that is there leads to the same object */
}

static void keep_dso(void *data, struct dso *dso)
{
	static const struct dso_options options;
	struct keeper *keeper = data;
	char id[2 * BUILD_ID_SIZE + 1];
	const char *problem;
	const struct elf_image *image, *debug;

	if (dso->kind != DSO_USER || !dso->build_id.size || dso->long_name[0] != '/' ||
	    strstr(dso->long_name, "/../"))
		return;
	image = dso_image(dso, &options, &problem);
	/* the image may come from the cache or from another file */
	if (!image || strcmp(elf_image_path(image), dso->long_name))
		return;
	build_id_format(&dso->build_id, id);

	_cleanup_free_ char *place = xasprintf("%s%s/%s", keeper->folder, dso->long_name, id);

	keep_file(keeper, dso->long_name, place, "elf");
	debug = dso_debug_image(dso, &options);
	if (debug && strncmp(elf_image_path(debug), keeper->folder, strlen(keeper->folder)) != 0)
		keep_file(keeper, elf_image_path(debug), place, "debug");
	if (access(place, F_OK) == 0)
		link_build_id(keeper, dso->long_name, id);
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

struct error *keep_objects(const char *path, const char *folder, bool all, uint64_t limit,
			   struct kept_objects *kept)
{
	const struct session_options options = { .force = true };
	const char *home = getenv("HOME");
	_cleanup_free_ char *place = folder ? xstrdup(folder)
				     : home ? xasprintf("%s/.debug", home)
					    : NULL;
	struct keeper keeper = { .folder = place, .limit = limit, .kept = kept };
	struct session *session = NULL;
	struct error *error;

	*kept = (struct kept_objects){ 0 };
	/* a home is never made: users of services have one that is meant not to exist */
	if (!place || (!folder && access(home, F_OK)))
		return NULL;
	error = session_open(path, &options, &session);
	if (!error)
		error = each_recorded_dso(session, all, keep_dso, &keeper);
	if (session)
		session_close(session);
	return error;
}
