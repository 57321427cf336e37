// SPDX-License-Identifier: GPL-2.0-or-later
/* The type table, the queries on types that do not depend on the format they were loaded from, and
 * the names of types. */
#include "dwarf/types/type.h"

#include <assert.h>
#include <inttypes.h>

#include "dwarf/types/function.h"
#include "dwarf/types/type_table.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/type_name.h"

/* ---- the table ---- */

static uint64_t hash_string(const char *string)
{
	return string ? hash_bytes(string, strlen(string)) : 0;
}

static uint64_t hash_parameters(const struct parameter *parameters, size_t count)
{
	uint64_t hash = count;

	for (size_t i = 0; i < count; i++)
		hash = hash_combine(hash, (uintptr_t)parameters[i].type);
	return hash;
}

/* Returns the number of dimensions to store. A single one is the array's count. */
static uint32_t several_dimensions(const struct type_key *key)
{
	return key->dimension_count > 1 ? key->dimension_count : 0;
}

static uint64_t key_hash(const struct type_key *key)
{
	uint64_t hash = (uint64_t)key->kind << 32 | (uint64_t)key->qualifier << 16 | key->flags;

	hash = hash_combine(hash, key->size);
	hash = hash_combine(hash, hash_string(key->name));
	hash = hash_combine(hash, key->fingerprint + key->line);
	hash = hash_combine(hash, (uintptr_t)key->target);
	hash = hash_combine(hash, key->array_count);
	for (uint32_t i = 0; i < several_dimensions(key); i++)
		hash = hash_combine(hash, key->dimensions[i]);
	return hash_combine(hash, hash_parameters(key->parameters, key->parameter_count));
}

static bool same_parameters(const struct type_node *node, const struct type_key *key)
{
	if (node->parameter_count != key->parameter_count)
		return false;
	/* types that differ only in the names of parameters are equal */
	return !any_of(i, 0, key->parameter_count,
		       node->parameters[i].type != key->parameters[i].type);
}

static bool same_dimensions(const struct type_node *node, const struct type_key *key)
{
	uint32_t count = several_dimensions(key);

	assert(!count || key->dimensions);
	return node->dimension_count == count &&
	       (!count ||
		memcmp(node->dimensions, key->dimensions, count * sizeof(*key->dimensions)) == 0);
}

static bool same_name(const char *left, const char *right)
{
	return left == right || (left && right && strcmp(left, right) == 0);
}

static bool equals(const struct type_node *node, const struct type_key *key)
{
	const struct type *type = &node->type;

	return type->kind == key->kind && type->qualifier == key->qualifier &&
	       type->flags == key->flags && type->constant_size == key->size &&
	       node->fingerprint == key->fingerprint && node->line == key->line &&
	       node->target == key->target && node->array_count == key->array_count &&
	       same_dimensions(node, key) && same_name(type->name, key->name) &&
	       same_parameters(node, key);
}

/* Returns the key that the node was made from. */
static struct type_key node_key(const struct type_node *node)
{
	return (struct type_key){
		.kind = node->type.kind,
		.qualifier = node->type.qualifier,
		.flags = node->type.flags,
		.size = node->type.constant_size,
		.name = node->type.name,
		.fingerprint = node->fingerprint,
		.line = node->line,
		.target = node->target,
		.array_count = node->array_count,
		.dimensions = node->dimensions,
		.dimension_count = node->dimension_count,
		.parameters = node->parameters,
		.parameter_count = node->parameter_count,
	};
}

uint64_t type_table_key_size(const struct type *type)
{
	return type->constant_size;
}

static struct type_node **find_slot(struct type_table *table, const struct type_key *key)
{
	size_t mask = table->capacity - 1;
	size_t index = key_hash(key) & mask;

	while (table->slots[index] && !equals(table->slots[index], key))
		index = (index + 1) & mask;
	return &table->slots[index];
}

static void grow(struct type_table *table)
{
	struct type_node **old = table->slots;
	size_t old_capacity = table->capacity;

	table->capacity = old_capacity ? 2 * old_capacity : 256;
	table->slots = xcalloc(table->capacity, sizeof(*table->slots));
	for (size_t i = 0; i < old_capacity; i++) {
		if (old[i]) {
			struct type_key key = node_key(old[i]);

			*find_slot(table, &key) = old[i];
		}
	}
	free(old);
}

