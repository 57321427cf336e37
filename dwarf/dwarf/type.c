// SPDX-License-Identifier: GPL-2.0-or-later
/* Types from DIEs: members of records, fingerprints, and the keys by which types are interned. */
#include "dwarf/dwarf/type.h"

#include <dwarf.h>
#include <inttypes.h>

#include "base/text.h"
#include "dwarf/dwarf/index.h"
#include "dwarf/dwarf/location.h"
#include "dwarf/dwarf/names.h"
#include "dwarf/types/function.h"
#include "dwarf/types/type_table.h"

/* ---- members ---- */

void member_walk_start(struct member_walk *walk, const struct die *record, uint64_t slots)
{
	*walk = (struct member_walk){ .unit = record->unit,
				      .cursor = die_children(record),
				      .slots = slots | DIE_SLOT(SLOT_SIBLING) |
					       DIE_SLOT(SLOT_DISCRIMINANT) |
					       DIE_SLOT(SLOT_EXTERNAL) |
					       DIE_SLOT(SLOT_DECLARATION) };
	if (!record->has_children)
		walk->cursor.failed = true;
}

/* True for a static member, which before DWARF 5 is a member that is only declared. */
static bool type_is_static(const struct die *die)
{
	return die_flag(die, SLOT_EXTERNAL) || die_flag(die, SLOT_DECLARATION);
}

static bool opens(const struct die *die)
{
	return die->has_children && (die->tag == DW_TAG_variant_part || die->tag == DW_TAG_variant);
}

bool member_walk_next(struct member_walk *walk, struct die *die)
{
	while (die_read_some(walk->unit, &walk->cursor, walk->slots, die)) {
		if (!die->tag) {
			if (!walk->depth)
				return false;
			if (walk->depth == walk->variant_depth)
				walk->variant_depth = 0;
			walk->depth--;
			continue;
		}
		if (opens(die)) {
			walk->depth++;
			if (die->tag == DW_TAG_variant && !walk->variant_depth) {
				walk->variant_depth = walk->depth;
				walk->has_discriminant =
					die_unsigned(die, SLOT_DISCRIMINANT, &walk->discriminant);
			}
			continue;
		}
		die_skip_children(die, &walk->cursor);
		if ((die->tag == DW_TAG_member && !type_is_static(die)) ||
		    die->tag == DW_TAG_inheritance)
			return true;
	}
	return false;
}

/* Finds the byte offset in the record; false: it is not constant (a virtual base class). */
static bool byte_offset(const struct die *die, int64_t *offset)
{
	const uint8_t *expression;
	size_t size;

	*offset = 0; /* members of unions may omit it */
	if (!die_has(die, SLOT_MEMBER_LOCATION))
		return true;
	if (die_unsigned(die, SLOT_MEMBER_LOCATION, (uint64_t *)offset))
		return true;
	return die_block(die, SLOT_MEMBER_LOCATION, &expression, &size) &&
	       expression_member_offset(die->unit, expression, size, offset);
}

/* Fills in offset and bits of a member. `type_size` is for old bitfields that do not give the size
 * of their storage. False: it has no fixed offset (a virtual base class), or no bits (an unnamed
 * bitfield of width 0). */
static bool member_place(const struct die *die, uint64_t type_size, struct member *member)
{
	uint64_t bit_size = 0, position;

	if (!byte_offset(die, &member->offset))
		return false;
	die_unsigned(die, SLOT_BIT_SIZE, &bit_size);
	if (!bit_size)
		return !die_has(die, SLOT_BIT_SIZE);
	if (bit_size > UINT32_MAX)
		return false;
	if (die_unsigned(die, SLOT_DATA_BIT_OFFSET, &position)) {
		/* DWARF 4: from the beginning of the record */
		position += (uint64_t)member->offset * 8;
	} else {
		/* DWARF 2, section 5.5.4: counted from the most significant bit of the storage
		 * unit, its last bit on a little-endian machine */
		int64_t from_top = 0;
		uint64_t storage = type_size;

		die_unsigned(die, SLOT_BYTE_SIZE, &storage);
		die_signed(die, SLOT_BIT_OFFSET, &from_top);
		position =
			(uint64_t)member->offset * 8 + storage * 8 - (uint64_t)from_top - bit_size;
	}
	member->offset = (int64_t)(position / 8);
	member->bit_offset = (uint32_t)(position % 8);
	member->bit_size = (uint32_t)bit_size;
	return true;
}

/*
 * ---- fingerprints ----
 *
 * A fingerprint tells records and enums of one name apart: it is a hash of the members' names,
 * offsets and the shape of their types, or of the names and values of the constants. Types are
 * followed through pointers, arrays and nameless records. Behind a pointer, the name of a named
 * record or typedef stands for it, so that it looks the same in units that only declare it; in C,
 * members' names and offsets are added if other units define something else by the name. A
 * record or enum of C that is a part of the record is hashed itself, with all of its parts: other
 * units may mean something else by its name. In other languages a name means one thing in all of a
 * program.
 *
 * Hashes of types are kept by DIE, so that the work is linear in the DIEs. Each unit has
 * a table of its own, because most references of its records are to DIEs of the same unit, and a
 * small table is fast.
 */

