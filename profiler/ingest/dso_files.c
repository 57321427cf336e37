// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files behind a dso: object, separate debug file, debug information. See dso.h.
 *
 * A path in a perf.data file says nothing of what is there now: it is opened for reading only if it is an
 * ordinary file, and used only if its build id is the recorded one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "profiler/base/strbuf.h"
#include "profiler/ingest/debuginfod.h"
#include "profiler/ingest/dso_btf.h"
#include "profiler/ingest/dso_paths.h"
#include "profiler/ingest/dso_table.h"
#include "profiler/ingest/jit_map.h"
#include "profiler/ingest/kallsyms.h"
#include "profiler/ingest/running_kernel.h"
#include "profiler/ingest/vdso.h"

struct dso_files {
	struct elf_image *image; /* NULL after a try: `image_problem` says why */
	char *image_problem;
	struct elf_image
		*debug_image; /* NULL: the image itself has the debug information, or there is none */
	struct debug_object *debug;
	struct dso_btf btf; /* what `debug` was made of, if not of DWARF */
	char *btf_source;   /* NULL: not from BTF */
	char *symbol_source; /* where the symbols of a kernel are from that has none in its file; or NULL */
	char *debug_problem;
	char *symbol_problem; /* why a file with symbols is not used; NULL: nothing is wrong */
	struct error *debug_image_error; /* why there is no debug_image where there should be one */
	struct jit_map jit;              /* of code that belongs to no file */
	uint64_t slide;                  /* of the kernel, when slide_known */
	bool slide_known;
	bool jit_tried;
	bool debug_image_tried;
	bool debug_tried;
	struct elf_image *lost_debug; /* the debug file of an object that is not there any more */
	bool lost_tried;
};

static struct dso_files *dso_files_of(struct dso *dso)
{
	if (!dso->files)
		dso->files = xcalloc(1, sizeof(*dso->files));
	return dso->files;
}

void dso_files_destroy(struct dso_files *files)
{
	if (!files)
		return;
	if (files->debug)
		debug_object_close(files->debug);
	dso_btf_close(&files->btf);
	if (files->debug_image)
		elf_image_close(files->debug_image);
	if (files->lost_debug)
		elf_image_close(files->lost_debug);
	if (files->image)
		elf_image_close(files->image);
	jit_map_release(&files->jit);
	error_free(files->debug_image_error);
	free(files->image_problem);
	free(files->debug_problem);
	free(files->symbol_problem);
	free(files->btf_source);
	free(files->symbol_source);
	free(files);
}

static bool dso_same_build_id(const struct build_id *a, const struct build_id *b)
{
	return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
}

/* `image` (or why it could not be opened) if it is the recorded object; else *problem says why not (freed
 * before). */
static struct elf_image *dso_check_image(const struct dso *dso, const char *path, struct elf_image *image,
					 struct error *error, char **problem)
{
	char found_text[2 * BUILD_ID_SIZE + 1];
	char wanted_text[2 * BUILD_ID_SIZE + 1];

	if (error) {
		free(*problem);
		*problem = xstrdup(error->message);
		error_free(error);
		return NULL;
	}
	const struct build_id *found = elf_image_build_id(image);

	if (!dso->build_id.size || dso_same_build_id(found, &dso->build_id))
		return image;
	build_id_format(found, found_text);
	build_id_format(&dso->build_id, wanted_text);
	free(*problem);
	*problem = xasprintf("%s has build id %s, but %s was recorded: not used", path,
			     found->size ? found_text : "(none)", wanted_text);
	elf_image_close(image);
	return NULL;
}

static struct elf_image *dso_try_image(const struct dso *dso, const char *path, char **problem)
{
	struct elf_image *image = NULL;
	struct error *error;
	struct stat status;

	if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
		error = error_create(ERROR_FORMAT, "%s is no ordinary file", path);
	else
		error = elf_image_open(path, &image);
	return dso_check_image(dso, path, image, error, problem);
}

