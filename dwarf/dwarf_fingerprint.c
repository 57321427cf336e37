// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What tells records of one name apart: a hash of their members' names, offsets and the look of their types.
 * A member's type is looked at a few levels deep only, through pointers, arrays and nameless records; where a
 * named record or a typedef is met its name stands for it, so that one that is only declared in some units
 * looks the same there.
 *
 * Hashes of types are kept by DIE and level, so that the work is linear in the DIEs: in each unit its own,
 * because what a unit's record refers to is mostly in the unit, and a small table is a fast one.
 */
#include <dwarf.h>
#include <string.h>

#include "dwarf/dwarf_member.h"
#include "dwarf/dwarf_type.h"

#define LEVELS 4 /* fits in two bits */

/* The unit that is begun from. */
struct home {
	struct dwarf_files *files;
	struct hash_map *known; /* hashes of types: reference and level */
};

static uint64_t look(const struct home *home, uint64_t reference, unsigned int level);

static uint64_t hash_name(const struct die *die)
{
	const char *name = die_name(die);

	return name ? hash_bytes(name, strlen(name)) : 0;
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
	struct cursor cursor = die_children(enumeration);
	uint64_t hash = 0;
	struct die die;

	while (enumeration->has_children && die_read(enumeration->unit, &cursor, &die) && die.tag) {
		hash = hash_combine(hash, hash_name(&die));
		die_skip_children(&die, &cursor);
	}
	return hash;
}

#define BITS                                                                                                 \
	(UINT64_C(1) << SLOT_DATA_BIT_OFFSET | UINT64_C(1) << SLOT_BIT_OFFSET | UINT64_C(1) << SLOT_BIT_SIZE)

/* Of few members. */
static uint64_t hash_bits(uint64_t hash, const struct die *die)
{
	hash = hash_combine(hash, hash_constant(die, SLOT_DATA_BIT_OFFSET));
	hash = hash_combine(hash, hash_constant(die, SLOT_BIT_OFFSET));
	return hash_combine(hash, hash_constant(die, SLOT_BIT_SIZE));
}

static uint64_t hash_members(const struct home *home, const struct die *record, unsigned int level)
{
	struct member_walk walk;
	uint64_t hash = record->tag;
	struct die die;

	member_walk_start(&walk, record);
	while (member_walk_next(&walk, &die)) {
		hash = hash_combine(hash, hash_name(&die));
		hash = hash_combine(hash, hash_constant(&die, SLOT_MEMBER_LOCATION));
		if (die.present & BITS)
			hash = hash_bits(hash, &die);
		hash = hash_combine(hash, look(home, die_type_target(&die), level));
	}
	return hash;
}

static uint64_t look_at(const struct home *home, const struct die *die, unsigned int level)
{
	uint64_t hash = hash_name(die);

	switch (die->tag) {
	case DW_TAG_typedef:
	case DW_TAG_template_alias: return hash_combine(hash, DW_TAG_typedef);
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		if (hash || !level)
			return hash_combine(hash, DW_TAG_structure_type);
		return hash_members(home, die, level - 1);
	case DW_TAG_enumeration_type: return hash_combine(hash, DW_TAG_enumeration_type);
	case DW_TAG_base_type:
	case DW_TAG_unspecified_type:
		return hash_combine(hash_combine(hash, hash_constant(die, SLOT_BYTE_SIZE)), DW_TAG_base_type);
	}
	hash = hash_combine(hash, die->tag);
	if (level)
		hash = hash_combine(hash, look(home, die_type_target(die), level - 1));
	return hash;
}

static uint64_t look(const struct home *home, uint64_t reference, unsigned int level)
{
	uint64_t key = reference << 2 | level;
	bool created;
	struct die die;

	if (!reference)
		return 1;

	const uint32_t *known = hash_map_find(home->known, key);

	if (known)
		return *known;

	uint32_t hash = die_at(home->files, reference, &die) ? (uint32_t)look_at(home, &die, level) : 0;

	*hash_map_insert(home->known, key, &created) = hash;
	return hash;
}

uint64_t dwarf_fingerprint(struct dwarf_types *types, const struct die *die)
{
	struct unit *unit = die->unit;
	struct home home = { types->files, &unit->fingerprints };
	pthread_mutex_t *lock = &types->fingerprint_locks[hash_mix(unit->offset) % FINGERPRINT_LOCKS];

	if (die->tag == DW_TAG_enumeration_type)
		return hash_enumerators(die);
	pthread_mutex_lock(lock);

	uint64_t hash = hash_members(&home, die, LEVELS - 1);

	pthread_mutex_unlock(lock);
	return hash;
}