/* The state of hashing types for the fingerprints of one unit. */
struct hasher {
	struct dwarf_types *types;
	struct hash_map *known; /* hashes of types by reference and `part` */
	unsigned int depth;
};

static uint64_t hash_type(struct hasher *hasher, uint64_t reference, bool part);

static uint64_t hash_name(const struct die *die)
{
	_cleanup_free_ char *plain = dwarf_name_without_modules(die);
	const char *name = plain ?: die_name(die);

	return name ? hash_bytes(name, strlen(name)) : 0;
}

/* Longer names of members, which no compiler writes, are told apart by their begin and length. */
#define MEMBER_NAME_MAX 1024

static uint64_t hash_member_name(const struct die *die)
{
	const char *name = die_name(die);
	size_t length = name ? strlen(name) : 0;

	return name ? hash_bytes(name, length < MEMBER_NAME_MAX ? length : MEMBER_NAME_MAX) + length
		    : 0;
}

static uint64_t hash_constant(const struct die *die, enum attribute_slot slot)
{
	const uint8_t *bytes;
	uint64_t value = 0;
	size_t size;

	if (!die_has(die, slot))
		return 0;
	if (!die_unsigned(die, slot, &value) && die_block(die, slot, &bytes, &size))
		value = size;
	return value + 1;
}

static uint64_t hash_enumerators(const struct die *enumeration)
{
	uint64_t hash = 0;

	children_each (die, enumeration) {
		int64_t value = 0;

		die_value(&die, SLOT_CONST_VALUE, &value);
		hash = hash_combine(hash_combine(hash, hash_name(&die)), (uint64_t)value);
	}
	return hash;
}

#define NAME_AND_PLACE (DIE_SLOT(SLOT_NAME) | DIE_SLOT(SLOT_MEMBER_LOCATION))

#define BITS (DIE_SLOT(SLOT_DATA_BIT_OFFSET) | DIE_SLOT(SLOT_BIT_OFFSET) | DIE_SLOT(SLOT_BIT_SIZE))

/* Adds the bits of a bitfield. */
static uint64_t hash_bits(uint64_t hash, const struct die *die)
{
	hash = hash_combine(hash, hash_constant(die, SLOT_DATA_BIT_OFFSET));
	hash = hash_combine(hash, hash_constant(die, SLOT_BIT_OFFSET));
	return hash_combine(hash, hash_constant(die, SLOT_BIT_SIZE));
}

static uint64_t hash_members(struct hasher *hasher, const struct die *record)
{
	struct member_walk walk;
	bool part = record->unit->language == LANGUAGE_C;
	uint64_t hash = record->tag;
	struct die dies[2]; /* a member, and the next one, whose name is fetched meanwhile */
	unsigned int at = 0;

	member_walk_start(&walk, record, NAME_AND_PLACE | BITS | DIE_SLOT(SLOT_TYPE));
	for (bool more = member_walk_next(&walk, &dies[0]); more; at ^= 1) {
		const struct die *die = &dies[at];

		more = member_walk_next(&walk, &dies[at ^ 1]);
		if (more)
			die_name_ahead(&dies[at ^ 1]);
		hash = hash_combine(hash, hash_member_name(die));
		hash = hash_combine(hash, hash_constant(die, SLOT_MEMBER_LOCATION));
		if (die->present & BITS)
			hash = hash_bits(hash, die);
		hash = hash_combine(hash, hash_type(hasher, die_type_target(die), part));
	}
	return hash;
}

/* Returns what is kept under a key; 0: nothing. */
static uint64_t part_known(struct dwarf_types *types, uint64_t key)
{
	return (uintptr_t)concurrent_map_find(&types->parts, key);
}

/* Keeps a value that is not 0, unless another thread has kept one; returns that which is kept. */
static uint64_t keep_part(struct dwarf_types *types, uint64_t key, uint64_t value)
{
	pthread_mutex_lock(&types->parts_lock);
	uint64_t known = part_known(types, key);

	if (!known)
		concurrent_map_insert(&types->parts, key, (void *)(uintptr_t)(known = value));
	pthread_mutex_unlock(&types->parts_lock);
	return known;
}

/* Returns the hash of a record that is a part of a record of C. Those of one name, size and line
 * have one hash, as the index of names takes them to be of one header, so that the members are read
 * in one unit and not in all. */
static uint64_t hash_part(struct hasher *hasher, const struct die *record, uint64_t name)
{
	struct dwarf_types *types = hasher->types;
	uint64_t size = 0, line = 0;

	die_unsigned(record, SLOT_BYTE_SIZE, &size);
	die_unsigned(record, SLOT_DECLARED_LINE, &line);
	if (!name || !line)
		return hash_members(hasher, record);

	uint64_t key = hash_combine(hash_combine(name, size), line) | 1;
	uint64_t known = part_known(types, key);

	return known ?: keep_part(types, key, hash_members(hasher, record) | 1);
}

