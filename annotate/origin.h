/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where unknown values come from, and what their later use says that they were.
 *
 * Each place of a function that makes a value of which nothing is known (a load, a call's result, a join) is
 * an origin. The value keeps its origin through copies, spills and additions, so when one of the copies is
 * used as a `struct foo *` (passed as one, stored as one, named by a variable), the origin is known to have
 * been one. Uses are gathered in one pass over the solved function; an origin whose uses agree is inferred,
 * and the function is solved again with it.
 */
#ifndef DTPROF_ANNOTATE_ORIGIN_H
#define DTPROF_ANNOTATE_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>

#include "annotate/value.h"
#include "disasm/insn.h"
#include "profiler/base/hash.h"

struct origin {
	uint64_t key;
	struct value inferred; /* POINTER; BOTTOM: nothing (yet) */
	struct value use;      /* gathered: what it is used as; BOTTOM: nothing */
	bool refused;          /* uses disagree */
	/* of links (link.h): gathered: accessed beyond its end; it comes to be a value that is; concluded */
	bool reached_beyond, leads_beyond, reaches_beyond;
	bool all; /* link.c's, while it draws conclusions */
	/* a pointer that was loaded: from where in what; NULL: it was not */
	const struct type *object;
	int64_t offset;
};

/* Value `input` reaches the join `phi`. */
struct origin_flow {
	uint32_t phi;
	struct value input;
};

/* `size` bytes are read `offset` bytes behind what the origin gives. */
struct origin_read {
	uint32_t origin;
	uint32_t size;
	int64_t offset;
};

struct origins {
	struct hash_map index;             /* key -> id, of what the tables do not have */
	uint32_t *insns;                   /* by instruction: the first id that it was given, or 0 */
	uint32_t *joins;                   /* by block and general register, or 0 */
	uint32_t entry[REG_GENERAL_COUNT]; /* by general register, or 0 */
	size_t insn_capacity;
	size_t join_capacity;
	uint32_t block_count;
	struct origin *items; /* by id; 0 is nobody's */
	uint32_t count;
	uint32_t capacity;
	struct origin_flow *flows;
	uint32_t flow_count;
	uint32_t flow_capacity;
	struct origin_read *reads;
	uint32_t read_count;
	uint32_t read_capacity;
};

/* Keys: the value `value` (index in a state) that instruction, block entry or function entry gives; a slot at
 * a block entry. */
static inline uint64_t origin_key_insn(uint32_t insn, unsigned int value)
{
	return UINT64_C(1) << 62 | (uint64_t)insn << 8 | value;
}

static inline uint64_t origin_key_join(uint32_t block, unsigned int value)
{
	return UINT64_C(2) << 62 | (uint64_t)block << 8 | value;
}

static inline uint64_t origin_key_slot(uint32_t block, uint8_t frame, int64_t offset)
{
	return UINT64_C(3) << 62 | (uint64_t)(block & 0xffffff) << 36 | (uint64_t)(frame & 0xf) << 32 |
	       (uint32_t)offset;
}

static inline uint64_t origin_key_entry(unsigned int value)
{
	return value + 1;
}

/* What pointers of one type that met in the join of this key lead back to. The join's own origin is the value
 * itself, that of a pointer is `offset` bytes in front of it. */
static inline uint64_t origin_key_joined(uint64_t join)
{
	return join | UINT64_C(1) << 61;
}

/* For a function of so many instructions and blocks; what was there of another is forgotten. Zero-initialized
 * is ready for this. */
void origins_start(struct origins *origins, size_t insn_count, size_t block_count);
void origins_release(struct origins *origins);

/* The id of a key; the same key, the same id. */
uint32_t origins_id(struct origins *origins, uint64_t key);
/* Is this value just what the key's origin gives? (Cheaper than to ask for the id.) */
static inline bool origins_is(const struct origins *origins, const struct value *value, uint64_t key)
{
	return value->kind == VALUE_UNKNOWN && value->origin && origins->items[value->origin].key == key;
}
/* The value that a key's origin gives: what was inferred of it, or UNKNOWN. */
struct value origins_value(struct origins *origins, uint64_t key);

/* `value` (of any kind) is used where a pointer to `object` at `offset` is wanted. Of a POINTER, that is a
 * second opinion. True if that tells more of its origin. */
bool origins_use(struct origins *origins, const struct value *value, const struct type *object,
		 int64_t offset);
void origins_flow(struct origins *origins, uint32_t phi, const struct value *input);

/* `size` bytes are read at an address of which only the origin is known: what is inferred of that must have
 * such a member, if it goes so far. */
void origins_read(struct origins *origins, const struct value *address, uint32_t size);

/* Draw the conclusions from what was gathered, and forget it. True if any origin became known that was not.
 */
bool origins_infer(struct origins *origins, bool wanted);

#endif
