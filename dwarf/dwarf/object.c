// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The DWARF of one object: opening it, which unit and function an address is in, and the table of
 * its operations.
 */
#include "dwarf/dwarf/object.h"

#include "dwarf/dwarf/die.h"
#include "dwarf/dwarf/index.h"
#include "dwarf/dwarf/libdw.h"
#include "base/memory.h"

/*
 * ---- the unit of an address ----
 *
 * .debug_aranges gives it. For a unit that is not there (clang writes no .debug_aranges) the ranges
 * of the unit itself do.
 */

struct span_builder {
	struct dwarf_object *object;
	size_t capacity;
	/* by the unit's number: it is in .debug_aranges, maybe without any range, as those that
	 * have data alone */
	bool *covered;
};

static void add_span(struct span_builder *builder, uint64_t low, uint64_t high, struct unit *unit)
{
	struct dwarf_object *object = builder->object;

	array_add(object->spans, object->span_count, builder->capacity) =
		(struct unit_span){ .low = low, .high = high, .unit = unit };
}

/* Adds the ranges of one set of .debug_aranges (DWARF 5, section 6.1.2), and moves the cursor after
 * it. False: it is damaged. */
static bool add_arange_set(struct span_builder *builder, struct dwarf_file *file,
			   struct cursor *cursor)
{
	uint64_t length = cursor_u32(cursor);
	size_t offset_size = length == UINT32_MAX ? 8 : 4, start = offset_size == 8 ? 12 : 4;

	length = offset_size == 8 ? cursor_u64(cursor) : length;

	struct cursor set = cursor_of(cursor_bytes(cursor, length), length, false);
	unsigned int version = cursor_u16(&set);
	struct unit *unit = dwarf_file_unit_at(file, false, cursor_word(&set, offset_size));
	size_t address_size = cursor_u8(&set);

	if (cursor_u8(&set) || set.failed || version != 2 ||
	    (address_size != 8 && address_size != 4))
		return false;
	if (unit)
		builder->covered[unit->number] = true;
	/* pairs of words, as from the start of the set */
	cursor_skip(&set, -(start + set.position) % (2 * address_size));
	while (cursor_left(&set) >= 2 * address_size) {
		uint64_t low = cursor_word(&set, address_size),
			 size = cursor_word(&set, address_size);

		/* linkers resolve addresses of dropped sections to 0 */
		if (!unit || !size || (!low && !file->sections.relocatable) || low + size < low)
			continue;
		add_span(builder, low, low + size, unit);
	}
	return true;
}

/* Adds all ranges of .debug_aranges, or none if one set is damaged. */
static void add_aranges(struct span_builder *builder, struct dwarf_file *file)
{
	const struct dwarf_section_data *section = &file->sections.section[SECTION_ARANGES];
	struct cursor cursor = cursor_of(section->data, section->size, false);

	while (cursor_left(&cursor))
		if (!add_arange_set(builder, file, &cursor)) {
			memset(builder->covered, 0, file->unit_count);
			builder->object->span_count = 0;
			return;
		}
}

static void add_root_ranges(struct span_builder *builder, struct unit *unit,
			    struct address_ranges *ranges)
{
	struct die root;

	if (!unit_prepare(unit) || !die_root(unit, &root))
		return;
	if (!die_ranges(&root, ranges)) {
		/* the root has no ranges: take those of its functions */
		const struct unit_index *index = unit_file_scope_get(unit);

		for (size_t i = 0; i < index->function_count; i++)
			add_span(builder, index->functions[i].low, index->functions[i].high, unit);
		return;
	}
	for (size_t i = 0; i < ranges->count; i++)
		add_span(builder, ranges->items[i].low, ranges->items[i].high, unit);
}

COMPARISON(object_by_low, struct unit_span, ASCENDING(low) ASCENDING(unit))

/* Sorts the spans of all units. Those of one address stay in the order of their units. */
static void sort_spans(struct unit_span *spans, size_t count)
{
	sort_by_number(spans, count, sizeof(*spans), offsetof(struct unit_span, low));
	/* those of units without .debug_aranges were added last */
	sort_unless_sorted(spans, count, sizeof(*spans), object_by_low);
}

static void build_spans(struct dwarf_object *object)
{
	struct dwarf_file *file = dwarf_files_main(object->files);
	struct address_ranges ranges = { 0 };
	struct span_builder builder = {
		.object = object,
		.covered = xcalloc(file->unit_count ?: 1, sizeof(bool)),
	};

	add_aranges(&builder, file);
	for (size_t i = 0; i < file->info_unit_count; i++)
		if (!builder.covered[i])
			add_root_ranges(&builder, &file->units[i], &ranges);
	dwarf_file_done_with_roots(file);
	sort_spans(object->spans, object->span_count);
	array_indexed (struct unit_span, span, i, object->spans, object->span_count)
		span->reach = i && span[-1].reach > span->high ? span[-1].reach : span->high;
	free(builder.covered);
	address_ranges_deinit(&ranges);
}

