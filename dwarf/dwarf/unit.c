// SPDX-License-Identifier: GPL-2.0-or-later
/* The files that an object's debug information is in, the headers of their units, and the root DIE
 * of each unit. */
#include "dwarf/dwarf/unit.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/index.h"
#include "dwarf/dwarf/libdw.h"
#include "dwarf/elf/image.h"
#include "dwarf/types/function.h"
#include "dwarf/types/language.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- files ---- */

/* A pass gives pages of the file back each time that it has read this many bytes. */
#define PASSED ((uint64_t)4 << 20)

static void register_type_units(struct dwarf_files *files, struct dwarf_file *file)
{
	for (size_t i = 0; i < file->unit_count; i++) {
		const struct unit *unit = &file->units[i];
		bool created;

		if (!unit->type_die)
			continue;

		/* of several units with one type the first is used: equal signatures are equal
		 * types */
		uint32_t *value = hash_map_insert(&files->type_units, unit->signature, &created);

		if (created)
			*value = (uint32_t)i;
	}
}

/* Adds a file and takes over its sections; under the lock. `main_image` is the image of the main
 * file, else NULL. Returns NULL if there are too many files. */
static struct dwarf_file *add_file(struct dwarf_files *files, const char *path, bool split,
				   const struct elf_image *main_image,
				   struct dwarf_sections *sections)
{
	if (files->count >= DWARF_FILES_MAX)
		return NULL;

	struct dwarf_file *file = xcalloc(1, sizeof(*file));

	pthread_mutex_init(&file->layout_lock, NULL);
	file->files = files;
	file->index = (uint16_t)files->count;
	file->split = split;
	file->path = xstrdup(path);
	file->main_image = main_image;
	file->sections = *sections;
	*sections = (struct dwarf_sections){ 0 };
	file->handle = dwarf_handle_open(file);
	files->files[files->count] = file;
	__atomic_store_n(&files->count, files->count + 1, __ATOMIC_RELEASE);
	return file;
}

/*
 * ---- split DWARF ----
 *
 * .dwo files beside the object, or all of them in one .dwp (DWARF 5, section 7.3; before that gcc's
 * fission). A skeleton unit in the main file names the file. Its split unit has all the DIEs, and
 * takes addresses (and before DWARF 5 ranges) from the main file's sections.
 */

/* The columns of a .dwp file's index (DWARF 5, section 7.3.5.3; before that
 * gcc.gnu.org/wiki/DebugFissionDWP). */
enum {
	COLUMN_INFO = 1,
	COLUMN_TYPES = 2,
	COLUMN_ABBREV = 3,
	COLUMN_LOCATIONS = 5, /* .debug_loc before DWARF 5, .debug_loclists in it */
	COLUMN_STR_OFFSETS = 6,
	COLUMN_RNGLISTS = 8, /* version 5 only */
};

#define COLUMNS_MAX 16

struct package_index {
	uint32_t version;
	uint32_t columns;
	uint32_t units;
	uint32_t ids[COLUMNS_MAX];
	const uint8_t *offsets; /* units x columns words */
	const uint8_t *sizes;
};

static bool read_index(const struct dwarf_section_data *section, struct package_index *index)
{
	struct cursor cursor = cursor_of(section->data, section->size, false);

	/* in DWARF 5 the version has two bytes, and two bytes of padding, which together give the
	 * same word */
	index->version = cursor_u32(&cursor);
	index->columns = cursor_u32(&cursor);
	index->units = cursor_u32(&cursor);

	uint64_t slots = cursor_u32(&cursor);

	if (cursor.failed || (index->version != 2 && index->version != 5) || !index->columns ||
	    index->columns > COLUMNS_MAX)
		return false;
	cursor_skip(&cursor, slots * 12); /* signatures and row numbers; the rows are enough */
	for (uint32_t i = 0; i < index->columns; i++)
		index->ids[i] = cursor_u32(&cursor);

	size_t table = (size_t)index->units * index->columns * 4;

	index->offsets = cursor_bytes(&cursor, table);
	index->sizes = cursor_bytes(&cursor, table);
	return !cursor.failed;
}

