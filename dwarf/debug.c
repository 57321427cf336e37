/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "dwarf/debug.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf_inline_cast.h"
#include "dwarf/dwarf_flexible.h"
#include "dwarf/dwarf_function.h"
#include "dwarf/dwarf_global.h"
#include "dwarf/dwarf_inline.h"
#include "dwarf/dwarf_landing.h"
#include "dwarf/dwarf_line.h"
#include "dwarf/dwarf_memo.h"
#include "dwarf/dwarf_object.h"
#include "profiler/base/memory.h"

struct debug_reader {
	struct debug_object *object;
	struct function_scratch scratch;
	struct dwarf_memo *memo; /* of DWARF alone */
};

static void open_frames(struct debug_object *object)
{
	const struct dwarf_section_data *eh_frame = &object->image_sections.section[SECTION_EH_FRAME];
	struct dwarf_file *main = dwarf_files_main(object->files);

	if (!eh_frame->data)
		eh_frame = &main->sections.section[SECTION_EH_FRAME];
	frame_table_init(&object->frames, eh_frame, &main->sections.section[SECTION_FRAME], main);
}

/* Where all units are in .dwo files, and none of these is there, there is nothing to be told. */
static struct error *check_split(struct dwarf_file *file)
{
	const struct unit *missing = NULL;

	for (size_t i = 0; i < file->unit_count; i++) {
		struct unit *unit = &file->units[i];

		if (!unit_prepare(unit))
			continue;
		if (!unit->dwo_name || unit->split)
			return NULL;
		missing = missing ? missing : unit;
	}
	if (!missing)
		return NULL;
	return error_create(ERROR_NOT_FOUND,
			    "%s: its debug information is split, and neither %s (in %s) nor %s.dwp is there",
			    file->path, missing->dwo_name, missing->comp_dir ? missing->comp_dir : ".",
			    file->path);
}

static struct error *check_files(const struct dwarf_files *files)
{
	struct dwarf_file *file = dwarf_files_main(files);

	if (!file->unit_count)
		return error_create(ERROR_NO_DEBUG_INFO, "%s: no debug information (.debug_info)",
				    file->path);
	return check_split(file);
}

static struct error *open_files(const struct elf_image *image, const struct elf_image *debug_image,
				struct dwarf_files **files, struct dwarf_sections *image_sections)
{
	RETURN_ERROR(dwarf_files_open(debug_image, files));
	RETURN_ERROR(check_files(*files));
	*image_sections = (struct dwarf_sections){ 0 };
	return image == debug_image ? NULL : dwarf_sections_read(image, image_sections);
}

static bool has_all_symbols(const struct debug_object *object)
{
	struct elf_section section;

	return elf_image_section_named(object->image, ".symtab", &section) ||
	       elf_image_section_named(object->debug_image, ".symtab", &section);
}

static void set_tls(struct dwarf_files *files, const struct elf_image *image)
{
	struct elf_section section;
	uint64_t alignment;

	/* the initial values come first, then what is zero */
	if (elf_image_tls_segment(image, &files->tls_size, &alignment) &&
	    (elf_image_section_named(image, ".tdata", &section) ||
	     elf_image_section_named(image, ".tbss", &section)))
		files->tls_address = section.address;
}

struct error *debug_object_open(const struct elf_image *image, const struct elf_image *debug_image,
				struct debug_object **result)
{
	struct dwarf_files *files = NULL;
	struct dwarf_sections image_sections;
	struct error *error = open_files(image, debug_image, &files, &image_sections);

	if (error) {
		dwarf_files_close(files);
		return error;
	}

	struct debug_object *object = xcalloc(1, sizeof(*object));

	object->image = image;
	object->debug_image = debug_image;
	object->has_all_symbols = has_all_symbols(object);
	object->files = files;
	object->image_sections = image_sections;
	set_tls(files, image);
	object->names = dwarf_names_create(files);
	dwarf_types_init(&object->types, files, object->names);
	dwarf_spans_build(object);
	open_frames(object);
	*result = object;
	return NULL;
}

struct error *debug_object_open_btf(const struct elf_image *image, const struct btf *btf,
				    struct debug_object **result)
{
	struct btf_object *object = btf_object_create(image, btf);
	struct error *error = btf_object_check(object);

