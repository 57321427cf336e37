// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements dso.h: opens the files of a DSO when they are first asked for, and looks up symbols.
 */

#include "base/cursor.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "dwarf/btf/btf.h"
#include "dwarf/companion/companion.h"
#include "profiler/objects/dso.h"
#include "profiler/objects/dso_open.h"
#include "profiler/objects/kernel.h"
#include "profiler/objects/symbol_map.h"

struct dso_files {
	/* The object. NULL: image_problem says why, or nobody has asked yet. */
	struct elf_image *image;
	char *image_problem;
	void *bpf_file;      /* the bytes of `image`, for a BPF program */
	char *symbol_source; /* the list of symbols, for a kernel whose file has none; or NULL */

	/* The separate debug file; NULL: the object has debug information, or there is none. */
	bool debug_image_tried;
	struct elf_image *debug_image;
	struct error *debug_image_error; /* why it could not be opened */

	/* NULL: there is none, or companion_error says why it is not used. */
	struct debug_object *companion;
	struct error *companion_error;

	/* Debug information. NULL: debug_problem says why. It may be the companion. */
	bool debug_tried;
	struct debug_object *debug;
	struct btf *btf; /* the source of `debug` or of `types`; NULL: none, or DWARF */
	struct debug_object *btf_companion; /* that has `btf`; NULL: another file has it */
	bool types_tried;
	struct btf_types *types; /* dso_kernel_struct() */
	char *btf_source;        /* dso_btf_source() */
	char *debug_problem;
	enum dso_lack debug_lack; /* which part debug_problem is about */

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
	bool symbols_unread;                /* dso_unread_symbols() */

	/* by threads that find the same */
	_Atomic bool slide_known;
	_Atomic uint64_t slide; /* kernel_slide() */
};

static struct dso_files *dso_files_of(struct dso *dso)
{
	if (!dso->files)
		dso->files = xcalloc(1, sizeof(*dso->files));
	return dso->files;
}

/* Closes the files of a DSO. `files` may be NULL. */
static void dso_files_destroy(struct dso_files *files)
{
	if (!files)
		return;
	if (files->debug != files->companion)
		debug_object_close(files->debug);
	debug_object_close(files->companion);
	error_destroy(files->companion_error);
	btf_types_destroy(files->types);
	btf_close(files->btf);
	debug_object_close(files->btf_companion);
	elf_image_close(files->debug_image);
	elf_image_close(files->embedded);
	elf_image_close(files->lost_debug);
	elf_image_close(files->image);
	free(files->bpf_file);
	symbol_map_deinit(&files->symbols);
	symbol_map_deinit(&files->symbols_and_data);
	error_destroy(files->debug_image_error);
	free_all(files->image_problem, files->debug_problem, files->btf_source,
		 files->symbol_source, files->symbol_problem, files);
}

static void dso_try_debug_image(struct dso *dso, const struct dso_options *options)
{
	struct dso_files *files = dso->files;

	if (files->debug_image_tried)
		return;
	files->debug_image_tried = true;
	files->debug_image_error =
		dso_open_debug_file(dso, files->image, options, &files->debug_image);
}

/* Gives a stripped program or library the symbols of its debug file. */
static void use_debug_symbols(struct dso *dso, const struct dso_options *options)
{
	struct dso_files *files = dso->files;
	struct elf_section section;

	if (elf_image_section_named(files->image, ".symtab", &section))
		return;
	if (files->companion && companion_symbols(companion_of(files->companion))) {
		elf_image_set_symbol_file(files->image,
					  companion_symbols(companion_of(files->companion)));
		return;
	}
	if (dso->kind != DSO_USER)
		return;
	dso_try_debug_image(dso, options);
	if (files->debug_image)
		elf_image_set_symbol_file(files->image, files->debug_image);
	files->symbols_unread =
		files->debug_image_error && files->debug_image_error->code == ERROR_OTHER;
	if (files->symbols_unread)
		files->symbol_problem = xstrdup(files->debug_image_error->message);
}

