/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Origins: the points of a function that make a value of which nothing is known (infer.h). */
#pragma once

#include "annotate/rule.h"
#include "annotate/types/field.h"
#include "annotate/values/value.h"
#include "base/hash.h"
#include "dwarf/types/type.h"

struct origin {
	uint64_t key;
	/* The pointee of the value; its type is NULL where it is not known. (A function may have
	 * hundreds of thousands of origins, so these are no struct value.) */
	struct field_ref inferred;
	struct field_ref use; /* gathered: what the value is used as */
	/* The same for the sum of the value and a number that is known only at run time (rule
	 * unknown-offset). */
	struct field_ref far, far_use;
	bool refused, far_refused;  /* uses disagree */
	uint32_t first_in, last_in; /* blocks with such a use, + 1; 0: another origin has it */
	bool virtual_base;          /* the address of a virtual base of C++ */
	/* For links (links.h). Gathered: the link is accessed beyond its end; it flows into a value
	 * that is. */
	bool reached_beyond, leads_beyond;
	uint8_t rule; /* enum rule_id that found the use; RULE_NONE: the code itself shows it */
	bool all;     /* only while conclusions about links are drawn */
	/* of a pointer that was loaded: the type and offset that it was loaded from; NULL: it was
	 * not */
	const struct type *object;
	int64_t offset;
	/* the same, of a loaded value about which the type there says nothing (distant.h) */
	const struct type *holder;
	int64_t holder_offset;
	/* the pointee of the variable in the memory from which the value was loaded; NULL: no
	 * variable is there */
	const struct type *named;
	/* of a value that was loaded through one of which nothing is known: that one's origin; 0:
	 * another */
	uint32_t through;
};

/* The value `input` reaches the join `phi`. */
struct origin_flow {
	uint32_t phi;
	struct value input;
};

/* `size` bytes are read `offset` bytes after what the origin points to. */
struct origin_read {
	uint32_t origin;
	uint32_t size;
	int64_t offset;
};

struct origins {
	uint32_t block;        /* that is gone through, + 1; 0: none. Uses are in it */
	struct hash_map index; /* key -> id, of keys that the tables below do not have */
	uint32_t *insns;       /* by instruction: the first id that it was given, or 0 */
	uint32_t *joins;       /* by block and general register, or 0 */
	uint32_t entry[REG_GENERAL_COUNT]; /* by general register, or 0 */
	size_t insn_capacity;
	size_t join_capacity;
	uint32_t block_count;
	struct origin *items; /* by id; id 0 is not used */
	uint32_t count;
	uint32_t capacity;
	struct origin_flow *flows; /* of the last pass that gathered uses */
	uint32_t flow_count;
	uint32_t flow_capacity;
	struct origin_read *reads;
	uint32_t read_count;
	uint32_t read_capacity;
};

/* Keys of origins: the value with this index in a state, as an instruction, a block's entry or the
 * function's entry gives it; or a slot at a block's entry. */
static inline uint64_t origin_key_insn(uint32_t insn, unsigned int value)
{
	return UINT64_C(1) << 62 | (uint64_t)insn << 8 | value;
}

/* True if an instruction makes the origin; *insn becomes its index. */
static inline bool origin_insn(const struct origin *origin, uint32_t *insn)
{
	*insn = (uint32_t)(origin->key >> 8);
	return origin->key >> 61 == 2;
}

static inline uint64_t origin_key_join(uint32_t block, unsigned int value)
{
	return UINT64_C(2) << 62 | (uint64_t)block << 8 | value;
}

static inline uint64_t origin_key_slot(uint32_t block, uint8_t frame, int64_t offset)
{
	return UINT64_C(3) << 62 | (uint64_t)(block & 0xffffff) << 36 |
	       (uint64_t)(frame & 0xf) << 32 | (uint32_t)offset;
}

static inline uint64_t origin_key_entry(unsigned int value)
{
	return value + 1;
}

/* True if a join of values in one register gives the origin. */
static inline bool origin_is_join(const struct origin *origin)
{
	return origin->key >> 61 == 4;
}

/* The key for pointers of one type that met in the join of this key. The join's own origin stands
 * for the value itself; this one stands for the pointer less its `offset`. */
static inline uint64_t origin_key_joined(uint64_t join)
{
	return join | UINT64_C(1) << 61;
}

static inline bool origin_is_joined(const struct origin *origin)
{
	return origin->key & UINT64_C(1) << 61;
}

/* True for a record or an array. A use as one says more than a use as a scalar at its start. */
static inline bool origin_is_whole(const struct type *type)
{
	type = type_strip(type);
	return type_is_record(type) || type->kind == TYPE_ARRAY;
}

/* Starts with a function of this many instructions and blocks. Zero-initialized origins are ready
 * for this. */
void origins_start(struct origins *origins, size_t insn_count, size_t block_count);
void origins_deinit(struct origins *origins);

/* Returns the pointer that was inferred for an origin; its kind is BOTTOM if nothing was. */
struct value origins_inferred(const struct origins *origins, uint32_t id);
/* Returns the pointer that an origin gives, as its uses or a variable say; its kind is BOTTOM if
 * neither says anything. */
struct value origins_said(const struct origins *origins, uint32_t id);
/* Returns the id of a key; the same key has the same id. */
uint32_t origins_id(struct origins *origins, uint64_t key);
/* True if this value is exactly what the key's origin gives. (This is cheaper than asking for the
 * id.) */
static inline bool origins_is(const struct origins *origins, const struct value *value,
			      uint64_t key)
{
	return value->kind == VALUE_UNKNOWN && value->origin &&
	       origins->items[value->origin].key == key;
}
/* Returns the value that a key's origin gives: what was inferred, or UNKNOWN. */
struct value origins_value(struct origins *origins, uint64_t key);

/* Rule unknown-offset: returns the pointer to a record that `address`, the sum of an origin's value
 * and an unknown number, is, if uses of such sums show the record and it has a scalar of `size`
 * bytes there. Returns `address` unchanged otherwise. */
struct value origins_far(const struct origins *origins, struct value address, uint64_t size);

/* Notes that `value`, of any kind, is used as a pointer to byte `offset` of an `object`. That may
 * give a POINTER a larger type. True if it says something new about the origin. */
bool origins_use(struct origins *origins, const struct value *value, const struct type *object,
		 int64_t offset);
/* The same for a use that a rule infers; does nothing if the rule is off. */
bool origins_use_by(struct origins *origins, enum rule_id rule, const struct value *value,
		    const struct type *object, int64_t offset);
/* Concludes that the origin gives a pointer to this object, unless something is concluded of it, or
 * the rule is off. True if that is new. */
bool origins_infer_by(struct origins *origins, enum rule_id rule, uint32_t id,
		      const struct type *object);
void origins_flow(struct origins *origins, uint32_t phi, const struct value *input);
