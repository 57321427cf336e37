// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds the companion of a DSO (Documentation/companion.md). One that was not named by the user
 * decides alone what is reported of an object, so it is believed only if nobody but the user or
 * root can have written it.
 */
#include <sys/stat.h>

#include "base/cursor.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "dwarf/companion/companion.h"
#include "profiler/objects/companion_cache.h"
#include "profiler/objects/dso_open.h"

/* Returns "xx/yyyy.dtp", the name in a folder of companions of a build id; to be freed. */
static char *companion_name(const struct build_id *id)
{
	char text[2 * BUILD_ID_SIZE + 1];

	build_id_format(id, text);
	return xasprintf("%.2s/%s" COMPANION_SUFFIX, text, text + 2);
}

struct companion_search {
	const struct elf_image *image;
	struct debug_object *found;
	struct error *problem; /* why the first one that is there is not used */
};

/* Opens the companion at a path, if there is a file, and takes it if it is of this build. Frees
 * the path. Returns whether the search has ended. */
static bool try_companion(struct companion_search *search, char *path, bool named)
{
	_cleanup_free_ char *owned = path;
	_cleanup_close_ int fd = -1;
	char opened[sizeof(OPEN_FILE_FOLDER) + 16];
	struct elf_image *file;
	struct stat status;
	struct error *error;

	if (!path || !ordinary_file_exists(path))
		return false;
	error = named ? ordinary_file_open(path, &fd, &status) : believed_file_open(path, &fd);
	if (!error) {
		snprintf(opened, sizeof(opened), OPEN_FILE_FOLDER "%d", fd);
		error = elf_image_open(opened, &file);
		if (error)
			error = error_prefix(error, "%s", path);
	}
	if (!error &&
	    !build_id_equal(elf_image_build_id(file), elf_image_build_id(search->image))) {
		elf_image_close(file);
		return false;
	}
	if (!error)
		error = debug_object_open_companion(search->image, file, path, &search->found);
	if (search->problem)
		error_destroy(error);
	else
		search->problem = error;
	return search->found;
}

/* Tries the file, or the folder, that the user has named. The companions of a folder have the name
 * of their build id, or one that `dtprof index` gives: that of the object as it was mapped, as it
 * is read, or as a kernel is called whose boot image or memory is read. */
static bool try_named(struct companion_search *search, const struct dso *dso, const char *named)
{
	struct stat status;

	if (stat(named, &status) || !S_ISDIR(status.st_mode))
		return try_companion(search, xstrdup(named), true);
	const char *file = base_name(elf_image_path(search->image));
	bool boot = starts_with(file, "vmlinuz");
	_cleanup_free_ char *kernel = xasprintf("vmlinux%s", boot ? file + strlen("vmlinuz") : "");
	_cleanup_free_ char *name = companion_name(elf_image_build_id(search->image));
	char text[2 * BUILD_ID_SIZE + 1];
	const char *const files[] = { text, base_name(dso->short_name), file, kernel };
	bool found = try_companion(search, xasprintf("%s/%s", named, name), true);

	build_id_format(elf_image_build_id(search->image), text);
	for (size_t i = 0; i < COUNT_OF(files) && !found; i++)
		found = try_companion(search, xasprintf("%s/%s" COMPANION_SUFFIX, named, files[i]),
				      true);
	return found;
}

/* Tries the places where companions are. */
static bool try_places(struct companion_search *search, const struct dso_options *options)
{
	static const char system[] = "/usr/lib/debug/.dtprof";
	_cleanup_free_ char *name = companion_name(elf_image_build_id(search->image));
	_cleanup_free_ char *path = xasprintf("%s/%s", system, name);

	return try_companion(search,
			     xasprintf("%s" COMPANION_SUFFIX, elf_image_path(search->image)),
			     false) ||
	       (options && options->symfs &&
		try_companion(search, dso_path_in(options->symfs, path), false)) ||
	       try_companion(search, xstrdup(path), false) ||
	       try_companion(search, companion_cached(elf_image_build_id(search->image)), false);
}

/* Asks the servers, if there is no debug information on this machine: what is here is quicker. */
static void try_servers(struct companion_search *search, const struct dso_options *options)
{
	char *path = NULL;
	struct error *error;

	if (elf_image_has_debug_info(search->image))
		return;
	error = elf_image_find_debug_file(search->image, NULL, &path);
	bool local = path;

	free(path);
	error_destroy(error);
	if (local || (options && options->symfs))
		return;
	error = companion_fetch(elf_image_build_id(search->image), &path);
	if (search->problem)
		error_destroy(error);
	else
		search->problem = error;
	if (path && !try_companion(search, path, false))
		companion_cache_drop(elf_image_build_id(search->image));
}

struct error *dso_open_companion(const struct dso *dso, const struct elf_image *image,
				 const struct dso_options *options, struct debug_object **result)
{
	struct companion_search search = { .image = image };

	*result = NULL;
	if (elf_image_build_id(image)->size < 2 || (options && options->no_companion))
		return NULL;
	if (!(options && options->companion && try_named(&search, dso, options->companion)) &&
	    !try_companion(&search, dso_path_cached(dso, options, "companion"), true) &&
	    !try_places(&search, options) && dso->kind == DSO_USER)
		try_servers(&search, options);
	*result = search.found;
	if (!search.found)
		return search.problem;
	error_destroy(search.problem);
	return NULL;
}
