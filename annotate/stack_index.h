/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of a function's variables in stack memory may have a byte: a function has hundreds where much was
 * inlined, and each access asks. Private to annotate/.
 */
#ifndef DTPROF_ANNOTATE_STACK_INDEX_H
#define DTPROF_ANNOTATE_STACK_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "disasm/insn.h"
#include "dwarf/type.h"

#define NO_VARIABLE UINT32_MAX

/* A variable in stack memory: `size` bytes at offset from a base that is known at each address. */
struct stack_fact {
	uint64_t low; /* location's validity; the scope's ranges hold besides */
	uint64_t high;
	int64_t offset;
	uint64_t size;
	uint8_t base_reg;  /* REG_NONE: offset counts from the CFA; else from this register's value at the
			      access */
	uint32_t variable; /* NO_VARIABLE: none is declared, it was inferred */
	uint32_t depth;
	const struct type *type; /* canonical */
	uint8_t how;             /* HOW_VARIABLE or HOW_INFERRED */
	uint32_t piece_offset;   /* the location holds the variable from this byte on */
	bool is_self; /* what `this` or a reference of C++ points to: an object that is alive, whatever is
			 declared there */
};

/* The stack memory around the CFA, cut where facts begin and end; those of each piece, and those whose base
 * is a register. All by number, in ascending order. */
struct stack_index {
	struct stack_piece *pieces;
	size_t piece_count;
	uint32_t *numbers;
	const uint32_t *based;
	size_t based_count;
};

/* Facts that may have one byte, in the order of their numbers. */
struct stack_candidates {
	const uint32_t *here;
	const uint32_t *here_end;
	const uint32_t *based;
	const uint32_t *based_end;
};

void stack_index_build(struct stack_index *index, const struct stack_fact *facts, size_t count);
void stack_index_release(struct stack_index *index);

/* Of the byte at this offset from the CFA, if `from_cfa`; else from some other base. */
struct stack_candidates stack_index_at(const struct stack_index *index, bool from_cfa, int64_t offset);

/* False: there is no more. */
static inline bool stack_candidates_next(struct stack_candidates *candidates, uint32_t *number)
{
	bool here = candidates->here < candidates->here_end;

	if (candidates->based < candidates->based_end && (!here || *candidates->based < *candidates->here)) {
		*number = *candidates->based++;
		return true;
	}
	if (here)
		*number = *candidates->here++;
	return here;
}

#endif