/* ---- operations ---- */

/* About this many bytes get into memory for each function that is read: its DIEs, and those of its
 * types from all over the file, with the pages around them, which the kernel maps as well. */
#define FUNCTION_BYTES ((uint64_t)64 << 10)
/* The same for an outline, without types. They are read in the order of addresses, and so are their
 * DIEs. */
#define OUTLINE_BYTES ((uint64_t)8 << 10)

static struct function *function_at(struct debug_reader *reader, uint64_t address)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	const struct function_entry *entry = dwarf_function_entry(object, address);
	const struct symbol *symbol = entry ? NULL : elf_image_function_at(object->image, address);
	uint64_t die = entry ? entry->die : symbol ? dwarf_unplaced_function(object, symbol) : 0;
	struct function *function =
		die ? dwarf_function_build(object, dwarf_reader_of(reader)->scratch, die, symbol)
		    : NULL;

	dwarf_file_was_read(dwarf_files_main(object->files), FUNCTION_BYTES);
	return function;
}

static const struct function_outline *outline_at(struct debug_reader *reader, uint64_t address,
						 struct arena *arena)
{
	dwarf_file_was_read(dwarf_files_main(dwarf_object_of(reader)->files), OUTLINE_BYTES);
	return dwarf_function_outline(reader, address, arena);
}

static bool function_entry_at(struct debug_reader *reader, uint64_t address, uint64_t *entry,
			      uint64_t *size)
{
	const struct function_entry *found = dwarf_function_entry(dwarf_object_of(reader), address);

	if (!found)
		return false;
	*entry = found->entry;
	*size = found->size;
	return true;
}

static void destroy_lines(void *table)
{
	line_table_destroy(table);
}

/* Returns the table that the unit has, maybe together with others. */
static void *create_lines(struct dwarf_object *object, struct unit *unit)
{
	uint64_t key = line_table_key(unit);
	void *table = concurrent_map_find(&object->line_tables, key), *mine;

	if (table)
		return table;
	mine = line_table_read(unit);
	table = type_table_publish(object->types.table, &object->line_tables, key, mine);
	if (table != mine)
		line_table_destroy(mine);
	return table;
}

static void leave_lines(void *table _unused_)
{
}

static const struct line_table *lines_of(struct dwarf_object *object, struct unit *unit)
{
	/* the line table of a split unit is its skeleton's */
	if (unit && unit->skeleton)
		unit = unit->skeleton;
	return unit && unit_prepare(unit)
		       ? dwarf_unit_fact(object, &object->lines, unit, create_lines, leave_lines)
		       : NULL;
}

static const struct line_table *lines_at(struct debug_reader *reader, uint64_t address)
{
	struct dwarf_object *object = dwarf_object_of(reader);

	return lines_of(object, dwarf_unit_at(object, address));
}

/* Returns whether the lines of several functions end at an address. */
static bool ends_several(const struct line_table *lines, uint64_t address)
{
	size_t first = lines ? partition_point(0, lines->row_count, i,
					       lines->rows[i].address < address)
			     : 0,
	       ends = 0;

	for (size_t i = first; lines && i < lines->row_count && lines->rows[i].address == address;
	     i++)
		ends += lines->rows[i].file == LINE_END;
	return ends > 1;
}

/* The DIE of a function that lld folded has the address 0, but its line table has the address of
 * the code that was kept. A function that lld left out has the address 0 in both. */
static const struct prototype *folded_next(struct debug_reader *reader, uint64_t address,
					   size_t *position)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	const struct function_entry *own = dwarf_function_entry(object, address);
	struct unit *unit = own && own->entry && own->entry == address
				    ? dwarf_files_unit(object->files, own->die)
				    : NULL;
	const struct unit_index *index = unit ? unit_file_scope_get(unit) : NULL;

	while (index && *position < index->dropped_count) {
		const struct function_entry *other = &index->dropped[(*position)++];

		if (other->size == own->size && ends_several(lines_of(object, unit), own->high))
			return dwarf_prototype_of(object, other->die);
	}
	return NULL;
}

static const char *call_file(struct debug_reader *reader, uint64_t address, uint64_t number)
{
	const struct line_table *lines = lines_at(reader, address);

	return lines ? line_table_file(lines, number) : NULL;
}

static bool object_source_line(struct debug_reader *reader, uint64_t address, const char **file,
			       unsigned int *line)
{
	const struct line_table *lines = lines_at(reader, address);

	return lines && line_table_find(lines, address, file, line);
}