/* Opens the object's file and its companion. A kernel's file is of no use without symbols. */
static void open_image(struct dso *dso, struct dso_files *files, const struct dso_options *options)
{
	struct elf_image *image =
		dso_open_image(dso, options, &files->symbol_source, &files->image_problem);

	files->image = image;
	if (!image)
		return;
	files->companion_error = dso_open_companion(dso, image, options, &files->companion);
	use_debug_symbols(dso, options);
	if ((dso->kind == DSO_KERNEL || dso->kind == DSO_GUEST_KERNEL) &&
	    !elf_image_has_symbols(image) && !elf_image_was_given_symbols(image) &&
	    !elf_image_symbol_file(image)) {
		if (files->companion)
			debug_object_close(files->companion);
		elf_image_close(image);
		files->companion = NULL;
		files->image = NULL;
		return;
	}
	free(files->image_problem);
	files->image_problem = NULL;
}

/* Makes the image of a function of a BPF program, which is in no file. */
static void make_bpf_image(struct dso *dso)
{
	struct dso_files *files = dso->files;
	size_t function;
	const struct bpf_program *program =
		bpf_programs_find(dso->programs, dso->load_address, &function);

	if (!program) {
		files->image_problem = xasprintf(
			"%s has no code in the recording: root records that of BPF programs",
			dso->long_name);
		return;
	}
	_cleanup_error_ struct error *error =
		bpf_image_make(program, function, dso->programs->arch, dso->long_name,
			       &files->bpf_file, &files->image);

	if (error)
		files->image_problem = xstrdup(error->message);
}

bool dso_bpf_line(const struct dso *dso, uint64_t address, struct bpf_line *line)
{
	size_t function;
	const struct bpf_program *program =
		dso->kind == DSO_KSYMBOL
			? bpf_programs_find(dso->programs, dso->load_address, &function)
			: NULL;

	return program && bpf_line_at(program, address, line);
}

const struct elf_image *dso_image(struct dso *dso, const struct dso_options *options,
				  const char **problem)
{
	struct dso_files *files = dso_files_of(dso);

	if (!files->image && !files->image_problem && dso->kind == DSO_KSYMBOL)
		make_bpf_image(dso);
	else if (!files->image && !files->image_problem)
		open_image(dso, files, options);
	if (problem)
		*problem = files->image_problem;
	return files->image;
}

void dso_apply_alternatives(struct dso *dso, const uint64_t *addresses, size_t count)
{
	struct elf_image *image = dso->files ? dso->files->image : NULL;

	struct elf_section section;

	/* An image of a kernel's memory has no such sections, and is not changed. A kernel that was
	 * named as a file is a program like others. */
	if (image &&
	    (dso_is_kernel(dso) || elf_image_section_named(image, ".altinstructions", &section)))
		elf_image_apply_alternatives(image, addresses, count);
}

const struct elf_image *dso_debug_image(struct dso *dso, const struct dso_options *options)
{
	if (!dso->files || !dso->files->image)
		return NULL;
	dso_try_debug_image(dso, options);
	return dso->files->debug_image;
}

/* Returns whether the file is no file of this machine: it came with a recording, a container's root
 * made it, or root unpacked it below --symfs. Its owner then says nothing. */
static bool is_foreign(const struct dso *dso, const struct elf_image *image,
		       const struct dso_options *options)
{
	const char *path = elf_image_path(image);

	return starts_with(path, OPEN_FILE_FOLDER) ||
	       (!geteuid() && ((options && options->symfs && starts_with(path, options->symfs)) ||
			       (dso->kind == DSO_USER && starts_with(path, "/proc/"))));
}

struct source_rights dso_source_rights(struct dso *dso, const struct dso_options *options)
{
	struct source_rights rights = { .root = options ? options->source_root : NULL,
					.user = NOBODY,
					.group = NOBODY };
	const struct elf_image *image = dso_image(dso, options, NULL);
	const struct elf_image *debug = image ? dso_debug_image(dso, options) : NULL;

