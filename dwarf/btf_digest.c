/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A digest has, of each type of the base that the module refers to, no more than kind, name and size:
 * integers, floats, enums without enumerators, and records without members. A record that the module only
 * points to is a FWD, or has the size 0; one that is part of one of its own must have the size that it was
 * built with.
 */
#include "dwarf/btf_digest.h"

#include <linux/btf.h>
#include <string.h>

#include "dwarf/btf_kind.h"
#include "profiler/base/hash.h"

#define MAXIMUM_NAMESAKES 16

struct resolver {
	const struct btf_file *digest;
	uint32_t *ids;         /* by digest id; 0: not met yet */
	uint32_t *next;        /* by digest id: another one of the same hash */
	uint8_t *length;       /* by digest id: of the list that it is the first of */
	struct hash_map heads; /* hash of a name -> digest id */
};

/* Kinds that may stand for one another are one. */
static unsigned int family(const struct btf_record *record)
{
	switch (record->kind) {
	case BTF_KIND_FWD: return record->kind_flag ? BTF_KIND_UNION : BTF_KIND_STRUCT;
	case KIND_ENUM64: return BTF_KIND_ENUM;
	default: return record->kind;
	}
}

static bool same_integer(struct btf_record wanted, struct btf_record found)
{
	struct btf_integer a = btf_record_integer(&wanted), b = btf_record_integer(&found);

	return wanted.size == found.size && a.encoding == b.encoding && a.bits == b.bits &&
	       a.bit_offset == b.bit_offset;
}

static bool stands_for(const struct btf_record *wanted, const struct btf_record *found)
{
	if (family(wanted) != family(found) || strcmp(wanted->name, found->name) != 0)
		return false;
	if (wanted->kind == BTF_KIND_INT)
		return same_integer(*wanted, *found);
	/* a declaration in the base is no better than nothing: it has no size, either */
	if (found->kind == BTF_KIND_FWD)
		return false;
	return wanted->kind == BTF_KIND_FWD || !wanted->size || wanted->size == found->size;
}

static void add_names(struct resolver *resolver, uint32_t end)
{
	struct btf_record record;
	bool created;

	for (uint32_t id = 1; id < end; id++) {
		if (!btf_record_at(resolver->digest, id, &record) || !record.name) {
			resolver->ids[id] = BTF_NOWHERE;
			continue;
		}

		uint32_t *head = hash_map_insert(&resolver->heads,
						 hash_bytes(record.name, strlen(record.name)), &created);

		resolver->length[id] = *head ? resolver->length[*head] + 1 : 1;
		if (resolver->length[id] > MAXIMUM_NAMESAKES) {
			resolver->ids[id] = BTF_NOWHERE; /* no digest is so: do not work for it */
			continue;
		}
		resolver->next[id] = *head;
		*head = id;
	}
}

static void meet(struct resolver *resolver, uint32_t id, const struct btf_record *found)
{
	const uint32_t *head =
		found->name ? hash_map_find(&resolver->heads, hash_bytes(found->name, strlen(found->name)))
			    : NULL;
	struct btf_record wanted;

	for (uint32_t at = head ? *head : 0; at; at = resolver->next[at]) {
		if (btf_record_at(resolver->digest, at, &wanted) && stands_for(&wanted, found))
			resolver->ids[at] = resolver->ids[at] ? BTF_NOWHERE : id;
	}
}

uint32_t *btf_digest_resolve(const struct btf_file *digest, const struct btf_file *base)
{
	uint32_t end = btf_file_end(digest);
	struct resolver resolver = {
		.digest = digest,
		.ids = xcalloc(end, sizeof(*resolver.ids)),
		.next = xcalloc(end, sizeof(*resolver.next)),
		.length = xcalloc(end, sizeof(*resolver.length)),
	};
	struct btf_record record;

	add_names(&resolver, end);
	for (uint32_t id = 1; id < btf_file_end(base); id++) {
		if (btf_record_at(base, id, &record))
			meet(&resolver, id, &record);
	}
	for (uint32_t id = 1; id < end; id++) {
		if (!resolver.ids[id])
			resolver.ids[id] = BTF_NOWHERE;
	}
	hash_map_release(&resolver.heads);
	free(resolver.next);
	free(resolver.length);
	return resolver.ids;
}