static const struct source_row *source_rows(struct debug_reader *reader, uint64_t low,
					    uint64_t high, struct arena *arena, size_t *count)
{
	const struct line_table *lines = lines_at(reader, low);
	const struct line_row *first = lines ? line_table_row(lines, low) : NULL, *row;
	struct source_row *rows;
	size_t found = 0;

	if (!lines || !lines->row_count)
		return NULL;
	/* without a row at or before `low`, there may be one in the code */
	if (!first)
		first = lines->rows;
	row = first;
	while (row < lines->rows + lines->row_count && row->address < high)
		row++;
	rows = arena_alloc(arena, (size_t)(row - first + 1) * sizeof(*rows));
	for (; first < row; first++) {
		found += !found || rows[found - 1].address != first->address;
		rows[found - 1] = (struct source_row){ .address = first->address,
						       .file = line_table_file(lines, first->file),
						       .line = first->line };
	}
	*count = found;
	return rows;
}

static bool type_place(struct debug_reader *reader, const struct type *type,
		       struct type_place *place)
{
	struct dwarf_object *object = dwarf_object_of(reader);
	const struct line_table *lines;
	uint64_t file, line;
	struct die die;

	/* split units number their files in a table of their own */
	if (!die_at(object->files, type_first_source(type), &die) || die.unit->skeleton ||
	    !die_unsigned(&die, SLOT_DECLARED_FILE, &file) ||
	    !die_unsigned(&die, SLOT_DECLARED_LINE, &line) || line > UINT32_MAX)
		return false;
	lines = lines_of(object, die.unit);
	*place = (struct type_place){ .file = lines ? line_table_file(lines, file) : NULL,
				      .line = (unsigned int)line,
				      .folder = die.unit->comp_dir };
	return place->file != NULL;
}

static const char *const *source_files(struct debug_reader *reader, struct arena *arena,
				       size_t *count)
{
	struct dwarf_file *file = dwarf_object_of(reader)->files->files[0];
	const char **names = arena_alloc(arena, (file->unit_count + 1) * sizeof(*names));
	size_t found = 0;

	array_each (struct unit, unit, file->units, file->unit_count) {
		_cleanup_strbuf_ struct strbuf path = STRBUF_INIT;

		if (!unit_prepare(unit) || !unit->name)
			continue;
		if (unit->name[0] != '/' && unit->comp_dir)
			strbuf_add_format(&path, "%s/", unit->comp_dir);
		strbuf_add_string(&path, unit->name);
		names[found++] = arena_strdup(arena, path.data);
	}
	array_sort(names, found, compare_strings);
	for (size_t i = 0; i < found; i++)
		if (!*count || strcmp(names[*count - 1], names[i]) != 0)
			names[(*count)++] = names[i];
	return names;
}

static const struct frame_row *frame_rows(struct debug_reader *reader, uint64_t low, uint64_t high,
					  struct arena *arena, size_t *count)
{
	struct frame_rows rows = { 0 };

	frame_table_rows(&dwarf_object_of(reader)->frames, low, high, &rows);
	*count = rows.count;

	const struct frame_row *result = frame_rows_copy(&rows, arena);

	free(rows.items);
	return result;
}

static const struct exception_edge *exception_edges(struct debug_reader *reader, uint64_t low,
						    struct arena *arena, size_t *count)
{
	struct dwarf_object *object = dwarf_object_of(reader);

	return frame_table_exception_edges(&object->frames, object->image, low, arena, count);
}

static struct debug_reader *open_reader(void)
{
	struct dwarf_reader *reader = xcalloc(1, sizeof(*reader));

	reader->scratch = function_scratch_create();
	return &reader->base;
}

static void close_reader(struct debug_reader *base)
{
	struct dwarf_reader *reader = dwarf_reader_of(base);

	function_scratch_destroy(reader->scratch);
	free(reader);
}

static void prepare_object(struct debug_object *base)
{
	struct dwarf_object *object = (struct dwarf_object *)base;

	frame_table_build(&object->frames);
}

static void separate_units(struct debug_object *base)
{
	dwarf_names_separate(((struct dwarf_object *)base)->names);
}

static void close_object(struct debug_object *base)
{
	struct dwarf_object *object = (struct dwarf_object *)base;

	free(object->spans);
	concurrent_map_clear(&object->line_tables, destroy_lines);
	concurrent_map_deinit(&object->lines);
	dwarf_unit_facts_deinit(object);
	dwarf_go_types_deinit(object);
	dwarf_virtual_tables_deinit(object);
	concurrent_map_deinit(&object->prototypes);
	concurrent_map_deinit(&object->globals);
	frame_table_deinit(&object->frames);
	dwarf_types_deinit(&object->types);
	dwarf_names_destroy(object->names);
	dwarf_files_close(object->files);
	dwarf_sections_deinit(&object->image_sections);
	free(object);
}

