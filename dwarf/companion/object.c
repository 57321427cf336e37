// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Opens a companion, and has its operations: functions, source lines, inlined calls and variables.
 * The sections are compared with their checksums when the file is opened, so that nothing of a
 * damaged one is believed. What a hostile file with right checksums says is checked item by item.
 */
#include <zlib.h>

#include "base/files.h"
#include "base/memory.h"
#include "dwarf/companion/private.h"

const char *companion_part_name(enum companion_part part)
{
#define COMPANION_NAME(part, name, lanes) name,
	static const char *const names[] = { COMPANION_PARTS(COMPANION_NAME) };
#undef COMPANION_NAME

	return names[part];
}

size_t companion_part_lanes(enum companion_part part)
{
#define COMPANION_LANE_COUNT(part, name, lanes) lanes,
	static const uint8_t counts[] = { COMPANION_PARTS(COMPANION_LANE_COUNT) };
#undef COMPANION_LANE_COUNT

	return counts[part];
}

struct companion *companion_of_reader(const struct debug_reader *reader)
{
	return (struct companion *)reader->object; /* `base` is its first member */
}

struct companion_section *companion_section_of(struct companion *companion,
					       enum companion_part part)
{
	return &companion->sections[part];
}

const char *companion_string(struct companion *companion, uint64_t number)
{
	struct cursor item;

	return number && companion_section_item_of(&companion->sections[COMPANION_STRINGS], number,
						   &item)
		       ? cursor_string(&item)
		       : NULL;
}

/* ---- functions ---- */

/* An item of COMPANION_FUNCTIONS: a run of code (its key is `low`), and its function. */
struct range_item {
	struct companion_range {
		uint64_t low, high;
		uint64_t entry;               /* of its function; only if it has one */
		bool has_function, is_symbol, has_pointers; /* the bits of the item */
		const char *bulk; /* the symbol of the bulk memory function that it is */
	} range;
	struct cursor pads;
	uint64_t pad_count;
	struct cursor no_returns;
	uint64_t no_return_count;
	struct cursor rest; /* of the function, if the range is its first one */
};

static bool range_item_at(struct companion *companion, uint64_t address, struct range_item *found)
{
	struct companion_range *range = &found->range;
	struct companion_span span;

	if (!companion_section_item(&companion->sections[COMPANION_FUNCTIONS], address, &span,
				    &found->rest))
		return false;
	int64_t distance = cursor_sleb(&found->rest);

	uint8_t flags = cursor_u8(&found->rest);

	range->has_function = flags & COMPANION_RUN_HAS_FUNCTION;
	range->is_symbol = flags & COMPANION_RUN_IS_SYMBOL;
	range->has_pointers = flags & COMPANION_RUN_HAS_POINTERS;
	range->bulk = flags & COMPANION_RUN_IS_BULK
			      ? companion_string(companion, cursor_uleb(&found->rest))
			      : NULL;
	found->pad_count = cursor_uleb(&found->rest);
	found->pads = found->rest;
	for (uint64_t i = 0; i < found->pad_count && !found->rest.failed; i++) {
		cursor_uleb(&found->rest);
		cursor_uleb(&found->rest);
		cursor_uleb(&found->rest);
	}
	found->no_return_count = cursor_uleb(&found->rest);
	found->no_returns = found->rest;
	for (uint64_t i = 0; i < found->no_return_count && !found->rest.failed; i++)
		cursor_uleb(&found->rest);
	range->low = span.low;
	range->high = span.high;
	range->entry = range->low + (uint64_t)distance;
	return !found->rest.failed;
}

const char *companion_bulk_symbol(struct companion *companion, uint64_t address)
{
	struct range_item found;

	return range_item_at(companion, address, &found) ? found.range.bulk : NULL;
}

/* Finds the first range of the function that an address is in. */
static bool entry_item_at(struct companion *companion, uint64_t address, struct range_item *found)
{
	if (!range_item_at(companion, address, found) || !found->range.has_function)
		return false;
	return found->range.entry == found->range.low ||
	       (range_item_at(companion, found->range.entry, found) && found->range.has_function &&
		found->range.entry == found->range.low);
}

/* A function has hardly ever more than two ranges. */
#define RANGES_MAX 100000

/* Reads how many ranges a function has besides its first. */
static uint64_t read_range_count(struct cursor *rest)
{
	uint64_t count = cursor_uleb(rest);

	return count > RANGES_MAX || count > cursor_left(rest) / 2 ? 0 : count;
}

/* Reads the range that follows one which begins at `low`. */
static struct address_range read_range(struct cursor *rest, uint64_t low)
{
	uint64_t next = low + (uint64_t)cursor_sleb(rest), high = next + cursor_uleb(rest);

	return (struct address_range){ next, high < next ? next : high };
}

