// SPDX-License-Identifier: GPL-2.0-or-later
/* What was asked of places in types last: see place_memo.h. */
#include "annotate/place_memo.h"

#include <stdlib.h>

#include "profiler/base/hash.h"
#include "profiler/base/memory.h"

/* Two places of the same number take turns: with so many entries, four of five are found again. */
#define ENTRY_BITS 9

/* What is known of a place. */
enum { KNOWN_PLACE = 1, KNOWN_BUFFER = 2, KNOWN_SCALAR = 4 };

struct entry {
	const struct type *type; /* NULL: an empty entry */
	int64_t offset;
	uint64_t size;
	uint32_t stride;
	uint8_t known; /* which of what follows */
	uint8_t reason;
	bool in_buffer;
	struct place place;
	const struct type *scalar;
};

struct place_memo {
	struct entry entries[1 << ENTRY_BITS];
};

struct place_memo *place_memo_create(void)
{
	return xcalloc(1, sizeof(struct place_memo));
}

void place_memo_destroy(struct place_memo *memo)
{
	free(memo);
}

static struct entry *recall(struct place_memo *memo, const struct type *type, int64_t offset, uint32_t stride,
			    uint64_t size)
{
	uint64_t number = (uint64_t)(uintptr_t)type ^ (uint64_t)offset << 40 ^ size << 32 ^ stride;
	struct entry *entry = &memo->entries[hash_mix(number) >> (64 - ENTRY_BITS)];

	if (entry->type != type || entry->offset != offset || entry->size != size || entry->stride != stride)
		*entry = (struct entry){ .type = type, .offset = offset, .size = size, .stride = stride };
	return entry;
}

enum access_reason place_memo_find(struct place_memo *memo, const struct type *type, int64_t offset,
				   uint32_t stride, uint64_t size, struct place *place)
{
	struct entry *entry = recall(memo, type, offset, stride, size);

	if (!(entry->known & KNOWN_PLACE)) {
		entry->reason = (uint8_t)place_find(type, offset, stride, size, &entry->place);
		entry->known |= KNOWN_PLACE;
	}
	*place = entry->place;
	return entry->reason;
}

bool place_memo_in_buffer(struct place_memo *memo, const struct type *type, int64_t offset, uint64_t size)
{
	struct entry *entry = recall(memo, type, offset, 0, size);

	if (!(entry->known & KNOWN_BUFFER)) {
		entry->in_buffer = place_in_buffer(type, offset, size);
		entry->known |= KNOWN_BUFFER;
	}
	return entry->in_buffer;
}

const struct type *place_memo_scalar(struct place_memo *memo, const struct type *type, int64_t offset,
				     uint64_t size)
{
	struct entry *entry = recall(memo, type, offset, 0, size);

	if (!(entry->known & KNOWN_SCALAR)) {
		entry->scalar = place_scalar(type, offset, size);
		entry->known |= KNOWN_SCALAR;
	}
	return entry->scalar;
}
