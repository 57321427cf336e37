// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/debug.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf/object.h"
#include "dwarf/dwarf/frame.h"
#include "dwarf/dwarf/libdw.h"
#include "profiler/base/memory.h"

struct debug_reader {
	struct debug_object *object;
	struct function_scratch scratch;
	struct dwarf_memo *memo; /* of DWARF alone */
};

/*
 * The questions that DWARF and BTF each answer in their own way. Arguments and results are those of the
 * functions of debug.h. An operation may be NULL: then nothing is known. So a third kind of debug information
 * is one more table.
 */
struct debug_operations {
	const char *format;
	void (*close)(struct debug_object *object);
	void (*open_reader)(struct debug_reader *reader);
	struct function *(*function)(struct debug_reader *reader, uint64_t address);
	bool (*function_entry)(struct debug_reader *reader, uint64_t address, uint64_t *entry);
	const struct prototype *(*prototype_at)(struct debug_reader *reader, uint64_t address,
						uint64_t from_address);
	const struct prototype *(*prototype_named)(struct debug_reader *reader, const char *name,
						   uint64_t from_address);
	bool (*global_at)(struct debug_reader *reader, uint64_t address, uint64_t from_address,
			  struct global *result);
	bool (*global_named)(struct debug_reader *reader, const char *name, uint64_t from_address,
			     struct global *result);
	bool (*tls_at)(struct debug_reader *reader, uint64_t offset, struct global *result);
	size_t (*types_named)(struct debug_reader *reader, const char *name, const struct type **types,
			      size_t capacity);
	const struct type *const *(*flexible_records)(struct debug_reader *reader, uint64_t address,
						      size_t *count);
	const struct inline_cast *(*inline_casts)(struct debug_reader *reader, uint64_t address,
						  size_t *count);
	size_t (*inlined)(struct debug_reader *reader, uint64_t address, struct inlined_call *calls,
			  size_t capacity);
	const char *(*call_file)(struct debug_reader *reader, uint64_t address, uint64_t number);
	bool (*line)(struct debug_reader *reader, uint64_t address, const char **file, unsigned int *line);
	const struct frame_row *(*frame_rows)(struct debug_reader *reader, uint64_t low, uint64_t high,
					      struct arena *arena, size_t *count);
	const struct landing_pad *(*landing_pads)(struct debug_reader *reader, uint64_t low,
						  struct arena *arena, size_t *count);
};

/* ---- DWARF ---- */

static void open_frames(struct debug_object *object)
{
	const struct dwarf_section_data *eh_frame = &object->image_sections.section[SECTION_EH_FRAME];
	struct dwarf_file *main = dwarf_files_main(object->files);

	if (!eh_frame->data)
		eh_frame = &main->sections.section[SECTION_EH_FRAME];
	frame_table_init(&object->frames, eh_frame, &main->sections.section[SECTION_FRAME], main);
}

/* Returns an error if all units are in .dwo files and none of these exists. */
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

	/* .tdata comes first, then .tbss */
	if (elf_image_tls_segment(image, &files->tls_size, &alignment) &&
	    (elf_image_section_named(image, ".tdata", &section) ||
	     elf_image_section_named(image, ".tbss", &section)))
		files->tls_address = section.address;
}

static void destroy_lines(void *table)
{
	line_table_destroy(table);
}

static void close_dwarf(struct debug_object *object)
{
	free(object->spans);
	concurrent_map_each(&object->lines, destroy_lines);
	concurrent_map_deinit(&object->lines);
	dwarf_flexible_deinit(object);
	dwarf_inline_casts_deinit(object);
	concurrent_map_deinit(&object->prototypes);
	concurrent_map_deinit(&object->globals);
	frame_table_deinit(&object->frames);
	dwarf_types_deinit(&object->types);
	dwarf_names_destroy(object->names);
	dwarf_files_close(object->files);
	dwarf_sections_deinit(&object->image_sections);
	free(object);
}