static void read_ranges(struct range_item *item, struct function *function)
{
	uint64_t count = read_range_count(&item->rest);
	struct address_range *ranges = arena_alloc(&function->arena, (count + 1) * sizeof(*ranges));

	ranges[0] = (struct address_range){ item->range.low, item->range.high };
	for (uint64_t i = 1; i <= count; i++)
		ranges[i] = read_range(&item->rest, ranges[i - 1].low);
	function->ranges = ranges;
	function->range_count = count + 1;
}

/* Reads what arguments point to, which follows the ranges. */
static void read_pointers(struct companion *companion, struct cursor *rest,
			  struct function *function)
{
	uint64_t count = cursor_uleb(rest);
	struct passed_pointer *pointers;

	if (count > REG_COUNT)
		return;
	pointers = arena_alloc(&function->arena, count * sizeof(*pointers));
	for (size_t i = 0; i < count; i++) {
		pointers[i].reg = cursor_u8(rest);
		pointers[i].type = companion_type(companion, cursor_uleb(rest));
		if (!pointers[i].type || pointers[i].reg >= REG_COUNT)
			return;
	}
	function->passed_pointers = pointers;
	function->passed_pointer_count = count;
}

/* A function that is called, and does not return. */
static const struct prototype never_returns = { .no_return = true };

COMPARISON(compare_sites, struct call_site, ASCENDING(return_address))

/* Adds the calls that never return. */
static void read_call_sites(struct companion *companion, struct function *function)
{
	_cleanup_free_ struct call_site *sites = NULL;
	size_t count = 0, capacity = 0;
	struct range_item item;

	for (size_t i = 0; i < function->range_count; i++) {
		uint64_t at = function->ranges[i].low;

		if (!range_item_at(companion, at, &item) || item.range.low != at)
			continue;
		for (uint64_t k = 0; k < item.no_return_count; k++) {
			at += cursor_uleb(&item.no_returns);
			array_add(sites, count, capacity) =
				(struct call_site){ .return_address = at,
						    .callee = &never_returns };
		}
	}
	array_sort(sites, count, compare_sites);
	function->call_sites = arena_copy(&function->arena, sites, count * sizeof(*sites));
	function->call_site_count = count;
	function->all_no_returns = true;
}

static const struct exception_edge *kept_pads(struct debug_reader *reader, uint64_t low,
					      struct arena *arena, size_t *count)
{
	struct range_item item;
	struct exception_edge *pads;

	if (!range_item_at(companion_of_reader(reader), low, &item) || item.range.low != low ||
	    !item.pad_count)
		return NULL;
	pads = arena_alloc(arena, item.pad_count * sizeof(*pads));
	for (*count = 0; *count < item.pad_count; ++*count) {
		struct exception_edge *pad = &pads[*count];

		pad->low = low + (uint64_t)cursor_sleb(&item.pads);
		pad->high = pad->low + cursor_uleb(&item.pads);
		pad->pad = low + (uint64_t)cursor_sleb(&item.pads);
	}
	return pads;
}

static struct function *kept_function_at(struct debug_reader *reader, uint64_t address)
{
	struct companion *companion = companion_of_reader(reader);
	struct range_item item;

	if (!entry_item_at(companion, address, &item))
		return NULL;
	struct function *function = xcalloc(1, sizeof(*function));
	uint64_t name = cursor_uleb(&item.rest);

	if (!((struct companion_reader *)reader)->nameless)
		function->name = companion_string(companion, name);
	function->language = cursor_u8(&item.rest);
	function->frame_base.kind = FRAME_BASE_NONE;
	read_ranges(&item, function);
	/* those who want no names solve code, and have the answers */
	if (item.range.has_pointers && !((struct companion_reader *)reader)->nameless)
		read_pointers(companion, &item.rest, function);
	read_call_sites(companion, function);
	struct scope scope = { .ranges = function->ranges, .range_count = function->range_count };

	function->scopes = arena_copy(&function->arena, &scope, sizeof(scope));
	function->scope_count = 1;
	return function;
}

static bool kept_function_entry(struct debug_reader *reader, uint64_t address, uint64_t *entry,
				uint64_t *size)
{
	struct range_item item;

	if (!entry_item_at(companion_of_reader(reader), address, &item) || item.range.is_symbol)
		return false;
	struct address_range range = { item.range.low, item.range.high };

	*entry = range.low;
	*size = range.high - range.low;
	cursor_uleb(&item.rest); /* the name, and then the language */
	cursor_u8(&item.rest);
	for (uint64_t count = read_range_count(&item.rest); count; count--) {
		range = read_range(&item.rest, range.low);
		*size += range.high - range.low;
	}
	return true;
}

/* ---- source lines and inlined calls ---- */

