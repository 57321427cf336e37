/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The places of objects of C++ on the stack, by the stores of their virtual tables' addresses.
 *
 * Constructors and destructors store the address of their class's table at the beginning of the
 * object. If the class of a variable is only declared, like the streams of the standard library,
 * this shows where its parts are, even if no `this` points to them.
 */
#pragma once

#include "annotate/facts/facts.h"

struct insn;
struct solver;
struct state;

/* The places of a function. Zero-initialized is empty. Free with table_places_deinit(). */
struct table_places {
	/* `offset` is the object's place from the CFA, `type` its class */
	struct stack_fact_list list;
	bool found; /* the function has been searched */
};

/*
 * Returns the part of the variable `whole` that the current instruction
 * accesses `at` bytes from the CFA; NULL: it is not known. It is the object of the innermost
 * inlined method's class there, or, if the instruction stores a table's address, the object that
 * begins there. *offset is that of the byte in `whole`, and becomes that in the part.
 */
const struct stack_fact *table_places_part(struct solver *solver, const struct state *state,
					   const struct stack_fact *whole, int64_t at,
					   int64_t *offset);

/* Adds the object at `place` bytes from the CFA if the instruction stores a table's address there.
 */
void table_places_gather(struct solver *solver, const struct state *state, const struct insn *insn,
			 int64_t place);
/* Forgets all places, when the function is done. */
void table_places_clear(struct table_places *places);
void table_places_deinit(struct table_places *places);
