// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The types of a companion, under the type table of its object: as dwarf/btf/types.c does for BTF.
 * Each type has a number, under which its item is. Members are read when they are asked for.
 */
#include "dwarf/companion/private.h"

#include "base/memory.h"
#include "base/type_name.h"

/* An item of a type, up to its members. */
struct type_item {
	struct type_key key; /* its target and parameters are not set */
	uint64_t target;     /* a number; 0: none */
	struct cursor parameters;
	uint64_t place[3]; /* file, line, folder */
	bool has_place, has_detail;
	struct cursor rest; /* the members or enumerators */
	uint64_t dimensions[TYPE_DIMENSIONS_MAX];
};

static void skip_parameters(struct cursor *item)
{
	for (uint64_t count = cursor_uleb(item); count && !item->failed; count--) {
		cursor_uleb(item);
		cursor_uleb(item);
	}
}

static void read_dimensions(struct type_item *type, struct cursor *item)
{
	uint64_t count = cursor_uleb(item);

	if (count > TYPE_DIMENSIONS_MAX) {
		item->failed = true;
		return;
	}
	for (uint64_t i = 0; i < count; i++)
		type->dimensions[i] = cursor_uleb(item);
	type->key.dimensions = type->dimensions;
	type->key.dimension_count = (uint32_t)count;
}

/* Reads an item. False: it is damaged, or there is none. */
static bool read_item(struct companion *companion, uint64_t number, struct type_item *type)
{
	struct cursor item;

	if (!companion_section_item_of(&companion->sections[COMPANION_TYPES], number, &item))
		return false;
	*type = (struct type_item){ .key.source = number };
	type->key.kind = cursor_u8(&item);
	type->key.flags = (uint16_t)cursor_uleb(&item);
	uint64_t has = cursor_uleb(&item);

	if (has & TYPE_HAS_NAME)
		type->key.name = companion_string(companion, cursor_uleb(&item));
	if (has & TYPE_HAS_SIZE)
		type->key.size = cursor_uleb(&item);
	if (has & TYPE_HAS_ALIGNMENT)
		type->key.alignment = cursor_uleb(&item);
	if (has & TYPE_HAS_TARGET)
		type->target = cursor_uleb(&item);
	if (has & TYPE_HAS_QUALIFIER)
		type->key.qualifier = cursor_u8(&item);
	if (has & TYPE_HAS_COUNT)
		type->key.array_count = cursor_uleb(&item);
	if (has & TYPE_HAS_DIMENSIONS)
		read_dimensions(type, &item);
	type->parameters = item;
	if (has & TYPE_HAS_PARAMETERS)
		skip_parameters(&item);
	else
		type->parameters.size = type->parameters.position;
	type->has_place = has & TYPE_HAS_PLACE;
	for (size_t i = 0; type->has_place && i < COUNT_OF(type->place); i++)
		type->place[i] = cursor_uleb(&item);
	type->has_detail = has & TYPE_HAS_DETAIL;
	type->rest = item;
	return !item.failed && type->key.kind <= TYPE_UNSPECIFIED;
}

/* ---- loading ---- */

static const struct type *load(struct companion *companion, uint64_t number);

/* Sets the parameters of a key, which the caller frees. */
static void load_parameters(struct companion *companion, struct type_item *type,
			    struct parameter **parameters)
{
	struct cursor *item = &type->parameters;
	uint64_t count = cursor_left(item) ? cursor_uleb(item) : 0;
	size_t capacity = 0, used = 0;

	for (uint64_t i = 0; i < count && !item->failed; i++) {
		uint64_t name = cursor_uleb(item), number = cursor_uleb(item);
		const struct type *target = load(companion, number >> 1);

		array_add(*parameters, used, capacity) = (struct parameter){
			.name = companion_string(companion, name),
			.type = target ?: companion->table->unknown_type,
			.artificial = number & 1,
		};
	}
	type->key.parameters = *parameters;
	type->key.parameter_count = used;
}

static bool needs_target(enum type_kind kind)
{
	switch (kind) {
	case TYPE_POINTER:
	case TYPE_REFERENCE:
	case TYPE_ARRAY:
	case TYPE_TYPEDEF:
	case TYPE_QUALIFIED:
	case TYPE_FUNCTION:
	case TYPE_MEMBER_POINTER: return true;
	default: return false;
	}
}