static void open_dwarf_reader(struct debug_reader *reader)
{
	reader->memo = dwarf_memo_create();
}

/* Functions are read from all over a large file, and little of it is read again. After so many functions its
 * pages are given back. */
#define LARGE_FILE     ((size_t)32 << 20)
#define FUNCTIONS_KEPT 256

static void count_function(struct debug_object *object)
{
	const struct dwarf_file *file = dwarf_files_main(object->files);

	if (file->sections.section[SECTION_INFO].size >= LARGE_FILE &&
	    __atomic_add_fetch(&object->functions_read, 1, __ATOMIC_RELAXED) % FUNCTIONS_KEPT == 0)
		dwarf_file_done_with_all(file);
}

static struct function *dwarf_function(struct debug_reader *reader, uint64_t address)
{
	const struct function_entry *entry = dwarf_function_entry(reader->object, address);
	struct function *function =
		entry ? dwarf_function_build(reader->object, &reader->scratch, entry->die) : NULL;

	count_function(reader->object);
	return function;
}

static bool dwarf_entry(struct debug_reader *reader, uint64_t address, uint64_t *entry)
{
	const struct function_entry *found = dwarf_function_entry(reader->object, address);

	if (found)
		*entry = found->entry;
	return found;
}

static const struct prototype *prototype_at(struct debug_reader *reader, uint64_t address,
					    uint64_t from_address)
{
	return dwarf_memo_prototype_at(reader->memo, reader->object, address, from_address);
}

static const struct prototype *prototype_named(struct debug_reader *reader, const char *name,
					       uint64_t from_address)
{
	return dwarf_prototype_named(reader->object, name, from_address);
}

static bool global_at(struct debug_reader *reader, uint64_t address, uint64_t from_address,
		      struct global *result)
{
	return dwarf_memo_global_at(reader->memo, reader->object, address, from_address, result);
}

static bool global_named(struct debug_reader *reader, const char *name, uint64_t from_address,
			 struct global *result)
{
	return dwarf_global_named(reader->object, name, from_address, result);
}

static bool tls_at(struct debug_reader *reader, uint64_t offset, struct global *result)
{
	return dwarf_tls_at(reader->object, offset, result);
}

static size_t types_named(struct debug_reader *reader, const char *name, const struct type **types,
			  size_t capacity)
{
	return dwarf_types_named(reader->object, name, types, capacity);
}

static const struct type *const *flexible_records(struct debug_reader *reader, uint64_t address,
						  size_t *count)
{
	struct unit *unit = dwarf_unit_at(reader->object, address);

	return unit && unit_prepare(unit) ? dwarf_flexible_records(reader->object, unit, count) : NULL;
}