	if (!image || is_foreign(dso, image, options) || (debug && is_foreign(dso, debug, options)))
		return rights;
	/* both name sources; root is the owner who may read the most */
	if (debug && !elf_image_file(image)->st_uid)
		image = debug;
	if (elf_image_file(image)->st_ino || dso->kind != DSO_USER) {
		rights.user = elf_image_file(image)->st_uid;
		rights.group = elf_image_file(image)->st_gid;
	}
	return rights;
}

static struct error *dso_open_debug(struct dso *dso, const struct dso_options *options)
{
	struct dso_files *files = dso->files;

	dso_try_debug_image(dso, options);
	if (files->debug_image_error && !elf_image_has_debug_info(files->image))
		return error_create(files->debug_image_error->code, "%s",
				    files->debug_image_error->message);
	const struct elf_image *debug_image =
		elf_image_has_debug_info(files->image) || !files->debug_image ? files->image
									      : files->debug_image;

	RETURN_ERROR(debug_object_open(files->image, debug_image, &files->debug));
	if (options && options->separate_kernel && dso_is_kernel(dso))
		debug_object_separate_units(files->debug);
	return NULL;
}

/* Opens the BTF of the object's companion, for questions that its answers do not have. Returns
 * whether there is one. */
static bool open_companion_btf(const struct dso *dso, const struct dso_options *options)
{
	struct dso_options search = *options;
	struct dso_files *files = dso->files;

	search.no_companion = false;
	error_destroy(dso_open_companion(dso, files->image, &search, &files->btf_companion));
	if (files->btf_companion)
		error_destroy(btf_open_image(companion_file(companion_of(files->btf_companion)),
					     NULL, &files->btf));
	return files->btf;
}

static struct error *dso_open_btf(const struct dso *dso, const struct dso_options *options)
{
	struct dso_files *files = dso->files;
	struct strbuf source = STRBUF_INIT;
	struct error *error = dso_btf_open(dso, files->image, options, &files->btf);

