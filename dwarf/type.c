// SPDX-License-Identifier: GPL-2.0-or-later
/* Types whatever they were loaded from: what hangs below them, and how they are named. */
#include "dwarf/type.h"

#include "dwarf/type_table.h"
#include "profiler/base/search.h"

const struct type *type_target(const struct type *type)
{
	return type_node_of(type)->target;
}

uint64_t type_array_count(const struct type *type)
{
	return type_node_of(type)->array_count;
}

const uint64_t *type_array_dimensions(const struct type *type, size_t *count)
{
	const struct type_node *node = type_node_of(type);

	*count = node->dimension_count ? node->dimension_count : type->kind == TYPE_ARRAY;
	return node->dimension_count ? node->dimensions : &node->array_count;
}

const struct parameter *type_parameters(const struct type *type, size_t *count)
{
	*count = type_node_of(type)->parameter_count;
	return type_node_of(type)->parameters;
}

/* Records of so many members are looked through one by one. */
#define FEW_MEMBERS 8

/* Where the member ends at the latest: one without a size may be open-ended. */
static int64_t end_of(const struct member *member)
{
	uint64_t size = type_strip(member->type)->size,
		 bits = (uint64_t)member->bit_offset + member->bit_size;
	int64_t end;

	if (member->bit_size && size < (bits + 7) / 8)
		size = (bits + 7) / 8;
	if (!size || __builtin_add_overflow(member->offset, size, &end))
		return INT64_MAX;
	return end;
}

static void index_members(struct type_table *table, struct type_members *members)
{
	if (members->count <= FEW_MEMBERS)
		return;

	int64_t *reach = arena_alloc(&table->arena, members->count * sizeof(*reach)), furthest = INT64_MIN;

	members->ascending = true;
	for (size_t i = 0; i < members->count; i++) {
		int64_t end = end_of(&members->items[i]);

		furthest = end > furthest ? end : furthest;
		reach[i] = furthest;
		if (i && members->items[i].offset < members->items[i - 1].offset)
			members->ascending = false;
	}
	members->reach = reach;
}

static const struct type_members *load_members(struct type_node *node)
{
	struct type_table *table = node->type.table;

	if (table->loader->prepare_members)
		table->loader->prepare_members(table->loader_data, &node->type);
	type_table_lock(table);

	const struct type_members *members = node->type.detail;

	if (!members) {
		struct type_members *loaded = arena_alloc(&table->arena, sizeof(*loaded));

		table->loader->load_members(table->loader_data, &node->type, loaded);
		index_members(table, loaded);
		members = loaded;
		__atomic_store_n(&node->type.detail, loaded, __ATOMIC_RELEASE);
	}
	type_table_unlock(table);
	return members;
}

/* NULL: it has none. */
static inline const struct type_members *members_of(const struct type *type)
{
	const struct type_members *members = __atomic_load_n(&type->detail, __ATOMIC_ACQUIRE);

	if (members || !type_is_record(type) || (type->flags & TYPE_DECLARATION))
		return members;
	return load_members(type_node_of(type));
}

const struct member *type_members(const struct type *type, size_t *count)
{
	const struct type_members *members = members_of(type);

	*count = members ? members->count : 0;
	return members ? members->items : NULL;
}

const struct type *const *type_virtual_bases(const struct type *type, size_t *count)
{
	const struct type_members *members = members_of(type);

	*count = members ? members->virtual_base_count : 0;
	return members ? members->virtual_bases : NULL;
}

/* How many members, from the first on, end at or before `offset`. */
static size_t count_before(const struct type_members *members, int64_t offset)
{
	return partition_point(0, members->count, i, members->reach[i] <= offset);
}

const struct member *type_members_near(const struct type *type, int64_t offset, size_t *count)
{
	const struct type_members *members = members_of(type);

	*count = members ? members->count : 0;
	if (!members || !members->reach)
		return members ? members->items : NULL;

	size_t first = count_before(members, offset), last = members->count;

	if (members->ascending)
		for (last = first; last < members->count && members->items[last].offset <= offset;)
			last++;
	*count = last - first;
	return members->items + first;
}

static const struct type *without_qualifiers(const struct type *type)
{
	while (type->kind == TYPE_QUALIFIED)
		type = type_node_of(type)->target;
	return type;
}