static const struct inline_cast *inline_casts(struct debug_reader *reader, uint64_t address, size_t *count)
{
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

/* Returns the line table of the unit that `address` is in, or NULL. */
static const struct line_table *lines_at(struct debug_object *object, uint64_t address)
{
	struct unit *unit = dwarf_unit_at(object, address);

	/* the lines of a split unit are with its skeleton */
	if (unit && unit->skeleton)
		unit = unit->skeleton;
	return unit && unit_prepare(unit) ? lines_of(object, unit) : NULL;
}

static size_t inlined_calls(struct debug_reader *reader, uint64_t address, struct inlined_call *calls,
			    size_t capacity)
{
	return dwarf_inlined_calls(reader->object, &reader->scratch.ranges, address, calls, capacity);
}

static const char *call_file(struct debug_reader *reader, uint64_t address, uint64_t number)
{
	const struct line_table *lines = lines_at(reader->object, address);

	return lines ? line_table_file(lines, number) : NULL;
}

static bool source_line(struct debug_reader *reader, uint64_t address, const char **file, unsigned int *line)
{
	const struct line_table *lines = lines_at(reader->object, address);

	return lines && line_table_find(lines, address, file, line);
}

static const struct frame_row *frame_rows(struct debug_reader *reader, uint64_t low, uint64_t high,
					  struct arena *arena, size_t *count)
{
	struct frame_rows *rows = &reader->scratch.rows;

	rows->count = 0;
	frame_table_rows(&reader->object->frames, low, high, rows);
	*count = rows->count;
	return frame_rows_copy(rows, arena);
}

static const struct landing_pad *landing_pads(struct debug_reader *reader, uint64_t low, struct arena *arena,
					      size_t *count)
{
	struct landing_pads pads = { 0 };

	const struct frame_entry *entry = frame_table_entry(&reader->object->frames, low);

	if (entry)
		landing_pads_read(reader->object->image, entry, &pads);
	const struct landing_pad *result =
		pads.count ? arena_copy(arena, pads.items, pads.count * sizeof(*pads.items)) : NULL;

	*count = pads.count;
	free(pads.items);
	return result;
}

static const struct debug_operations dwarf_operations = {
	.format = "dwarf",
	.close = close_dwarf,
	.open_reader = open_dwarf_reader,
	.function = dwarf_function,
	.function_entry = dwarf_entry,
	.prototype_at = prototype_at,
	.prototype_named = prototype_named,
	.global_at = global_at,
	.global_named = global_named,
	.tls_at = tls_at,
	.types_named = types_named,
	.flexible_records = flexible_records,
	.inline_casts = inline_casts,
	.inlined = inlined_calls,
	.call_file = call_file,
	.line = source_line,
	.frame_rows = frame_rows,
	.landing_pads = landing_pads,
};

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

	object->operations = &dwarf_operations;
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

/* ---- BTF: it has neither units nor inlined functions, lines or frames ---- */

static void close_btf(struct debug_object *object)
{
	btf_object_destroy(object->btf);
	free(object);
}

static struct function *btf_function(struct debug_reader *reader, uint64_t address)
{
	return btf_object_function(reader->object->btf, address);
}

static bool btf_entry(struct debug_reader *reader, uint64_t address, uint64_t *entry)
{
	return btf_object_function_entry(reader->object->btf, address, entry);
}

static const struct prototype *btf_prototype_at(struct debug_reader *reader, uint64_t address,
						uint64_t from_address)
{
	(void)from_address;
	return btf_object_prototype_at(reader->object->btf, address);
}

static const struct prototype *btf_prototype_named(struct debug_reader *reader, const char *name,
						   uint64_t from_address)
{
	(void)from_address;
	return btf_object_prototype_named(reader->object->btf, name);
}

static bool btf_global_at(struct debug_reader *reader, uint64_t address, uint64_t from_address,
			  struct global *result)
{
	(void)from_address;
	return btf_object_global_at(reader->object->btf, address, result);
}

static bool btf_global_named(struct debug_reader *reader, const char *name, uint64_t from_address,
			     struct global *result)
{
	(void)from_address;
	return btf_object_global_named(reader->object->btf, name, result);
}

static size_t btf_types_named(struct debug_reader *reader, const char *name, const struct type **types,
			      size_t capacity)
{
	return btf_object_types_named(reader->object->btf, name, types, capacity);
}

static const struct debug_operations btf_operations = {
	.format = "btf",
	.close = close_btf,
	.function = btf_function,
	.function_entry = btf_entry,
	.prototype_at = btf_prototype_at,
	.prototype_named = btf_prototype_named,
	.global_at = btf_global_at,
	.global_named = btf_global_named,
	.types_named = btf_types_named,
};

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
	(*result)->operations = &btf_operations;
	(*result)->btf = object;
	return NULL;
}

/* ---- both ---- */

void debug_object_close(struct debug_object *object)
{
	if (object)
		object->operations->close(object);
}

const char *debug_object_format(const struct debug_object *object)
{
	return object->operations->format;
}

