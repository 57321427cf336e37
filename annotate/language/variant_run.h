/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs code from a test of an enum's discriminant on, with a value of it (private to annotate/):
 * see variants.c. Values are constants, or the test's address plus a constant, or the discriminant
 * after xor and additions; everything else is unknown.
 */
#pragma once

#include "annotate/flow/solver.h"

/* The most variants of an enum. The error enums of large libraries have a few hundred. */
#define VARIANTS_MAX 256
/* The most stack slots whose values are followed. */
#define SLOTS_MAX 12

/* A set of an enum's variants, or of the cases of its discriminant, by their numbers. */
struct variant_set {
	uint64_t bits[VARIANTS_MAX / 64];
};

/* Returns the set of all numbers below `count`. */
static inline struct variant_set variant_set_below(size_t count)
{
	struct variant_set set;

	for (size_t i = 0; i < COUNT_OF(set.bits); i++)
		set.bits[i] = count > 64 * i ? low_bits((unsigned int)(count - 64 * i)) : 0;
	return set;
}

static inline bool variant_set_has(const struct variant_set *set, size_t number)
{
	return set->bits[number / 64] >> number % 64 & 1;
}

static inline void variant_set_add(struct variant_set *set, size_t number)
{
	set->bits[number / 64] |= UINT64_C(1) << number % 64;
}

static inline void variant_set_remove(struct variant_set *set, size_t number)
{
	set->bits[number / 64] &= ~(UINT64_C(1) << number % 64);
}

static inline void variant_set_add_all(struct variant_set *set, const struct variant_set *other)
{
	for (size_t i = 0; i < COUNT_OF(set->bits); i++)
		set->bits[i] |= other->bits[i];
}

/* Leaves those that are in the other set, too. */
static inline void variant_set_keep(struct variant_set *set, const struct variant_set *other)
{
	for (size_t i = 0; i < COUNT_OF(set->bits); i++)
		set->bits[i] &= other->bits[i];
}

static inline size_t variant_set_count(const struct variant_set *set)
{
	return sum_over(size_t, i, 0, COUNT_OF(set->bits),
			(size_t)__builtin_popcountll(set->bits[i]));
}

enum cell_kind {
	CELL_UNKNOWN,
	CELL_CONSTANT, /* number */
	CELL_BITS,     /* some bits of a number: those in `known`; all others in it are 0 */
	CELL_STACK,    /* the stack pointer at the test + number */
	CELL_BASE,     /* the base register of the test's operand + number */
	CELL_INDEX,    /* its index register */
	CELL_OBJECT,   /* base + index * scale (if it has an index) + number */
	CELL_OTHER,    /* (discriminant ^ flip) + number, of a variant without a value of its own */
};

struct cell {
	uint8_t kind;
	uint8_t width; /* OTHER: bytes in which that is computed; CONSTANT: bytes that are known */
	bool extended; /* the bytes above `width` are 0 */
	uint8_t tag;   /* CONSTANT: which bits of the tag it has, plus a constant: see run_tag */
	uint64_t number;
	union {
		uint64_t flip;  /* OTHER */
		uint64_t known; /* BITS; 0 for all other kinds */
	};
};

enum flags_kind { FLAGS_UNKNOWN, FLAGS_DIFFERENCE, FLAGS_ZERO };

/* The values of registers, of some slots of the stack, and of the discriminant. */
struct run_state {
	bool reached;
	bool stale;    /* other code may have changed the discriminant since the test */
	bool handed;   /* on all ways here, a call got the object: it may have changed it */
	bool decided;  /* all ways here have a branch that known values decide, or store the tag */
	uint8_t flags; /* enum flags_kind: of left - right, or only whether left is 0 */
	uint8_t flags_size;
	struct cell left, right;
	struct cell discriminant;
	struct cell registers[REG_GENERAL_COUNT];
	struct {
		int64_t offset;
		struct cell value;
	} slots[SLOTS_MAX];
	uint8_t slot_count;
};

/* An enum's discriminant and the values that select its variants. */
struct enum_values {
	const struct member *variants[VARIANTS_MAX];
	size_t count;
	int64_t offset;     /* of the discriminant in the enum */
	uint8_t size;       /* bytes of the discriminant */
	uint64_t mask;      /* its bits in these bytes */
	uint64_t other_max; /* the largest that a variant without a value of its own can have */
};

/* In how many parts of the tag values that behave alike can differ. */
#define KEPT_BITS_MAX 6

