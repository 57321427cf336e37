// SPDX-License-Identifier: GPL-2.0-or-later
/* The types of BTF, under the type table of an object: fingerprints, keys and members. */
#include "dwarf/btf/btf_private.h"

#include <linux/btf.h>

/* Sets a member's bits, which older BTF has in its integer type. */
static void read_member_bits(const struct btf_file *file, struct btf_item *member)
{
	struct btf_record record;
	uint32_t id = member->type;

	for (int depth = 0; !member->bit_size && depth < TYPE_NESTING_MAX; depth++) {
		if (!btf_record_at(file, id, &record))
			return;
		if (record.kind == BTF_KIND_INT) {
			struct btf_integer integer = btf_record_integer(&record);

			if (!integer.bit_offset && integer.bits == record.size * 8)
				return;
			member->bit_offset += integer.bit_offset;
			member->bit_size = integer.bits;
			return;
		}
		if (record.kind != BTF_KIND_TYPEDEF && record.kind != BTF_KIND_CONST &&
		    record.kind != BTF_KIND_VOLATILE)
			return;
		id = record.type;
	}
}

/*
 * ---- fingerprints ----
 *
 * A fingerprint tells records and enums of one name apart, as in dwarf/dwarf/type.c. pahole merges
 * equal types, but a module's BTF may have another copy of a record of the kernel, and the kernel's
 * own BTF has two copies where units saw different declarations of the types that the record points
 * to. Two records of one name may also point to records of one name that differ.
 */

/* Returns a hash of the shape of a type, which is a part of a record, or behind a pointer. */
static uint64_t btf_hash_type(struct btf_types *types, uint32_t id, bool part);

static uint64_t btf_hash_name(const char *name)
{
	return name ? hash_bytes(name, strlen(name)) : 0;
}

/* Returns a hash of a record's members; without `types` of their names and offsets alone. */
static uint64_t btf_hash_members(struct btf_types *types, struct btf_record record)
{
	uint64_t hash = record.kind;
	const struct btf_file *file = record.file;
	struct btf_item member;

	while (btf_record_next(&record, &member)) {
		read_member_bits(file, &member);
		hash = hash_combine(hash_combine(hash, btf_hash_name(member.name)),
				    member.bit_offset);
		if (types)
			hash = hash_combine(hash_combine(hash, member.bit_size),
					    btf_hash_type(types, member.type, true));
	}
	return hash;
}

static uint64_t btf_hash_enumerators(struct btf_record enumeration)
{
	struct btf_item item;
	uint64_t hash = 0;

	while (btf_record_next(&enumeration, &item))
		hash = hash_combine(hash_combine(hash, btf_hash_name(item.name)),
				    (uint64_t)item.value);
	return hash;
}

/* Returns the hash of a record behind a pointer: of its name, which stands for it also where it is
 * only declared, and of its outline, if a record of that name has another one. */
static uint64_t hash_pointee(struct btf_types *types, const struct btf_record *record,
			     uint64_t hash)
{
	uint32_t ids[BTF_NAMESAKES_MAX];
	size_t count = btf_find(types->btf, record->name,
				1U << BTF_KIND_STRUCT | 1U << BTF_KIND_UNION, ids);
	uint64_t outline = count > 1 ? btf_hash_members(NULL, *record) : 0;
	struct btf_record other;

	hash = hash_combine(hash, BTF_KIND_STRUCT);
	return count > 1 && any_of(i, 0, count,
				   btf_record_at(types->btf->file, ids[i], &other) &&
					   btf_hash_members(NULL, other) != outline)
		       ? hash_combine(hash, outline)
		       : hash;
}

static uint64_t hash_record(struct btf_types *types, struct btf_record *record, bool part)
{
	uint64_t hash = btf_hash_name(record->name);
	uint32_t target = record->type;

	switch (record->kind) {
	case BTF_KIND_TYPEDEF:
		hash = hash_combine(hash, BTF_KIND_TYPEDEF);
		return hash_combine(hash, btf_hash_type(types, target, part));
	case BTF_KIND_FWD: return hash_combine(hash, BTF_KIND_STRUCT);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return hash && !part ? hash_pointee(types, record, hash)
				     : hash_combine(hash, btf_hash_members(types, *record));
	case BTF_KIND_ENUM:
	case KIND_ENUM64:
		hash = hash_combine(hash, BTF_KIND_ENUM);
		return part ? hash_combine(hash, btf_hash_enumerators(*record)) : hash;
	case BTF_KIND_INT:
	case KIND_FLOAT: return hash_combine(hash_combine(hash, record->size), BTF_KIND_INT);
	case KIND_TYPE_TAG: hash = 0; break;
	case BTF_KIND_ARRAY: target = btf_record_array(record).element; break;
	}
	hash = hash_combine(hash, record->kind);
	part = part && record->kind != BTF_KIND_PTR && record->kind != BTF_KIND_FUNC_PROTO;
	return hash_combine(hash, btf_hash_type(types, target, part));
}