struct error *debug_reader_open(struct debug_object *object, struct debug_reader **result)
{
	*result = xcalloc(1, sizeof(**result));
	(*result)->object = object;
	if (object->operations->open_reader)
		object->operations->open_reader(*result);
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
	function_scratch_deinit(&reader->scratch);
	dwarf_memo_destroy(reader->memo);
	free(reader);
}

static const struct debug_operations *operations_of(const struct debug_reader *reader)
{
	return reader->object->operations;
}

struct error *debug_reader_function(struct debug_reader *reader, uint64_t address, struct function **result)
{
	*result = operations_of(reader)->function(reader, address);
	return NULL;
}

bool debug_reader_function_entry(struct debug_reader *reader, uint64_t address, uint64_t *entry)
{
	return operations_of(reader)->function_entry(reader, address, entry);
}

const struct prototype *debug_reader_prototype_at(struct debug_reader *reader, uint64_t address,
						  uint64_t from_address)
{
	return operations_of(reader)->prototype_at(reader, address, from_address);
}

const struct prototype *debug_reader_prototype_named(struct debug_reader *reader, const char *name,
						     uint64_t from_address)
{
	return operations_of(reader)->prototype_named(reader, name, from_address);
}

bool debug_reader_global_at(struct debug_reader *reader, uint64_t address, uint64_t from_address,
			    struct global *result)
{
	return operations_of(reader)->global_at(reader, address, from_address, result);
}

bool debug_reader_global_named(struct debug_reader *reader, const char *name, uint64_t from_address,
			       struct global *result)
{
	return operations_of(reader)->global_named(reader, name, from_address, result);
}

bool debug_reader_tls_at(struct debug_reader *reader, uint64_t offset, struct global *result)
{
	const struct debug_operations *operations = operations_of(reader);

	return operations->tls_at && operations->tls_at(reader, offset, result);
}

size_t debug_reader_types_named(struct debug_reader *reader, const char *name, const struct type **types,
				size_t capacity)
{
	return operations_of(reader)->types_named(reader, name, types, capacity);
}

const struct type *const *debug_reader_flexible_records(struct debug_reader *reader, uint64_t address,
							size_t *count)
{
	const struct debug_operations *operations = operations_of(reader);

	*count = 0;
	return operations->flexible_records ? operations->flexible_records(reader, address, count) : NULL;
}

const struct inline_cast *debug_reader_inline_casts(struct debug_reader *reader, uint64_t address,
						    size_t *count)
{
	const struct debug_operations *operations = operations_of(reader);

	*count = 0;
	return operations->inline_casts ? operations->inline_casts(reader, address, count) : NULL;
}

size_t debug_reader_inlined(struct debug_reader *reader, uint64_t address, struct inlined_call *calls,
			    size_t capacity)
{
	const struct debug_operations *operations = operations_of(reader);

	return operations->inlined ? operations->inlined(reader, address, calls, capacity) : 0;
}

const char *debug_reader_call_file(struct debug_reader *reader, uint64_t address, uint64_t number)
{
	const struct debug_operations *operations = operations_of(reader);

	return operations->call_file ? operations->call_file(reader, address, number) : NULL;
}

bool debug_reader_line(struct debug_reader *reader, uint64_t address, const char **file, unsigned int *line)
{
	const struct debug_operations *operations = operations_of(reader);

	return operations->line && operations->line(reader, address, file, line);
}

const struct frame_row *debug_reader_frame_rows(struct debug_reader *reader, uint64_t low, uint64_t high,
						struct arena *arena, size_t *count)
{
	const struct debug_operations *operations = operations_of(reader);

	*count = 0;
	return operations->frame_rows ? operations->frame_rows(reader, low, high, arena, count) : NULL;
}

const struct landing_pad *debug_reader_landing_pads(struct debug_reader *reader, uint64_t low,
						    struct arena *arena, size_t *count)
{
	const struct debug_operations *operations = operations_of(reader);

	*count = 0;
	return operations->landing_pads ? operations->landing_pads(reader, low, arena, count) : NULL;
}