/*
 * Code compares a tag with few constants, and goes the same way with all values between two of
 * them. A run with one value of a tag finds these: with all values whose bits in each mask are in
 * [low, high], branches are decided as they were, and each cell that has bits of the tag has them
 * plus the same constant.
 */
struct run_tag {
	uint8_t value; /* with which it runs */
	uint8_t count;
	struct kept_bits {
		uint8_t mask, low, high;
	} kept[KEPT_BITS_MAX];
};

struct run {
	struct solver *solver;
	const struct cfg *code;
	const struct enum_values *values;
	const struct operand
		*place;         /* the test's operand: the discriminant, or some of its bytes */
	int64_t skew;           /* bytes from the start of the discriminant to `place` */
	uint32_t test;          /* the instruction */
	uint32_t test_block;    /* the block that has it */
	uint8_t *region;        /* by block: it may lead from the test to the access */
	const uint32_t *blocks; /* those of the region, in the code's order */
	uint32_t block_count;
	struct run_state *entries; /* by block */
	struct run_state *before;  /* before the test, once a run from it has started */
	bool has_before;           /* to be cleared for another test */
	struct run_state state;
	struct run_tag tag;
};

static inline struct cell cell_constant(uint64_t number)
{
	return (struct cell){ .kind = CELL_CONSTANT, .width = 8, .number = number };
}

/* Returns a value of `size` bytes of which only these bits are known. */
struct cell cell_bits(uint64_t number, uint64_t known, uint8_t size);
/* True if all bits of the discriminant are known in a value of its bytes. */
bool variant_is_known(const struct enum_values *values, const struct cell *cell);
/* True if a variant without a value of its own can have this discriminant. */
bool variant_may_be_other(const struct enum_values *values, uint64_t discriminant);
/* Returns the address of an operand, by run->state before its instruction. */
struct cell run_address(struct run *run, const struct operand *operand);
/* Returns how far an address is from the discriminant; false: it is not known to be in the same
 * object. */
bool run_distance(const struct run *run, const struct cell *address, int64_t *bytes);
/* True if a register has an address of this call's stack before an instruction of a block: it is
 * the stack pointer or the frame pointer. */
bool run_has_stack(const struct run *run, uint32_t block, uint32_t index, uint8_t reg);
/* True if the instruction changes registers of run->place. */
bool run_writes_place(const struct run *run, const struct insn *insn);
/* Sets run->state after the test, where the discriminant has this value. */
void run_start(struct run *run, struct cell discriminant);
/* True if a run would have been the same with this value of the tag. */
static inline bool run_is_alike(const struct run_tag *tag, uint8_t value)
{
	return all_of(i, 0, tag->count,
		      (value & tag->kept[i].mask) >= tag->kept[i].low &&
			      (value & tag->kept[i].mask) <= tag->kept[i].high);
}

/* Sets run->state to the state of a run with this value, for which run_is_alike() holds. */
void run_with(struct run *run, uint8_t value);
/* Returns the cell that such a run has in place of this one. */
struct cell run_cell_with(const struct run *run, const struct cell *cell, uint8_t value);
void run_insn(struct run *run, const struct insn *insn);
/*
 * Runs from the test to the start of a block, which is not the test's own, with run->state after
 * the test. True if the block is reached; run->state is then the state there. The test is not
 * passed again: it begins a new object. Takes the instructions that it runs from *budget, and stops
 * at 0.
 */
bool run_to_block(struct run *run, uint32_t block, uint64_t *budget);
/* Runs instructions [first, end) of a block on run->state. */
void run_stretch(struct run *run, uint32_t first, uint32_t end, uint64_t *budget);
/* True if the jump at a block's end, with run->state after it, may go to this successor. */
bool run_may_go(struct run *run, const struct insn *last, uint32_t to);

/* ---- the values of a discriminant, and the variants that they select: enum_values.c */

/* The values that a discriminant may have. */
struct enum_cases {
	struct cell items[VARIANTS_MAX];
	size_t count;
};

/* Reads the discriminant's place and the variants. False: there is none, or the debug information
 * has two variants without a value. */
bool enum_values_read(const struct type *type, struct enum_values *values);
/* Lists the values that the discriminant may have. */
void enum_cases_list(const struct enum_values *values, struct enum_cases *cases);
/* Adds the variant that this discriminant selects to `selected`; all of them, if it is not known.
 */
void enum_select(const struct enum_values *values, const struct cell *discriminant,
		 struct variant_set *selected);