static const struct type *load_item(struct companion *companion, uint64_t number)
{
	_cleanup_free_ struct parameter *parameters = NULL;
	struct type_item type;

	if (!read_item(companion, number, &type))
		return companion->table->unknown_type;
	if (type.target || needs_target(type.key.kind)) {
		type.key.target = load(companion, type.target);
		if (!type.key.target)
			type.key.target = companion->table->void_type;
	}
	load_parameters(companion, &type, &parameters);
	/* each item is another type: records of one name are told apart by their numbers */
	if (type.has_detail || type.key.flags & TYPE_DECLARATION)
		type.key.fingerprint = number;
	return type_table_intern(companion->table, &type.key);
}

/* Loads a type, under the table's lock. A type that needs itself finds the unknown type. */
static const struct type *load(struct companion *companion, uint64_t number)
{
	const struct type *type;

	if (!number || number >= companion->type_count)
		return NULL;
	if (companion->types[number])
		return companion->types[number];
	if (companion->loading_count >= TYPE_NESTING_MAX ||
	    (any_of(i, 0, companion->loading_count, companion->loading[i] == number)))
		return companion->table->unknown_type;
	companion->loading[companion->loading_count++] = number;
	type = load_item(companion, number);
	companion->loading_count--;
	__atomic_store_n(&companion->types[number], type, __ATOMIC_RELEASE);
	return type;
}

const struct type *companion_type(struct companion *companion, uint64_t number)
{
	const struct type *type =
		number && number < companion->type_count
			? __atomic_load_n(&companion->types[number], __ATOMIC_ACQUIRE)
			: NULL;

	if (!type) {
		type_table_lock(companion->table);
		type = load(companion, number);
		type_table_unlock(companion->table);
	}
	return type;
}

/* ---- members and enumerators, for struct type_loader ---- */

static bool read_member(struct companion *companion, struct cursor *item, struct member *member)
{
	member->offset = (int64_t)((uint64_t)member->offset + (uint64_t)cursor_sleb(item));
	member->name = companion_string(companion, cursor_uleb(item));
	member->type = load(companion, cursor_uleb(item));
	if (!member->type)
		member->type = companion->table->unknown_type;
	uint64_t has = cursor_uleb(item);

	member->bit_offset = has & MEMBER_HAS_BITS ? (uint32_t)cursor_uleb(item) : 0;
	member->bit_size = has & MEMBER_HAS_BITS ? (uint32_t)cursor_uleb(item) : 0;
	member->size = has & MEMBER_HAS_SIZE ? cursor_uleb(item) : 0;
	member->alignment = has & MEMBER_HAS_ALIGNMENT ? cursor_uleb(item) : 0;
	member->has_discriminant = has & MEMBER_HAS_DISCRIMINANT;
	member->discriminant = member->has_discriminant ? cursor_uleb(item) : 0;
	member->is_base = has & MEMBER_IS_BASE;
	member->is_artificial = has & MEMBER_IS_ARTIFICIAL;
	member->is_variant = has & MEMBER_IS_VARIANT;
	return !item->failed;
}

static void load_bases(struct companion *companion, struct cursor *item,
		       struct type_members *members)
{
	uint64_t count = cursor_uleb(item);

	if (!count || count > cursor_left(item))
		return;
	members->virtual_bases =
		arena_alloc(&companion->table->arena, count * sizeof(*members->virtual_bases));
	for (uint64_t i = 0; i < count; i++) {
		const struct type *base = load(companion, cursor_uleb(item));

		if (base)
			members->virtual_bases[members->virtual_base_count++] = base;
	}
}

static void read_members(void *data, const struct type *record, struct type_members *members)
{
	static const struct member none;
	struct companion *companion = data;
	_cleanup_free_ struct member *items = NULL;
	struct member member = { 0 };
	size_t capacity = 0;
	struct type_item type;

	/* a list of none has an address, too */
	members->items = &none;
	if (!read_item(companion, record->source, &type) || !type.has_detail)
		return;
	for (uint64_t count = cursor_uleb(&type.rest); count; count--) {
		if (!read_member(companion, &type.rest, &member))
			break;
		array_add(items, members->count, capacity) = member;
	}
	if (members->count)
		members->items = arena_copy(&companion->table->arena, items,
					    members->count * sizeof(*items));
	load_bases(companion, &type.rest, members);
}