static uint64_t btf_hash_type(struct btf_types *types, uint32_t id, bool part)
{
	uint64_t key = (uint64_t)id << 1 | part;
	struct btf_record record;

	if (!id)
		return 1;

	uint32_t *known = hash_map_find(&types->fingerprints, key);

	if (known)
		return *known;

	if (types->fingerprint_depth >= TYPE_NESTING_MAX)
		return 0;
	types->fingerprint_depth++;

	uint32_t hash = btf_record_at(types->btf->file, id, &record)
				? (uint32_t)hash_record(types, &record, part)
				: 0;

	types->fingerprint_depth--;
	*hash_map_insert(&types->fingerprints, key, NULL) = hash;
	return hash;
}

/* Returns a hash of a record's members by name, offset and the shape of their types, or of an
 * enum's enumerators. Call it under the table's lock. */
static uint64_t fingerprint_of(struct btf_types *types, const struct btf_record *record)
{
	if (record->kind == BTF_KIND_STRUCT || record->kind == BTF_KIND_UNION)
		return btf_hash_members(types, *record);
	if (record->kind == BTF_KIND_DATASEC)
		return btf_hash_name(record->name);
	return btf_hash_enumerators(*record);
}

/* ---- types ---- */

static const struct type *btf_load(struct btf_types *types, uint32_t id);

static void key_of_integer(struct btf_record *record, struct type_key *key)
{
	struct btf_integer integer = btf_record_integer(record);

	key->kind = TYPE_INTEGER;
	key->size = record->size;
	if (integer.encoding & BTF_INT_BOOL)
		key->flags = TYPE_BOOL;
	else if (integer.encoding & BTF_INT_SIGNED)
		key->flags = TYPE_SIGNED;
	/* pahole tells characters from small integers only by their names */
	if (integer.encoding & BTF_INT_CHAR ||
	    (record->size == 1 && key->name && strstr(key->name, "char")))
		key->flags |= TYPE_CHAR;
}

/* Makes the key of an array. An array of arrays becomes one array with several dimensions, as in
 * DWARF. `dimensions` has room for TYPE_DIMENSIONS_MAX. */
static void key_of_array(struct btf_types *types, struct btf_record *record, struct type_key *key,
			 uint64_t *dimensions)
{
	uint32_t dimension_count = 1;
	struct btf_array_shape shape = btf_record_array(record);
	struct btf_record element;
	uint64_t size;

	key->kind = TYPE_ARRAY;
	key->array_count = dimensions[0] = shape.count;
	for (int depth = 0; depth < TYPE_NESTING_MAX; depth++) {
		if (!btf_record_at(types->btf->file, shape.element, &element) ||
		    element.kind != BTF_KIND_ARRAY)
			break;
		shape = btf_record_array(&element);
		if (dimension_count < TYPE_DIMENSIONS_MAX)
			dimensions[dimension_count] = shape.count;
		dimension_count++;
		if (__builtin_mul_overflow(key->array_count, shape.count, &key->array_count))
			key->array_count = 0;
	}
	key->dimensions = dimensions;
	key->dimension_count = dimension_count <= TYPE_DIMENSIONS_MAX ? dimension_count : 0;
	key->target = btf_load(types, shape.element);
	if (__builtin_mul_overflow(key->array_count, type_size_or(key->target, 0), &size))
		size = key->array_count = 0;
	key->size = size;
}

static void btf_key_of_function(struct btf_types *types, struct btf_record *record,
				struct type_key *key, struct type_key_parts *parts)
{
	size_t capacity = 0;
	struct btf_item item;

	key->kind = TYPE_FUNCTION;
	key->target = btf_load(types, record->type);
	while (btf_record_next(record, &item)) {
		if (!record->count && !item.name && !item.type) {
			key->flags |= TYPE_VARIADIC;
			break;
		}
		array_add(parts->parameters, key->parameter_count, capacity) =
			(struct parameter){ .name = item.name, .type = btf_load(types, item.type) };
	}
	key->parameters = parts->parameters;
}

