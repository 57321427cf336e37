// SPDX-License-Identifier: GPL-2.0-or-later
/* The files of an object's debug information: its own, split ones, packages and the alternate one
 * (unit.h). */
#include <dwarf.h>
#include <sys/mman.h>

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/index.h"
#include "dwarf/dwarf/libdw.h"
#include "dwarf/dwarf/unit.h"
#include "dwarf/elf/image.h"
#include "base/cursor.h"
#include "base/memory.h"
#include "base/text.h"

/*
 * ---- split DWARF ----
 *
 * .dwo files beside the object, or all of them in one .dwp (DWARF 5, section 7.3; before that gcc's
 * fission). A skeleton unit in the main file names the file. Its split unit has all the DIEs, and
 * takes addresses (and before DWARF 5 ranges) from the main file's sections.
 */

/* The columns of a .dwp file's index (DWARF 5, 7.3.5.3; gcc.gnu.org/wiki/DebugFissionDWP). */
enum {
	COLUMN_INFO = 1,
	COLUMN_TYPES = 2,
	COLUMN_ABBREV = 3,
	COLUMN_LOCATIONS = 5, /* .debug_loc before DWARF 5, .debug_loclists in it */
	COLUMN_STR_OFFSETS = 6,
	COLUMN_RNGLISTS = 8, /* version 5 only */
};

struct unit *dwarf_file_unit_at(struct dwarf_file *file, bool in_types, uint64_t offset)
{
	size_t first = in_types ? file->info_unit_count : 0;
	size_t end = in_types ? file->unit_count : file->info_unit_count;
	size_t index = partition_point(first, end, i, file->units[i].offset < offset);

	return index < end && file->units[index].offset == offset ? &file->units[index] : NULL;
}

static void register_type_units(struct dwarf_files *files, struct dwarf_file *file)
{
	array_indexed (const struct unit, unit, i, file->units, file->unit_count) {
		bool created;

		if (!unit->type_die)
			continue;

		/* the first of several units with one type is used: they are equal */
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

#define COLUMNS_MAX 16

struct package_index {
	uint32_t version, columns, units;
	uint32_t ids[COLUMNS_MAX];
	const uint8_t *offsets; /* units x columns words */
};

static bool read_index(const struct dwarf_section_data *section, struct package_index *index)
{
	struct cursor cursor = cursor_of(section->data, section->size, false);

	/* in DWARF 5 the version has two bytes and two of padding, which give the same word */
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
	cursor_skip(&cursor, table); /* sizes */
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
		struct unit *unit = file ? dwarf_file_unit_at(file, in_types, low) : NULL;

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

static void *files_map_file(const char *path, size_t *size)
{
	_cleanup_close_ int fd = -1;
	struct stat status;
	_cleanup_error_ struct error *error = ordinary_file_open(path, &fd, &status);

	if (error || status.st_size <= 0)
		return NULL;
	*size = (size_t)status.st_size;

	void *data = mmap(NULL, *size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);

	if (data != MAP_FAILED)
		return data;
	if (*size <= FILE_SIZE_USUAL)
		check_library_memory();
	return NULL;
}

static void unmap_split(struct dwarf_file *file)
{
	if (file->data)
		munmap((void *)file->data, file->data_size);
}

static struct dwarf_file *find_file(struct dwarf_files *files, const char *path)
{
	for (size_t i = 1; i < files->count; i++)
		if (strcmp(files->files[i]->path, path) == 0)
			return files->files[i];
	return NULL;
}

static struct error *open_sections(const char *path, struct elf_image **image,
				   struct dwarf_sections *sections)
{
	RETURN_ERROR(elf_image_open(path, image));

	struct error *error = dwarf_sections_read(*image, sections);

	if (error)
		elf_image_close(*image);
	return error;
}

/* Opens a file with the types of a clang module (-gmodules), which a unit names as skeletons name
 * theirs: its sections are those of an object file. Returns NULL if it is none. */
static struct dwarf_file *open_module(struct dwarf_files *files, const char *path)
{
	struct dwarf_sections sections;
	struct elf_image *image;
	_cleanup_error_ struct error *error = open_sections(path, &image, &sections);
	struct dwarf_file *file;

	if (error)
		return NULL;
	file = add_file(files, path, false, NULL, &sections);
	if (file) {
		file->image = image;
	} else {
		dwarf_sections_deinit(&sections);
		elf_image_close(image);
	}
	return file;
}

/* Opens a file with split DWARF, or a module. Returns NULL if there is none. */
static struct dwarf_file *open_split(struct dwarf_files *files, const char *path)
{
	struct dwarf_file *file = find_file(files, path);
	struct dwarf_sections sections;
	size_t size;

	if (file)
		return file;
	if (ends_with(path, ".pcm"))
		return open_module(files, path);

	void *data = files_map_file(path, &size);

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

/* Returns the number that a skeleton and its split unit have in common: before DWARF 5, and for
 * modules, their root DIEs have it. Does not prepare the unit. */
static uint64_t dwo_id_of(struct unit *unit)
{
	uint64_t id = unit->signature;
	struct die root;

	if ((unit->version < 5 || unit->kind == DW_UT_compile) && die_root(unit, &root))
		die_unsigned(&root, SLOT_SIGNATURE, &id);
	return id;
}

static struct unit *find_unit(struct dwarf_file *file, struct unit *skeleton)
{
	uint64_t id = dwo_id_of(skeleton);

	for (size_t i = 0; file && i < file->info_unit_count; i++) {
		struct unit *unit = &file->units[i];

		if (!unit->skeleton && unit->kind != DW_UT_type && unit->kind != DW_UT_split_type &&
		    unit->version == skeleton->version && dwo_id_of(unit) == id)
			return unit;
	}
	return NULL;
}

static struct unit *find_in(struct dwarf_files *files, struct unit *skeleton, char *path)
{
	struct unit *unit = path ? find_unit(open_split(files, path), skeleton) : NULL;

	free(path);
	return unit;
}

static char *beside(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');

	return xasprintf("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path, base_name(name));
}

/* Returns the package of split units of the file at `path`: beside a file that was split off,
 * "app.debug", it may be that of the program, "app.dwp". NULL: it is not named so. */
static char *package_of_program(const char *path)
{
	return ends_with(path, ".debug")
		       ? xasprintf("%.*s.dwp", (int)(strlen(path) - strlen(".debug")), path)
		       : NULL;
}

struct unit *dwarf_files_find_split(struct dwarf_files *files, struct unit *skeleton,
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

struct unit *dwarf_file_split_type_unit(struct dwarf_file *file, uint64_t signature)
{
	return array_find(i, file->units, file->unit_count,
			  file->units[i].type_die && file->units[i].signature == signature);
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
	free_all(file->units, file->unit_at, file->path);
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