/* Without a build id nothing says that this machine's is the one that ran. */
static struct elf_image *dso_open_vdso(const struct dso *dso, char **problem)
{
	struct elf_image *image = NULL;

	if (!dso->build_id.size || strcmp(dso->long_name, "[vdso]") != 0) {
		*problem =
			xasprintf("%s is no object file, and its build id was not recorded", dso->long_name);
		return NULL;
	}
	struct error *error = vdso_image_open(&image);

	return dso_check_image(dso, "this machine's [vdso]", image, error, problem);
}

/* Put what else is wrong behind *problem, which may be NULL. */
static void dso_add_problem(char **problem, const struct error *error)
{
	char *both = *problem ? xasprintf("%s; %s", *problem, error->message) : xstrdup(error->message);

	free(*problem);
	*problem = both;
}

static struct elf_image *dso_fetch_image(const struct dso *dso, char **problem)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_error_ struct error *error = debuginfod_fetch(DEBUGINFOD_EXECUTABLE, &dso->build_id, &path);

	if (error)
		dso_add_problem(problem, error);
	return path ? dso_try_image(dso, path, problem) : NULL;
}

/* The object where it was when it was recorded, then where its process sees it, then where perf keeps copies by
 * build id, then from a server. */
static struct elf_image *dso_open_user_image(const struct dso *dso, const struct dso_options *options,
					     char **problem)
{
	_cleanup_free_ char *path = dso_path_in(options ? options->symfs : NULL, dso->long_name);
	_cleanup_free_ char *inside = options && options->symfs ? NULL : dso_path_inside(dso);
	_cleanup_free_ char *cached = dso_path_cached(dso, "elf");
	struct elf_image *image = NULL;
	struct stat status;

	/* without a build id the file of this name out here is not it */
	if (inside && !dso->build_id.size)
		image = dso_try_image(dso, inside, problem);
	else if (dso_is_deleted(dso))
		*problem = xasprintf("%s was deleted or replaced while it ran", dso->long_name);
	else
		image = dso_try_image(dso, path, problem);
	if (!image && inside && dso->build_id.size && stat(inside, &status) == 0)
		image = dso_try_image(dso, inside, problem);
	if (!image && cached && stat(cached, &status) == 0)
		image = dso_try_image(dso, cached, problem);
	return image ? image : dso_fetch_image(dso, problem);
}

/* The running kernel's boot image, which has its code, if this is the kernel that runs. */
static struct elf_image *dso_open_boot_image(const struct dso *dso, const struct dso_options *options, char **problem)
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

/* The kernel's symbols are in this file; NULL: in none that is known. */
static const char *dso_kernel_symbols(const struct dso *dso, const struct dso_options *options)
{
	if (options && options->kallsyms)
		return options->kallsyms;
	return dso->kind == DSO_KERNEL && running_kernel_is(&dso->build_id) ? RUNNING_KERNEL_SYMBOLS : NULL;
}

static struct elf_image *dso_find_kernel_image(const struct dso *dso, const struct dso_options *options,
					       char **problem)
{
	_cleanup_free_ char *cached = dso_path_cached(dso, "elf");
	struct elf_image *image = NULL;
	struct stat status;

	if (options && options->vmlinux)
		return dso_try_image(dso, options->vmlinux, problem);
	*problem = xasprintf("no vmlinux for %s: give its path, or that of its boot image (vmlinuz), with -k",
			     dso->long_name);
	if (cached && stat(cached, &status) == 0)
		image = dso_try_image(dso, cached, problem);
	return image ? image : dso_open_boot_image(dso, options, problem);
}

/* A kernel that was stripped of its symbols gets them from the kernel's own list. Before anybody asks for them. */
static struct elf_image *dso_open_kernel_image(struct dso *dso, const struct dso_options *options, char **problem)
{
	struct elf_image *image = dso_find_kernel_image(dso, options, problem);
	const char *symbols = dso_kernel_symbols(dso, options);

	if (!image || elf_image_has_symbols(image))
		return image;