static void btf_key_of_record(struct btf_types *types, const struct btf_record *record,
			      struct type_key *key)
{
	key->kind = record->kind == BTF_KIND_UNION ? TYPE_UNION : TYPE_STRUCT;
	key->size = record->size;
	key->fingerprint = fingerprint_of(types, record);
}

static void btf_key_of_enum(struct btf_types *types, const struct btf_record *record,
			    struct type_key *key)
{
	key->kind = TYPE_ENUM;
	key->size = record->size;
	key->flags = record->kind_flag ? TYPE_SIGNED : 0;
	key->fingerprint = fingerprint_of(types, record);
}

static void btf_key_of_qualified(struct btf_types *types, const struct btf_record *record,
				 char qualifier, struct type_key *key)
{
	key->kind = TYPE_QUALIFIED;
	key->qualifier = (uint8_t)qualifier;
	key->name = NULL;
	key->target = btf_load(types, record->type);
	key->size = type_size_or(key->target, 0);
}

/* Returns the only definition of a declaration; NULL: there are none, or several that differ. */
static const struct type *load_definition(struct btf_types *types, const struct btf_record *record)
{
	uint32_t kind = record->kind_flag ? BTF_KIND_UNION : BTF_KIND_STRUCT,
		 ids[BTF_NAMESAKES_MAX];
	size_t count = record->name ? btf_find(types->btf, record->name, 1u << kind, ids) : 0;
	const struct type *first = count ? btf_load(types, ids[0]) : NULL;

	for (size_t i = 1; i < count; i++)
		if (btf_load(types, ids[i]) != first)
			return NULL;
	return first;
}

/* Fills in the key of the type that a record describes. False: it describes no type. */
static bool btf_fill_key(struct btf_types *types, struct btf_record *record, struct type_key *key,
			 struct type_key_parts *parts)
{
	switch (record->kind) {
	case BTF_KIND_INT: key_of_integer(record, key); return true;
	case KIND_FLOAT:
		key->kind = TYPE_FLOAT;
		key->size = record->size;
		return true;
	case BTF_KIND_PTR:
		key->kind = TYPE_POINTER;
		key->size = 8; /* BTF does not give the size; this is x86-64's */
		key->name = NULL;
		key->target = btf_load(types, record->type);
		return true;
	case BTF_KIND_CONST: btf_key_of_qualified(types, record, 'c', key); return true;
	case BTF_KIND_VOLATILE: btf_key_of_qualified(types, record, 'v', key); return true;
	case BTF_KIND_RESTRICT: btf_key_of_qualified(types, record, 'r', key); return true;
	case BTF_KIND_TYPEDEF:
		key->kind = TYPE_TYPEDEF;
		key->target = btf_load(types, record->type);
		key->size = type_size_or(key->target, 0);
		return true;
	case BTF_KIND_ARRAY: key_of_array(types, record, key, parts->dimensions); return true;
	case BTF_KIND_FUNC_PROTO: btf_key_of_function(types, record, key, parts); return true;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION: btf_key_of_record(types, record, key); return true;
	case BTF_KIND_DATASEC:
		if (!types->is_whole)
			return false;
		btf_key_of_record(types, record, key);
		return true;
	case BTF_KIND_ENUM:
	case KIND_ENUM64: btf_key_of_enum(types, record, key); return true;
	case BTF_KIND_FWD:
		key->kind = record->kind_flag ? TYPE_UNION : TYPE_STRUCT;
		key->flags = TYPE_DECLARATION;
		return true;
	}
	return false;
}

static const struct type *load_record(struct btf_types *types, uint32_t id,
				      struct btf_record *record)
{
	struct type_key_parts parts = { .parameters = NULL };
	struct type_key key = { .source = id, .name = record->name };

	if (record->kind == KIND_TYPE_TAG)
		return btf_load(types, record->type);
	if (record->kind == BTF_KIND_FWD) {
		const struct type *definition = load_definition(types, record);

		if (definition)
			return definition;
	}
	if (!btf_fill_key(types, record, &key, &parts))
		return types->table->unknown_type;

	const struct type *type = type_table_intern(types->table, &key);

	free(parts.parameters);
	return type;
}

/* Loads a type once, under the table's lock; one that needs itself finds the unknown type. */
static const struct type *btf_load(struct btf_types *types, uint32_t id)
{
	const struct type *type;
	struct btf_record record;

	if (!id)
		return types->table->void_type;
	if (!btf_record_at(types->btf->file, id, &record))
		return types->table->unknown_type;
	if (types->by_id[id])
		return types->by_id[id];
	if (types->loading_count >= TYPE_NESTING_MAX ||
	    (any_of(i, 0, types->loading_count, types->loading[i] == id)))
		return types->table->unknown_type;
	types->loading[types->loading_count++] = id;
	type = load_record(types, id, &record);
	types->loading_count--;
	__atomic_store_n(&types->by_id[id], type, __ATOMIC_RELEASE);
	return type;
}