static const struct debug_operations operations = {
	.format = "dwarf",
	.close = close_object,
	.prepare = prepare_object,
	.separate_units = separate_units,
	.open_reader = open_reader,
	.close_reader = close_reader,
	.function = function_at,
	.function_entry = function_entry_at,
	.prototype_at = dwarf_prototype_at,
	.prototype_named = dwarf_prototype_named,
	.folded_next = folded_next,
	.virtual_method = dwarf_virtual_method,
	.virtual_table = dwarf_virtual_table,
	.virtual_table_of = dwarf_virtual_table_of,
	.global_at = dwarf_global_at,
	.global_named = dwarf_global_named,
	.tls_at = dwarf_tls_at,
	.types_named = dwarf_types_named,
	.types_called = dwarf_types_called,
	.unit_list = dwarf_unit_list,
	.unit_types = dwarf_unit_types,
	.unit_functions = dwarf_unit_functions,
	.go_type = dwarf_go_type,
	.inlined = dwarf_inlined_calls,
	.call_file = call_file,
	.line = object_source_line,
	.source_rows = source_rows,
	.outline = outline_at,
	.type_place = type_place,
	.each = dwarf_each,
	.source_files = source_files,
	.frame_rows = frame_rows,
	.exception_edges = exception_edges,
};

/* ---- opening ---- */

static void open_frames(struct dwarf_object *object)
{
	const struct dwarf_section_data *eh_frame =
		&object->image_sections.section[SECTION_EH_FRAME];
	struct dwarf_file *main = dwarf_files_main(object->files);

	if (!eh_frame->data)
		eh_frame = &main->sections.section[SECTION_EH_FRAME];
	frame_table_init(&object->frames, eh_frame, &main->sections.section[SECTION_FRAME], main);
}

/* Returns an error if all units are in .dwo files and none of these exists. */
static struct error *check_split(struct dwarf_file *file)
{
	const struct unit *missing = NULL;

	array_each (struct unit, unit, file->units, file->unit_count) {
		if (!unit_prepare(unit))
			continue;
		if (!unit->dwo_name || unit->split)
			return NULL;
		missing = missing ?: unit;
	}
	if (!missing)
		return NULL;
	return error_create(
		ERROR_NOT_FOUND,
		"%s: its debug information is split, and neither %s (in %s) nor %s.dwp is there",
		file->path, missing->dwo_name, missing->comp_dir ?: ".", file->path);
}

#define NEWEST_VERSION 5

static struct error *check_files(const struct dwarf_files *files)
{
	struct dwarf_file *file = dwarf_files_main(files);

	/* a compiler writes one version, so the first unit stands for all */
	if (file->first_version > NEWEST_VERSION)
		return error_create(ERROR_UNSUPPORTED,
				    "%s: its debug information is of DWARF %u, which is newer than "
				    "this program (DWARF %u): compile with -gdwarf-%u",
				    file->path, file->first_version, NEWEST_VERSION,
				    NEWEST_VERSION);
	if (!file->unit_count && file->broken_units && !file->has_more_units)
		return error_create(
			ERROR_FORMAT,
			"%s: none of the %zu units of its debug information can be read",
			file->path, file->broken_units);
	if (!file->unit_count && !file->has_more_units)
		return error_create(ERROR_NO_DEBUG_INFO, "%s: no debug information (.debug_info)",
				    file->path);
	if (file->has_more_units)
		return error_create(ERROR_FORMAT,
				    "%s: its debug information has more than %zu units, too many "
				    "for a file of its size: it is not read",
				    file->path, file->unit_max);
	return check_split(file);
}

static struct error *open_files(const struct elf_image *image, const struct elf_image *debug_image,
				struct dwarf_files **files, struct dwarf_sections *image_sections)
{
	RETURN_ERROR(dwarf_files_open(debug_image, elf_image_path(image), files));
	RETURN_ERROR(check_files(*files));
	*image_sections = (struct dwarf_sections){ 0 };
	return image == debug_image ? NULL : dwarf_sections_read(image, image_sections);
}

static bool has_all_symbols(const struct dwarf_object *object)
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

struct error *dwarf_object_open(const struct elf_image *image, const struct elf_image *debug_image,
				struct debug_object **result)
{
	struct dwarf_files *files = NULL;
	struct dwarf_sections image_sections;
	struct error *error = open_files(image, debug_image, &files, &image_sections);

	if (error) {
		dwarf_files_close(files);
		return error;
	}

	struct dwarf_object *object = xcalloc(1, sizeof(*object));

	object->base.operations = &operations;
	object->image = image;
	object->debug_image = debug_image;
	object->has_all_symbols = has_all_symbols(object);
	object->files = files;
	object->image_sections = image_sections;
	set_tls(files, image);
	object->names = dwarf_names_create(files);
	dwarf_types_init(&object->types, files, object->names);
	build_spans(object);
	open_frames(object);
	*result = &object->base;
	return NULL;
}