static struct type_node *type_create(struct type_table *table, const struct type_key *key,
				     uint16_t depth)
{
	struct type_node *node = arena_alloc(&table->arena, sizeof(*node));

	node->type = (struct type){
		.kind = (uint8_t)key->kind,
		.qualifier = key->qualifier,
		.flags = key->flags,
		.id = (uint32_t)table->count,
		.constant_size = key->size,
		.alignment = key->alignment,
		.name = key->name ? string_pool_intern(&table->names, key->name) : NULL,
		.table = table,
		.source = key->source,
	};
	node->type.stripped = key->kind == TYPE_TYPEDEF || key->kind == TYPE_QUALIFIED
				      ? key->target->stripped
				      : &node->type;
	node->first_source = node->members_source = key->source;
	node->fingerprint = key->fingerprint;
	node->line = key->line;
	node->target = key->target;
	node->array_count = key->array_count;
	node->dimension_count = several_dimensions(key);
	if (node->dimension_count)
		node->dimensions = arena_copy(&table->arena, key->dimensions,
					      node->dimension_count * sizeof(*key->dimensions));
	node->depth = depth;
	if (key->parameter_count) {
		struct parameter *parameters = arena_copy(
			&table->arena, key->parameters, key->parameter_count * sizeof(*parameters));

		for (size_t i = 0; i < key->parameter_count; i++) {
			if (parameters[i].name)
				parameters[i].name =
					string_pool_intern(&table->names, parameters[i].name);
		}
		node->parameters = parameters;
		node->parameter_count = (uint32_t)key->parameter_count;
	}
	return node;
}

bool type_table_has(struct type_table *table, const struct type_key *key)
{
	return *find_slot(table, key);
}

const struct type *type_table_intern(struct type_table *table, const struct type_key *key)
{
	uint16_t depth = key->target ? type_node_of(key->target)->depth + 1 : 0;

	assert(key->target || (key->kind != TYPE_POINTER && key->kind != TYPE_REFERENCE &&
			       key->kind != TYPE_ARRAY));
	if (depth > TYPE_NESTING_MAX)
		return table->unknown_type;
	if (2 * (table->count + 1) > table->capacity)
		grow(table);

	struct type_node **slot = find_slot(table, key);

	if (!*slot) {
		*slot = type_create(table, key, depth);
		table->count++;
	} else if (key->source && key->source < (*slot)->first_source) {
		__atomic_store_n(&(*slot)->first_source, key->source, __ATOMIC_RELAXED);
	}
	return &(*slot)->type;
}

uint64_t type_first_source(const struct type *type)
{
	return __atomic_load_n(&type_node_of(type)->first_source, __ATOMIC_RELAXED);
}

const struct type *type_table_resize(struct type_table *table, const struct type *record,
				     uint64_t size)
{
	struct type_key key = node_key(type_node_of(record));

	key.size = size;
	key.target = record;
	key.flags &= (uint16_t)~TYPE_DYNAMIC;
	key.alignment = record->alignment;
	key.source = record->source;
	return type_table_intern(table, &key);
}

struct type_table *type_table_create(const struct type_loader *loader, void *loader_data)
{
	struct type_table *table = xcalloc(1, sizeof(*table));
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&table->lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
	table->loader = loader;
	table->loader_data = loader_data;
	table->void_type = type_table_intern(table, &(struct type_key){ .kind = TYPE_VOID });
	table->unknown_type =
		type_table_intern(table, &(struct type_key){ .kind = TYPE_UNSPECIFIED });
	return table;
}

void type_table_destroy(struct type_table *table)
{
	if (!table)
		return;
	pthread_mutex_destroy(&table->lock);
	arena_deinit(&table->arena);
	string_pool_deinit(&table->names);
	free_all(table->slots, table);
}

/* Tries of a lock before sleeping, some tens of microseconds: mostly it is held for less. */
#define TRIES 500

void type_table_lock(struct type_table *table)
{
	for (int i = 0; i < TRIES; i++) {
		if (!pthread_mutex_trylock(&table->lock))
			return;
#ifdef __SSE2__
		__builtin_ia32_pause();
#endif
	}
	pthread_mutex_lock(&table->lock);
}

void type_table_unlock(struct type_table *table)
{
	pthread_mutex_unlock(&table->lock);
}

void *type_table_publish(struct type_table *table, struct concurrent_map *map, uint64_t key,
			 void *value)
{
	type_table_lock(table);

	void *first = concurrent_map_find(map, key);

	if (!first)
		concurrent_map_insert(map, key, value);
	type_table_unlock(table);
	return first ?: value;
}