/* The same pointer, reference or array, of another target. */
static const struct type *with_target(const struct type *type, const struct type *target)
{
	const struct type_node *node = type_node_of(type);

	if (target == node->target)
		return type;

	struct type_key key = {
		.kind = type->kind,
		.flags = type->flags,
		.size = type->size,
		.name = type->name,
		.target = target,
		.array_count = node->array_count,
		.dimensions = node->dimensions,
		.dimension_count = node->dimension_count,
		.source = type->source,
	};

	type_table_lock(type->table);

	const struct type *result = type_table_intern(type->table, &key);

	type_table_unlock(type->table);
	return result;
}

const struct type *type_pointer_to(const struct type *type)
{
	struct type_key key = { .kind = TYPE_POINTER, .size = 8, .target = type, .source = type->source };

	type_table_lock(type->table);

	const struct type *result = type_table_intern(type->table, &key);

	type_table_unlock(type->table);
	return result;
}

static const struct type *find_canonical(const struct type *type)
{
	type = without_qualifiers(type);
	switch (type->kind) {
	case TYPE_TYPEDEF: {
		const struct type *aliased = type_strip(type);

		/* sds and char*, StkId and union StackValue*: one type under two names */
		if (type_is_pointer(aliased) || aliased->kind == TYPE_ARRAY || aliased->kind == TYPE_FUNCTION)
			return type_canonical(aliased);
		return type_is_record(aliased) && aliased->name ? aliased : type;
	}
	case TYPE_POINTER:
	case TYPE_REFERENCE:
	case TYPE_ARRAY: return with_target(type, type_canonical(type_node_of(type)->target));
	}
	return type;
}

const struct type *type_canonical(const struct type *type)
{
	struct type_node *node = type_node_of(type);
	const struct type *canonical = __atomic_load_n(&node->canonical, __ATOMIC_ACQUIRE);

	if (!canonical) {
		canonical = find_canonical(type);
		__atomic_store_n(&node->canonical, canonical, __ATOMIC_RELEASE);
	}
	return canonical;
}

static const char *keyword(const struct type *type)
{
	if (type->flags & TYPE_SCOPED && type->name)
		return "";
	switch (type->kind) {
	case TYPE_STRUCT: return "struct";
	case TYPE_CLASS: return "class";
	case TYPE_UNION: return "union";
	case TYPE_ENUM: return "enum";
	}
	return "";
}

static void add_tagged(const struct type *type, struct strbuf *buffer)
{
	const char *tag = keyword(type);

	strbuf_add_string(buffer, tag);
	if (*tag && type->name)
		strbuf_add_char(buffer, ' ');
	if (type->name)
		strbuf_add_string(buffer, type->name);
}

void type_declaration(const struct type *type, struct strbuf *buffer)
{
	type = without_qualifiers(type);
	switch (type->kind) {
	case TYPE_VOID: strbuf_add_string(buffer, "void"); break;
	case TYPE_POINTER:
		type_declaration(type_node_of(type)->target, buffer);
		strbuf_add_char(buffer, '*');
		break;
	case TYPE_REFERENCE:
		type_declaration(type_node_of(type)->target, buffer);
		strbuf_add_string(buffer, type->flags & TYPE_RVALUE ? "&&" : "&");
		break;
	case TYPE_ARRAY:
		type_declaration(type_node_of(type)->target, buffer);
		strbuf_add_string(buffer, "[]");
		break;
	case TYPE_FUNCTION: strbuf_add_string(buffer, "(function_type)"); break;
	case TYPE_MEMBER_POINTER: strbuf_add_string(buffer, "(member_pointer)"); break;
	case TYPE_STRUCT:
	case TYPE_CLASS:
	case TYPE_UNION:
	case TYPE_ENUM: add_tagged(type, buffer); break;
	default: strbuf_add_string(buffer, type->name ? type->name : "(unknown type)");
	}
}

void type_name(const struct type *type, struct strbuf *buffer)
{
	type_declaration(type_canonical(type), buffer);
}

const char *type_name_interned(const struct type *type)
{
	struct type_node *node = type_node_of(type);
	const char *name = __atomic_load_n(&node->printed_name, __ATOMIC_ACQUIRE);

	if (!name) {
		_cleanup_strbuf_ struct strbuf buffer = STRBUF_INIT;

		type_name(type, &buffer);
		type_table_lock(type->table);
		name = string_pool_intern(&type->table->names, buffer.data);
		__atomic_store_n(&node->printed_name, name, __ATOMIC_RELEASE);
		type_table_unlock(type->table);
	}
	return name;
}
