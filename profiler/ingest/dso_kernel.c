// SPDX-License-Identifier: GPL-2.0-or-later
/* Which files a kernel and its modules are: see dso_kernel.h. */
#include "profiler/ingest/dso_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "dwarf/elf/core.h"
#include "profiler/base/memory.h"
#include "profiler/base/ordinary_file.h"
#include "profiler/base/strbuf.h"
#include "profiler/ingest/dso_open.h"
#include "profiler/ingest/dso_paths.h"
#include "profiler/ingest/kallsyms.h"
#include "profiler/ingest/kcore.h"
#include "profiler/ingest/kernel_paths.h"
#include "profiler/ingest/running_kernel.h"

/* The running kernel's boot image, which has its code, if this is the kernel that runs. */
static struct elf_image *dso_open_boot_image(const struct dso *dso, const struct dso_options *options,
					     char **problem)
{
	static const char *const places[] = { "/boot/vmlinuz-%s", "/lib/modules/%s/vmlinuz",
					      "/usr/lib/modules/%s/vmlinuz" };
	struct elf_image *image = NULL;
	struct utsname system;
	struct stat status;

	if (!running_kernel_is(&dso->build_id) || uname(&system) < 0)
		return NULL;
	for (size_t i = 0; !image && i < sizeof(places) / sizeof(*places); i++) {
		char place[sizeof(system.release) + 64];

		snprintf(place, sizeof(place), places[i], system.release);
		_cleanup_free_ char *path = dso_path_in(options ? options->symfs : NULL, place);

		if (stat(path, &status) == 0)
			image = dso_try_image(dso, path, problem);
	}
	return image;
}

const char *dso_kernel_memory_symbols(const struct dso *dso, const struct dso_options *options)
{
	if (options && options->kallsyms)
		return options->kallsyms;
	return dso->kernel && running_kernel_is(&dso->kernel->build_id) ? RUNNING_KERNEL_SYMBOLS : NULL;
}

char *dso_kernel_symbols(const struct dso *dso, const struct dso_options *options)
{
	const char *path = dso_kernel_memory_symbols(dso, options);

	if (path)
		return xstrdup(path);
	return dso->kernel ? dso_path_cached(dso->kernel, options, "kallsyms") : NULL;
}

/* Without a build id (perf's pipes had none for long) a kernel of the running one's release may be the
 * running one: whether it is, its list shows. */
static bool dso_may_run(const struct dso *dso, const struct dso_options *options)
{
	const struct dso *kernel = dso->kernel;
	struct utsname system;

	if (!kernel || kernel->kind != DSO_KERNEL || kernel->build_id.size || !kernel->reference_symbol ||
	    !kernel->release || (options && options->symfs))
		return false;
	return uname(&system) == 0 && strcmp(kernel->release, system.release) == 0;
}

struct error *dso_read_kernel_symbols(const struct dso *dso, const struct dso_options *options,
				      bool with_data, struct jit_map *map)
{
	_cleanup_free_ char *path = dso_kernel_symbols(dso, options);
	_cleanup_free_ char *module = NULL;
	struct kallsyms_place place = {
		.reference_symbol = dso->kernel ? dso->kernel->reference_symbol : NULL,
		.reference_address = dso->kernel ? dso->kernel->reference_address : 0,
		.end = dso->text_size,
		.with_data = with_data,
	};

	if (dso->kind == DSO_MODULE) {
		const char *name = dso->short_name + (dso->short_name[0] == '[');

		place.module = module = xstrndup(name, strcspn(name, "]"));
		place.load_address = dso->load_address;
	} else {
		place.end += dso->reference_address;
	}
	if (path)
		return kallsyms_read(path, &place, map);
	if (!dso_may_run(dso, options))
		return NULL;
	place.kernel_end = dso->kernel->reference_address + dso->kernel->text_size;

	struct error *error = kallsyms_read(RUNNING_KERNEL_SYMBOLS, &place, map);

	/* of a list that is another's the kernel has a line, of its modules each that their files are missing
	 */
	if (dso->kind != DSO_MODULE)
		return error;
	error_destroy(error);
	return NULL;
}