	_cleanup_error_ struct error *error =
		symbols ? kallsyms_give(symbols, image)
			: error_create(ERROR_NOT_FOUND, "%s has no symbols: give them with --kallsyms (a copy of "
				       RUNNING_KERNEL_SYMBOLS ", or the System.map)", elf_image_path(image));

	if (!error) {
		dso->files->symbol_source = xstrdup(symbols);
		return image;
	}
	free(*problem);
	*problem = xstrdup(error->message);
	elf_image_close(image);
	return NULL;
}

static struct elf_image *dso_open_image(struct dso *dso, const struct dso_options *options,
					char **problem)
{
	switch (dso->kind) {
	case DSO_KERNEL:
	case DSO_GUEST_KERNEL: return dso_open_kernel_image(dso, options, problem);
	case DSO_USER: return dso_open_user_image(dso, options, problem);
	case DSO_VDSO: return dso_open_vdso(dso, problem);
	case DSO_MODULE:
		if (dso->long_name[0] == '/')
			return dso_open_user_image(dso, options, problem);
		break;
	default: break;
	}
	*problem = xasprintf("%s is no object file", dso->long_name);
	return NULL;
}

const struct elf_image *dso_image(struct dso *dso, const struct dso_options *options, const char **problem)
{
	struct dso_files *files = dso_files_of(dso);

	if (!files->image && !files->image_problem) {
		files->image = dso_open_image(dso, options, &files->image_problem);
		if (files->image) {
			free(files->image_problem);
			files->image_problem = NULL;
		}
	}
	*problem = files->image_problem;
	return files->image;
}

/* What the server calls the debug file of the object must be it. */
static struct error *dso_fetch_debug_image(struct dso_files *files)
{
	const struct build_id *build_id = elf_image_build_id(files->image);
	_cleanup_free_ char *path = NULL;
	struct elf_image *image = NULL;

	if (elf_image_has_debug_info(files->image))
		return NULL;
	RETURN_ERROR(debuginfod_fetch(DEBUGINFOD_DEBUG_INFO, build_id, &path));
	if (!path)
		return NULL;
	RETURN_ERROR(elf_image_open(path, &image));
	if (!dso_same_build_id(elf_image_build_id(image), build_id)) {
		elf_image_close(image);
		return error_create(ERROR_FORMAT, "%s from a debuginfod server has another build id than %s",
				    path, elf_image_path(files->image));
	}
	files->debug_image = image;
	return NULL;
}

/* The separate debug file, if the object has one on this machine, or a server has it. */
static struct error *dso_open_debug_image(struct dso_files *files, const struct dso_options *options)
{
	_cleanup_free_ char *in_symfs =
		options && options->symfs ? dso_path_in(options->symfs, "/usr/lib/debug") : NULL;
	const char *const directories[] = { in_symfs ? in_symfs : "/usr/lib/debug",
					    in_symfs ? "/usr/lib/debug" : NULL, NULL };
	_cleanup_free_ char *path = NULL;

	RETURN_ERROR(elf_image_find_debug_file(files->image, directories, &path));
	if (path)
		return elf_image_open(path, &files->debug_image);
	return dso_fetch_debug_image(files);
}

static void dso_try_debug_image(struct dso_files *files, const struct dso_options *options)
{
	if (files->debug_image_tried)
		return;
	files->debug_image_tried = true;
	files->debug_image_error = dso_open_debug_image(files, options);
}

static struct error *dso_open_debug(struct dso_files *files, const struct dso_options *options)
{
	dso_try_debug_image(files, options);
	if (files->debug_image_error && !elf_image_has_debug_info(files->image))
		return error_create(files->debug_image_error->code, "%s", files->debug_image_error->message);
	const struct elf_image *debug_image = elf_image_has_debug_info(files->image) || !files->debug_image
						      ? files->image
						      : files->debug_image;

	return debug_object_open(files->image, debug_image, &files->debug);
}

