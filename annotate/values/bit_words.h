/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bits of registers, one by one, along a short path through a function: a bit is a constant, or
 * a bit that was loaded from memory, or something else. This tells which bits of its memory a store
 * leaves as they were, however they got there (masks in registers, shifts, byte insertions).
 *
 * A word also has a name for its whole value, so that the addresses of a load and of a store can be
 * compared though their registers have been moved, added to or reloaded in between.
 */
#pragma once

#include "annotate/values/value.h"
#include "disasm/cfg.h"

#define WORD_BITS 64

/* Equal values have equal names and offsets: the value is that of the name + offset. Constants have
 * the name 0. */
struct word_name {
	uint64_t id;
	int64_t offset;
};

/* Masks of the bits that are 0, that are 1, and that were loaded; nothing is known of the others.
 * Loaded bit i is bit k of load n: from[i] is n * WORD_BITS + k. */
struct bit_word {
	uint64_t zeros, ones, loaded;
	struct word_name name;
	uint16_t from[WORD_BITS];
};

/* Memory whose contents are known: of the stack, or where some bits were changed. */
struct bit_cell {
	struct word_name place;
	uint8_t size;
	struct bit_word word;
};

/* The most loads and stores whose bits are followed, and the most cells. Paths are short. */
#define BIT_LOADS_MAX 1000
#define BIT_CELLS_MAX 32

/* The instructions of a path are known by their indexes. */
struct bit_path {
	const struct cfg *code;
	uint32_t index; /* the instruction that is looked at */
	struct bit_word registers[REG_GENERAL_COUNT];
	struct bit_cell cells[BIT_CELLS_MAX];
	uint32_t cell_count;
	struct word_name loads[BIT_LOADS_MAX]; /* the places of the loads */
	uint8_t load_sizes[BIT_LOADS_MAX];
	uint32_t load_count;
	/* the load that is asked about, once the path has passed it */
	uint32_t asked;      /* instruction */
	uint32_t asked_load; /* in loads, + 1; 0: not passed yet */
	struct word_name asked_place;
};

/* The effect of one instruction on bits. */
struct bit_step {
	/* known bits of its operands; of lea, those of the base and of the scaled index at 1 and 2
	 */
	uint64_t zeros[INSN_OPERANDS], ones[INSN_OPERANDS];
	/* of the memory operand that it writes: the bits that do not keep their values */
	uint64_t changed;
	/* the same, as bits from the first byte of the load that is asked about; 0: it does not
	 * write to that memory, or keeps none of the bits that the load gave */
	uint64_t changed_asked;
};

/* Starts at the entry of a block. `asked` is an instruction, or UINT32_MAX. */
void bit_path_start(struct bit_path *path, const struct cfg *code, const struct state *entry,
		    uint32_t asked);
/* Walks over the next instruction of the path. */
void bit_path_step(struct bit_path *path, uint32_t index, struct bit_step *step);

/* True for an instruction that works on vectors, or on more than a word. */
bool bits_are_wide(const struct insn *insn);

/* Returns d's bits for an operation whose other operands are constants. `d` may be one of the
 * inputs. False: it is another operation, or an operand is not known. */
bool bits_of_permutation(const struct insn *insn, const struct bit_word *value,
			 const struct bit_word *by, struct bit_word *result);
