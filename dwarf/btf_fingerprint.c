/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What tells records of one name apart, as dwarf_fingerprint.c does it: pahole merges equal types, but a
 * module's BTF may have another copy of what is in the kernel's, and two copies of a record are left in the
 * kernel's own where units saw different declarations of what it points to.
 */
#include <linux/btf.h>
#include <string.h>

#include "dwarf/btf_kind.h"
#include "dwarf/btf_type.h"

#define LEVELS 4 /* fits in two bits */

static uint64_t look(struct btf_types *types, uint32_t id, unsigned int level);

static uint64_t hash_name(const char *name)
{
	return name ? hash_bytes(name, strlen(name)) : 0;
}

static uint64_t hash_members(struct btf_types *types, struct btf_record record, unsigned int level)
{
	uint64_t hash = record.kind;
	const struct btf_file *file = record.file;
	struct btf_item member;

	while (btf_record_next(&record, &member)) {
		btf_member_bits(file, &member);
		hash = hash_combine(hash, hash_name(member.name));
		hash = hash_combine(hash, member.bit_offset);
		hash = hash_combine(hash, member.bit_size);
		hash = hash_combine(hash, look(types, member.type, level));
	}
	return hash;
}

static uint64_t look_at(struct btf_types *types, struct btf_record *record, unsigned int level)
{
	uint64_t hash = hash_name(record->name);
	uint32_t target = record->type;

	switch (record->kind) {
	case BTF_KIND_TYPEDEF: return hash_combine(hash, BTF_KIND_TYPEDEF);
	case BTF_KIND_FWD: return hash_combine(hash, BTF_KIND_STRUCT);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		if (hash || !level)
			return hash_combine(hash, BTF_KIND_STRUCT);
		return hash_members(types, *record, level - 1);
	case BTF_KIND_ENUM:
	case KIND_ENUM64: return hash_combine(hash, BTF_KIND_ENUM);
	case BTF_KIND_INT:
	case KIND_FLOAT: return hash_combine(hash_combine(hash, record->size), BTF_KIND_INT);
	case KIND_TYPE_TAG: hash = 0; break;
	case BTF_KIND_ARRAY: target = btf_record_array(record).element; break;
	}
	hash = hash_combine(hash, record->kind);
	if (level)
		hash = hash_combine(hash, look(types, target, level - 1));
	return hash;
}

static uint64_t look(struct btf_types *types, uint32_t id, unsigned int level)
{
	uint64_t key = (uint64_t)id << 2 | level;
	struct btf_record record;
	bool created;

	if (!id)
		return 1;

	uint32_t *known = hash_map_find(&types->fingerprints, key);

	if (known)
		return *known;

	uint32_t hash =
		btf_record_at(types->btf->file, id, &record) ? (uint32_t)look_at(types, &record, level) : 0;

	*hash_map_insert(&types->fingerprints, key, &created) = hash;
	return hash;
}

uint64_t btf_fingerprint(struct btf_types *types, const struct btf_record *record)
{
	struct btf_record copy = *record;
	struct btf_item enumerator;
	uint64_t hash = 0;

	if (record->kind == BTF_KIND_STRUCT || record->kind == BTF_KIND_UNION)
		return hash_members(types, copy, LEVELS - 1);
	while (btf_record_next(&copy, &enumerator))
		hash = hash_combine(hash, hash_name(enumerator.name));
	return hash;
}
