// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which file a dso is: see dso_open.h.
 *
 * A path in a perf.data file says nothing of what is there now: it is opened for reading only if it is an
 * ordinary file, and used only if its build id is the recorded one.
 */
#include "profiler/ingest/dso_open.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "profiler/base/memory.h"
#include "profiler/ingest/dso_kernel.h"
#include "profiler/ingest/dso_paths.h"
#include "profiler/ingest/vdso.h"

struct elf_image *dso_check_image(const struct dso *dso, const char *path, struct elf_image *image,
				  struct error *error, char **problem)
{
	char found_text[2 * BUILD_ID_SIZE + 1];
	char wanted_text[2 * BUILD_ID_SIZE + 1];

	if (error) {
		free(*problem);
		*problem = xstrdup(error->message);
		error_destroy(error);
		return NULL;
	}
	const struct build_id *found = elf_image_build_id(image);

	if (!dso->build_id.size || build_id_equal(found, &dso->build_id))
		return image;
	build_id_format(found, found_text);
	build_id_format(&dso->build_id, wanted_text);
	free(*problem);
	*problem = xasprintf("%s has build id %s, but %s was recorded: not used", path,
			     found->size ? found_text : "(none)", wanted_text);
	elf_image_close(image);
	return NULL;
}

struct elf_image *dso_try_image(const struct dso *dso, const char *path, char **problem)
{
	struct elf_image *image = NULL;
	struct error *error = elf_image_open(path, &image);

	return dso_check_image(dso, path, image, error, problem);
}

/* As dso_try_image(); whether the file is there, but another one, is kept. */
static struct elf_image *dso_try_user_image(struct dso *dso, const char *path, char **problem)
{
	struct elf_image *opened = NULL;
	struct error *error = elf_image_open(path, &opened);
	bool is_object = !error;
	struct elf_image *image = dso_check_image(dso, path, opened, error, problem);

	dso->refused |= is_object && !image;
	return image;
}

/* Without a build id nothing says that this machine's is the one that ran; that of other programs (32 bits)
 * is not in this process. After an update of the kernel perf still has the one that was recorded. */
static struct elf_image *dso_open_vdso(const struct dso *dso, const struct dso_options *options,
				       char **problem)
{
	_cleanup_free_ char *cached = dso_path_cached(dso, options, "vdso");
	bool own = dso->build_id.size && strcmp(dso->long_name, "[vdso]") == 0;
	struct elf_image *image = NULL;

	if (own) {
		struct error *error = vdso_image_open(&image);

		image = dso_check_image(dso, "this machine's [vdso]", image, error, problem);
	} else {
		*problem =
			xasprintf("%s is no object file, and its build id was not recorded", dso->long_name);
	}
	return image || !cached ? image : dso_try_image(dso, cached, problem);
}

/* Put what else is wrong behind *problem, which may be NULL. */
void dso_add_problem(char **problem, const struct error *error)
{
	char *both = *problem ? xasprintf("%s; %s", *problem, error->message) : xstrdup(error->message);

	free(*problem);
	*problem = both;
}

struct elf_image *dso_fetch_image(const struct dso *dso, enum debuginfod_kind kind, char **problem)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_error_ struct error *error = debuginfod_fetch(kind, &dso->build_id, &path);

	if (error)
		dso_add_problem(problem, error);
	return path ? dso_try_image(dso, path, problem) : NULL;
}

/* The object where it was when it was recorded, then where its process sees it, then where perf keeps copies
 * by build id, then from a server. */
static struct elf_image *dso_open_user_image(struct dso *dso, const struct dso_options *options,
					     char **problem)
{
	_cleanup_free_ char *path = dso_path_in(options ? options->symfs : NULL, dso->long_name);
	_cleanup_free_ char *inside = options && options->symfs ? NULL : dso_path_inside(dso);
	_cleanup_free_ char *cached = dso_path_cached(dso, options, "elf");
	struct elf_image *image = NULL;
	struct stat status;

	/* without a build id the file of this name out here is not it */
	if (inside && !dso->build_id.size)
		image = dso_try_user_image(dso, inside, problem);
	else if (dso_is_deleted(dso))
		*problem = xasprintf("%s was deleted or replaced while it ran", dso->long_name);
	else
		image = dso_try_user_image(dso, path, problem);
	if (!image && inside && dso->build_id.size && stat(inside, &status) == 0)
		image = dso_try_user_image(dso, inside, problem);
	if (!image && cached)
		image = dso_try_user_image(dso, cached, problem);
	return image ? image : dso_fetch_image(dso, DEBUGINFOD_EXECUTABLE, problem);
}

struct elf_image *dso_open_image(struct dso *dso, const struct dso_options *options, char **symbol_source,
				 char **problem)
{
	switch (dso->kind) {
	case DSO_KERNEL:
	case DSO_GUEST_KERNEL: return dso_open_kernel(dso, options, symbol_source, problem);
	case DSO_USER: return dso_open_user_image(dso, options, problem);
	case DSO_VDSO: return dso_open_vdso(dso, options, problem);
	case DSO_MODULE: return dso_open_module(dso, options, problem);
	default: break;
	}
	*problem = xasprintf("%s is no object file", dso->long_name);
	return NULL;
}

struct error *dso_read_jit_map(const struct dso *dso, const struct dso_options *options, struct jit_map *map)
{
	bool force = options && options->force;
	bool inside = !(options && options->symfs) && dso_is_inside(dso);
	struct error *error = inside ? jit_map_read_inside(dso->pid, force, map) : NULL;

	if (map->count)
		return error;
	struct error *outside = jit_map_read(dso->long_name, force, map);

	/* what is wrong with the first is said where the second is not there */
	if (error && outside && outside->code == ERROR_NOT_FOUND) {
		error_destroy(outside);
		return error;
	}
	error_destroy(error);
	return outside;
}
