// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements dso.h: opens the files of a DSO when they are first asked for, and looks up symbols.
 */
#include <stdlib.h>
#include <string.h>

#include "profiler/base/strbuf.h"
#include "profiler/base/text.h"
#include "profiler/objects/dso_btf.h"
#include "profiler/objects/dso_open.h"
#include "profiler/objects/dso_table.h"
#include "profiler/objects/kernel.h"
#include "profiler/objects/symbol_map.h"

struct dso_files {
	/* The object. NULL: image_problem says why, or nobody has asked yet. */
	struct elf_image *image;
	char *image_problem;
	char *symbol_source; /* the list of symbols, for a kernel whose file has none; or NULL */

	/*
	 * The separate debug file. NULL: the object has the debug information itself, or there is
	 * none.
	 */
	bool debug_image_tried;
	struct elf_image *debug_image;
	struct error *debug_image_error; /* why it could not be opened */

	/* Debug information. NULL: debug_problem says why. */
	bool debug_tried;
	struct debug_object *debug;
	struct btf *btf;  /* the source of `debug`; NULL: DWARF */
	char *btf_source; /* dso_btf_source() */
	char *debug_problem;
	bool no_debug_info; /* debug_problem is that there is none */

	/* Symbols from elsewhere. */
	bool embedded_tried;
	struct elf_image *embedded; /* .gnu_debugdata, if there is no debug file */
	bool lost_tried;
	struct elf_image *lost_debug; /* debug file of an object that is gone */
	bool symbols_tried;
	struct symbol_map symbols; /* of JIT code, or of a kernel or module without a file */
	bool data_tried;
	struct symbol_map symbols_and_data; /* the same with data, of a kernel or module */
	struct symbol announced;            /* a ksymbol as a function */
	char *symbol_problem;               /* dso_symbol_problem(); NULL: nothing is wrong */

	bool slide_known;
	uint64_t slide; /* kernel_slide() */
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
	btf_close(files->btf);
	if (files->debug_image)
		elf_image_close(files->debug_image);
	if (files->embedded)
		elf_image_close(files->embedded);
	if (files->lost_debug)
		elf_image_close(files->lost_debug);
	if (files->image)
		elf_image_close(files->image);
	symbol_map_deinit(&files->symbols);
	symbol_map_deinit(&files->symbols_and_data);
	error_destroy(files->debug_image_error);
	free(files->image_problem);
	free(files->debug_problem);
	free(files->btf_source);
	free(files->symbol_source);
	free(files->symbol_problem);
	free(files);
}

const struct elf_image *dso_image(struct dso *dso, const struct dso_options *options,
				  const char **problem)
{
	struct dso_files *files = dso_files_of(dso);

	if (!files->image && !files->image_problem) {
		files->image =
			dso_open_image(dso, options, &files->symbol_source, &files->image_problem);
		if (files->image) {
			free(files->image_problem);
			files->image_problem = NULL;
		}
	}
	*problem = files->image_problem;
	return files->image;
}

void dso_apply_alternatives(struct dso *dso, const uint64_t *addresses, size_t count)
{
	struct elf_image *image = dso->files ? dso->files->image : NULL;

	/* An image of a kernel's memory has no such sections, and is not changed. */
	if (image && dso_is_kernel(dso))
		elf_image_apply_alternatives(image, addresses, count);
}

static void dso_try_debug_image(struct dso_files *files, const struct dso_options *options)
{
	if (files->debug_image_tried)
		return;
	files->debug_image_tried = true;
	files->debug_image_error = dso_open_debug_file(files->image, options, &files->debug_image);
}

const struct elf_image *dso_debug_image(struct dso *dso, const struct dso_options *options)
{
	if (!dso->files || !dso->files->image)
		return NULL;
	dso_try_debug_image(dso->files, options);
	return dso->files->debug_image;
}

static struct error *dso_open_debug(struct dso_files *files, const struct dso_options *options)
{
	dso_try_debug_image(files, options);
	if (files->debug_image_error && !elf_image_has_debug_info(files->image))
		return error_create(files->debug_image_error->code, "%s",
				    files->debug_image_error->message);
	const struct elf_image *debug_image =
		elf_image_has_debug_info(files->image) || !files->debug_image ? files->image
									      : files->debug_image;

	return debug_object_open(files->image, debug_image, &files->debug);
}

static struct error *dso_open_btf(const struct dso *dso, const struct dso_options *options)
{
	struct dso_files *files = dso->files;
	struct strbuf source = STRBUF_INIT;

	RETURN_ERROR(dso_btf_open(dso, files->image, options, &files->btf));
	RETURN_ERROR(debug_object_open_btf(files->image, files->btf, &files->debug));
	strbuf_add_format(&source, "[btf] %s, code %s", btf_path(files->btf),
			  elf_image_path(files->image));
	if (files->symbol_source)
		strbuf_add_format(&source, ", symbols %s", files->symbol_source);
	files->btf_source = strbuf_detach(&source);
	return NULL;
}