static const char *kept_call_file(struct debug_reader *reader, uint64_t address _unused_,
				  uint64_t number)
{
	return companion_string(companion_of_reader(reader), number);
}

struct file_list {
	struct companion *companion;
	struct arena *arena;
	const char **names;
	size_t count, capacity;
};

static bool list_file(void *data, uint64_t key _unused_, struct cursor *item)
{
	struct file_list *list = data;
	const char *name = companion_string(list->companion, cursor_uleb(item));

	if (!name)
		return true;
	array_add(list->names, list->count, list->capacity) = arena_strdup(list->arena, name);
	return true;
}

static const char *const *kept_source_files(struct debug_reader *reader, struct arena *arena,
					    size_t *count)
{
	struct file_list list = { .companion = companion_of_reader(reader), .arena = arena };

	companion_section_each(&list.companion->sections[COMPANION_FILES], list_file, &list);
	const char **names = arena_copy(arena, list.names, list.count * sizeof(*names));

	free(list.names);
	*count = list.count;
	return names;
}

/* ---- variables ---- */

static bool kept_global_at(struct debug_reader *reader, uint64_t address,
			   uint64_t from_address _unused_, struct global *result)
{
	struct companion *companion = companion_of_reader(reader);
	struct companion_span span;
	struct cursor item;

	if (!companion_section_item(&companion->sections[COMPANION_VARIABLES], address, &span,
				    &item))
		return false;
	*result = (struct global){ .address = span.low };
	result->size = cursor_uleb(&item);
	result->name = companion_string(companion, cursor_uleb(&item));
	result->type = companion_type(companion, cursor_uleb(&item));
	result->piece_offset = cursor_uleb(&item);
	result->piece = result->piece_offset & 1;
	result->piece_offset >>= 1;
	return !item.failed && result->type && address - span.low < result->size;
}

struct variable_search {
	struct companion *companion;
	const char *name;
	uint64_t address;
	bool found;
};

static bool is_named(void *data, uint64_t address, struct cursor *item)
{
	struct variable_search *search = data;

	cursor_uleb(item);
	const char *name = companion_string(search->companion, cursor_uleb(item));

	search->found = name && strcmp(name, search->name) == 0;
	search->address = address;
	return !search->found;
}

static bool kept_global_named(struct debug_reader *reader, const char *name, uint64_t from_address,
			      struct global *result)
{
	struct variable_search search = { companion_of_reader(reader), name, 0, false };

	companion_section_each(&search.companion->sections[COMPANION_VARIABLES], is_named, &search);
	return search.found && kept_global_at(reader, search.address, from_address, result);
}

/* ---- names ---- */

struct name_visit {
	struct companion *companion;
	const struct debug_visitor *visitor;
};

static bool visit_name(void *data, uint64_t key _unused_, struct cursor *item)
{
	const struct name_visit *visit = data;
	const struct debug_visitor *visitor = visit->visitor;
	uint8_t kind = cursor_u8(item);
	const char *name = companion_string(visit->companion, cursor_uleb(item));
	const struct type *type = companion_type(visit->companion, cursor_uleb(item));

	if (item->failed || !type)
		return !item->failed;
	if (kind == COMPANION_TYPE_NAME)
		visitor->type(visitor->data, type);
	else if (kind == COMPANION_FUNCTION_NAME && visitor->function && name)
		visitor->function(visitor->data, name,
				  &(struct prototype){ .name = name, .return_type = type }, false);
	else if (kind == COMPANION_VARIABLE_NAME && visitor->variable && name)
		visitor->variable(visitor->data, &(struct global){ .name = name, .type = type },
				  false);
	return true;
}

static void kept_each(struct debug_reader *reader, const struct debug_visitor *visitor)
{
	struct name_visit visit = { companion_of_reader(reader), visitor };

	companion_section_each(&visit.companion->sections[COMPANION_NAMES], visit_name, &visit);
}

/* ---- opening ---- */

static struct debug_reader *open_companion_reader(void)
{
	return xcalloc(1, sizeof(struct companion_reader));
}

void companion_reader_omit_names(struct debug_reader *reader)
{
	((struct companion_reader *)reader)->nameless = true;
}

static void close_companion_reader(struct debug_reader *reader)
{
	companion_lines_deinit(&((struct companion_reader *)reader)->lines);
	free(reader);
}

static void close_companion(struct debug_object *object)
{
	struct companion *companion = (struct companion *)object;

	companion_types_deinit(companion);
	elf_image_close(companion->symbols);
	free(companion->symbol_file);
	for (size_t i = 0; i < COMPANION_PART_COUNT; i++)
		companion_section_close(&companion->sections[i]);
	companion_unpacker_deinit(&companion->unpacker);
	elf_image_close(companion->file);
	free(companion);
}