const struct type *btf_type(struct btf_types *types, uint32_t id)
{
	const struct type *type = id && id < btf_file_end(types->btf->file)
					  ? __atomic_load_n(&types->by_id[id], __ATOMIC_ACQUIRE)
					  : NULL;

	if (!type) {
		type_table_lock(types->table);
		type = btf_load(types, id);
		type_table_unlock(types->table);
	}
	return type;
}

/* Makes a member of a variable of a section. */
static void take_section_variable(const struct btf_file *file, struct btf_item *item)
{
	struct btf_record variable;

	if (!btf_record_at(file, item->type, &variable) || variable.kind != BTF_KIND_VAR)
		return;
	item->name = variable.name;
	item->type = variable.type;
	item->bit_offset = item->offset < UINT32_MAX / 8 ? item->offset * 8 : 1;
}

static void btf_load_members(void *data, const struct type *type, struct type_members *members)
{
	struct btf_types *types = data;
	_cleanup_free_ struct member *items = NULL;
	size_t capacity = 0;
	struct btf_record record;
	struct btf_item item;

	if (!btf_record_at(types->btf->file, (uint32_t)type->source, &record))
		return;

	const struct btf_file *file = record.file;

	while (btf_record_next(&record, &item)) {
		if (record.kind == BTF_KIND_DATASEC)
			take_section_variable(file, &item);
		else
			read_member_bits(file, &item);
		if (!item.bit_size && item.bit_offset % 8)
			continue; /* no such offset in the record */
		array_add(items, members->count, capacity) = (struct member){
			.name = item.name ? string_pool_intern(&types->table->names, item.name)
					  : NULL,
			.type = btf_load(types, item.type),
			.offset = item.bit_offset / 8,
			.bit_offset = item.bit_offset % 8,
			.bit_size = item.bit_size,
		};
	}
	members->items = arena_copy(&types->table->arena, items, members->count * sizeof(*items));
}

static void btf_load_enumerators(void *data, const struct type *type,
				 struct type_enumerators *enumerators)
{
	struct btf_types *types = data;
	_cleanup_free_ struct enumerator *items = NULL;
	size_t capacity = 0;
	struct btf_record record;
	struct btf_item item;

	if (!types->is_whole || !btf_record_at(types->btf->file, (uint32_t)type->source, &record))
		return;
	while (btf_record_next(&record, &item)) {
		if (!item.name)
			continue;
		array_add(items, enumerators->count, capacity) =
			(struct enumerator){ string_pool_intern(&types->table->names, item.name),
					     item.value };
	}
	enumerators->items =
		arena_copy(&types->table->arena, items, enumerators->count * sizeof(*items));
}

static const struct type_loader loader = { .load_members = btf_load_members,
					   .load_enumerators = btf_load_enumerators };

void btf_types_init(struct btf_types *types, const struct btf *btf)
{
	*types = (struct btf_types){ .btf = btf };
	types->by_id = xcalloc(btf_file_end(btf->file), sizeof(*types->by_id));
	types->table = type_table_create(&loader, types);
}

void btf_types_deinit(struct btf_types *types)
{
	free(types->by_id);
	hash_map_deinit(&types->fingerprints);
	type_table_destroy(types->table);
}

struct btf_types *btf_types_create(const struct btf *btf)
{
	struct btf_types *types = xcalloc(1, sizeof(*types));

	btf_types_init(types, btf);
	types->is_whole = true;
	return types;
}

void btf_types_destroy(struct btf_types *types)
{
	if (!types)
		return;
	btf_types_deinit(types);
	free(types);
}

const struct type *btf_types_get(struct btf_types *types, uint32_t id)
{
	return btf_type(types, id);
}

uint32_t btf_struct_id(const struct btf *btf, const char *name)
{
	uint32_t ids[BTF_NAMESAKES_MAX];

	return btf_find(btf, name, 1u << BTF_KIND_STRUCT, ids) == 1 ? ids[0] : 0;
}

uint32_t btf_variable_type(const struct btf *btf, const char *name)
{
	uint32_t ids[BTF_NAMESAKES_MAX];
	struct btf_record variable;

	return btf_find(btf, name, 1u << BTF_KIND_VAR, ids) == 1 &&
			       btf_record_at(btf->file, ids[0], &variable)
		       ? variable.type
		       : 0;
}
