// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements dso_btf.h. */
#include "profiler/objects/dso_btf.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dwarf/elf/image.h"
#include "profiler/base/memory.h"
#include "profiler/objects/kernel.h"

/* ---- BTF that modules share ---- */

struct btf_base {
	struct btf *btf;
	struct elf_image *image; /* contains `btf`; NULL: the BTF opened its file itself */
};

struct btf_bases {
	/*
	 * Protects the members below. It is held while a file is read, because other threads
	 * usually wait for the same one.
	 */
	pthread_mutex_t lock;
	struct btf_base *items; /* in no order; btf_path() tells them apart */
	size_t count;
	size_t capacity;
};

struct btf_bases *btf_bases_create(void)
{
	struct btf_bases *bases = xcalloc(1, sizeof(*bases));

	pthread_mutex_init(&bases->lock, NULL);
	return bases;
}

void btf_bases_destroy(struct btf_bases *bases)
{
	if (!bases)
		return;
	for (size_t i = 0; i < bases->count; i++) {
		btf_close(bases->items[i].btf);
		if (bases->items[i].image)
			elf_image_close(bases->items[i].image);
	}
	pthread_mutex_destroy(&bases->lock);
	free(bases->items);
	free(bases);
}

static struct error *open_kernel_memory(const char *path, const char *symbols,
					struct btf_base *base)
{
	RETURN_ERROR(kcore_open_btf(path, symbols, &base->image));

	struct error *error = btf_open_image(base->image, NULL, &base->btf);

	if (error)
		elf_image_close(base->image);
	return error;
}

static struct error *find_or_open_base(struct btf_bases *bases, const char *path,
				       const char *symbols, const struct btf **result)
{
	struct btf_base base = { 0 };

	for (size_t i = 0; i < bases->count; i++) {
		if (strcmp(btf_path(bases->items[i].btf), path) == 0) {
			*result = bases->items[i].btf;
			return NULL;
		}
	}
	if (symbols && elf_is_core(path))
		RETURN_ERROR(open_kernel_memory(path, symbols, &base));
	else
		RETURN_ERROR(btf_open(path, NULL, &base.btf));
	array_reserve(bases->items, bases->count, bases->capacity);
	bases->items[bases->count++] = base;
	*result = base.btf;
	return NULL;
}

struct error *btf_bases_open(struct btf_bases *bases, const char *path, const char *symbols,
			     const struct btf **result)
{
	pthread_mutex_lock(&bases->lock);
	struct error *error = find_or_open_base(bases, path, symbols, result);

	pthread_mutex_unlock(&bases->lock);
	return error;
}

/* ---- the BTF of an object ---- */

static bool is_folder(const char *path)
{
	struct stat status;

	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/*
 * Returns the file that --btf names for "vmlinux" or a module, or NULL. In a folder it is the file
 * of that name. If --btf is a file, that is the kernel's, and those of modules are beside it. The
 * caller frees the path.
 */
static char *given_path(const struct dso_options *options, const char *name)
{
	const char *given = options->btf, *slash;
	char *path;

	if (!given)
		return NULL;
	if (!is_folder(given) && strcmp(name, "vmlinux") == 0)
		return xstrdup(given);
	if (is_folder(given))
		path = xasprintf("%s/%s", given, name);
	else if ((slash = strrchr(given, '/')))
		path = xasprintf("%.*s/%s", (int)(slash - given), given, name);
	else
		path = xstrdup(name);
	if (access(path, F_OK) == 0)
		return path;
	free(path);
	return NULL;
}

/*
 * Returns the error for an object without BTF. `name` is that of the kernel's BTF, "/vmlinux" or
 * "".
 */
static struct error *no_btf_error(const char *path, const char *name)
{
	return error_create(ERROR_NO_DEBUG_INFO,
			    "no debug information and no BTF for %s: install its -dbg package, or "
			    "give the kernel's "
			    "BTF with --btf (a copy of " RUNNING_KERNEL_BTF "%s)",
			    path, name);
}

static struct error *open_kernel(const struct dso *dso, const struct elf_image *image,
				 const struct dso_options *options, struct btf **result)
{
	_cleanup_free_ char *given = given_path(options, "vmlinux");

	if (given)
		return btf_open(given, NULL, result);

	struct error *error = btf_open_image(image, NULL, result);

	if (!error || error->code != ERROR_NO_DEBUG_INFO)
		return error;
	error_destroy(error);
	if (running_kernel_is(&dso->build_id))
		return btf_open(RUNNING_KERNEL_BTF "/vmlinux", NULL, result);
	return no_btf_error(elf_image_path(image), "/vmlinux");
}

/*
 * Finds the BTF of the kernel that a module is based on: that of --btf, of the running kernel if it
 * has the module, or of -k.
 */
static struct error *open_module_base(const char *name, const struct dso *dso,
				      const struct elf_image *image,
				      const struct dso_options *options, const struct btf **result)
{
	_cleanup_free_ char *given = given_path(options, "vmlinux");

	if (given)
		return btf_bases_open(dso->bases, given, NULL, result);
	if (running_kernel_has_module(name, &dso->build_id))
		return btf_bases_open(dso->bases, RUNNING_KERNEL_BTF "/vmlinux", NULL, result);
	if (options->vmlinux) {
		struct error *error =
			btf_bases_open(dso->bases, options->vmlinux,
				       dso_kernel_memory_symbols(dso, options), result);

		if (!error || error->code != ERROR_NO_DEBUG_INFO)
			return error;
		error_destroy(error);
	}
	return no_btf_error(elf_image_path(image), "");
}

static struct error *open_module(const struct dso *dso, const struct elf_image *image,
				 const struct dso_options *options, struct btf **result)
{
	_cleanup_free_ char *name = dso_module_name(dso);
	_cleanup_free_ char *given = given_path(options, name);
	const struct btf *base;

	RETURN_ERROR(open_module_base(name, dso, image, options, &base));
	if (given)
		return btf_open(given, base, result);
	return btf_open_image(image, base, result);
}

struct error *dso_btf_open(const struct dso *dso, const struct elf_image *image,
			   const struct dso_options *options, struct btf **result)
{
	static const struct dso_options none;

	options = options ? options : &none;
	switch (dso->kind) {
	case DSO_KERNEL:
	case DSO_GUEST_KERNEL: return open_kernel(dso, image, options, result);
	case DSO_MODULE: return open_module(dso, image, options, result);
	default: return btf_open_image(image, NULL, result);
	}
}