static void read_enumerators(void *data, const struct type *record,
			     struct type_enumerators *enumerators)
{
	struct companion *companion = data;
	_cleanup_free_ struct enumerator *items = NULL;
	struct enumerator one = { 0 };
	size_t capacity = 0;
	struct type_item type;

	if (!read_item(companion, record->source, &type) || !type.has_detail)
		return;
	for (uint64_t count = cursor_uleb(&type.rest); count; count--) {
		one.name = companion_string(companion, cursor_uleb(&type.rest));
		one.value = (int64_t)((uint64_t)one.value + (uint64_t)cursor_sleb(&type.rest));
		if (type.rest.failed)
			break;
		array_add(items, enumerators->count, capacity) = one;
	}
	enumerators->items =
		arena_copy(&companion->table->arena, items, enumerators->count * sizeof(*items));
}

static const struct type_loader loader = { .load_members = read_members,
					   .load_enumerators = read_enumerators };

/* The numbers end with the last item of the last block. */
static uint64_t count_types(struct companion *companion)
{
	struct companion_span last;
	struct cursor item;

	return companion_section_item(&companion->sections[COMPANION_TYPES], UINT64_MAX, &last,
				      &item)
		       ? last.low + 1
		       : 1;
}

void companion_types_init(struct companion *companion)
{
	size_t size;

	elf_image_data(companion->file, &size);
	companion->type_count = count_types(companion);
	/* an item has more than a bit, packed; more numbers than that are damage */
	if (companion->type_count > 1000000 + 64 * (uint64_t)size)
		companion->type_count = 1;
	companion->types = xcalloc_table(companion->type_count, sizeof(*companion->types));
	companion->table = type_table_create(&loader, companion);
}

void companion_types_deinit(struct companion *companion)
{
	free(companion->types);
	type_table_destroy(companion->table);
}

/* ---- types by name ---- */

struct name_search {
	struct companion *companion;
	struct type_query *query;
	const char *part; /* of the name, to compare most names without reading their types */
};

static bool offer(void *data, uint64_t number, struct cursor *item)
{
	const struct name_search *search = data;
	uint8_t kind = cursor_u8(item);

	cursor_uleb(item);
	uint64_t has = cursor_uleb(item);
	const char *name =
		kind <= TYPE_UNSPECIFIED && search->query->kinds >> kind & 1 && has & TYPE_HAS_NAME
			? companion_string(search->companion, cursor_uleb(item))
			: NULL;

	const struct type *type = name && (!search->part || strstr(name, search->part))
					  ? companion_type(search->companion, number)
					  : NULL;

	/* a record with a target has another size than that which its name stands for */
	if (type && !(type_is_record(type) && type_target(type)))
		type_query_offer(search->query, type);
	return true;
}

static size_t find_kept_types(struct debug_reader *reader, const char *name, bool ends,
			      const struct type **types, size_t capacity)
{
	struct companion *companion = companion_of_reader(reader);
	struct type_query query;

	type_query_init(&query, name, types, capacity);
	query.ends = ends;
	const char *last = type_name_last_part(query.name);
	_cleanup_free_ char *part = xstrndup(last, strcspn(last, "<"));
	struct name_search search = { companion, &query, part };

	companion_section_each(&companion->sections[COMPANION_TYPES], offer, &search);
	if (!query.count) {
		/* names that compilers write in another way */
		query.as_written = true;
		search.part = NULL;
		companion_section_each(&companion->sections[COMPANION_TYPES], offer, &search);
	}
	type_query_deinit(&query);
	return query.count;
}

size_t companion_types_named(struct debug_reader *reader, const char *name,
			     const struct type **types, size_t capacity)
{
	return find_kept_types(reader, name, false, types, capacity);
}

size_t companion_types_called(struct debug_reader *reader, const char *name,
			      const struct type **types, size_t capacity)
{
	return find_kept_types(reader, name, true, types, capacity);
}

bool companion_type_place(struct debug_reader *reader, const struct type *type,
			  struct type_place *place)
{
	struct companion *companion = companion_of_reader(reader);
	struct type_item item;

	if (!type->source || !read_item(companion, type->source, &item) || !item.has_place)
		return false;
	*place = (struct type_place){ .file = companion_string(companion, item.place[0]),
				      .line = (unsigned int)item.place[1],
				      .folder = companion_string(companion, item.place[2]) };
	return place->file != NULL;
}