static struct error *dso_open_btf(const struct dso *dso, const struct dso_options *options)
{
	struct dso_files *files = dso->files;
	struct strbuf source = STRBUF_INIT;

	RETURN_ERROR(dso_btf_open(dso, files->image, options, &files->btf));
	RETURN_ERROR(debug_object_open_btf(files->image, files->btf.btf, &files->debug));
	strbuf_add_format(&source, "[btf] %s, code %s", btf_path(files->btf.btf), elf_image_path(files->image));
	if (files->symbol_source)
		strbuf_add_format(&source, ", symbols %s", files->symbol_source);
	files->btf_source = strbuf_detach(&source);
	return NULL;
}

const char *dso_btf_source(const struct dso *dso)
{
	return dso->files ? dso->files->btf_source : NULL;
}

/* Why there are no types: for what there never is BTF of, it is not spoken of. */
static char *dso_debug_problem(const struct dso *dso, const struct error *dwarf_error,
			       const struct error *btf_error)
{
	if (dwarf_error->code != ERROR_NO_DEBUG_INFO)
		return xstrdup(dwarf_error->message);
	if (btf_error && (btf_error->code != ERROR_NO_DEBUG_INFO || dso->kind == DSO_KERNEL ||
			  dso->kind == DSO_GUEST_KERNEL || dso->kind == DSO_MODULE))
		return xstrdup(btf_error->message);
	return xasprintf("no debug information in %s: install its -dbgsym package, or build with -g",
			 elf_image_path(dso->files->image));
}

static void dso_try_debug(struct dso *dso, const struct dso_options *options)
{
	struct dso_files *files = dso_files_of(dso);
	const char *problem;

	if (files->debug_tried)
		return;
	files->debug_tried = true;
	if (!dso_image(dso, options, &problem)) {
		files->debug_problem = xstrdup(problem);
		return;
	}
	_cleanup_error_ struct error *error = dso_open_debug(files, options);
	_cleanup_error_ struct error *btf_error = NULL;

	if (!error)
		return;
	if (!options || !options->no_btf)
		btf_error = dso_open_btf(dso, options);
	if (!files->debug)
		files->debug_problem = dso_debug_problem(dso, error, btf_error);
}

struct debug_object *dso_debug(struct dso *dso, const struct dso_options *options, const char **problem)
{
	dso_try_debug(dso, options);
	*problem = dso->files->debug_problem;
	return dso->files->debug;
}

/*
 * The object is not there any more (deleted, replaced, of another machine), but its debug file may be: that has the
 * symbols, though no code. NULL: it is not there either.
 */
static const struct elf_image *dso_lost_debug(struct dso *dso, const struct dso_options *options)
{
	struct dso_files *files = dso_files_of(dso);
	_cleanup_free_ char *path = NULL;

	if (files->lost_tried || !dso->build_id.size || (dso->kind != DSO_USER && dso->kind != DSO_MODULE))
		return files->lost_debug;
	files->lost_tried = true;
	path = dso_path_debug(dso, options ? options->symfs : NULL);
	if (!path)
		error_free(debuginfod_fetch(DEBUGINFOD_DEBUG_INFO, &dso->build_id, &path));
	if (!path)
		return NULL;
	char *problem = NULL;

	files->lost_debug = dso_try_image(dso, path, &problem);
	free(problem);
	return files->lost_debug;
}

/* Its segments have no contents, so that their offsets say nothing: where the map of the code began does. */
static uint64_t dso_lost_address(struct dso *dso, const struct dso_options *options, uint64_t offset)
{
	const struct elf_image *image = dso->has_code ? dso_lost_debug(dso, options) : NULL;
	uint64_t start;
	uint64_t size;

	if (!image || !elf_image_code_segment(image, &start, &size) || offset < dso->code_offset ||
	    offset - dso->code_offset >= size)
		return offset;
	return start + (offset - dso->code_offset);
}