static const struct debug_operations operations = {
	.format = "companion",
	.close = close_companion,
	.open_reader = open_companion_reader,
	.close_reader = close_companion_reader,
	.function = kept_function_at,
	.function_entry = kept_function_entry,
	.global_at = kept_global_at,
	.global_named = kept_global_named,
	.types_named = companion_types_named,
	.types_called = companion_types_called,
	.type_place = companion_type_place,
	.exception_edges = kept_pads,
	.line = companion_line_at,
	.inlined = companion_inlined_at,
	.call_file = kept_call_file,
	.each = kept_each,
	.source_files = kept_source_files,
};

struct companion *companion_of(struct debug_object *object)
{
	return object && object->operations == &operations ? (struct companion *)object : NULL;
}

const struct elf_image *companion_file(const struct companion *companion)
{
	return companion->file;
}

static struct error *refused(const char *path, const char *what)
{
	return error_create(ERROR_FORMAT, "%s: %s: not used; write it again with 'dtprof index'",
			    path, what);
}

/* Opens a section that the list of sections has, if it is one of ours, and has its checksum. */
static struct error *open_section(struct companion *companion, struct cursor *list,
				  const char *path, uint64_t *budget)
{
	const char *name = cursor_string(list);
	uint64_t size = cursor_uleb(list);
	uint32_t sum = cursor_u32(list);
	size_t actual = 0;
	const uint8_t *bytes = name ? elf_image_contents(companion->file, name, &actual) : NULL;

	if (list->failed || !bytes || actual != size)
		return refused(path, "a section of the companion is missing");
	for (enum companion_part part = 0; part < COMPANION_PART_COUNT; part++) {
		struct companion_section *section = &companion->sections[part];

		if (strcmp(name, companion_part_name(part)) != 0 || section->open)
			continue;
		if (crc32_z(0, bytes, actual) != sum)
			return refused(path, "the checksum of a section does not match");
		struct error *error =
			companion_section_open(section, companion_part_lanes(part), companion->file,
					       &companion->unpacker, bytes, actual, budget);

		if (error)
			return error_prefix(error, "%s: %s", path, name);
		elf_image_done_with(companion->file, bytes, actual);
	}
	return NULL;
}

/* Compares the build id of the list with that of the object. */
static bool is_of_build(const struct elf_image *image, struct cursor *list)
{
	struct build_id id = { .size = cursor_u8(list) };
	const void *bytes = id.size <= sizeof(id.bytes) ? cursor_bytes(list, id.size) : NULL;

	if (!bytes || !id.size)
		return false;
	memcpy(id.bytes, bytes, id.size);
	return build_id_equal(&id, elf_image_build_id(image));
}

static struct error *open_listed_sections(struct companion *companion, const char *path)
{
	size_t size = 0;
	const void *bytes = elf_image_contents(companion->file, COMPANION_INFO, &size);
	struct cursor info = cursor_of(bytes, size, false);
	const void *magic = cursor_bytes(&info, 6);
	uint16_t version = cursor_u16(&info);
	uint32_t length = cursor_u32(&info), sum = cursor_u32(&info);
	uint64_t budget;

	if (!magic || memcmp(magic, "dtprof", 6) != 0)
		return refused(path, "it is no companion of dtprof");
	if (version != COMPANION_VERSION)
		return error_create(ERROR_UNSUPPORTED,
				    "%s: companion of version %u, and this dtprof reads version "
				    "%u: not used; write it again with 'dtprof index'",
				    path, version, COMPANION_VERSION);
	if (cursor_left(&info) != length || crc32_z(0, info.data + info.position, length) != sum)
		return refused(path, "the checksum of its list of sections does not match");
	if (!is_of_build(companion->image, &info))
		return refused(path, "it is the companion of another build");
	elf_image_data(companion->file, &size);
	/* real sections are packed to a half, and an item of two bytes has a place of 16 */
	budget = unpacked_max(size) / 4;
	for (uint64_t count = cursor_uleb(&info); count; count--)
		RETURN_ERROR(open_section(companion, &info, path, &budget));
	if (info.failed || !companion->sections[COMPANION_STRINGS].open ||
	    !companion->sections[COMPANION_TYPES].open)
		return refused(path, "a section of the companion is missing");
	return NULL;
}

struct error *companion_open(const struct elf_image *image, struct elf_image *file,
			     const char *path, struct debug_object **result)
{
	struct companion *companion = xcalloc(1, sizeof(*companion));

	companion->base.operations = &operations;
	companion->image = image;
	companion->file = file;
	pthread_mutex_init(&companion->unpacker.lock, NULL);
	struct error *error = open_listed_sections(companion, path);

	if (error) {
		close_companion(&companion->base);
		return error;
	}
	companion_types_init(companion);
	*result = &companion->base;
	return NULL;
}