static uint64_t table_word(const uint8_t *table, const struct package_index *index, uint32_t row,
			   uint32_t id)
{
	for (uint32_t i = 0; i < index->columns; i++) {
		uint32_t word;

		if (index->ids[i] != id)
			continue;
		memcpy(&word, table + ((size_t)row * index->columns + i) * 4, 4);
		return word;
	}
	return 0;
}

/* Returns the unit whose header is at `offset`, or NULL. */
static struct unit *unit_at(struct dwarf_file *file, bool in_types, uint64_t offset)
{
	size_t first = in_types ? file->info_unit_count : 0;
	size_t end = in_types ? file->unit_count : file->info_unit_count;
	size_t index = partition_point(first, end, i, file->units[i].offset < offset);

	return index < end && file->units[index].offset == offset ? &file->units[index] : NULL;
}

/* Adds a unit's share of .debug_abbrev.dwo to the offset in its header (DWARF 5, section 7.5.1).
 * libdw 0.188 does not support packages, so this changes our private copy of the file. */
static void move_abbrevs(const struct dwarf_section_data *section, uint64_t unit, uint64_t share)
{
	struct cursor header = cursor_of(section->data, section->size, false);

	cursor_skip(&header, unit);

	size_t size = cursor_u32(&header) == UINT32_MAX ? 8 : 4;

	cursor_skip(&header, size == 8 ? 8 : 0);
	cursor_skip(&header, cursor_u16(&header) >= 5 ? 2 : 0);

	size_t position = header.position;
	uint64_t offset = cursor_word(&header, size) + share;

	if (!header.failed)
		memcpy((uint8_t *)section->data + position, &offset, size);
}

/* Gives the units of one index their shares of the other sections. If `file` is NULL, only of
 * .debug_abbrev.dwo, which libdw must see before it reads the units; else of all others. */
static void apply_index(const struct dwarf_sections *sections, enum dwarf_section number,
			struct dwarf_file *file)
{
	struct package_index index;

	if (!read_index(&sections->section[number], &index))
		return;

	bool in_types = number == SECTION_TU_INDEX && index.version == 2;
	uint32_t own = in_types ? COLUMN_TYPES : COLUMN_INFO;

	for (uint32_t row = 0; row < index.units; row++) {
		uint64_t low = table_word(index.offsets, &index, row, own);
		struct unit *unit = file ? unit_at(file, in_types, low) : NULL;

		if (!file)
			move_abbrevs(&sections->section[in_types ? SECTION_TYPES : SECTION_INFO],
				     low, table_word(index.offsets, &index, row, COLUMN_ABBREV));
		if (!unit)
			continue;
		unit->str_offsets_base = table_word(index.offsets, &index, row, COLUMN_STR_OFFSETS);
		unit->loclists_base = table_word(index.offsets, &index, row, COLUMN_LOCATIONS);
		unit->rnglists_base =
			index.version == 5 ? table_word(index.offsets, &index, row, COLUMN_RNGLISTS)
					   : 0;
	}
}

static void apply_indices(const struct dwarf_sections *sections, struct dwarf_file *file)
{
	apply_index(sections, SECTION_CU_INDEX, file);
	apply_index(sections, SECTION_TU_INDEX, file);
}

static void *map_file(const char *path, size_t *size)
{
	_cleanup_close_ int fd = -1;
	struct stat status;
	_cleanup_error_ struct error *error = ordinary_file_open(path, &fd, &status);

	if (error || status.st_size <= 0)
		return NULL;
	*size = (size_t)status.st_size;

	void *data = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);

	return data == MAP_FAILED ? NULL : data;
}

static void unmap_split(struct dwarf_file *file)
{
	if (file->data)
		munmap((void *)file->data, file->data_size);
}