/* What the compiler that made the code says of it. Without that there are no symbols, which is no error. */
static const struct symbol *dso_jit_symbol_at(struct dso *dso, const struct dso_options *options,
					      uint64_t address)
{
	struct dso_files *files = dso_files_of(dso);

	if (!files->jit_tried) {
		files->jit_tried = true;
		_cleanup_error_ struct error *error =
			jit_map_read(dso->long_name, options && options->force, &files->jit);

		if (error && error->code == ERROR_PERMISSION)
			files->symbol_problem = xstrdup(error->message);
	}
	return jit_map_find(&files->jit, address);
}

/* Without a vmlinux: by the kernel's own list. */
static const struct symbol *dso_kernel_symbol_at(struct dso *dso, const struct dso_options *options,
						 uint64_t address)
{
	struct dso_files *files = dso_files_of(dso);

	if (!files->jit_tried) {
		files->jit_tried = true;
		error_free(kallsyms_read(dso_kernel_symbols(dso, options), &files->jit));
	}
	return jit_map_find(&files->jit, address);
}

/* How much higher the kernel ran than its file says. */
static uint64_t dso_kernel_slide(const struct dso *dso, const struct elf_image *image)
{
	const struct symbol *symbol =
		dso->reference_symbol ? elf_image_symbol_named(image, dso->reference_symbol) : NULL;

	return symbol ? dso->reference_address - symbol->address : 0;
}

uint64_t dso_data_address(struct dso *dso, const struct dso_options *options, uint64_t offset)
{
	const char *problem;
	uint64_t address;

	if (dso->kind != DSO_USER)
		return dso_file_address(dso, options, offset);
	const struct elf_image *image = dso_image(dso, options, &problem);

	return image && elf_image_offset_to_data(image, offset, &address) ? address : offset;
}

uint64_t dso_file_address(struct dso *dso, const struct dso_options *options, uint64_t offset)
{
	struct dso_files *files;
	const char *problem;
	uint64_t address;

	if (dso->kind != DSO_USER && dso->kind != DSO_KERNEL && dso->kind != DSO_GUEST_KERNEL)
		return offset;
	const struct elf_image *image = dso_image(dso, options, &problem);

	if (!image)
		return dso->kind == DSO_USER ? dso_lost_address(dso, options, offset) : offset;
	if (dso->kind == DSO_USER)
		return elf_image_offset_to_address(image, offset, &address) ? address : offset;
	files = dso_files_of(dso);
	if (!files->slide_known) {
		files->slide = dso_kernel_slide(dso, image);
		files->slide_known = true;
	}
	return offset - files->slide;
}

const struct symbol *dso_symbol_at(struct dso *dso, const struct dso_options *options, uint64_t address)
{
	const char *problem;

	if (!strncmp(dso->short_name, "[JIT]", 5))
		return dso_jit_symbol_at(dso, options, address);
	const struct elf_image *image = dso_image(dso, options, &problem);

	if (!image && dso->kind == DSO_KERNEL && dso_kernel_symbols(dso, options))
		return dso_kernel_symbol_at(dso, options, address);
	if (!image)
		image = dso_lost_debug(dso, options);
	if (!image)
		return NULL;
	const struct symbol *symbol = elf_image_function_at(image, address);

	if (symbol || image == dso->files->lost_debug)
		return symbol;
	dso_try_debug_image(dso->files, options);
	return dso->files->debug_image ? elf_image_function_at(dso->files->debug_image, address) : NULL;
}

const struct symbol *dso_data_symbol_at(struct dso *dso, const struct dso_options *options, uint64_t address)
{
	const char *problem;
	const struct elf_image *image = dso_image(dso, options, &problem);
	const struct symbol *symbol = image ? elf_image_object_at(image, address) : NULL;

	if (image && !symbol) {
		dso_try_debug_image(dso->files, options);
		if (dso->files->debug_image)
			symbol = elf_image_object_at(dso->files->debug_image, address);
	}
	return symbol ? symbol : dso_symbol_at(dso, options, address);
}

const char *dso_symbol_problem(const struct dso *dso)
{
	return dso->files ? dso->files->symbol_problem : NULL;
}
