// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_type.h"

#include <dwarf.h>
#include <string.h>

#include "dwarf/dwarf_array.h"
#include "dwarf/dwarf_index.h"
#include "dwarf/dwarf_member.h"
#include "dwarf/dwarf_names.h"
#include "dwarf/dwarf_storage.h"
#include "dwarf/function.h"

#define PARAMETERS_MAX 4096

static const struct type *load(struct dwarf_types *types, uint64_t reference);

static const struct type *load_target(struct dwarf_types *types, const struct die *die)
{
	return load(types, die_type_target(die));
}

static uint64_t byte_size(const struct die *die, uint64_t otherwise)
{
	uint64_t size, bits;

	if (die_unsigned(die, SLOT_BYTE_SIZE, &size))
		return size;
	if (die_unsigned(die, SLOT_BIT_SIZE, &bits))
		return bits / 8 + (bits % 8 != 0);
	return otherwise;
}

static void key_of_base(const struct die *die, struct type_key *key)
{
	uint64_t encoding = 0;

	die_unsigned(die, SLOT_ENCODING, &encoding);
	key->kind = TYPE_INTEGER;
	key->size = byte_size(die, 0);
	switch (encoding) {
	case DW_ATE_boolean: key->flags = TYPE_BOOL; break;
	case DW_ATE_signed_char: key->flags = TYPE_SIGNED | TYPE_CHAR; break;
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF: key->flags = TYPE_CHAR; break;
	case DW_ATE_signed:
	case DW_ATE_signed_fixed: key->flags = TYPE_SIGNED; break;
	case DW_ATE_float:
	case DW_ATE_complex_float:
	case DW_ATE_imaginary_float:
	case DW_ATE_decimal_float: key->kind = TYPE_FLOAT; break;
	}
}

static void key_of_pointer(struct dwarf_types *types, const struct die *die, struct type_key *key)
{
	key->kind = die->tag == DW_TAG_pointer_type ? TYPE_POINTER : TYPE_REFERENCE;
	key->flags = die->tag == DW_TAG_rvalue_reference_type ? TYPE_RVALUE : 0;
	key->size = byte_size(die, die->unit->address_size);
	key->name = NULL; /* Rust names its references, but they are what they point to */
	key->target = load_target(types, die);
}

static void key_of_qualified(struct dwarf_types *types, const struct die *die, char qualifier,
			     struct type_key *key)
{
	key->kind = TYPE_QUALIFIED;
	key->qualifier = (uint8_t)qualifier;
	key->name = NULL;
	key->target = load_target(types, die);
	key->size = key->target->size;
}

static void key_of_typedef(struct dwarf_types *types, const struct die *die, struct type_key *key)
{
	key->kind = TYPE_TYPEDEF;
	key->target = load_target(types, die);
	key->size = key->target->size;
}

/* `dimensions` has room for TYPE_MAXIMUM_DIMENSIONS. */
static void key_of_array(struct dwarf_types *types, const struct die *die, struct type_key *key,
			 uint64_t *dimensions)
{
	uint64_t size;

	key->kind = TYPE_ARRAY;
	key->name = NULL;
	key->flags = die_flag(die, SLOT_VECTOR) ? TYPE_VECTOR : 0;
	key->target = load_target(types, die);
	key->array_count = dwarf_array_elements(die, dimensions, &key->dimension_count);
	key->dimensions = dimensions;
	if (__builtin_mul_overflow(key->array_count, key->target->size, &size))
		size = key->array_count = 0;
	key->size = byte_size(die, size);
}

static void key_of_function(struct dwarf_types *types, const struct die *function, struct type_key *key,
			    struct type_key_parts *parts)
{
	struct cursor cursor = die_children(function);
	size_t capacity = 0;
	struct die die;

	key->kind = TYPE_FUNCTION;
	key->name = NULL;
	key->target = load_target(types, function);
	while (function->has_children && die_read(function->unit, &cursor, &die) && die.tag) {
		die_skip_children(&die, &cursor);
		if (die.tag == DW_TAG_unspecified_parameters)
			key->flags |= TYPE_VARIADIC;
		if (die.tag != DW_TAG_formal_parameter || key->parameter_count >= PARAMETERS_MAX)
			continue;
		array_reserve(parts->parameters, key->parameter_count, capacity);
		parts->parameters[key->parameter_count++] = (struct parameter){
			.name = die_name(&die),
			.type = load_target(types, &die),
		};
	}
	key->parameters = parts->parameters;
}

static void key_of_enum(struct dwarf_types *types, const struct die *die, struct type_key *key)
{
	const struct type *underlying = die_has(die, SLOT_TYPE) ? load_target(types, die) : NULL;

	key->kind = TYPE_ENUM;
	key->size = byte_size(die, underlying ? underlying->size : 0);
	key->flags |= underlying && type_strip(underlying)->flags & TYPE_SIGNED ? TYPE_SIGNED : 0;
	if (!key->name)
		key->fingerprint = dwarf_fingerprint(types, die);
}