static struct dwarf_file *find_file(struct dwarf_files *files, const char *path)
{
	for (size_t i = 1; i < files->count; i++) {
		if (strcmp(files->files[i]->path, path) == 0)
			return files->files[i];
	}
	return NULL;
}

/* Opens a file with split DWARF. Returns NULL if there is no such file, or if it has no split
 * DWARF. */
static struct dwarf_file *open_split(struct dwarf_files *files, const char *path)
{
	struct dwarf_file *file = find_file(files, path);
	struct dwarf_sections sections;
	size_t size;

	if (file)
		return file->split ? file : NULL;

	void *data = map_file(path, &size);

	if (!data)
		return NULL;

	_cleanup_error_ struct error *error =
		dwarf_sections_read_split(data, size, path, &sections);

	if (!error) {
		apply_indices(&sections, NULL);
		file = add_file(files, path, true, NULL, &sections);
	}
	if (!file) {
		munmap(data, size);
		return NULL;
	}
	file->data = data;
	file->data_size = size;
	apply_indices(&file->sections, file);
	return file;
}

static bool is_split_of(const struct unit *unit, const struct unit *skeleton)
{
	return unit->kind != DW_UT_type && unit->kind != DW_UT_split_type &&
	       unit->version == skeleton->version && unit->signature == skeleton->signature;
}

static struct unit *find_unit(struct dwarf_file *file, const struct unit *skeleton)
{
	for (size_t i = 0; file && i < file->info_unit_count; i++) {
		if (!file->units[i].skeleton && is_split_of(&file->units[i], skeleton))
			return &file->units[i];
	}
	return NULL;
}

static struct unit *find_in(struct dwarf_files *files, const struct unit *skeleton, char *path)
{
	struct unit *unit = path ? find_unit(open_split(files, path), skeleton) : NULL;

	free(path);
	return unit;
}

static char *beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/'), *last = strrchr(name, '/');

	return xasprintf("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path,
			 last ? last + 1 : name);
}

/* Returns the package of split units of the file at `path`: beside a file that was split off,
 * "app.debug", it may be that of the program, "app.dwp". NULL: it is not named so. */
static char *package_of_program(const char *path)
{
	return ends_with(path, ".debug")
		       ? xasprintf("%.*s.dwp", (int)(strlen(path) - strlen(".debug")), path)
		       : NULL;
}

static struct unit *find_split(struct dwarf_files *files, const struct unit *skeleton,
			       const char *name)
{
	const char *main = dwarf_files_main(files)->path;
	struct unit *unit = find_in(files, skeleton, xasprintf("%s.dwp", main));

	if (!unit)
		unit = find_in(files, skeleton, package_of_program(main));
	if (!unit && strcmp(files->program, main) != 0)
		unit = find_in(files, skeleton, xasprintf("%s.dwp", files->program));
	if (!unit && name && (*name == '/' || skeleton->comp_dir))
		unit = find_in(files, skeleton,
			       *name == '/' ? xstrdup(name)
					    : xasprintf("%s/%s", skeleton->comp_dir, name));
	if (!unit && name)
		unit = find_in(files, skeleton, beside(main, name));
	return unit;
}

/* Finds the split unit of a skeleton whose DW_AT_dwo_name is `name`. skeleton->split stays NULL if
 * there is none. Call it under the files' lock. */
static void attach_split(struct unit *skeleton, const char *name)
{
	struct unit *unit = find_split(skeleton->file->files, skeleton, name);

	if (!unit)
		return;
	unit->skeleton = skeleton;
	unit->addr_sections = &skeleton->file->sections;
	unit->addr_base = skeleton->addr_base;
	unit->low_pc = skeleton->low_pc;
	/* the base is for the ranges of split DIEs, not for the skeleton's own */
	unit->ranges_base = skeleton->ranges_base;
	skeleton->ranges_base = 0;
	if (!unit->comp_dir)
		unit->comp_dir = skeleton->comp_dir;
	skeleton->split = unit;
}