/* What would help where no file is there. */
static char *dso_kernel_missing(const struct dso *dso, const struct dso_options *options)
{
	_cleanup_free_ char *symbols = dso_kernel_symbols(dso, options);
	_cleanup_free_ char *package = kernel_debug_package(dso->release);
	struct strbuf text = STRBUF_INIT;
	char id[2 * BUILD_ID_SIZE + 1];

	build_id_format(&dso->build_id, id);
	strbuf_add_format(&text, "no vmlinux for %s", dso->long_name);
	if (dso->release)
		strbuf_add_format(&text, " of %s", dso->release);
	if (dso->build_id.size)
		strbuf_add_format(&text, ", build id %s", id);
	strbuf_add_string(&text, ": ");
	if (package)
		strbuf_add_format(&text, "install %s, or ", package);
	strbuf_add_string(&text, "give its path, or that of its boot image (vmlinuz), with -k");
	if (!symbols && dso->kind == DSO_KERNEL)
		strbuf_add_string(&text, ", or for names alone a copy of its " RUNNING_KERNEL_SYMBOLS
					 " with --kallsyms");
	/* whoever may read the kernel's memory has the code; what else is missing is said then */
	if (running_kernel_is(&dso->build_id) && access(RUNNING_KERNEL_BTF "/vmlinux", R_OK) == 0 &&
	    access(RUNNING_KERNEL_MEMORY, R_OK) != 0)
		strbuf_add_string(&text,
				  "; for types its code alone is missing, they are in " RUNNING_KERNEL_BTF);
	return strbuf_detach(&text);
}

/* Where no build id was recorded, the length of the text tells kernels of one release apart. */
static bool has_recorded_text(const struct dso *dso, const struct elf_image *image)
{
	const struct symbol *start =
		dso->reference_symbol ? elf_image_symbol_named(image, dso->reference_symbol) : NULL;
	const struct symbol *end = elf_image_symbol_named(image, "_etext");

	return start && end && end->address - start->address == dso->text_size;
}

static struct elf_image *dso_search_kernel(const struct dso *dso, const struct dso_options *options,
					   char **problem)
{
	struct path_list list = { 0 };
	struct elf_image *image = NULL;

	kernel_paths_vmlinux(dso->release, &dso->build_id, options ? options->symfs : NULL,
			     options ? options->build_id_folder : NULL, &list);
	for (size_t i = 0; i < list.count && !image; i++) {
		if (!ordinary_file_exists(list.paths[i]))
			continue;
		image = dso_try_image(dso, list.paths[i], problem);
		if (!image || dso->build_id.size || has_recorded_text(dso, image))
			continue;
		free(*problem);
		*problem = xasprintf(
			"%s is another kernel than the recorded one, which has no build id: not used; "
			"give the path of the right one with -k",
			list.paths[i]);
		elf_image_close(image);
		image = NULL;
	}
	path_list_deinit(&list);
	return image;
}

/* A kernel's memory, which has the code that ran, patches and all. */
static struct elf_image *dso_open_kernel_memory(const struct dso *dso, const struct dso_options *options,
						const char *path, char **problem)
{
	const char *symbols = dso_kernel_memory_symbols(dso, options);
	struct elf_image *image = NULL;
	struct error *error = symbols ? kcore_open(path, symbols, &image)
				      : error_create(ERROR_NOT_FOUND,
						     "%s is a kernel's memory: give its symbols of that time "
						     "with --kallsyms (a copy "
						     "of " RUNNING_KERNEL_SYMBOLS ")",
						     path);

	/* its notes may not be in it */
	if (!error && !elf_image_build_id(image)->size && running_kernel_is(&dso->build_id))
		return image;
	return dso_check_image(dso, path, image, error, problem);
}

/* What this machine has of the kernel that it runs, without debug information. */
static struct elf_image *dso_open_running_kernel(const struct dso *dso, const struct dso_options *options,
						 char **problem)
{
	_cleanup_free_ char *unread = NULL;
	_cleanup_free_ char *others = NULL;
	struct elf_image *image = NULL;

	if (running_kernel_is(&dso->build_id) && access(RUNNING_KERNEL_MEMORY, R_OK) == 0)
		image = dso_open_kernel_memory(dso, options, RUNNING_KERNEL_MEMORY, &unread);
	if (!image)
		image = dso_open_boot_image(dso, options, problem);
	if (!image && unread) {
		others = *problem;
		*problem = xasprintf("%s; %s", others, unread);
	}
	return image;
}