const char *dso_btf_source(const struct dso *dso)
{
	return dso->files ? dso->files->btf_source : NULL;
}

/*
 * Returns why there are no types. BTF is mentioned only for kernels and modules: others hardly ever
 * have it.
 */
static char *dso_debug_problem(const struct dso *dso, const struct error *dwarf_error,
			       const struct error *btf_error)
{
	bool kernel = dso_is_kernel(dso);

	if (dwarf_error->code != ERROR_NO_DEBUG_INFO)
		return xstrdup(dwarf_error->message);
	if (btf_error && (btf_error->code != ERROR_NO_DEBUG_INFO || kernel))
		return xstrdup(btf_error->message);
	if (kernel)
		return xasprintf("no debug information in %s: install the kernel's -dbg package, "
				 "or leave out "
				 "--no-btf",
				 elf_image_path(dso->files->image));
	return xasprintf(
		"no debug information in %s: install its -dbgsym package, or build with -g",
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
	if (files->debug)
		return;
	files->debug_problem = dso_debug_problem(dso, error, btf_error);
	files->no_debug_info = error->code == ERROR_NO_DEBUG_INFO;
}

struct debug_object *dso_debug(struct dso *dso, const struct dso_options *options,
			       const char **problem)
{
	dso_try_debug(dso, options);
	*problem = dso->files->debug_problem;
	return dso->files->debug;
}

/* As dso_open_lost_debug(), once for each DSO. */
static const struct elf_image *dso_lost_debug(struct dso *dso, const struct dso_options *options)
{
	struct dso_files *files = dso_files_of(dso);

	if (files->lost_tried || !dso->build_id.size ||
	    (dso->kind != DSO_USER && dso->kind != DSO_MODULE))
		return files->lost_debug;
	files->lost_tried = true;
	files->lost_debug = dso_open_lost_debug(dso, options);
	return files->lost_debug;
}

/*
 * Returns the file address of an offset in an object that is gone, or the offset. The segments of a
 * debug file have no contents, so their offsets mean nothing: the start of the code's map tells
 * where the segment of code is.
 */
static uint64_t dso_lost_address(struct dso *dso, const struct dso_options *options,
				 uint64_t offset)
{
	const struct elf_image *image = dso->has_code ? dso_lost_debug(dso, options) : NULL;
	uint64_t start;
	uint64_t size;

	if (!image || !elf_image_code_segment(image, &start, &size) || offset < dso->code_offset ||
	    offset - dso->code_offset >= size)
		return offset;
	return start + (offset - dso->code_offset);
}

/*
 * Looks up JIT code in the map that its compiler wrote. No map means no symbols, and is no error.
 */
static const struct symbol *dso_jit_symbol_at(struct dso *dso, const struct dso_options *options,
					      uint64_t address)
{
	struct dso_files *files = dso_files_of(dso);

	if (!files->symbols_tried) {
		files->symbols_tried = true;
		_cleanup_error_ struct error *error =
			dso_read_jit_map(dso, options, &files->symbols);

		if (error && error->code != ERROR_NOT_FOUND)
			files->symbol_problem = xstrdup(error->message);
	}
	return symbol_map_find(&files->symbols, address);
}

/*
 * Looks up a kernel or module without a file in a list like /proc/kallsyms. Most callers want only
 * functions, which are half of the symbols or fewer, so the list is read a second time for data.
 */
static const struct symbol *dso_kernel_symbol_at(struct dso *dso, const struct dso_options *options,
						 bool with_data, uint64_t address)
{
	struct dso_files *files = dso_files_of(dso);
	struct symbol_map *map = with_data ? &files->symbols_and_data : &files->symbols;
	bool *tried = with_data ? &files->data_tried : &files->symbols_tried;

	if (!*tried && !files->symbol_problem) {
		struct error *error = dso_read_kernel_symbols(dso, options, with_data, map);

		files->symbol_problem = error ? xstrdup(error->message) : NULL;
		error_destroy(error);
	}
	*tried = true;
	return files->symbol_problem ? NULL : symbol_map_find(map, address);
}

/*
 * Returns the one function of a BPF program or a trampoline, or NULL if it ends before `address`.
 */
static const struct symbol *dso_announced_symbol_at(struct dso *dso, uint64_t address)
{
	struct dso_files *files = dso_files_of(dso);

	files->announced = (struct symbol){ .address = dso->load_address,
					    .size = dso->text_size,
					    .name = dso->long_name };
	return address - dso->load_address < dso->text_size ? &files->announced : NULL;
}

/*
 * Returns how much higher than the addresses of its file the kernel ran. If the file lacks the
 * reference symbol, that is the start of .text.
 */
static uint64_t kernel_slide(const struct dso *dso, const struct elf_image *image)
{
	struct elf_section text;
	uint64_t address;

	if (dso->reference_symbol &&
	    elf_image_symbol_address(image, dso->reference_symbol, &address))
		return dso->reference_address - address;
	return dso->reference_symbol && elf_image_section_named(image, ".text", &text)
		       ? dso->reference_address - text.address
		       : 0;
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

	if (dso->kind != DSO_USER && !dso_is_kernel(dso))
		return offset;
	const struct elf_image *image = dso_image(dso, options, &problem);

	if (!image)
		return dso->kind == DSO_USER ? dso_lost_address(dso, options, offset) : offset;
	if (dso->kind == DSO_USER)
		return elf_image_offset_to_address(image, offset, &address) ? address : offset;
	if (dso->kind == DSO_MODULE)
		return elf_image_load_base(image) + offset;
	files = dso_files_of(dso);
	if (!files->slide_known) {
		files->slide = kernel_slide(dso, image);
		files->slide_known = true;
	}
	return offset - files->slide;
}

/*
 * Returns the image to search for the symbol of an address if the object itself has none there: the
 * debug file, or .gnu_debugdata. NULL: there is neither.
 */
static const struct elf_image *dso_more_symbols(struct dso_files *files,
						const struct dso_options *options, uint64_t address)
{
	struct elf_section section;

	dso_try_debug_image(files, options);
	if (files->debug_image || files->embedded_tried)
		return files->debug_image ? files->debug_image : files->embedded;
	/* Unpack .gnu_debugdata only for an address in a section. */
	if (!elf_image_section_at(files->image, address, &section))
		return NULL;
	files->embedded_tried = true;
	_cleanup_error_ struct error *error =
		elf_image_open_embedded(files->image, &files->embedded);

	if (error && !files->symbol_problem)
		files->symbol_problem = xstrdup(error->message);
	return files->embedded;
}

const struct symbol *dso_symbol_at(struct dso *dso, const struct dso_options *options,
				   uint64_t address)
{
	const char *problem;

	if (dso->kind == DSO_ANONYMOUS && starts_with(dso->long_name, JIT_MAP_PREFIX))
		return dso_jit_symbol_at(dso, options, address);
	if (dso->kind == DSO_KSYMBOL)
		return dso_announced_symbol_at(dso, address);
	const struct elf_image *image = dso_image(dso, options, &problem);

	if (!image && (dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE))
		return dso_kernel_symbol_at(dso, options, false, address);
	if (!image)
		image = dso_lost_debug(dso, options);
	if (!image)
		return NULL;
	const struct symbol *symbol = elf_image_function_at(image, address);

	if (symbol || image == dso->files->lost_debug)
		return symbol;
	image = dso_more_symbols(dso->files, options, address);
	return image ? elf_image_function_at(image, address) : NULL;
}

void dso_prepare(struct dso *dso, const struct dso_options *options, bool symbols, bool debug)
{
	const char *problem;

	if (symbols)
		(void)dso_symbol_at(dso, options, 0);
	if (debug)
		(void)dso_debug(dso, options, &problem);
}

const struct symbol *dso_data_symbol_at(struct dso *dso, const struct dso_options *options,
					uint64_t address)
{
	const char *problem;
	const struct elf_image *image = dso_image(dso, options, &problem);
	const struct symbol *symbol = image ? elf_image_object_at(image, address) : NULL;

	if (!image && (dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE))
		return dso_kernel_symbol_at(dso, options, true, address);
	if (image && !symbol) {
		image = dso_more_symbols(dso->files, options, address);
		symbol = image ? elf_image_object_at(image, address) : NULL;
	}
	return symbol ? symbol : dso_symbol_at(dso, options, address);
}

enum dso_lack dso_lack(const struct dso *dso)
{
	const struct dso_files *files = dso->files;

	if (!files)
		return DSO_LACKS_NOTHING;
	if (!files->image && files->image_problem)
		return DSO_LACKS_FILE;
	if (!files->debug_problem)
		return DSO_LACKS_NOTHING;
	return files->no_debug_info ? DSO_LACKS_DEBUG_INFO : DSO_LACKS_OTHER;
}

const char *dso_symbol_problem(const struct dso *dso)
{
	const struct dso_files *files = dso->files;

	if (!files)
		return NULL;
	if (dso->refused && !files->image && !files->lost_debug)
		return files->image_problem;
	if (files->symbol_problem)
		return files->symbol_problem;
	/* The image of a kernel is not needed if its list of symbols was read. */
	if ((dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE) && !files->image &&
	    !files->symbols.count)
		return files->image_problem;
	return NULL;
}