/* Returns the type unit with a signature in a split file, or NULL. */
static struct unit *split_type_unit(struct dwarf_file *file, uint64_t signature)
{
	for (size_t i = 0; i < file->unit_count; i++) {
		if (file->units[i].type_die && file->units[i].signature == signature)
			return &file->units[i];
	}
	return NULL;
}

/* ---- alternate files ---- */

static struct error *open_sections(const char *path, struct elf_image **image,
				   struct dwarf_sections *sections)
{
	RETURN_ERROR(elf_image_open(path, image));

	struct error *error = dwarf_sections_read(*image, sections);

	if (error)
		elf_image_close(*image);
	return error;
}

/* Opens the alternate file of `file`, the file of `image`, if it has one. */
static struct error *open_alternate(struct dwarf_file *file, const struct elf_image *image)
{
	_cleanup_free_ char *path = NULL;
	struct dwarf_sections sections;
	struct elf_image *alt_image;

	/* strip leaves the link to debug information that it has removed */
	if (!file->sections.section[SECTION_ALT_LINK].size ||
	    !file->sections.section[SECTION_INFO].size)
		return NULL;
	RETURN_ERROR(elf_image_find_alt_file(image, NULL, &path));
	if (!path)
		return NULL;
	RETURN_ERROR(open_sections(path, &alt_image, &sections));
	/* the first file after the main one, so there is room */
	file->alt = add_file(file->files, path, false, NULL, &sections);
	file->alt->image = alt_image;
	return NULL;
}

/* ---- opening and closing ---- */

/* Initializes a recursive lock, because preparing a skeleton prepares its split unit. */
static void init_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

struct error *dwarf_files_open(const struct elf_image *image, const char *program,
			       struct dwarf_files **result)
{
	struct dwarf_sections sections;
	const char *path = elf_image_path(image);

	RETURN_ERROR(dwarf_sections_read(image, &sections));

	struct dwarf_files *files = xcalloc(1, sizeof(*files));

	files->program = program;
	files->files = xcalloc(DWARF_FILES_MAX, sizeof(*files->files));
	init_lock(&files->lock);

	struct dwarf_file *file = add_file(files, path, false, image, &sections);
	struct error *error = open_alternate(file, image);

	if (error) {
		dwarf_files_close(files);
		return error;
	}
	register_type_units(files, file);
	*result = files;
	return NULL;
}

static void done_with(const struct dwarf_file *file, enum dwarf_section number, uint64_t start,
		      uint64_t end)
{
	const struct dwarf_section_data *section = &file->sections.section[number];

	if (file->main_image && section->data && !file->sections.elf_owned)
		elf_image_done_with(file->main_image, section->data + start, end - start);
}

void dwarf_file_done_with(const struct dwarf_file *file, uint64_t start, uint64_t end)
{
	done_with(file, SECTION_INFO, start, end);
}

void dwarf_file_passed(const struct dwarf_file *file, uint64_t *start, uint64_t end)
{
	if (end - *start < PASSED)
		return;
	dwarf_file_done_with(file, *start, end);
	*start = end;
}

static void done_with_section(const struct dwarf_file *file, enum dwarf_section number)
{
	done_with(file, number, 0, file->sections.section[number].size);
}

void dwarf_file_done_with_abbrevs(const struct dwarf_file *file)
{
	done_with_section(file, SECTION_ABBREV);
}

/* Drops the pages of all sections that functions and types are read from. */
static void done_with_all(const struct dwarf_file *file)
{
	static const enum dwarf_section sections[] = { SECTION_INFO,     SECTION_ABBREV,
						       SECTION_LOCLISTS, SECTION_LOC,
						       SECTION_RNGLISTS, SECTION_RANGES,
						       SECTION_STR,      SECTION_FRAME };

	for (size_t i = 0; i < COUNT_OF(sections); i++)
		done_with_section(file, sections[i]);
}

