/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A location expression (DWARF 5, section 2.5), run operation by operation on symbols
 * (dwarf/symbolic_value.h). It is run straight on, branches are not taken, so the work is bounded by its
 * length. Private to dwarf/.
 */
#ifndef DTPROF_DWARF_DWARF_EXPRESSION_H
#define DTPROF_DWARF_DWARF_EXPRESSION_H

#include "dwarf/dwarf_die.h"
#include "dwarf/symbolic_value.h"

#define EXPRESSION_STACK 32

struct expression {
	const struct unit *unit;
	struct cursor cursor; /* at the next operation */
	struct symbolic_value stack[EXPRESSION_STACK];
	size_t depth;
	/* the stack overflowed, underflowed, or an operation is not known: nothing is known any more */
	bool lost;
	/* the location so far, if it is not the stack's top */
	bool direct; /* DW_OP_regN, implicit_value, implicit_pointer: `location` holds it */
	bool stack_value;
	bool any; /* an operation since the last piece */
	struct location location;
};

/* Forget what was computed: at the begin, and behind a piece. */
static inline void expression_start_over(struct expression *expression)
{
	expression->depth = 0;
	expression->lost = expression->direct = expression->stack_value = expression->any = false;
}

/*
 * One operation, whose number is read already (DWARF 5, section 7.7.1; the GNU ones: gcc's dwarf2.def);
 * pieces are the caller's. False: where it ends is not known.
 */
bool expression_run_operation(struct expression *expression, unsigned int operation);

/* The location that the operations so far describe; ranges and pieces are left zero. */
struct location expression_location(const struct expression *expression);

#endif