static void key_of_record(struct dwarf_types *types, const struct die *die, struct type_key *key)
{
	switch (die->tag) {
	case DW_TAG_union_type: key->kind = TYPE_UNION; break;
	case DW_TAG_structure_type: key->kind = TYPE_STRUCT; break;
	default: key->kind = TYPE_CLASS;
	}
	if (die_flag(die, SLOT_DECLARATION)) {
		key->flags |= TYPE_DECLARATION;
		return;
	}
	key->size = byte_size(die, 0);
	key->fingerprint = types->prepared.die == die_reference(die) ? types->prepared.fingerprint
								     : dwarf_fingerprint(types, die);
}

static void key_of_member_pointer(struct dwarf_types *types, const struct die *die, struct type_key *key)
{
	key->kind = TYPE_MEMBER_POINTER;
	key->target = load_target(types, die);
	/* Itanium C++ ABI, section 2.3: an offset, or a function and an adjustment */
	key->size = byte_size(die, type_strip(key->target)->kind == TYPE_FUNCTION ? 16 : 8);
}

static bool is_scoped(const struct die *die)
{
	return die->unit->language == LANGUAGE_CXX || die->unit->language == LANGUAGE_RUST;
}

/* False: a DIE that is no type. */
static bool fill_key(struct dwarf_types *types, const struct die *die, struct type_key *key,
		     struct type_key_parts *parts)
{
	switch (die->tag) {
	case DW_TAG_base_type: key_of_base(die, key); return true;
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type: key_of_pointer(types, die, key); return true;
	case DW_TAG_const_type: key_of_qualified(types, die, 'c', key); return true;
	case DW_TAG_volatile_type: key_of_qualified(types, die, 'v', key); return true;
	case DW_TAG_restrict_type: key_of_qualified(types, die, 'r', key); return true;
	case DW_TAG_atomic_type: key_of_qualified(types, die, 'a', key); return true;
	case DW_TAG_packed_type:
	case DW_TAG_shared_type:
	case DW_TAG_immutable_type: key_of_qualified(types, die, 'o', key); return true;
	case DW_TAG_typedef:
	case DW_TAG_template_alias: key_of_typedef(types, die, key); return true;
	case DW_TAG_array_type: key_of_array(types, die, key, parts->dimensions); return true;
	case DW_TAG_subroutine_type: key_of_function(types, die, key, parts); return true;
	case DW_TAG_enumeration_type:
		key->flags = is_scoped(die) ? TYPE_SCOPED : 0;
		key_of_enum(types, die, key);
		return true;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_interface_type:
	case DW_TAG_union_type:
		key->flags = is_scoped(die) ? TYPE_SCOPED : 0;
		key_of_record(types, die, key);
		return true;
	case DW_TAG_ptr_to_member_type: key_of_member_pointer(types, die, key); return true;
	case DW_TAG_subrange_type: /* Ada, Pascal: an integer of its own range */
		key->kind = TYPE_INTEGER;
		key->size = byte_size(die, load_target(types, die)->size);
		return true;
	case DW_TAG_unspecified_type:
	case DW_TAG_string_type:
	case DW_TAG_set_type:
	case DW_TAG_file_type:
		key->kind = TYPE_UNSPECIFIED;
		key->size = byte_size(die, 0);
		return true;
	}
	return false;
}

/* What was found for a declared name, so that it is looked for once and not for each unit that declares it.
 */
struct definition {
	const char *name;
	bool is_enum;
	uint64_t die; /* 0: none */
};

/* The definition that a declaration stands for, or 0. Under the lock. */
static uint64_t find_definition(struct dwarf_types *types, const struct die *die, const char *name)
{
	bool is_enum = die->tag == DW_TAG_enumeration_type;

	if (!name || (is_enum && die_has(die, SLOT_BYTE_SIZE)))
		return 0; /* such an enum is as good as its definition */

	uint64_t key = hash_combine(hash_bytes(name, strlen(name)), is_enum) | 1;
	struct definition *known = concurrent_map_find(&types->definitions, key);

	if (known && known->is_enum == is_enum && strcmp(known->name, name) == 0)
		return known->die;

	uint64_t found = dwarf_names_definition(types->names, types, die, name);

	if (!known) {
		known = arena_alloc(&types->table->arena, sizeof(*known));
		*known = (struct definition){
			.name = string_pool_intern(&types->table->names, name),
			.is_enum = is_enum,
			.die = found,
		};
		concurrent_map_insert(&types->definitions, key, known);
	}
	return found;
}