	if (error) {
		btf_object_destroy(object);
		return error;
	}
	*result = xcalloc(1, sizeof(**result));
	(*result)->btf = object;
	return NULL;
}

static void destroy_lines(void *table)
{
	line_table_destroy(table);
}

void debug_object_close(struct debug_object *object)
{
	if (!object)
		return;
	if (object->btf) {
		btf_object_destroy(object->btf);
		free(object);
		return;
	}
	free(object->spans);
	concurrent_map_each(&object->lines, destroy_lines);
	concurrent_map_release(&object->lines);
	dwarf_flexible_release(object);
	dwarf_inline_casts_release(object);
	concurrent_map_release(&object->prototypes);
	concurrent_map_release(&object->globals);
	frame_table_release(&object->frames);
	dwarf_types_release(&object->types);
	dwarf_names_destroy(object->names);
	dwarf_files_close(object->files);
	dwarf_sections_release(&object->image_sections);
	free(object);
}

const char *debug_object_format(const struct debug_object *object)
{
	return object->btf ? "btf" : "dwarf";
}

struct error *debug_reader_open(struct debug_object *object, struct debug_reader **result)
{
	*result = xcalloc(1, sizeof(**result));
	(*result)->object = object;
	if (!object->btf)
		(*result)->memo = dwarf_memo_create();
	return NULL;
}

const char *debug_reader_format(const struct debug_reader *reader)
{
	return debug_object_format(reader->object);
}

void debug_reader_close(struct debug_reader *reader)
{
	if (!reader)
		return;
	function_scratch_release(&reader->scratch);
	dwarf_memo_destroy(reader->memo);
	free(reader);
}

/* What is read of a large file is scattered over all of it, and little is read again: after so many functions
 * its pages are given back. */
#define LARGE_FILE     ((size_t)32 << 20)
#define FUNCTIONS_KEPT 256

static void count_function(struct debug_object *object)
{
	const struct dwarf_file *file = dwarf_files_main(object->files);

	if (file->sections.section[SECTION_INFO].size >= LARGE_FILE &&
	    __atomic_add_fetch(&object->functions_read, 1, __ATOMIC_RELAXED) % FUNCTIONS_KEPT == 0)
		dwarf_file_done_with_all(file);
}

struct error *debug_reader_function(struct debug_reader *reader, uint64_t address, struct function **result)
{
	if (reader->object->btf) {
		*result = btf_object_function(reader->object->btf, address);
		return NULL;
	}

	const struct function_entry *entry = dwarf_function_entry(reader->object, address);

	*result = entry ? dwarf_function_build(reader->object, &reader->scratch, entry->die) : NULL;
	count_function(reader->object);
	return NULL;
}

bool debug_reader_function_entry(struct debug_reader *reader, uint64_t address, uint64_t *entry)
{
	if (reader->object->btf)
		return btf_object_function_entry(reader->object->btf, address, entry);

	const struct function_entry *found = dwarf_function_entry(reader->object, address);

	if (found)
		*entry = found->entry;
	return found;
}

const struct frame_row *debug_reader_frame_rows(struct debug_reader *reader, uint64_t low, uint64_t high,
						struct arena *arena, size_t *count)
{
	struct frame_rows *rows = &reader->scratch.rows;

	*count = 0;
	if (reader->object->btf)
		return NULL;
	rows->count = 0;
	frame_table_rows(&reader->object->frames, low, high, rows);
	*count = rows->count;
	return frame_rows_copy(rows, arena);
}

const struct landing_pad *debug_reader_landing_pads(struct debug_reader *reader, uint64_t low,
						    struct arena *arena, size_t *count)
{
	struct landing_pads pads = { 0 };

	*count = 0;
	if (reader->object->btf)
		return NULL;

	const struct frame_entry *entry = frame_table_entry(&reader->object->frames, low);

	if (entry)
		landing_pads_read(reader->object->image, entry, &pads);
	const struct landing_pad *result =
		pads.count ? arena_copy(arena, pads.items, pads.count * sizeof(*pads.items)) : NULL;

	*count = pads.count;
	free(pads.items);
	return result;
}