const struct type *type_table_find(struct type_table *table, const struct type_key *key)
{
	type_table_lock(table);

	const struct type *type = type_table_intern(table, key);

	type_table_unlock(table);
	return type;
}

/* ---- types ---- */

const struct type *type_target(const struct type *type)
{
	return type_node_of(type)->target;
}

uint64_t type_shape(const struct type *type)
{
	size_t member_count, count;
	const struct member *members = type_members(type, &member_count);
	const struct enumerator *enumerators = type_enumerators(type, &count);
	uint64_t hash = hash_combine(member_count, count);

	for (size_t i = 0; members && i < member_count; i++) {
		hash = hash_combine(hash, (uint64_t)members[i].offset << 8 | members[i].bit_offset);
		hash = hash_combine(hash, hash_string(members[i].name));
		hash = hash_combine(hash, hash_string(type_name_interned(members[i].type)));
	}
	for (size_t i = 0; i < count; i++)
		hash = hash_combine(hash_combine(hash, (uint64_t)enumerators[i].value),
				    hash_string(enumerators[i].name));
	return hash;
}

uint64_t type_array_count(const struct type *type)
{
	return type_node_of(type)->array_count;
}

const uint64_t *type_array_dimensions(const struct type *type, size_t *count)
{
	const struct type_node *node = type_node_of(type);

	*count = node->dimension_count ?: type->kind == TYPE_ARRAY;
	return node->dimension_count ? node->dimensions : &node->array_count;
}

const struct parameter *type_parameters(const struct type *type, size_t *count)
{
	*count = type_node_of(type)->parameter_count;
	return type_node_of(type)->parameters;
}

/* Records with no more members than this need no index. */
#define FEW_MEMBERS 8

/* Returns the end of a member, or INT64_MAX if it has no size: it may have no end. */
static int64_t end_of(const struct member *member)
{
	uint64_t size = type_size_or(member->type, 0);
	int64_t end;

	raise_to(size, member->size);
	if (!size || __builtin_add_overflow(member->offset, size, &end))
		return INT64_MAX;
	return end;
}

COMPARISON(compare_offsets, int64_t, BY_VALUE)

/* Returns the bytes from `offset` to the next member, or to the end of a record of `size` bytes. */
static uint64_t room_at(const int64_t *offsets, size_t count, int64_t offset, uint64_t size)
{
	const size_t next = partition_point(0, count, i, offsets[i] <= offset);

	if (next < count && (!size || offsets[next] < (int64_t)size))
		return (uint64_t)(offsets[next] - offset);
	return offset >= 0 && (uint64_t)offset < size ? size - (uint64_t)offset : 0;
}

/* Sets the sizes of members. The array of members is not shared yet. */
static void set_member_sizes(const struct type *record, struct member *members, size_t count)
{
	_cleanup_free_ int64_t *offsets = NULL;

	array_each (struct member, member, members, count) {
		if (member->bit_size) {
			member->size = (member->bit_offset + (uint64_t)member->bit_size + 7) / 8;
			continue;
		}
		if (type_size(member->type, &member->size) ||
		    !(type_strip(member->type)->flags & (TYPE_DECLARATION | TYPE_DYNAMIC)))
			continue;
		if (!offsets) {
			offsets = xcalloc(count, sizeof(*offsets));
			for (size_t j = 0; j < count; j++)
				offsets[j] = members[j].offset;
			array_sort(offsets, count, compare_offsets);
		}
		member->size = room_at(offsets, count, member->offset, type_size_or(record, 0));
	}
}

static void index_members(struct type_table *table, const struct type *record,
			  struct type_members *members)
{
	for (size_t i = 0; i < members->count && !members->variants; i++)
		members->variants = members->items[i].is_variant;
	members->apart = !type_members_overlap(record, members->items, members->count);
	if (members->count <= FEW_MEMBERS)
		return;

	int64_t *reach = arena_alloc(&table->arena, members->count * sizeof(*reach)),
		furthest = INT64_MIN;

	members->ascending = true;
	for (size_t i = 0; i < members->count; i++) {
		int64_t end = end_of(&members->items[i]);

		/* a record at the end may end in a flexible array */
		if ((record->kind == TYPE_UNION || i + 1 == members->count) &&
		    type_is_record(type_strip(members->items[i].type)))
			end = INT64_MAX;
		furthest = end > furthest ? end : furthest;
		reach[i] = furthest;
		if (i && members->items[i].offset < members->items[i - 1].offset)
			members->ascending = false;
	}
	members->reach = reach;
}

