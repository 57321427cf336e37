/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The places of objects of C++ on the stack, by the stores of their virtual tables' addresses.
 *
 * Constructors and destructors store the address of their class's table at the beginning of the
 * object. This tells where the parts of a variable are whose class is only declared, such as the
 * streams of the standard library, if no `this` says so.
 */
#ifndef DTPROF_ANNOTATE_TABLE_PLACES_H
#define DTPROF_ANNOTATE_TABLE_PLACES_H

#include "annotate/facts.h"

struct insn;
struct solver;
struct state;

/* The places of a function. Zero-initialized is empty. */
struct table_places {
	/* `offset` is the object's place from the CFA on, `type` its class; `low` is 0 or, if the
	 * class is that of the inlined function, where its range begins */
	struct stack_fact_list list;
	bool found; /* the function was searched */
};

/*
 * Rule part-by-table: returns the part of the variable that the current instruction accesses at
 * `at`: its class is that of the innermost inlined member function, or begins there if the
 * instruction stores a table's address. *offset is that of the byte in the variable, `whole`, and
 * becomes that in the part. NULL: nothing is known.
 */
const struct stack_fact *table_places_part(struct solver *solver, const struct state *state,
					   const struct stack_fact *whole, int64_t at,
					   int64_t *offset);

/* Forgets all places, when the function is done. */
/* Notes the object at `place` bytes from the CFA if the instruction stores a table's address there.
 */
void table_places_gather(struct solver *solver, const struct state *state, const struct insn *insn,
			 int64_t place);
void table_places_clear(struct table_places *places);
void table_places_deinit(struct table_places *places);

#endif