const struct prototype *debug_reader_prototype_at(struct debug_reader *reader, uint64_t address,
						  uint64_t from_address)
{
	if (reader->object->btf)
		return btf_object_prototype_at(reader->object->btf, address);
	return dwarf_memo_prototype_at(reader->memo, reader->object, address, from_address);
}

const struct prototype *debug_reader_prototype_named(struct debug_reader *reader, const char *name,
						     uint64_t from_address)
{
	if (reader->object->btf)
		return btf_object_prototype_named(reader->object->btf, name);
	return dwarf_prototype_named(reader->object, name, from_address);
}

bool debug_reader_global_at(struct debug_reader *reader, uint64_t address, uint64_t from_address,
			    struct global *result)
{
	if (reader->object->btf)
		return btf_object_global_at(reader->object->btf, address, result);
	return dwarf_memo_global_at(reader->memo, reader->object, address, from_address, result);
}

bool debug_reader_tls_at(struct debug_reader *reader, uint64_t offset, struct global *result)
{
	return !reader->object->btf && dwarf_tls_at(reader->object, offset, result);
}

bool debug_reader_global_named(struct debug_reader *reader, const char *name, uint64_t from_address,
			       struct global *result)
{
	if (reader->object->btf)
		return btf_object_global_named(reader->object->btf, name, result);
	return dwarf_global_named(reader->object, name, from_address, result);
}

size_t debug_reader_types_named(struct debug_reader *reader, const char *name, const struct type **types,
				size_t capacity)
{
	if (reader->object->btf)
		return btf_object_types_named(reader->object->btf, name, types, capacity);
	return dwarf_types_named(reader->object, name, types, capacity);
}

const struct type *const *debug_reader_flexible_records(struct debug_reader *reader, uint64_t address,
							size_t *count)
{
	*count = 0;
	if (reader->object->btf)
		return NULL; /* BTF has no units */

	struct unit *unit = dwarf_unit_at(reader->object, address);

	return unit && unit_prepare(unit) ? dwarf_flexible_records(reader->object, unit, count) : NULL;
}

const struct inline_cast *debug_reader_inline_casts(struct debug_reader *reader, uint64_t address,
						    size_t *count)
{
	*count = 0;
	if (reader->object->btf)
		return NULL; /* BTF has no inline functions */

	struct unit *unit = dwarf_unit_at(reader->object, address);

	return unit && unit_prepare(unit) ? dwarf_inline_casts(reader->object, unit, count) : NULL;
}

static const struct line_table *lines_of(struct debug_object *object, struct unit *unit)
{
	uint64_t key = unit_reference(unit, unit->first_die);
	struct line_table *table = concurrent_map_find(&object->lines, key);

	if (table)
		return table;
	type_table_lock(object->types.table);
	table = concurrent_map_find(&object->lines, key);
	if (!table) {
		table = line_table_read(unit);
		concurrent_map_insert(&object->lines, key, table);
	}
	type_table_unlock(object->types.table);
	return table;
}

/* The lines of the unit that `address` is in; NULL: it is in none. */
static const struct line_table *lines_at(struct debug_object *object, uint64_t address)
{
	struct unit *unit = dwarf_unit_at(object, address);

	/* the lines of a split unit are with its skeleton */
	if (unit && unit->skeleton)
		unit = unit->skeleton;
	return unit && unit_prepare(unit) ? lines_of(object, unit) : NULL;
}

size_t debug_reader_inlined(struct debug_reader *reader, uint64_t address, struct inlined_call *calls,
			    size_t capacity)
{
	if (reader->object->btf)
		return 0;
	return dwarf_inlined_calls(reader->object, &reader->scratch.ranges, address, calls, capacity);
}

const char *debug_reader_call_file(struct debug_reader *reader, uint64_t address, uint64_t number)
{
	const struct line_table *lines = reader->object->btf ? NULL : lines_at(reader->object, address);

	return lines ? line_table_file(lines, number) : NULL;
}

bool debug_reader_line(struct debug_reader *reader, uint64_t address, const char **file, unsigned int *line)
{
	const struct line_table *lines = reader->object->btf ? NULL : lines_at(reader->object, address);

	return lines && line_table_find(lines, address, file, line);
}