/* Call it under the lock. */
static void load_node_members(struct type_node *node, struct type_members *loaded)
{
	const struct type *type = &node->type;

	type->table->loader->load_members(type->table->loader_data, type, loaded);
	/* they are in the table's arena, and nobody else has seen them */
	set_member_sizes(type, (struct member *)loaded->items, loaded->count);
	index_members(type->table, type, loaded);
}

static const struct type_members *type_fill_members(struct type_node *node)
{
	struct type_table *table = node->type.table;

	if (table->loader->prepare_members)
		table->loader->prepare_members(table->loader_data, &node->type);
	type_table_lock(table);

	const struct type_members *members = node->type.detail;

	if (!members) {
		struct type_members *loaded = arena_alloc(&table->arena, sizeof(*loaded));

		load_node_members(node, loaded);
		members = loaded;
		__atomic_store_n(&node->type.detail, loaded, __ATOMIC_RELEASE);
	}
	type_table_unlock(table);
	return members;
}

void type_settle_members(const struct type *type)
{
	struct type_node *node = type_node_of(type);

	if (!type_is_record(type) || type->flags & TYPE_DECLARATION || node->made)
		return;
	type_table_lock(type->table);
	if (node->first_source != node->members_source) {
		struct type_members *loaded = arena_alloc(&type->table->arena, sizeof(*loaded));
		struct type_node first = *node;

		first.type.source = node->members_source = node->first_source;
		load_node_members(&first, loaded);
		__atomic_store_n(&node->type.detail, loaded, __ATOMIC_RELEASE);
	}
	type_table_unlock(type->table);
}

static inline const struct type_members *members_of(const struct type *type)
{
	const struct type_members *members =
		type_is_record(type) ? __atomic_load_n(&type->detail, __ATOMIC_ACQUIRE) : NULL;

	if (members || !type_is_record(type) || (type->flags & TYPE_DECLARATION))
		return members;
	return type_fill_members(type_node_of(type));
}

static const struct type_enumerators *load_enumerators(struct type_node *node)
{
	struct type_table *table = node->type.table;

	type_table_lock(table);

	const struct type_enumerators *enumerators = node->type.detail;

	if (!enumerators) {
		struct type_enumerators *loaded = arena_alloc(&table->arena, sizeof(*loaded));

		*loaded = (struct type_enumerators){ 0 };
		table->loader->load_enumerators(table->loader_data, &node->type, loaded);
		enumerators = loaded;
		__atomic_store_n(&node->type.detail, loaded, __ATOMIC_RELEASE);
	}
	type_table_unlock(table);
	return enumerators;
}

const struct enumerator *type_enumerators(const struct type *type, size_t *count)
{
	const struct type_enumerators *enumerators = NULL;

	if (type->kind == TYPE_ENUM && type->table->loader->load_enumerators) {
		enumerators = __atomic_load_n(&type->detail, __ATOMIC_ACQUIRE);
		if (!enumerators)
			enumerators = load_enumerators(type_node_of(type));
	}
	*count = enumerators ? enumerators->count : 0;
	return enumerators ? enumerators->items : NULL;
}

const struct member *type_members(const struct type *type, size_t *count)
{
	const struct type_members *members = members_of(type);

	*count = members ? members->count : 0;
	return members ? members->items : NULL;
}

/* Nameless members in nameless members, and base classes, are nested less deeply. */
#define NAMELESS_MAX 32

static const struct member *find_member_named(const struct type *type, const char *name,
					      size_t length, uint64_t *offset, unsigned int nesting)
{
	size_t count;
	const struct member *members = type_members(type_strip(type), &count);

	array_each (const struct member, member, members, count)
		if (member->name && text_is(name, length, member->name)) {
			*offset += (uint64_t)member->offset;
			return member;
		}
	if (!count || nesting == NAMELESS_MAX || type_is_vast(type))
		return NULL;
	for (size_t i = 0; i < count; i++) {
		uint64_t inner = *offset + (uint64_t)members[i].offset;
		const struct member *found =
			members[i].name && !members[i].is_base
				? NULL
				: find_member_named(members[i].type, name, length, &inner,
						    nesting + 1);

		if (found) {
			*offset = inner;
			return found;
		}
	}
	return NULL;
}

const struct member *type_member_named(const struct type *type, const char *name, size_t length,
				       uint64_t *offset)
{
	return find_member_named(type, name, length, offset, 0);
}

const struct type *const *type_virtual_bases(const struct type *type, size_t *count)
{
	const struct type_members *members = members_of(type);

	*count = members ? members->virtual_base_count : 0;
	return members ? members->virtual_bases : NULL;
}