	if (error && !(options && options->companion_btf && open_companion_btf(dso, options)))
		return error;
	error_destroy(error);
	RETURN_ERROR(btf_object_open(files->image, files->btf, &files->debug));
	if (dso->kind == DSO_KSYMBOL)
		return NULL; /* code and types are the recording's */
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

static bool has_debug_info(const struct dso_files *files)
{
	return elf_image_has_debug_info(files->image) ||
	       (files->debug_image && elf_image_has_debug_info(files->debug_image));
}

/* Returns the part whose lack fails DWARF: a stripped object may name its alternate file. */
static enum dso_lack debug_lack(const struct dso_files *files, const struct error *error)
{
	if (error->code != ERROR_NO_DEBUG_INFO && error->code != ERROR_NOT_FOUND)
		return DSO_LACKS_OTHER;
	if (has_debug_info(files))
		return DSO_LACKS_DEBUG_FILE;
	return elf_image_other_debug_format(files->image) ? DSO_LACKS_OTHER : DSO_LACKS_DEBUG_INFO;
}

/* Returns why there are no types. Others than kernels and modules hardly ever have BTF. */
static char *dso_debug_problem(const struct dso *dso, const struct error *dwarf_error,
			       const struct error *btf_error)
{
	const char *path = elf_image_path(dso->files->image);
	const char *format = elf_image_other_debug_format(dso->files->image);
	bool kernel = dso_is_kernel(dso);

	if (dso->files->debug_lack == DSO_LACKS_OTHER && format)
		return xasprintf("the debug information of %s is %s, which is not read: compile it "
				 "with -gdwarf-5 (gcc, clang)",
				 path, format);
	if (dwarf_error->code != ERROR_NO_DEBUG_INFO ||
	    dso->files->debug_lack != DSO_LACKS_DEBUG_INFO)
		return xstrdup(dwarf_error->message);
	if (btf_error && (btf_error->code != ERROR_NO_DEBUG_INFO || kernel))
		return xstrdup(btf_error->message);
	if (kernel)
		return xasprintf("no debug information in %s: install the kernel's -dbg package, "
				 "or leave out --no-btf",
				 path);
	return xasprintf(
		"no debug information in %s: install its -dbgsym package, or build with -g", path);
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
	files->debug = files->companion;
	if (files->debug)
		return;
	_cleanup_error_ struct error *error = dso_open_debug(dso, options);
	_cleanup_error_ struct error *btf_error = NULL;

	if (!error)
		return;
	if (!options || !options->no_btf)
		btf_error = dso_open_btf(dso, options);
	if (files->debug)
		return;
	files->debug_lack = debug_lack(files, error);
	files->debug_problem = dso_debug_problem(dso, error, btf_error);
}

const struct elf_image *dso_companion_file(const struct dso *dso)
{
	return dso->files && dso->files->companion
		       ? companion_file(companion_of(dso->files->companion))
		       : NULL;
}

const char *dso_companion_problem(const struct dso *dso)
{
	return dso->files && dso->files->companion_error ? dso->files->companion_error->message
							 : NULL;
}

struct debug_object *dso_debug(struct dso *dso, const struct dso_options *options,
			       const char **problem)
{
	dso_try_debug(dso, options);
	if (problem)
		*problem = dso->files->debug_problem;
	return dso->files->debug;
}

const struct type *dso_kernel_struct(struct dso *dso, const struct dso_options *options,
				     const char *name)
{
	struct dso_files *files = dso_files_of(dso);

	if (!files->types_tried && !files->image && dso->kind == DSO_KERNEL &&
	    !(options && options->no_btf)) {
		error_destroy(dso_btf_open(dso, NULL, options, &files->btf));
		files->types = files->btf ? btf_types_create(files->btf) : NULL;
	}
	files->types_tried = true;

	uint32_t id = files->types ? btf_struct_id(files->btf, name) : 0;

	return id ? btf_types_get(files->types, id) : NULL;
}

/* Returns the debug file of an object that is gone, or NULL, searched for once. */
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

/* Returns the file address of an offset in an object that is gone, or the offset. The segments of a
 * debug file have no contents, so their offsets mean nothing: the start of the code's map tells
 * where the segment of code is. */
static uint64_t dso_lost_address(struct dso *dso, const struct dso_options *options,
				 uint64_t offset)
{
	const struct elf_image *image = dso->has_code ? dso_lost_debug(dso, options) : NULL;
	uint64_t start, size;

	if (!image || !elf_image_code_segment(image, &start, &size) || offset < dso->code_offset ||
	    offset - dso->code_offset >= size)
		return offset;
	return start + (offset - dso->code_offset);
}

/* Looks up JIT code in its compiler's map. Without a map there are no symbols, and no error. */
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

/* Looks up a kernel or module without a file in a list like /proc/kallsyms. Most callers want only
 * functions, which are half of the symbols or fewer, so the list is read a second time for data. */
static const struct symbol *dso_kernel_symbol_at(struct dso *dso, const struct dso_options *options,
						 bool with_data, uint64_t address)
{
	struct dso_files *files = dso_files_of(dso);
	struct symbol_map *map = with_data ? &files->symbols_and_data : &files->symbols;
	bool *tried = with_data ? &files->data_tried : &files->symbols_tried;

	if (!*tried && !files->symbol_problem) {
		struct error *error = dso_read_kernel_symbols(dso, options, with_data, map);

		files->symbol_problem = error ? xstrdup(error->message) : NULL;
		files->symbols_unread = error && error->code == ERROR_OTHER;
		error_destroy(error);
	}
	*tried = true;
	return files->symbol_problem ? NULL : symbol_map_find(map, address);
}

/* Returns the one function of a BPF program or trampoline; NULL: it ends before `address`. */
static const struct symbol *dso_announced_symbol_at(struct dso *dso, uint64_t address)
{
	struct dso_files *files = dso_files_of(dso);

	files->announced = (struct symbol){ .address = dso->load_address,
					    .size = dso->text_size,
					    .name = dso->long_name };
	return address - dso->load_address < dso->text_size ? &files->announced : NULL;
}

/* Returns the distance from the addresses in the kernel's file to those at which it ran. If the
 * file lacks the reference symbol, the start of .text takes its place. */
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
	uint64_t address;

