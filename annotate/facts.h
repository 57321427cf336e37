/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the debug information says of a function's values, in the solver's terms: for each register the
 * variables that are (or are computed from what is) in it, by address; and the variables that live on the
 * stack.
 *
 * Built once a function; borrowed from struct function, which must outlive it.
 */
#ifndef DTPROF_ANNOTATE_FACTS_H
#define DTPROF_ANNOTATE_FACTS_H

#include <stddef.h>
#include <stdint.h>

#include "annotate/stack_index.h"
#include "annotate/value.h"
#include "disasm/insn.h"
#include "dwarf/function.h"

/* In [low, high) the register's value is `value` (which says nothing but the declared type, where that is no
 * pointer). */
struct register_fact {
	uint64_t low;
	uint64_t high;
	uint64_t reach;     /* the largest `high` of this fact and all before it in the register's list */
	struct value value; /* how = HOW_VARIABLE */
	uint32_t variable;  /* index in function->variables */
	uint32_t depth;     /* of its scope */
	bool everywhere;    /* no range is given: gcc says so, too, of a register that it has not followed the
			       variable in */
	bool weak;          /* the register points into something that the variable is but a part of */
	bool not_at_entry;  /* what the register has at the function's entry is not this */
};

/* A variable that is p + i, or in memory there: the address reg + index * scale + offset. */
struct sum_fact {
	uint64_t low;
	uint64_t high;
	int64_t offset;
	uint8_t reg;
	uint8_t index;
	uint8_t scale;
	bool in_memory;
	uint32_t variable;
	uint32_t depth;
	const struct type *type; /* declared, of the variable */
};

/* What a variable that is a fixed address points to: the text that `const char *digits = "0123"` is. */
struct address_fact {
	int64_t address;
	const struct type *type; /* canonical */
};

struct facts {
	const struct function *function; /* NULL: none, and no fact is of a variable */
	bool untracked; /* the compiler has not followed the function's variables: what it says of registers
			   is which one it has chosen for a variable, not where that is in it */
	struct register_fact *registers[REG_COUNT]; /* sorted by low */
	size_t register_counts[REG_COUNT];
	struct stack_fact *stack;
	size_t stack_count;
	uint64_t stack_bases;           /* REG_BITs of the base registers of `stack` */
	struct stack_index stack_index; /* of `stack` */
	/* Of what pointers (`this` of what is inlined) are said to point to: objects on the stack that may
	 * have no name of their own. `variable` is the pointer. */
	struct stack_fact *pointed;
	size_t pointed_count;
	struct stack_index pointed_index;
	struct sum_fact *sums;
	size_t sum_count;
	struct address_fact *addresses;
	size_t address_count;
};

void facts_build(struct facts *facts, const struct function *function);
/* One more, of no variable; after the last of them, facts_index_stack(). */
void facts_add_stack(struct facts *facts, const struct stack_fact *fact);
void facts_index_stack(struct facts *facts);
void facts_release(struct facts *facts);

/*
 * The best fact of `reg` at `address`: of those that hold there, one that contains the others, else one whose
 * scope is not over, else the newest of the innermost scope. NULL: none. Facts with a pointer come before
 * facts without.
 */
const struct register_fact *facts_register(const struct facts *facts, uint8_t reg, uint64_t address);

/* The variable of `size` bytes that is in memory at base + offset at `address` or at `next_address`, the
 * innermost of several; NULL: none, or they disagree. */
const struct stack_fact *facts_in_memory(const struct facts *facts, uint8_t base, int64_t offset,
					 uint64_t size, uint64_t address, uint64_t next_address);

/* A fact of one register, and the addresses [low, high) all around at which facts_register() gives the same.
 */
struct fact_window {
	const struct register_fact *fact;
	uint64_t low;
	uint64_t high; /* 0: an empty window */
};

/* facts_register() for who asks at one address after the other: *window is what the last answer was. */
static inline bool fact_window_holds(const struct fact_window *window, uint64_t address)
{
	return address >= window->low && address < window->high;
}
void fact_window_move(struct fact_window *window, const struct facts *facts, uint8_t reg, uint64_t address);

/* The variable that is (or is in memory at) base + index * scale of a memory operand, plus an offset of its
 * own, at `address` or at `next_address`; the innermost of several. NULL: none. */
const struct sum_fact *facts_of_sum(const struct facts *facts, const struct operand *operand, bool in_memory,
				    uint64_t address, uint64_t next_address);

/* The object at just this address that variables point to; NULL: none, or they disagree. */
const struct type *facts_at_address(const struct facts *facts, int64_t address);

/* The newest fact that holds there and whose pointer, `displacement` bytes on, is still within the record
 * that it points to; NULL: none. */
const struct register_fact *facts_register_reaching(const struct facts *facts, uint8_t reg, uint64_t address,
						    int64_t displacement);

/* How many bytes of code are between `address` and the nearest at which the variable is said to be there: 0:
 * it is there. UINT64_MAX: nowhere. */
uint64_t facts_distance(const struct facts *facts, const struct stack_fact *fact, uint64_t address);

/* The best fact that holds there and is a pointer to what could be laid out in a buffer of `whole`, and has
 * something better than bytes for such an access; NULL: none. */
const struct register_fact *facts_register_cast(const struct facts *facts, uint8_t reg, uint64_t address,
						const struct type *whole, int64_t offset, uint64_t size);

/* Does the variable's scope hold `address`? */
bool facts_in_scope(const struct facts *facts, uint32_t variable, uint64_t address);

#endif