static const struct type *load_die(struct dwarf_types *types, const struct die *die)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	struct type_key_parts parts = { .parameters = NULL };
	struct type_key key = { .source = die_reference(die) };

	/* a type unit's skeleton, or a use of its type */
	if (die_has(die, SLOT_SIGNATURE) && die_target(die, SLOT_SIGNATURE))
		return load(types, die_target(die, SLOT_SIGNATURE));
	if (dwarf_qualified_name(types, die, &name))
		key.name = name.data;
	if (die_flag(die, SLOT_DECLARATION)) {
		uint64_t definition = find_definition(types, die, key.name);

		if (definition)
			return load(types, definition);
	}
	if (!fill_key(types, die, &key, &parts))
		return types->table->unknown_type;

	const struct type *type = type_table_intern(types->table, &key);

	free(parts.parameters);
	return type;
}

static bool is_loading(const struct dwarf_types *types, uint64_t reference)
{
	for (size_t i = 0; i < types->loading_count; i++) {
		if (types->loading[i] == reference)
			return true;
	}
	return false;
}

/* Under the table's lock. Every DIE is loaded once, and a DIE that needs itself finds the unknown type: so
 * whatever the references are, the work is linear in their number. */
static const struct type *load(struct dwarf_types *types, uint64_t reference)
{
	const struct type *type;
	struct die die;

	if (!reference)
		return types->table->void_type;
	type = concurrent_map_find(&types->by_die, reference);
	if (type)
		return type;
	if (types->loading_count >= TYPE_MAXIMUM_DEPTH || is_loading(types, reference))
		return types->table->unknown_type;
	types->loading[types->loading_count++] = reference;
	type = die_at(types->files, reference, &die) ? load_die(types, &die) : types->table->unknown_type;
	types->loading_count--;
	concurrent_map_insert(&types->by_die, reference, (void *)type);
	return type;
}

const struct type *dwarf_type(struct dwarf_types *types, uint64_t reference)
{
	if (!reference)
		return types->table->void_type;

	const struct type *type = concurrent_map_find(&types->by_die, reference);

	if (!type) {
		struct prepared_type prepared;

		dwarf_type_prepare(types, reference, &prepared);
		type_table_lock(types->table);
		types->prepared = prepared;
		type = load(types, reference);
		type_table_unlock(types->table);
	}
	return type;
}

const struct type *dwarf_type_of(struct dwarf_types *types, const struct die *die)
{
	struct die other;
	const struct die *owner = die_integrate(types->files, die, SLOT_TYPE, &other);
	uint64_t reference = owner ? die_type_target(owner) : 0;

	return dwarf_type(types, reference ? reference : REFERENCE_BROKEN);
}

/* struct type_loader: the members of a record */
static void load_members(void *data, const struct type *type, struct type_members *members)
{
	struct dwarf_types *types = data;
	_cleanup_free_ struct member *items = NULL;
	_cleanup_free_ const struct type **bases = NULL;
	size_t capacity = 0, base_capacity = 0;
	struct member_walk walk;
	struct die record, die;

	if (!die_at(types->files, type->source, &record))
		return;
	member_walk_start(&walk, &record);
	while (member_walk_next(&walk, &die)) {
		const char *name = die_name(&die);
		struct member member = {
			.type = load_target(types, &die),
			.name = name && *name && die.tag == DW_TAG_member
					? string_pool_intern(&types->table->names, name)
					: NULL,
			.is_base = die.tag == DW_TAG_inheritance,
			.is_artificial =
				die_flag(&die, SLOT_ARTIFICIAL) || (name && strncmp(name, "_vptr", 5) == 0),
			.is_variant = member_walk_in_variant(&walk),
		};

		if (!member_place(&die, member.type->size, &member)) {
			if (die.tag != DW_TAG_inheritance)
				continue;
			array_reserve(bases, members->virtual_base_count, base_capacity);
			bases[members->virtual_base_count++] = member.type;
			continue;
		}
		array_reserve(items, members->count, capacity);
		items[members->count++] = member;
	}
	dwarf_storage_of_argument(types, &record, type->size, items, members->count);
	members->items = arena_copy(&types->table->arena, items, members->count * sizeof(*items));
	members->virtual_bases =
		arena_copy(&types->table->arena, bases, members->virtual_base_count * sizeof(*bases));
}

static const struct type_loader loader = { .prepare_members = dwarf_type_prepare_members,
					   .load_members = load_members };

void dwarf_types_init(struct dwarf_types *types, struct dwarf_files *files, struct dwarf_names *names)
{
	*types = (struct dwarf_types){ .files = files, .names = names };
	types->table = type_table_create(&loader, types);
	for (size_t i = 0; i < FINGERPRINT_LOCKS; i++)
		pthread_mutex_init(&types->fingerprint_locks[i], NULL);
}

void dwarf_types_deinit(struct dwarf_types *types)
{
	concurrent_map_deinit(&types->by_die);
	concurrent_map_deinit(&types->definitions);
	type_table_destroy(types->table);
	for (size_t i = 0; i < FINGERPRINT_LOCKS; i++)
		pthread_mutex_destroy(&types->fingerprint_locks[i]);
}