/* The most types that are followed from a variable or a name to a record. */
#define CHAIN_MAX 16
/* The most definitions of one name that are compared; more are taken to differ. */
#define MEANINGS_MAX 256

enum { NAMES_AGREE = 1, NAMES_DIFFER };

static bool names_differ(struct dwarf_types *types, const struct die *die, enum name_kind kind);

/* Returns a hash of what a definition means: by its members' names and offsets if it is a record
 * and `whole`, or if its name alone does not tell. */
static uint64_t hash_meaning(struct dwarf_types *types, const struct die *definition, bool whole)
{
	struct die at = *definition, die;
	struct member_walk walk;
	uint64_t hash = 0;

	for (int i = 0; i < CHAIN_MAX; i++) {
		if (at.tag == DW_TAG_pointer_type || at.tag == DW_TAG_array_type)
			hash = hash_combine(hash, at.tag);
		else if (at.tag != DW_TAG_typedef && at.tag != DW_TAG_const_type &&
			 at.tag != DW_TAG_volatile_type)
			break;
		if (!die_at(types->files, die_type_target(&at), &at))
			return hash;
	}
	hash = hash_combine(hash_combine(hash, at.tag), hash_name(&at));
	if (!whole && die_name(&at) && !names_differ(types, &at, NAME_RECORD))
		return hash;
	member_walk_start(&walk, &at, NAME_AND_PLACE);
	while (member_walk_next(&walk, &die))
		hash = hash_combine(hash_combine(hash, hash_member_name(&die)),
				    hash_constant(&die, SLOT_MEMBER_LOCATION));
	return hash;
}

/* Returns whether units of C define different things by the name of a record or typedef. */
static bool names_differ(struct dwarf_types *types, const struct die *die, enum name_kind kind)
{
	const char *name = die_name(die);
	uint64_t key = hash_combine(hash_combine(hash_name(die), UINT64_MAX), kind) | 1;
	uint64_t known = part_known(types, key), reference, first = 0;
	uint32_t position = 0;
	size_t count = 0;
	struct die other;

	if (known || die->unit->language != LANGUAGE_C || dwarf_names_are_separate(types->names))
		return known == NAMES_DIFFER;
	known = NAMES_AGREE;
	while (known == NAMES_AGREE &&
	       (reference = dwarf_names_next(types->names, name, kind, &position))) {
		if (!die_at(types->files, reference, &other) || die_flag(&other, SLOT_DECLARATION))
			continue;
		uint64_t meaning = hash_meaning(types, &other, kind == NAME_RECORD);

		if ((count++ && meaning != first) || count > MEANINGS_MAX)
			known = NAMES_DIFFER;
		first = meaning;
	}
	return keep_part(types, key, known) == NAMES_DIFFER;
}

static uint64_t hash_arguments(struct hasher *hasher, const struct die *function, uint64_t hash)
{
	children_each (die, function)
		if (die.tag == DW_TAG_formal_parameter)
			hash = hash_combine(hash, hash_type(hasher, die_type_target(&die), false));
	return hash;
}

/* Returns the hash of a type: a part of a record of C (`part`), or not, or behind a pointer. */
static uint64_t hash_type_die(struct hasher *hasher, const struct die *die, bool part)
{
	uint64_t hash = hash_name(die);

	switch (die->tag) {
	case DW_TAG_typedef:
	case DW_TAG_template_alias:
		hash = hash_combine(hash, DW_TAG_typedef);
		if (part)
			return hash_combine(hash, hash_type(hasher, die_type_target(die), part));
		return names_differ(hasher->types, die, NAME_TYPEDEF)
			       ? hash_combine(hash, hash_meaning(hasher->types, die, false))
			       : hash;
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		if (hash && !part && !die_flag(die, SLOT_DECLARATION) &&
		    names_differ(hasher->types, die, NAME_RECORD))
			hash = hash_combine(hash, hash_meaning(hasher->types, die, true));
		if (hash && !part)
			return hash_combine(hash, DW_TAG_structure_type);
		return hash_combine(hash, part ? hash_part(hasher, die, hash)
					       : hash_members(hasher, die));
	case DW_TAG_enumeration_type:
		hash = hash_combine(hash, DW_TAG_enumeration_type);
		return part ? hash_combine(hash, hash_enumerators(die)) : hash;
	case DW_TAG_base_type:
	case DW_TAG_unspecified_type:
		return hash_combine(hash_combine(hash, hash_constant(die, SLOT_BYTE_SIZE)),
				    DW_TAG_base_type);
	}
	hash = hash_combine(hash, die->tag);
	part = part && die->tag != DW_TAG_pointer_type && die->tag != DW_TAG_subroutine_type;
	hash = hash_combine(hash, hash_type(hasher, die_type_target(die), part));
	return die->tag == DW_TAG_subroutine_type ? hash_arguments(hasher, die, hash) : hash;
}

