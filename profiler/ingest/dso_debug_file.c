// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/ingest/dso_debug_file.h"

#include <string.h>

#include "profiler/base/memory.h"
#include "profiler/ingest/build_id_cache.h"
#include "profiler/ingest/debuginfod.h"
#include "profiler/ingest/dso_kernel.h"
#include "profiler/ingest/dso_paths.h"

static struct error *find_installed(const struct elf_image *image, const struct dso_options *options,
				    char **path)
{
	_cleanup_free_ char *in_symfs =
		options && options->symfs ? dso_path_in(options->symfs, "/usr/lib/debug") : NULL;
	_cleanup_free_ char *beside = dso_kernel_debug_folder(options);
	const char *const given[] = { in_symfs, "/usr/lib/debug", beside };
	const char *directories[4] = { 0 };

	for (size_t i = 0, count = 0; i < 3; i++)
		if (given[i])
			directories[count++] = given[i];
	return elf_image_find_debug_file(image, directories, path);
}

/* What is said to be of the image's build id must be it; `whose` calls the place by a name. */
static struct error *open_checked(const struct elf_image *image, const char *path, const char *whose,
				  struct elf_image **result)
{
	struct elf_image *found = NULL;

	RETURN_ERROR(elf_image_open(path, &found));
	if (!build_id_equal(elf_image_build_id(found), elf_image_build_id(image))) {
		elf_image_close(found);
		return error_create(ERROR_FORMAT, "%s from %s has another build id than %s", path, whose,
				    elf_image_path(image));
	}
	*result = found;
	return NULL;
}

static struct error *fetch(const struct elf_image *image, struct elf_image **result)
{
	_cleanup_free_ char *path = NULL;

	RETURN_ERROR(debuginfod_fetch(DEBUGINFOD_DEBUG_INFO, elf_image_build_id(image), &path));
	return path ? open_checked(image, path, "a debuginfod server", result) : NULL;
}

static struct error *open_cached(const struct elf_image *image, const struct dso_options *options,
				 const char *name, struct elf_image **result)
{
	_cleanup_free_ char *path = build_id_cache_path(options ? options->build_id_folder : NULL,
							elf_image_build_id(image), name);

	/* the object itself may be from there */
	return path && strcmp(path, elf_image_path(image)) != 0
		       ? open_checked(image, path, "perf's cache", result)
		       : NULL;
}

static bool has_full_symbols(const struct elf_image *image)
{
	struct elf_section section;

	return elf_image_section_named(image, ".symtab", &section);
}

/* perf puts debug files there, and mostly the objects as they ran, stripped as well; somebody may have put
 * the one from before that there (perf buildid-cache -a). *result may be set also with an error. */
static struct error *search_cache(const struct elf_image *image, const struct dso_options *options,
				  struct elf_image **result)
{
	static const char *const names[] = { "debug", "elf" };
	struct error *error = NULL;

	for (size_t i = 0; i < 2 && (!*result || !elf_image_has_debug_info(*result)); i++) {
		struct elf_image *found = NULL;
		struct error *problem = open_cached(image, options, names[i], &found);

		error_destroy(error ? problem : NULL);
		error = error ? error : problem;
		if (!found)
			continue;
		bool better = elf_image_has_debug_info(found) ||
			      (!*result && has_full_symbols(found) && !has_full_symbols(image));

		elf_image_close(better ? *result : found);
		*result = better ? found : *result;
	}
	return error;
}

struct error *dso_debug_file_open(const struct elf_image *image, const struct dso_options *options,
				  struct elf_image **result)
{
	_cleanup_free_ char *path = NULL;
	struct elf_image *cached = NULL;

	*result = NULL;
	RETURN_ERROR(find_installed(image, options, &path));
	if (path)
		return elf_image_open(path, result);
	if (elf_image_has_debug_info(image))
		return NULL;

	struct error *error = search_cache(image, options, &cached);

	/* the types that a server has are worth more than symbols alone */
	if (!cached || !elf_image_has_debug_info(cached)) {
		struct error *fetch_error = fetch(image, result);

		error_destroy(error ? fetch_error : NULL);
		error = error ? error : fetch_error;
	}
	if (*result)
		elf_image_close(cached);
	else
		*result = cached;
	if (!*result)
		return error;
	error_destroy(error);
	return NULL;
}