/* A limit on records within records. No program nests them as deep. */
#define PASSING_DEPTH_MAX 32

static bool is_by_address(const struct type *type, unsigned int depth);

/* True if it has a virtual table or base, or parts that are passed by their address. */
static bool has_part_by_address(const struct type *record, unsigned int depth)
{
	const struct type_members *members = members_of(record);

	for (size_t i = 0; members && i < members->count; i++) {
		const struct type *part = type_strip(members->items[i].type);

		while (part->kind == TYPE_ARRAY)
			part = type_strip(type_target(part));
		if (members->items[i].is_artificial || is_by_address(part, depth + 1))
			return true;
	}
	return members && members->virtual_base_count;
}

static bool is_by_address(const struct type *type, unsigned int depth)
{
	const struct type_loader *loader = type->table->loader;
	struct type_node *node = type_node_of(type);
	enum type_passing passing = __atomic_load_n(&node->passing, __ATOMIC_RELAXED);

	if (!type_is_record(type) || !loader->passing || depth > PASSING_DEPTH_MAX)
		return false;
	if (passing == PASSING_UNKNOWN) {
		passing = loader->passing(type->table->loader_data, type);
		if (passing == PASSING_AS_MEMBERS)
			passing = has_part_by_address(type, depth) ? PASSING_BY_ADDRESS
								   : PASSING_BY_VALUE;
		__atomic_store_n(&node->passing, (uint8_t)passing, __ATOMIC_RELAXED);
	}
	return passing == PASSING_BY_ADDRESS;
}

bool type_is_by_address(const struct type *type)
{
	return is_by_address(type_strip(type), 0);
}

/* Returns how many of the first members, in a row, end at or before `offset`. */
static size_t count_before(const struct type_members *members, int64_t offset)
{
	return partition_point(0, members->count, i, members->reach[i] <= offset);
}

const struct member *type_members_near(const struct type *type, int64_t offset, size_t *count)
{
	return type_members_within(type, offset, 1, count);
}

const struct member *type_members_within(const struct type *type, int64_t offset, uint64_t size,
					 size_t *count)
{
	const struct type_members *members = members_of(type);
	int64_t end;

	*count = members ? members->count : 0;
	if (!members || (!members->apart && type_is_tangled(type))) {
		*count = 0;
		return NULL;
	}
	if (!members->reach)
		return members->items;

	size_t first = count_before(members, offset), last = members->count;

	if (members->ascending && size <= INT64_MAX &&
	    !__builtin_add_overflow(offset, (int64_t)size, &end))
		for (last = first; last < members->count && members->items[last].offset < end;)
			last++;
	*count = last - first;
	return members->items + first;
}

bool type_has_variants(const struct type *type)
{
	const struct type_members *members = members_of(type);

	return members && members->variants;
}

static const struct type *without_qualifiers(const struct type *type)
{
	while (type->kind == TYPE_QUALIFIED)
		type = type_node_of(type)->target;
	return type;
}

/* Returns the pointer, reference or array type with another target. */
static const struct type *with_target(const struct type *type, const struct type *target)
{
	const struct type_node *node = type_node_of(type);

	if (target == node->target)
		return type;

	struct type_key key = {
		.kind = type->kind,
		.flags = type->flags,
		.size = type_size_or(type, 0),
		.name = type->name,
		.target = target,
		.array_count = node->array_count,
		.dimensions = node->dimensions,
		.dimension_count = node->dimension_count,
		.source = type->source,
	};

	return type_table_find(type->table, &key);
}

const struct type *type_table_make_record(struct type_table *table, struct type_key *key,
					  const struct member *members, size_t count)
{
	key->fingerprint = count;
	for (size_t i = 0; i < count; i++) {
		const char *name = members[i].name ?: "";

		key->fingerprint = hash_combine(key->fingerprint, (uint64_t)members[i].offset);
		key->fingerprint = hash_combine(key->fingerprint, (uintptr_t)members[i].type);
		key->fingerprint = hash_combine(key->fingerprint, hash_bytes(name, strlen(name)));
	}
	type_table_lock(table);

	const struct type *type = type_table_intern(table, key);

	if (!type->detail) {
		struct type_members *made = arena_alloc(&table->arena, sizeof(*made));
		struct member *items = arena_copy(&table->arena, members, count * sizeof(*items));

		for (size_t i = 0; i < count; i++)
			if (items[i].name)
				items[i].name = string_pool_intern(&table->names, items[i].name);
		set_member_sizes(type, items, count);
		type_node_of(type)->made = true;
		*made = (struct type_members){ .items = items, .count = count };
		__atomic_store_n(&type_node_of(type)->type.detail, made, __ATOMIC_RELEASE);
	}
	type_table_unlock(table);
	return type;
}