static uint64_t hash_type(struct hasher *hasher, uint64_t reference, bool part)
{
	uint64_t key = reference << 1 | part;
	struct die die;

	if (!reference)
		return 1;

	const uint32_t *known = hash_map_find(hasher->known, key);

	if (known)
		return *known;
	if (hasher->depth >= TYPE_NESTING_MAX)
		return 0;
	hasher->depth++;

	uint32_t hash = die_at(hasher->types->files, reference, &die)
				? (uint32_t)hash_type_die(hasher, &die, part)
				: 0;

	hasher->depth--;
	*hash_map_insert(hasher->known, key, NULL) = hash;
	return hash;
}

uint64_t dwarf_fingerprint(struct dwarf_types *types, const struct die *die)
{
	struct unit *unit = die->unit;
	struct hasher hasher = { types, &unit->fingerprints, 0 };
	pthread_mutex_t *lock =
		&types->fingerprint_locks[hash_mix(unit->offset) % FINGERPRINT_LOCKS];

	if (die->tag == DW_TAG_enumeration_type)
		return hash_enumerators(die);
	if (unit->language == LANGUAGE_C)
		dwarf_names_prepare(types->names);
	pthread_mutex_lock(lock);

	uint64_t hash = hash_members(&hasher, die);

	pthread_mutex_unlock(lock);
	return hash;
}

/* ---- raw storage of C++: room for an object that is constructed later ---- */

/* The depth at which bytes in records still count as raw storage: std::aligned_storage<>::type is
 * a typedef of a union of bytes and an empty struct. */
#define DEPTH_MAX 4

static bool is_raw(const struct type *type, unsigned int depth)
{
	size_t count;
	const struct member *members;

	type = type_strip(type);
	if (type->kind == TYPE_ARRAY) {
		const struct type *element = type_strip(type_target(type));

		return element->kind == TYPE_INTEGER && type_size_or(element, 0) == 1;
	}
	if (!type_is_record(type) || (type->flags & TYPE_DECLARATION) || depth > DEPTH_MAX ||
	    type_is_vast(type))
		return false;
	members = type_members(type, &count);
	return !any_of(i, 0, count, members[i].bit_size || !is_raw(members[i].type, depth + 1));
}

/* Finds the only argument of a template's instance, if a type. False: else. */
static bool only_argument(const struct die *record, uint64_t *reference)
{
	bool any = false;

	children_each (die, record) {
		switch (die.tag) {
		case DW_TAG_template_value_parameter:
		case DW_TAG_GNU_template_template_param:
		case DW_TAG_GNU_template_parameter_pack: return false;
		case DW_TAG_template_type_parameter:
			if (any)
				return false;
			*reference = die_type_target(&die);
			any = true;
		}
	}
	return any;
}

/*
 * An instance of a class template that has nothing but bytes, and as many of them as its only type
 * argument, is room for an object of that type: the nodes of libstdc++'s containers
 * (__gnu_cxx::__aligned_membuf<T>, __aligned_buffer<T>) keep their elements in such classes. If
 * `members`, those of `record`, are such bytes, they get the type of the argument. Call it under
 * the table's lock.
 */
static void set_storage_type(struct dwarf_types *types, const struct die *record, uint64_t size,
			     struct member *members, size_t count)
{
	struct member *storage = NULL;
	uint64_t reference;

	if (record->unit->language != LANGUAGE_CXX || record->tag == DW_TAG_union_type)
		return;
	for (size_t i = 0; i < count; i++) {
		if (members[i].bit_size || !is_raw(members[i].type, 0))
			return;
		if (members[i].is_base)
			continue;
		if (storage || members[i].offset)
			return;
		storage = &members[i];
	}
	if (!storage || type_size_or(storage->type, 0) != size ||
	    !only_argument(record, &reference))
		return;
	const struct type *argument = dwarf_type(types, reference);

	if (type_size_or(argument, 0) == size && !is_raw(argument, 0))
		storage->type = argument;
}

/* ---- types ---- */

#define PARAMETERS_MAX 4096

static const struct type *type_load(struct dwarf_types *types, uint64_t reference);

static const struct type *load_target(struct dwarf_types *types, const struct die *die)
{
	return type_load(types, die_type_target(die));
}

uint64_t die_byte_size(const struct die *die, uint64_t otherwise)
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
	key->size = die_byte_size(die, 0);
	switch (encoding) {
	case DW_ATE_boolean: key->flags = TYPE_BOOL; break;
	case DW_ATE_signed_char: key->flags = TYPE_SIGNED | TYPE_CHAR; break;
	case DW_ATE_unsigned_char:
	case DW_ATE_UTF: key->flags = TYPE_CHAR; break;
	case DW_ATE_signed:
	case DW_ATE_signed_fixed: key->flags = TYPE_SIGNED; break;
	case DW_ATE_lo_user: key->flags = TYPE_COMPLEX; break; /* gcc: _Complex int */
	case DW_ATE_complex_float:
		key->kind = TYPE_FLOAT;
		key->flags = TYPE_COMPLEX;
		break;
	case DW_ATE_float:
	case DW_ATE_imaginary_float:
	case DW_ATE_decimal_float: key->kind = TYPE_FLOAT; break;
	}
}