/* Pages are given back only of files whose .debug_info is at least this large, and each time that
 * KEPT bytes have been read. */
#define LARGE_FILE ((uint64_t)32 << 20)
#define KEPT       ((uint64_t)64 << 20)

void dwarf_file_was_read(struct dwarf_file *file, uint64_t bytes)
{
	if (file->sections.section[SECTION_INFO].size < LARGE_FILE)
		return;
	uint64_t all = __atomic_add_fetch(&file->bytes_read, bytes, __ATOMIC_RELAXED);

	if (all / KEPT != (all - bytes) / KEPT)
		done_with_all(file);
}

static void unit_destroy(struct unit *unit)
{
	unit_indices_destroy(unit);
	unit_abbreviations_destroy(unit);
	hash_map_deinit(&unit->fingerprints);
}

static void file_destroy(struct dwarf_file *file)
{
	for (size_t i = 0; i < file->unit_count; i++)
		unit_destroy(&file->units[i]);
	concurrent_map_deinit(&file->layout_of);
	arena_deinit(&file->layouts);
	pthread_mutex_destroy(&file->layout_lock);
	dwarf_handle_close(file->handle);
	free(file->units);
	free(file->unit_at);
	free(file->path);
	dwarf_sections_deinit(&file->sections);
	unmap_split(file);
	elf_image_close(file->image);
	free(file);
}

void dwarf_files_close(struct dwarf_files *files)
{
	if (!files)
		return;
	for (size_t i = 0; i < files->count; i++)
		file_destroy(files->files[i]);
	free(files->files);
	hash_map_deinit(&files->type_units);
	pthread_mutex_destroy(&files->lock);
	free(files);
}

struct unit *dwarf_files_unit(struct dwarf_files *files, uint64_t reference)
{
	uint64_t file_index = reference >> REFERENCE_FILE_SHIFT;
	uint64_t offset = reference & REFERENCE_OFFSET_MASK;

	if (file_index >= __atomic_load_n(&files->count, __ATOMIC_ACQUIRE))
		return NULL;

	const struct dwarf_file *file = files->files[file_index];
	bool in_types = reference & REFERENCE_TYPES;
	size_t low = in_types ? file->info_unit_count : 0;
	size_t high = in_types ? file->unit_count : file->info_unit_count;
	uint64_t block = offset >> UNIT_BLOCK_SHIFT;

	if (low >= high)
		return NULL;
	if (!in_types && offset < file->sections.section[SECTION_INFO].size) {
		low = block ? file->unit_at[block - 1] : 0;
		high = (size_t)file->unit_at[block] + 1;
	}

	/* the last unit that begins at or before the offset */
	size_t after = partition_point(low + 1, high, i, file->units[i].offset <= offset);
	struct unit *unit = &file->units[after - 1];

	if (offset < unit->first_die || offset >= unit->end || !unit_prepare(unit))
		return NULL;
	return unit;
}

struct unit *dwarf_files_type_unit(struct dwarf_files *files, struct dwarf_file *file,
				   uint64_t signature)
{
	struct unit *unit = NULL;

	if (file->split)
		unit = split_type_unit(file, signature);
	if (!unit) {
		struct dwarf_file *main = dwarf_files_main(files);
		const uint32_t *index = hash_map_find(&files->type_units, signature);

		unit = index ? &main->units[*index] : NULL;
	}
	return unit && unit_prepare(unit) ? unit : NULL;
}

/* ---- root DIEs ---- */