const struct type *type_pointer_to(const struct type *type)
{
	struct type_key key = {
		.kind = TYPE_POINTER, .size = 8, .target = type, .source = type->source
	};

	return type_table_find(type->table, &key);
}

const struct type *type_array_of(const struct type *element, uint64_t count)
{
	struct type_key key = { .kind = TYPE_ARRAY,
				.size = type_size_or(element, 0) * count,
				.target = element,
				.array_count = count };

	return type_table_find(element->table, &key);
}

const struct type *type_address_table(const struct type *type, uint64_t count)
{
	const struct type *address = type_pointer_to(type->table->void_type);
	struct type_key key = {
		.kind = TYPE_ARRAY, .size = 8 * count, .target = address, .array_count = count
	};

	return type_table_find(type->table, &key);
}

static const struct type *find_canonical(const struct type *type)
{
	type = without_qualifiers(type);
	switch (type->kind) {
	case TYPE_TYPEDEF: {
		const struct type *aliased = type_strip(type);

		/* a typedef of a pointer is the pointer: sds is char*, StkId union StackValue* */
		if (type_is_pointer(aliased) || aliased->kind == TYPE_ARRAY ||
		    aliased->kind == TYPE_FUNCTION)
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

/* ---- names ---- */

/* True if the name is a definition, as Go's are without names: "struct { a int; b int }". */
static bool is_definition(const char *name)
{
	return starts_with(name, "struct {");
}

static const char *keyword(const struct type *type)
{
	if (type->name && (type->flags & TYPE_SCOPED || is_definition(type->name)))
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
	case TYPE_FUNCTION: strbuf_add_string(buffer, type->name ?: "(function_type)"); break;
	case TYPE_MEMBER_POINTER: strbuf_add_string(buffer, "(member_pointer)"); break;
	case TYPE_STRUCT:
	case TYPE_CLASS:
	case TYPE_UNION:
	case TYPE_ENUM: add_tagged(type, buffer); break;
	default: strbuf_add_string(buffer, type->name ?: "(unknown type)");
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

#define LABEL_MEMBERS 3 /* the members that a label names */

/* Returns the unnamed record that `type` is, points to, or is an array of; NULL: none. */
static const struct type *nameless_record(const struct type *type)
{
	type = type_canonical(type);
	while (type_is_pointer(type) || type->kind == TYPE_ARRAY)
		type = without_qualifiers(type_node_of(type)->target);
	return type_is_record(type) && !type->name ? type : NULL;
}

static void add_first_members(const struct type *record, struct strbuf *buffer)
{
	size_t count, named = 0;
	const struct member *members = type_members(record, &count);

	for (size_t i = 0; i < count && named <= LABEL_MEMBERS; i++) {
		if (!members[i].name)
			continue;
		if (named)
			strbuf_add_string(buffer, ", ");
		strbuf_add_string(buffer, named < LABEL_MEMBERS ? members[i].name : "...");
		named++;
	}
	if (!named)
		strbuf_add_string(buffer, "...");
}

const char *type_label_interned(const struct type *type)
{
	const char *name = type_name_interned(type), *label;
	const struct type *record = nameless_record(type);
	_cleanup_strbuf_ struct strbuf buffer = STRBUF_INIT;

	if (!record)
		return name;
	strbuf_add_format(&buffer, "%s {", keyword(record));
	add_first_members(record, &buffer);
	strbuf_add_char(&buffer, '}');
	strbuf_add_string(&buffer, name + strlen(keyword(record)));
	type_table_lock(type->table);
	label = string_pool_intern(&type->table->names, buffer.data);
	type_table_unlock(type->table);
	return label;
}

/*
 * ---- declarations ----
 *
 * A declarator grows around the name, from the outermost kind of the type inwards. The innermost
 * type, the base, stands before it.
 */

#define FUNCTION_DEPTH 4 /* of functions as parameters of functions */
#define STEPS          64

static void declare(const struct type *type, const char *name, struct strbuf *base,
		    struct strbuf *declarator, unsigned int depth);

static void prepend(struct strbuf *buffer, const char *text)
{
	_cleanup_free_ char *rest = strbuf_detach(buffer);

	strbuf_add_string(buffer, text);
	strbuf_add_string(buffer, rest);
}

static void add_parameters(const struct type *function, struct strbuf *declarator,
			   unsigned int depth)
{
	size_t count;
	const struct parameter *parameters = type_parameters(function, &count);

	strbuf_add_char(declarator, '(');
	for (size_t i = 0; i < count; i++) {
		_cleanup_strbuf_ struct strbuf base = STRBUF_INIT;
		_cleanup_strbuf_ struct strbuf inner = STRBUF_INIT;

		declare(parameters[i].type, "", &base, &inner, depth + 1);
		strbuf_add_format(declarator, "%s%s%s%s", i ? ", " : "", base.data,
				  inner.length ? " " : "", inner.data);
	}
	if (function->flags & TYPE_VARIADIC)
		strbuf_add_string(declarator, count ? ", ..." : "...");
	else if (!count)
		strbuf_add_string(declarator, "void");
	strbuf_add_char(declarator, ')');
}

/* True if a pointer to this type needs parentheses: "(*name)[3]". */
static bool binds_tighter(const struct type *target)
{
	while (target->kind == TYPE_QUALIFIED)
		target = type_target(target);
	return (target->kind == TYPE_ARRAY && !(target->flags & TYPE_VECTOR)) ||
	       target->kind == TYPE_FUNCTION;
}

static void add_pointer(const struct type *type, struct strbuf *declarator)
{
	const char *sign = type->kind == TYPE_POINTER  ? "*"
			   : type->flags & TYPE_RVALUE ? "&&"
						       : "&";

	prepend(declarator, sign);
	if (binds_tighter(type_target(type))) {
		prepend(declarator, "(");
		strbuf_add_char(declarator, ')');
	}
}

static void add_dimensions(const struct type *array, struct strbuf *declarator)
{
	size_t count;
	const uint64_t *dimensions = type_array_dimensions(array, &count);

	for (size_t i = 0; i < count; i++) {
		if (dimensions[i])
			strbuf_add_format(declarator, "[%" PRIu64 "]", dimensions[i]);
		else
			strbuf_add_string(declarator, "[]");
	}
}

static const char *qualifier_text(const struct type *type)
{
	switch (type->qualifier) {
	case 'c': return "const ";
	case 'v': return "volatile ";
	case 'r': return "restrict ";
	default: return "_Atomic ";
	}
}

/*
 * Moves the stars at the beginning of the declarator to the end of the base, as pahole writes them:
 * "struct list *", "next".
 */
static void move_signs(struct strbuf *base, struct strbuf *declarator)
{
	_cleanup_free_ char *text = strbuf_detach(declarator);
	const char *rest = text;

	if (*rest == '*' || *rest == '&')
		strbuf_add_char(base, ' ');
	while (*rest == '*' || *rest == '&') {
		strbuf_add_char(base, *rest++);
		if (*rest == '*')
			strbuf_add_char(base, ' ');
	}
	strbuf_add_string(declarator, rest);
}

static bool element_has(const struct type *array, uint8_t qualifier)
{
	const struct type *type = array;

	for (unsigned int step = 0; step < STEPS; step++) {
		if (type->kind == TYPE_QUALIFIED && type->qualifier == qualifier)
			return true;
		if (type->kind != TYPE_QUALIFIED && type->kind != TYPE_ARRAY)
			break;
		type = type_target(type);
	}
	return false;
}

static void declare(const struct type *type, const char *name, struct strbuf *base,
		    struct strbuf *declarator, unsigned int depth)
{
	const char *qualifiers[4];
	unsigned int qualifier_count = 0;
	const struct type *vector = NULL;

	strbuf_add_string(declarator, name);
	for (unsigned int step = 0; step < STEPS; step++) {
		switch (type->kind) {
		case TYPE_POINTER:
		case TYPE_REFERENCE: add_pointer(type, declarator); break;
		case TYPE_ARRAY:
			if (type->flags & TYPE_VECTOR)
				vector = type;
			else
				add_dimensions(type, declarator);
			break;
		case TYPE_FUNCTION:
			if (depth < FUNCTION_DEPTH)
				add_parameters(type, declarator, depth);
			else
				strbuf_add_string(declarator, "(...)");
			break;
		case TYPE_QUALIFIED: {
			const struct type *target = type_target(type);
			const char *text = qualifier_text(type);
			bool again = false;

			while (target->kind == TYPE_QUALIFIED)
				target = type_target(target);
			/* an array is qualified as its elements are, which say it themselves */
			if (target->kind == TYPE_ARRAY && element_has(target, type->qualifier))
				break;
			for (unsigned int i = 0; i < qualifier_count; i++)
				again |= qualifiers[i] == text;
			if (target->kind == TYPE_POINTER)
				prepend(declarator, text);
			else if (qualifier_count < 4 && !again)
				qualifiers[qualifier_count++] = text;
			break;
		}
		default:
			for (unsigned int i = 0; i < qualifier_count; i++)
				strbuf_add_string(base, qualifiers[i]);
			type_declaration(type, base);
			if (vector) /* clang takes it only here if there is an array of them */
				strbuf_add_format(
					base, " __attribute__ ((__vector_size__ (%" PRIu64 ")))",
					type_size_or(vector, 0));
			move_signs(base, declarator);
			return;
		}
		type = type_target(type);
	}
	strbuf_add_string(base, "(unknown type)");
}

void type_declarator(const struct type *type, const char *name, struct strbuf *base,
		     struct strbuf *declarator)
{
	declare(type, name ?: "", base, declarator, 0);
}

/* ---- types by the names that users write ---- */

/* Returns the name without its keyword, and sets *kinds to those that this allows. */
static const char *cut_keyword(const char *name, unsigned int *kinds)
{
	static const struct {
		const char *keyword;
		unsigned int kinds;
	} keywords[] = {
		{ "struct ", 1u << TYPE_STRUCT | 1u << TYPE_CLASS },
		{ "class ", 1u << TYPE_STRUCT | 1u << TYPE_CLASS },
		{ "union ", 1u << TYPE_UNION },
		{ "enum ", 1u << TYPE_ENUM },
	};

	*kinds = UINT32_MAX;
	for (size_t i = 0; i < COUNT_OF(keywords) && !is_definition(name); i++) {
		size_t length = strlen(keywords[i].keyword);

		if (strncmp(name, keywords[i].keyword, length) == 0) {
			*kinds = keywords[i].kinds;
			return name + length;
		}
	}
	return name;
}

void type_query_init(struct type_query *query, const char *name, const struct type **types,
		     size_t capacity)
{
	size_t length = strlen(name);

	*query = (struct type_query){ .text = xstrdup(name), .types = types, .capacity = capacity };
	while (length && (query->text[length - 1] == '*' || query->text[length - 1] == ' ')) {
		query->pointers += query->text[length - 1] == '*';
		query->text[--length] = '\0';
	}
	query->name = cut_keyword(query->text, &query->kinds);
}

void type_query_deinit(struct type_query *query)
{
	free(query->text);
}

static bool same_but_blanks(const char *a, const char *b)
{
	for (;; a++, b++) {
		a += strspn(a, " ");
		b += strspn(b, " ");
		if (*a != *b || !*a)
			return *a == *b;
	}
}

/* Returns whether the name is the qualified one, or its end after a scope. */
static bool is_end_of(const char *name, const char *qualified)
{
	int depth = 0;

	for (const char *at = qualified; *at; at++) {
		bool starts =
			at == qualified || (!depth && at[-1] == ':') || (!depth && at[-1] == '.');

		if (starts && same_but_blanks(name, at))
			return true;
		depth += strchr("<([{", *at) ? 1 : strchr(">)]}", *at) ? -1 : 0;
	}
	return false;
}

void type_query_offer(struct type_query *query, const struct type *type)
{
	if (!(query->kinds >> type->kind & 1) || !type->name ||
	    !(query->as_written ? type_name_matches(query->name, type->name)
	      : query->ends     ? is_end_of(query->name, type->name)
				: strcmp(type->name, query->name) == 0))
		return;
	type = type_canonical(type);
	for (size_t i = 0; i < query->pointers; i++)
		type = type_pointer_to(type);
	for (size_t i = 0; i < query->count && i < query->capacity; i++)
		if (query->types[i] == type)
			return;
	if (query->count < query->capacity)
		query->types[query->count] = type;
	query->count++;
}

/* ---- functions ---- */

const struct call_site *function_call_site(const struct function *function, uint64_t return_address)
{
	const struct call_site *sites = function->call_sites;
	size_t count = function->call_site_count;
	size_t index = partition_point(0, count, i, sites[i].return_address < return_address);

	return index < count && sites[index].return_address == return_address ? &sites[index]
									      : NULL;
}

void function_destroy(struct function *function)
{
	if (!function)
		return;
	arena_deinit(&function->arena);
	free(function);
}