static void key_of_pointer(struct dwarf_types *types, const struct die *die, struct type_key *key)
{
	key->kind = die->tag == DW_TAG_pointer_type ? TYPE_POINTER : TYPE_REFERENCE;
	key->flags = die->tag == DW_TAG_rvalue_reference_type ? TYPE_RVALUE : 0;
	key->size = die_byte_size(die, die->unit->address_size);
	if (!key->size) /* by an old BOLT */
		key->size = die->unit->address_size;
	key->name = NULL; /* Rust names its references, but their targets identify them */
	key->target = load_target(types, die);
}

static void key_of_qualified(struct dwarf_types *types, const struct die *die, char qualifier,
			     struct type_key *key)
{
	key->kind = TYPE_QUALIFIED;
	key->qualifier = (uint8_t)qualifier;
	key->name = NULL;
	key->target = load_target(types, die);
	key->size = type_size_or(key->target, 0);
}

static void key_of_typedef(struct dwarf_types *types, const struct die *die, struct type_key *key)
{
	key->kind = TYPE_TYPEDEF;
	die_unsigned(die, SLOT_ALIGNMENT, &key->alignment);
	key->target = load_target(types, die);
	key->size = type_size_or(key->target, 0);
}

/* A text of Fortran is an array of characters that has a name: its members are accessed one by one.
 */
static void key_of_text(struct dwarf_types *types, const struct die *die, struct type_key *key)
{
	uint64_t size = die_byte_size(die, 0);
	const struct type *character =
		type_table_intern(types->table, &(struct type_key){ .kind = TYPE_INTEGER,
								    .flags = TYPE_CHAR,
								    .size = 1,
								    .name = "character(kind=1)",
								    .source = key->source });

	key->kind = TYPE_TYPEDEF;
	key->size = size;
	key->target = type_table_intern(types->table,
					&(struct type_key){ .kind = TYPE_ARRAY,
							    .flags = size ? 0 : TYPE_DYNAMIC,
							    .size = size,
							    .target = character,
							    .array_count = size,
							    .source = key->source });
}

static void key_of_function(struct dwarf_types *types, const struct die *function,
			    struct type_key *key, struct type_key_parts *parts)
{
	size_t capacity = 0;

	/* a function value of Go is a pointer to a closure, and its type has a size and a name */
	key->kind = TYPE_FUNCTION;
	key->size = die_byte_size(function, 0);
	key->name = key->size ? die_name(function) : NULL;
	key->target = load_target(types, function);
	key->flags |= die_has_own_convention(function) ? TYPE_OWN_CALL : 0;
	children_each (die, function) {
		if (die.tag == DW_TAG_unspecified_parameters)
			key->flags |= TYPE_VARIADIC;
		if (die.tag != DW_TAG_formal_parameter || key->parameter_count >= PARAMETERS_MAX)
			continue;
		array_add(parts->parameters, key->parameter_count, capacity) = (struct parameter){
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
	key->size = die_byte_size(die, underlying ? type_size_or(underlying, 0) : 0);
	key->flags |= underlying && type_strip(underlying)->flags & TYPE_SIGNED ? TYPE_SIGNED : 0;
	if (!die_flag(die, SLOT_DECLARATION))
		key->fingerprint = dwarf_fingerprint(types, die);
}

/* Returns the alignment that the declaration of a record of `size` bytes asks for; 0: none. Crystal
 * gives each record its size, of which its members are no multiples and which may be no power of
 * two: such an alignment says nothing. */
static uint64_t record_alignment(const struct die *die, uint64_t size)
{
	uint64_t alignment = 0;

	die_unsigned(die, SLOT_ALIGNMENT, &alignment);
	return has_one_bit(alignment) && !(size % alignment) ? alignment : 0;
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
	/* the size is an expression, or is left out */
	if (!die_unsigned(die, SLOT_BYTE_SIZE, &key->size) && !die_has(die, SLOT_BIT_SIZE))
		key->flags |= TYPE_DYNAMIC;
	key->size = die_byte_size(die, 0);
	key->alignment = record_alignment(die, key->size);
	key->fingerprint = types->prepared.die == die_reference(die)
				   ? types->prepared.fingerprint
				   : dwarf_fingerprint(types, die);
	if (!key->name)
		key->line = (uint32_t)hash_constant(die, SLOT_DECLARED_LINE);
	/* C++: each unit has its own anonymous namespaces */
	else if (die->unit->name && strstr(key->name, ANONYMOUS_NAMESPACE))
		key->fingerprint = hash_combine(
			key->fingerprint, hash_bytes(die->unit->name, strlen(die->unit->name)));
}

static void key_of_member_pointer(struct dwarf_types *types, const struct die *die,
				  struct type_key *key)
{
	key->kind = TYPE_MEMBER_POINTER;
	key->target = load_target(types, die);
	/* Itanium C++ ABI, section 2.3: an offset, or a function and an adjustment */
	key->size = die_byte_size(die, type_strip(key->target)->kind == TYPE_FUNCTION ? 16 : 8);
}

static bool is_scoped(const struct die *die)
{
	return die->unit->language == LANGUAGE_CXX || die->unit->language == LANGUAGE_RUST ||
	       die->unit->language == LANGUAGE_CRYSTAL;
}

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
		key->size = die_byte_size(die, type_size_or(load_target(types, die), 0));
		return true;
	case DW_TAG_string_type: key_of_text(types, die, key); return true;
	case DW_TAG_unspecified_type:
	case DW_TAG_set_type:
	case DW_TAG_file_type:
		key->kind = TYPE_UNSPECIFIED;
		key->size = die_byte_size(die, 0);
		return true;
	}
	return false;
}