/* Codes of dwarfstd.org's list after DWARF 5, which dwarf.h of elfutils does not have yet. */
enum {
	LANG_ZIG = 0x27,
	LANG_CRYSTAL = 0x28,
	LANG_CXX_17 = 0x2a,
	LANG_CXX_20 = 0x2b,
	LANG_C17 = 0x2c,
	LANG_FORTRAN_18 = 0x2d,
	LANG_ADA_2005 = 0x2e,
	LANG_ADA_2012 = 0x2f,
	LANG_ASSEMBLY = 0x31,
	LANG_CXX_23 = 0x3a,
	LANG_C23 = 0x3e,
	LANG_FORTRAN_23 = 0x3f,
};

uint8_t unit_language(uint64_t code)
{
	switch (code) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case LANG_C17:
	case LANG_C23: return LANGUAGE_C;
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case LANG_CXX_17:
	case LANG_CXX_20:
	case LANG_CXX_23: return LANGUAGE_CXX;
	case DW_LANG_Rust: return LANGUAGE_RUST;
	case DW_LANG_Go: return LANGUAGE_GO;
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
	case LANG_FORTRAN_18:
	case LANG_FORTRAN_23: return LANGUAGE_FORTRAN;
	case DW_LANG_Ada83:
	case DW_LANG_Ada95:
	case LANG_ADA_2005:
	case LANG_ADA_2012: return LANGUAGE_ADA;
	case DW_LANG_Pascal83: return LANGUAGE_PASCAL;
	case DW_LANG_D: return LANGUAGE_D;
	case DW_LANG_Swift: return LANGUAGE_SWIFT;
	case DW_LANG_OCaml: return LANGUAGE_OCAML;
	case DW_LANG_Haskell: return LANGUAGE_HASKELL;
	case LANG_CRYSTAL: return LANGUAGE_CRYSTAL;
	case LANG_ZIG: return LANGUAGE_ZIG;
	case DW_LANG_ObjC:
	case DW_LANG_ObjC_plus_plus: return LANGUAGE_OBJECTIVE_C;
	case LANG_ASSEMBLY:
	case DW_LANG_Mips_Assembler: return LANGUAGE_ASSEMBLER;
	}
	return LANGUAGE_OTHER;
}

/* Returns the lower bound of an array's dimension whose DW_AT_lower_bound is left out (DWARF 5,
 * table 7.17). */
static uint8_t default_lower_bound(uint64_t code)
{
	switch (code) {
	case DW_LANG_Cobol74:
	case DW_LANG_Cobol85:
	case DW_LANG_Modula2:
	case DW_LANG_Modula3:
	case DW_LANG_PLI:
	case DW_LANG_Julia: return 1;
	}

	uint8_t language = unit_language(code);

	return language == LANGUAGE_FORTRAN || language == LANGUAGE_ADA ||
	       language == LANGUAGE_PASCAL;
}

/*
 * Returns the base of .debug_str_offsets or .debug_addr for units that do not give it: in DWARF 5
 * the end of the section's first header (split units have no attribute for it, section 7.26); in
 * the older GNU form 0.
 */
static uint64_t default_base(const struct unit *unit)
{
	if (unit->version < 5)
		return 0;
	return unit->offset_size == 8 ? 16 : 8;
}

static void read_bases(struct unit *unit, const struct die *root)
{
	uint64_t header = default_base(unit);
	/* .debug_rnglists and .debug_loclists have the count of offsets as well */
	uint64_t list_header = header ? header + 4 : 0;

	/* in a .dwp file they begin at the unit's share */
	unit->str_offsets_base += header;
	unit->rnglists_base += list_header;
	unit->loclists_base += list_header;
	if (!unit->skeleton) /* else it is the skeleton's */
		unit->addr_base = header;
	die_section_offset(root, SLOT_STR_OFFSETS_BASE, &unit->str_offsets_base);
	die_section_offset(root, SLOT_ADDR_BASE, &unit->addr_base);
	die_section_offset(root, SLOT_RNGLISTS_BASE, &unit->rnglists_base);
	die_section_offset(root, SLOT_LOCLISTS_BASE, &unit->loclists_base);
	die_section_offset(root, SLOT_RANGES_BASE, &unit->ranges_base);
}