	if (dso->kind != DSO_USER)
		return dso_file_address(dso, options, offset);
	const struct elf_image *image = dso_image(dso, options, NULL);

	return image && elf_image_offset_to_data(image, offset, &address) ? address : offset;
}

uint64_t dso_file_address(struct dso *dso, const struct dso_options *options, uint64_t offset)
{
	struct dso_files *files;
	uint64_t address;

	if (dso->kind != DSO_USER && !dso_is_kernel(dso))
		return offset;
	const struct elf_image *image = dso_image(dso, options, NULL);

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

/* Returns the image to search for the symbol of an address if the object itself has none there: the
 * debug file, or .gnu_debugdata. NULL: there is neither. */
static const struct elf_image *dso_more_symbols(struct dso *dso, const struct dso_options *options,
						uint64_t address)
{
	struct dso_files *files = dso->files;
	struct elf_section section;

	if (elf_image_symbol_file(files->image))
		return NULL; /* the image has the symbols of the debug file */
	dso_try_debug_image(dso, options);
	if (files->debug_image || files->embedded_tried)
		return files->debug_image ?: files->embedded;
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
	if (dso->kind == DSO_ANONYMOUS && starts_with(dso->long_name, JIT_MAP_PREFIX))
		return dso_jit_symbol_at(dso, options, address);
	if (dso->kind == DSO_KSYMBOL)
		return dso_announced_symbol_at(dso, address);
	const struct elf_image *image = dso_image(dso, options, NULL);

	if (!image && (dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE))
		return dso_kernel_symbol_at(dso, options, false, address);
	if (!image)
		image = dso_lost_debug(dso, options);
	if (!image)
		return NULL;
	const struct symbol *symbol = elf_image_function_at(image, address);

	if (symbol || image == dso->files->lost_debug)
		return symbol;
	image = dso_more_symbols(dso, options, address);
	return image ? elf_image_function_at(image, address) : NULL;
}

void dso_read_symbols(const struct dso *dso, bool symbols, bool debug)
{
	const struct elf_image *image = dso->files ? dso->files->image : NULL;

	if (image &&
	    (symbols || (debug && !dso->files->companion && elf_image_has_debug_info(image))))
		elf_image_read_symbols(image);
}

void dso_done_with_code(const struct dso *dso)
{
	if (dso->files && dso->files->image)
		elf_image_done_with_code(dso->files->image, 0, UINT64_MAX);
}

void dso_prepare(struct dso *dso, const struct dso_options *options, bool symbols, bool debug)
{
	if (symbols)
		(void)dso_symbol_at(dso, options, 0);
	if (debug)
		(void)dso_debug(dso, options, NULL);
}

void dso_read_ahead(struct dso *dso, const struct dso_options *options, bool debug)
{
	dso_prepare(dso, options, true, debug);
	if (debug && dso->files->debug)
		debug_object_prepare(dso->files->debug);
}

const struct symbol *dso_data_symbol_at(struct dso *dso, const struct dso_options *options,
					uint64_t address)
{
	const struct elf_image *image = dso_image(dso, options, NULL);
	const struct symbol *symbol = image ? elf_image_object_at(image, address) : NULL;

	if (!image && (dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE))
		return dso_kernel_symbol_at(dso, options, true, address);
	if (image && !symbol) {
		image = dso_more_symbols(dso, options, address);
		symbol = image ? elf_image_object_at(image, address) : NULL;
	}
	return symbol ?: dso_symbol_at(dso, options, address);
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
	return files->debug_lack;
}

const char *dso_symbol_problem(const struct dso *dso)
{
	const struct dso_files *files = dso->files;

	if (!files)
		return NULL;
	if (!files->image && (dso->unread || (dso->refused && !files->lost_debug)))
		return files->image_problem;
	if (files->symbol_problem)
		return files->symbol_problem;
	/* The image of a kernel is not needed if its list of symbols was read. */
	if ((dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE) && !files->image &&
	    !files->symbols.count)
		return files->image_problem;
	return NULL;
}

bool dso_refused_symbols(const struct dso *dso)
{
	const struct dso_files *files = dso->files;

	return files && files->symbol_problem && dso_symbol_problem(dso) == files->symbol_problem;
}

bool dso_unread_symbols(const struct dso *dso)
{
	return dso->files && (dso->files->symbols_unread || (dso->unread && !dso->files->image));
}

/* ---- all DSOs of a session, with the names that perf shows ---- */

#define KERNEL_NAME       "[kernel.kallsyms]"
#define GUEST_KERNEL_NAME "[guest.kernel.kallsyms"

bool dso_name_is_anonymous(const char *name)
{
	/* /proc/PID/maps names memory that a program named itself: [anon:NAME], [anon_shmem:NAME]
	 */
	static const char *const prefixes[] = {
		"/dev/zero", "/anon_hugepage", "[stack", "/SYSV", "[heap]", "[anon:", "[anon_shmem:"
	};

	return !strcmp(name, "//anon") ||
	       any_of(i, 0, COUNT_OF(prefixes), starts_with(name, prefixes[i]));
}

/* Returns whether a name is "/tmp/perf-PID.map". Longer names that begin like it are files. */
static bool dso_name_is_jit(const char *name, int *pid)
{
	const char *number = name + strlen(JIT_MAP_PREFIX);
	int end = 0;

	return starts_with(name, JIT_MAP_PREFIX) && *number >= '0' && *number <= '9' &&
	       sscanf(number, "%9d.map%n", pid, &end) == 1 && end && !number[end];
}

static bool dso_name_is_vdso(const char *name)
{
	return !strcmp(name, "[vdso]") || !strcmp(name, "[vdso32]") || !strcmp(name, "[vdsox32]");
}

/* Sets *result to "[snd_hda]" for "/lib/modules/.../snd-hda.ko.xz". False: it is no module. */
static bool module_short_name(const char *path, char **result)
{
	const char *base = base_name(path);
	const char *extension = module_extension(path);

	if (!extension || extension == base)
		return false;
	char *name = xasprintf("[%.*s]", (int)(extension - base), base);

	for (char *at = name; *at; at++)
		if (*at == '-')
			*at = '_';
	*result = name;
	return true;
}

struct dso_names {
	enum dso_kind kind;
	char *long_name;
	char *short_name;
};

static struct dso_names dso_kernel_names(const struct dso_origin *origin)
{
	struct dso_names names = { .kind = DSO_MODULE };

	/*
	 * The map's offset is the address of the symbol after the bracket:
	 * "[kernel.kallsyms]_text".
	 */
	if (starts_with(origin->name, "[kernel.kallsyms")) {
		names.kind = DSO_KERNEL;
		names.long_name = xstrdup(KERNEL_NAME);
	} else if (starts_with(origin->name, GUEST_KERNEL_NAME)) {
		const char *end = strchr(origin->name, ']');

		names.kind = DSO_GUEST_KERNEL;
		names.long_name = end ? xstrndup(origin->name, (size_t)(end + 1 - origin->name))
				      : xstrdup(origin->name);
	} else {
		names.kind = origin->guest     ? DSO_GUEST_KERNEL
			     : origin->ksymbol ? DSO_KSYMBOL
					       : DSO_MODULE;
		names.long_name = xstrdup(origin->name);
		if (module_short_name(origin->name, &names.short_name))
			return names;
		names.short_name = xstrdup(base_name(origin->name));
		return names;
	}
	names.short_name = xstrdup(names.long_name);
	return names;
}

static struct dso_names dso_user_names(const struct dso_origin *origin)
{
	struct dso_names names = { .kind = DSO_USER, .long_name = xstrdup(origin->name) };
	int pid;

	if (origin->anonymous_code) {
		free(names.long_name);
		names.long_name = xasprintf(JIT_MAP_PREFIX "%d.map", origin->pid);
	}
	if (dso_name_is_vdso(names.long_name)) {
		names.kind = DSO_VDSO;
		names.short_name = xstrdup(names.long_name);
	} else if (dso_name_is_jit(names.long_name, &pid)) {
		names.kind = DSO_ANONYMOUS;
		names.short_name = xasprintf("[JIT] tid %d", pid);
	} else {
		if (dso_name_is_anonymous(names.long_name) || names.long_name[0] == '[')
			names.kind = DSO_ANONYMOUS;
		names.short_name = xstrdup(base_name(names.long_name));
	}
	return names;
}

struct known_build_id {
	const char *name;
	bool kernel;
	bool ambiguous; /* the name was given with another build id, too */
	struct build_id build_id;
};

static uint64_t known_hash(const char *name, bool kernel)
{
	return hash_combine(hash_bytes(name, strlen(name)), kernel);
}

static struct known_build_id *dso_table_find_build_id(const struct dso_table *table,
						      const char *name, bool kernel)
{
	hash_index_each (i, &table->known_by_name, known_hash(name, kernel))
		if (table->known[i].kernel == kernel && !strcmp(table->known[i].name, name))
			return &table->known[i];
	return NULL;
}

void dso_table_add_build_id(struct dso_table *table, const char *name, bool kernel,
			    const struct build_id *build_id)
{
	struct known_build_id *known = dso_table_find_build_id(table, name, kernel);

	if (known) {
		known->ambiguous |= !build_id_equal(&known->build_id, build_id);
		return;
	}
	hash_index_add(&table->known_by_name, known_hash(name, kernel),
		       (uint32_t)table->known_count);
	array_add(table->known, table->known_count, table->known_capacity) =
		(struct known_build_id){ .name = arena_strdup(&table->arena, name),
					 .kernel = kernel,
					 .build_id = *build_id };
}

/* Sets the build id that a DSO's map lacks. The DSO's hash stays the one without a build id. */
static void dso_table_apply_build_id(const struct dso_table *table, struct dso *dso)
{
	const struct known_build_id *known =
		dso_table_find_build_id(table, dso->long_name, dso_is_kernel(dso));

	if (known && !known->ambiguous)
		dso->build_id = known->build_id;
	dso->ambiguous = known && known->ambiguous;
}

static struct dso *dso_table_add(struct dso_table *table, const struct dso_names *names,
				 const struct build_id *build_id)
{
	struct dso *dso = arena_alloc(&table->arena, sizeof(*dso));

	dso->id = (uint32_t)table->count;
	dso->kind = names->kind;
	dso->long_name = arena_strdup(&table->arena, names->long_name);
	dso->short_name = arena_strdup(&table->arena, names->short_name);
	dso->build_id = *build_id;
	dso->recorded_until = table->recorded_until;
	dso->recorded_elsewhere = table->recorded_elsewhere;
	dso->release = table->release;
	dso->archive = table->archive;
	dso->programs = &table->programs;
	if (dso->kind == DSO_KERNEL && !table->kernel)
		table->kernel = dso;
	if (dso->kind == DSO_MODULE && !table->bases)
		table->bases = btf_bases_create();
	dso->bases = table->bases;
	array_add(table->dsos, table->count, table->capacity) = dso;
	hash_index_add(&table->by_name, hash_bytes(dso->long_name, strlen(dso->long_name)),
		       dso->id);
	return dso;
}

static bool is_plain_file(const struct dso_origin *origin)
{
	return !origin->kernel && !origin->guest && !origin->ksymbol && !origin->anonymous_code;
}

/* Returns whether the origin is another map of the file that was asked for last: a program or
 * library has several maps, one after the other. */
static bool is_same_file_again(const struct dso_table *table, const struct dso_origin *origin,
			       const struct build_id *build_id)
{
	return table->last && is_plain_file(origin) && table->last_inode == origin->inode &&
	       build_id_equal(&table->last_asked, build_id) &&
	       !strcmp(table->last->long_name, origin->name);
}

struct dso *dso_table_get(struct dso_table *table, const struct dso_origin *origin)
{
	static const struct build_id none;
	const struct build_id *build_id = origin->build_id ?: &none;

	if (is_same_file_again(table, origin, build_id))
		return table->last;
	struct dso_names names = origin->kernel ? dso_kernel_names(origin) : dso_user_names(origin);
	uint64_t hash =
		hash_combine(hash_bytes(names.long_name, strlen(names.long_name)), names.kind);
	uint64_t inode = (names.kind == DSO_USER && !build_id->size) || names.kind == DSO_KSYMBOL
				 ? origin->inode
				 : 0;
	struct dso *dso = NULL;

	hash = hash_combine(hash, hash_bytes(build_id->bytes, build_id->size));
	hash = hash_combine(hash, inode);
	hash_index_each (i, &table->by_key, hash) {
		struct dso *known = table->dsos[i];

		if (known->kind == names.kind && !strcmp(known->long_name, names.long_name) &&
		    (build_id->size ? build_id_equal(&known->build_id, build_id)
				    : known->inode == inode))
			dso = known;
	}
	if (!dso) {
		dso = dso_table_add(table, &names, build_id);
		dso->inode = inode;
		if (!build_id->size)
			dso_table_apply_build_id(table, dso);
		hash_index_add(&table->by_key, hash, dso->id);
	}
	table->last = is_plain_file(origin) && names.kind == DSO_USER &&
				      !strcmp(names.long_name, origin->name)
			      ? dso
			      : NULL;
	table->last_asked = *build_id;
	table->last_inode = origin->inode;
	free_all(names.long_name, names.short_name);
	return dso;
}

struct dso *dso_table_with_build_id(const struct dso_table *table, struct dso *dso)
{
	struct dso *whole = NULL;

	if (dso->kind != DSO_USER || dso->build_id.size || dso->has_code)
		return dso;
	hash_index_each (i, &table->by_name, hash_bytes(dso->long_name, strlen(dso->long_name))) {
		struct dso *other = table->dsos[i];

		if (other->kind != dso->kind || !other->build_id.size ||
		    strcmp(other->long_name, dso->long_name) != 0)
			continue;
		if (whole)
			return dso;
		whole = other;
	}
	return whole ?: dso;
}

void dso_table_set_kernel_map(struct dso_table *table, struct dso *dso,
			      const struct kernel_map *map)
{
	const char *end = strchr(map->name, ']');

	if (dso->kind == DSO_KERNEL || dso->kind == DSO_MODULE)
		dso->kernel = table->kernel;
	if ((dso->kind == DSO_MODULE || dso->kind == DSO_KSYMBOL) && !dso->load_address) {
		dso->load_address = map->start;
		dso->text_size = map->length;
	}
	if ((dso->kind != DSO_KERNEL && dso->kind != DSO_GUEST_KERNEL) || dso->reference_symbol ||
	    !end || !end[1])
		return;
	dso->reference_symbol = arena_strdup(&table->arena, end + 1);
	dso->reference_address = map->offset;
	dso->text_size = map->length;
}

void dso_table_deinit(struct dso_table *table)
{
	for (size_t i = 0; i < table->count; i++)
		dso_files_destroy(table->dsos[i]->files);
	btf_bases_destroy(table->bases);
	bpf_programs_deinit(&table->programs);
	free_all(table->dsos, table->known);
	hash_index_deinit(&table->by_key);
	hash_index_deinit(&table->by_name);
	hash_index_deinit(&table->known_by_name);
	arena_deinit(&table->arena);
	*table = (struct dso_table){ 0 };
}