/* The definition of a declared name, kept so that it is not looked for in each unit again. */
struct definition {
	const char *name;
	bool is_enum;
	uint64_t die; /* 0: none */
};

/* Returns the definition that a declaration stands for, or 0. Call it under the lock. */
static uint64_t find_definition(struct dwarf_types *types, const struct die *die, const char *name)
{
	bool is_enum = die->tag == DW_TAG_enumeration_type;

	if (!name || (is_enum && die_has(die, SLOT_BYTE_SIZE)))
		return 0; /* an enum with a size needs no definition */

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

/* Appends the name of a type that languages other than C write without one. False: it has none. */
static bool add_name_of_kind(struct dwarf_types *types, const struct die *die, struct strbuf *name)
{
	const char *kind = die->tag == DW_TAG_set_type ? "set" : "file";

	switch (die->tag) {
	case DW_TAG_string_type: /* Fortran */
		if (die_has(die, SLOT_BYTE_SIZE))
			strbuf_add_format(name, "character(len=%" PRIu64 ")",
					  die_byte_size(die, 0));
		else
			strbuf_add_string(name, "character(len=:)");
		return true;
	case DW_TAG_subrange_type: /* Pascal's 1 .. 9 is a type; it has its numbers' name */
		if (die_has(die, SLOT_TYPE))
			type_name(load_target(types, die), name);
		return die_has(die, SLOT_TYPE);
	case DW_TAG_set_type: /* Pascal, Modula-2 */
	case DW_TAG_file_type:
		strbuf_add_string(name, kind);
		if (die_has(die, SLOT_TYPE)) {
			strbuf_add_string(name, " of ");
			type_name(load_target(types, die), name);
		}
		return true;
	}
	return false;
}

/* Returns the DIE that a record of C is read from, the same whichever unit asks first: of those
 * that mean the same, the first one of the index of names. What the record's pointers lead to may
 * have other definitions in other units, which its fingerprint does not see. */
static uint64_t read_from(struct dwarf_types *types, const struct die *die,
			  const struct type_key *key)
{
	uint32_t position = 0;
	uint64_t reference;
	struct die other;

	if (!key->name || die->unit->language != LANGUAGE_C || die_flag(die, SLOT_DECLARATION) ||
	    (key->kind != TYPE_STRUCT && key->kind != TYPE_UNION) ||
	    dwarf_names_are_separate(types->names))
		return key->source;
	while ((reference = dwarf_names_next(types->names, die_name(die), NAME_RECORD, &position)))
		if (reference == key->source ||
		    (die_at(types->files, reference, &other) &&
		     !die_flag(&other, SLOT_DECLARATION) && die_byte_size(&other, 0) == key->size &&
		     dwarf_fingerprint(types, &other) == key->fingerprint))
			return reference;
	return key->source;
}

static const struct type *load_die(struct dwarf_types *types, const struct die *die)
{
	_cleanup_strbuf_ struct strbuf name = STRBUF_INIT;
	struct type_key_parts parts = { .parameters = NULL };
	struct type_key key = { .source = die_reference(die) };

	/* a type unit's skeleton, or a use of its type */
	if (die_has(die, SLOT_SIGNATURE) && die_target(die, SLOT_SIGNATURE))
		return type_load(types, die_target(die, SLOT_SIGNATURE));
	if (dwarf_qualified_name(types, die, &name) || add_name_of_kind(types, die, &name))
		key.name = name.data;
	if (die_flag(die, SLOT_DECLARATION)) {
		uint64_t definition = find_definition(types, die, key.name);

		if (definition)
			return type_load(types, definition);
	}
	if (die->tag == DW_TAG_array_type)
		return dwarf_array_type(types, die, load_target(types, die));
	if (!fill_key(types, die, &key, &parts))
		return types->table->unknown_type;

	if (!type_table_has(types->table, &key))
		key.source = read_from(types, die, &key);
	const struct type *type = type_table_intern(types->table, &key);

	free(parts.parameters);
	return type;
}

/* Loads a type under the table's lock. Every DIE is loaded once, and a DIE that needs itself finds
 * the unknown type. So the work is linear in the number of references. */
static const struct type *type_load(struct dwarf_types *types, uint64_t reference)
{
	const struct type *type;
	struct die die;

	if (!reference)
		return types->table->void_type;
	type = concurrent_map_find(&types->by_die, reference);
	if (type)
		return type;
	if (types->loading_count >= TYPE_NESTING_MAX ||
	    (any_of(i, 0, types->loading_count, types->loading[i] == reference)))
		return types->table->unknown_type;
	types->loading[types->loading_count++] = reference;
	type = die_at(types->files, reference, &die) ? load_die(types, &die)
						     : types->table->unknown_type;
	types->loading_count--;
	concurrent_map_insert(&types->by_die, reference, (void *)type);
	return type;
}

static void prepare_record(struct dwarf_types *types, const struct die *die,
			   struct prepared_type *prepared)
{
	if (die_has(die, SLOT_SIGNATURE))
		return;
	if (!die_flag(die, SLOT_DECLARATION))
		*prepared =
			(struct prepared_type){ die_reference(die), dwarf_fingerprint(types, die) };
	else if (die_name(die))
		dwarf_names_prepare(types->names);
}

/* Prepares an unknown type: the slow work, without the lock for which others wait. */
static void prepare_type(struct dwarf_types *types, uint64_t reference,
			 struct prepared_type *prepared)
{
	struct die die;

	*prepared = (struct prepared_type){ 0 };
	for (int i = 0; i < CHAIN_MAX; i++) {
		if (!reference || concurrent_map_find(&types->by_die, reference) ||
		    !die_at(types->files, reference, &die))
			return;
		switch (die.tag) {
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type: prepare_record(types, &die, prepared); return;
		case DW_TAG_pointer_type:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_typedef:
		case DW_TAG_array_type: reference = die_type_target(&die); break;
		default: return;
		}
	}
}

const struct type *dwarf_type(struct dwarf_types *types, uint64_t reference)
{
	if (!reference)
		return types->table->void_type;

	const struct type *type = concurrent_map_find(&types->by_die, reference);

	if (!type) {
		struct prepared_type prepared;

		prepare_type(types, reference, &prepared);
		type_table_lock(types->table);
		types->prepared = prepared;
		type = type_load(types, reference);
		type_table_unlock(types->table);
	}
	return type;
}

const struct type *dwarf_type_of(struct dwarf_types *types, const struct die *die)
{
	struct die other;
	const struct die *owner = die_integrate(types->files, die, SLOT_TYPE, &other);
	uint64_t reference = owner ? die_type_target(owner) : 0;

	return dwarf_type(types, reference ?: REFERENCE_BROKEN);
}

/* See struct type_loader. */
static void prepare_members(void *data, const struct type *type)
{
	struct dwarf_types *types = data;
	struct member_walk walk;
	struct die record, die;

	if (!die_at(types->files, type->source, &record))
		return;
	member_walk_start(&walk, &record, DIE_SLOT(SLOT_TYPE));
	while (member_walk_next(&walk, &die))
		dwarf_type(types, die_type_target(&die));
}

/* Names of members and constants up to this length may be as many as there are. */
#define SHORT_NAME 1024
/* The longer ones of a file have at most this many bytes, beside those of twice its strings. Only
 * many members with the same one reach this. */
#define LONG_NAMES_MIN ((uint64_t)4 << 20)

/* Returns the name, kept with the types, or NULL if the file has had its share of long names. */
static const char *keep_name(struct dwarf_types *types, struct dwarf_file *file, const char *name)
{
	size_t length = strnlen(name, SHORT_NAME + 1);

	if (length > SHORT_NAME) {
		length = strlen(name);
		if (__atomic_add_fetch(&file->long_names, length, __ATOMIC_RELAXED) >
		    LONG_NAMES_MIN + 2 * (uint64_t)file->sections.section[SECTION_STR].size)
			return NULL;
	}
	return string_pool_intern(&types->table->names, name);
}

/* See struct type_loader. */
static void type_load_members(void *data, const struct type *type, struct type_members *members)
{
	struct dwarf_types *types = data;
	_cleanup_free_ struct member *items = NULL;
	_cleanup_free_ const struct type **bases = NULL;
	size_t count = 0, capacity = 0, base_capacity = 0;
	struct member_walk walk;
	struct die record, die;

	if (!die_at(types->files, type->source, &record))
		return;
	const bool cases = dwarf_has_cases(&record);

	member_walk_start(&walk, &record, UINT64_MAX);
	while (member_walk_next(&walk, &die)) {
		const char *name = die_name(&die);
		struct member member = {
			.type = load_target(types, &die),
			.name = name && *name && die.tag == DW_TAG_member
					? keep_name(types, die.unit->file, name)
					: NULL,
			.is_base = die.tag == DW_TAG_inheritance,
			.is_artificial = die_flag(&die, SLOT_ARTIFICIAL) ||
					 (name && starts_with(name, "_vptr")),
			.is_variant = !cases && member_walk_in_variant(&walk),
		};

		if (member.is_variant && walk.has_discriminant) {
			member.has_discriminant = true;
			member.discriminant = walk.discriminant;
		}

		die_unsigned(&die, SLOT_ALIGNMENT, &member.alignment);
		if (!member_place(&die, type_size_or(member.type, 0), &member)) {
			if (die.tag != DW_TAG_inheritance)
				continue;
			array_add(bases, members->virtual_base_count, base_capacity) = member.type;
			continue;
		}
		array_add(items, count, capacity) = member;
	}
	if (cases)
		dwarf_fold_cases(types, &record, type_size_or(type, 0), items, &count);
	/* a record looks into those in it, and damaged ones may contain each other without end */
	if (types->storage_depth < TYPE_NESTING_MAX) {
		types->storage_depth++;
		set_storage_type(types, &record, type_size_or(type, 0), items, count);
		types->storage_depth--;
	}
	members->count = count;
	members->items = arena_copy(&types->table->arena, items, count * sizeof(*items));
	members->virtual_bases = arena_copy(&types->table->arena, bases,
					    members->virtual_base_count * sizeof(*bases));
}

/* True for a destructor, or a constructor that copies or moves, that the program defines. */
static bool copies_by_code(struct dwarf_types *types, const struct type *class,
			   const struct die *class_die, const struct die *method)
{
	const char *name = die_name(method), *own = die_name(class_die);
	size_t length = own ? strcspn(own, "<") : 0;
	uint64_t defaulted = DW_DEFAULTED_no;
	unsigned int declared = 0;
	bool copies = false;

	die_unsigned(method, SLOT_DEFAULTED, &defaulted);
	if (!name || !length || die_flag(method, SLOT_ARTIFICIAL) ||
	    defaulted == DW_DEFAULTED_in_class)
		return false;
	if (*name == '~')
		return true;
	/* a template is never a copy constructor; it is known by the arguments in its name */
	if (strncmp(name, own, length) != 0 || name[length])
		return false;
	children_each (die, method) {
		if (die.tag != DW_TAG_formal_parameter || die_flag(&die, SLOT_ARTIFICIAL))
			continue;
		const struct type *type = type_strip(dwarf_type_of(types, &die));

		copies = !declared++ && type->kind == TYPE_REFERENCE &&
			 type_strip(type_target(type)) == class;
	}
	return copies && declared == 1;
}

/* See struct type_loader. clang says how a class is passed; gcc does not. */
static enum type_passing passing(void *data, const struct type *type)
{
	struct dwarf_types *types = data;
	struct die record;
	uint64_t convention;

	if (!die_at(types->files, type->source, &record) || record.unit->language != LANGUAGE_CXX ||
	    die_flag(&record, SLOT_DECLARATION))
		return PASSING_BY_VALUE;
	if (die_unsigned(&record, SLOT_CALLING_CONVENTION, &convention))
		return convention == DW_CC_pass_by_reference ? PASSING_BY_ADDRESS
							     : PASSING_BY_VALUE;

	children_each (die, &record)
		if (die.tag == DW_TAG_subprogram && copies_by_code(types, type, &record, &die))
			return PASSING_BY_ADDRESS;
	return PASSING_AS_MEMBERS;
}

static void type_load_enumerators(void *data, const struct type *type,
				  struct type_enumerators *enumerators)
{
	struct dwarf_types *types = data;
	_cleanup_free_ struct enumerator *items = NULL;
	struct die enumeration;
	size_t count = 0, capacity = 0;

	if (!die_at(types->files, type->source, &enumeration))
		return;

	children_each (die, &enumeration) {
		int64_t value;

		if (die.tag != DW_TAG_enumerator || !die_name(&die) ||
		    !die_value(&die, SLOT_CONST_VALUE, &value))
			continue;
		array_reserve(items, count, capacity);
		const char *name = keep_name(types, die.unit->file, die_name(&die));

		if (name)
			items[count++] = (struct enumerator){ name, value };
	}
	if (count)
		enumerators->items =
			arena_copy(&types->table->arena, items, count * sizeof(*items));
	enumerators->count = count;
}

static const struct type_loader loader = { .prepare_members = prepare_members,
					   .load_members = type_load_members,
					   .load_enumerators = type_load_enumerators,
					   .passing = passing };

void dwarf_types_init(struct dwarf_types *types, struct dwarf_files *files,
		      struct dwarf_names *names)
{
	*types = (struct dwarf_types){ .files = files, .names = names };
	types->table = type_table_create(&loader, types);
	pthread_mutex_init(&types->parts_lock, NULL);
	for (size_t i = 0; i < FINGERPRINT_LOCKS; i++)
		pthread_mutex_init(&types->fingerprint_locks[i], NULL);
}

void dwarf_types_deinit(struct dwarf_types *types)
{
	concurrent_map_deinit(&types->by_die);
	concurrent_map_deinit(&types->definitions);
	concurrent_map_deinit(&types->parts);
	pthread_mutex_destroy(&types->parts_lock);
	type_table_destroy(types->table);
	for (size_t i = 0; i < FINGERPRINT_LOCKS; i++)
		pthread_mutex_destroy(&types->fingerprint_locks[i]);
}