/* Finds the DW_LANG_* of a compilation unit. False for other units. Does not prepare the unit. */
static bool root_language(struct unit *unit, uint64_t *code)
{
	struct cursor cursor = unit_cursor(unit, unit->first_die);
	struct die root;

	return !unit->broken && die_read(unit, &cursor, &root) && root.tag == DW_TAG_compile_unit &&
	       die_unsigned(&root, SLOT_LANGUAGE, code);
}

/*
 * Finds the language of dwz's partial units, which do not give it: the first of the object's
 * languages that qualifies names by namespaces, else the first one. If the object's languages have
 * several defaults of DW_AT_lower_bound, that of a partial unit is not known. Call it under the
 * lock.
 */
static void set_partial_language(struct unit *unit)
{
	struct dwarf_files *files = unit->file->files;
	struct dwarf_file *main = dwarf_files_main(files);
	bool any = false, qualifies = false;

	if (!files->partial_language_known)
		files->partial_language = LANGUAGE_C;

	for (size_t i = 0; i < main->info_unit_count && !files->partial_language_known; i++) {
		uint64_t code;

		if (!root_language(&main->units[i], &code))
			continue;

		uint8_t language = unit_language(code), bound = default_lower_bound(code);

		if (language == LANGUAGE_ASSEMBLER)
			continue;
		if (!any) {
			files->partial_language = language;
			files->partial_lower_bound = bound;
		} else if (bound != files->partial_lower_bound) {
			files->partial_lower_bound = LOWER_BOUND_UNKNOWN;
		}
		any = true;
		if (!qualifies && (language == LANGUAGE_CXX || language == LANGUAGE_RUST)) {
			files->partial_language = language;
			qualifies = true;
		}
	}
	files->partial_language_known = true;
	unit->language = files->partial_language;
	unit->lower_bound = files->partial_lower_bound;
}

/* True if gcc says in DW_AT_producer that it had this option, which is given with a blank before
 * it.
 */
static bool has_option(const char *producer, const char *option)
{
	const char *found = producer ? strstr(producer, option) : NULL;
	size_t length = strlen(option);

	while (found && found[length] && found[length] != ' ')
		found = strstr(found + length, option);
	return found;
}

static void read_root(struct unit *unit)
{
	struct cursor cursor = unit_cursor(unit, unit->first_die);
	struct die root;

	if (!die_read(unit, &cursor, &root) || !root.tag) {
		unit->broken = true;
		return;
	}
	read_bases(unit, &root);

	uint64_t language = 0;

	die_unsigned(&root, SLOT_LANGUAGE, &language);
	unit->lower_bound = default_lower_bound(language);
	unit->language = unit_language(language);
	if (root.tag == DW_TAG_partial_unit && !language)
		set_partial_language(unit);
	const char *producer = die_string(&root, SLOT_PRODUCER);

	/* it says that its language is C++, because debuggers know that */
	if (producer && strcmp(producer, "Crystal") == 0)
		unit->language = LANGUAGE_CRYSTAL;

	unit->no_strict_aliasing = has_option(producer, " -fno-strict-aliasing");
	unit->untracked = has_option(producer, " -fno-var-tracking");
	unit->name = die_name(&root);
	unit->linked = unit->name && strcmp(unit->name, "<artificial>") == 0;
	unit->comp_dir = die_string(&root, SLOT_COMP_DIR);
	die_address(&root, SLOT_LOW_PC, &unit->low_pc);
	if (!unit->file->split)
		unit->dwo_name = die_string(&root, SLOT_DWO_NAME);
	if (unit->dwo_name)
		attach_split(unit, unit->dwo_name);
}

void unit_read(struct unit *unit)
{
	struct dwarf_files *files = unit->file->files;

	pthread_mutex_lock(&files->lock);
	if (!unit->prepared && !unit->broken)
		read_root(unit);
	__atomic_store_n(&unit->prepared, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&files->lock);
}