static struct elf_image *dso_find_kernel_image(const struct dso *dso, const struct dso_options *options,
					       char **problem)
{
	struct elf_image *image;

	if (options && options->vmlinux && elf_is_core(options->vmlinux))
		return dso_open_kernel_memory(dso, options, options->vmlinux, problem);
	if (options && options->vmlinux)
		return dso_try_image(dso, options->vmlinux, problem);
	*problem = dso_kernel_missing(dso, options);
	/* a guest's kernel is not this machine's */
	bool search = !options || !options->no_vmlinux;

	image = dso->kind == DSO_KERNEL && search ? dso_search_kernel(dso, options, problem) : NULL;
	if (!image && search)
		image = dso_fetch_image(dso, DEBUGINFOD_DEBUG_INFO, problem);
	return image ? image : dso_open_running_kernel(dso, options, problem);
}

/* A kernel that was stripped of its symbols gets them from the kernel's own list. Before anybody asks for
 * them. */
struct elf_image *dso_open_kernel(struct dso *dso, const struct dso_options *options, char **symbol_source,
				  char **problem)
{
	struct elf_image *image = dso_find_kernel_image(dso, options, problem);

	/* the file that was asked for is not used: its symbols may come from elsewhere, but not in silence */
	dso->refused = !image && dso->kind == DSO_KERNEL && options && options->vmlinux;
	if (!image || elf_image_has_symbols(image))
		return image;
	_cleanup_free_ char *symbols = dso_kernel_symbols(dso, options);

	if (elf_image_was_given_symbols(image)) {
		*symbol_source = xstrdup(symbols);
		return image;
	}

	_cleanup_error_ struct error *error =
		symbols ? kallsyms_give(symbols, image)
			: error_create(ERROR_NOT_FOUND,
				       "%s has no symbols: give them with --kallsyms (a copy "
				       "of " RUNNING_KERNEL_SYMBOLS ", or the System.map)",
				       elf_image_path(image));

	if (!error) {
		*symbol_source = xstrdup(symbols);
		return image;
	}
	free(*problem);
	*problem = xstrdup(error->message);
	elf_image_close(image);
	return NULL;
}

char *dso_kernel_debug_folder(const struct dso_options *options)
{
	const char *slash = options && options->vmlinux ? strrchr(options->vmlinux, '/') : NULL;

	return slash ? xasprintf("%.*s/..", (int)(slash - options->vmlinux), options->vmlinux) : NULL;
}

static bool has_code(const struct elf_image *image)
{
	struct elf_section text;
	size_t available;

	return elf_image_section_named(image, ".text", &text) &&
	       elf_image_bytes(image, text.address, &available);
}

/* Debug files that have no code are found when there is need for them. */
struct elf_image *dso_open_module(struct dso *dso, const struct dso_options *options, char **problem)
{
	struct path_list list = { 0 };
	struct elf_image *image = NULL;

	kernel_paths_module(dso->long_name, dso->release, options ? options->vmlinux : NULL,
			    options ? options->symfs : NULL, &list);
	for (size_t i = 0; i < list.count && !image; i++) {
		if (!ordinary_file_exists(list.paths[i]))
			continue;
		image = dso_try_image(dso, list.paths[i], problem);
		if (image && !has_code(image)) {
			elf_image_close(image);
			image = NULL;
		}
	}
	path_list_deinit(&list);
	_cleanup_free_ char *cached = dso_path_cached(dso, options, "elf");

	if (!image && cached)
		image = dso_try_image(dso, cached, problem);
	if (!image)
		image = dso_fetch_image(dso, DEBUGINFOD_EXECUTABLE, problem);
	if (!image && !*problem) {
		_cleanup_free_ char *package = kernel_debug_package(dso->release);

		*problem = xasprintf(
			"no file of the module %s: install %s, or give the folder that it is below with "
			"--symfs",
			dso->long_name, package ? package : "its kernel's debug package");
	}
	return image;
}
