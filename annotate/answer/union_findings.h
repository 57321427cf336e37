/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The knowledge of a value that an access to a union moves: the part of union_evidence.c that
 * settles what single uses of the value show. Private to annotate/answer. */
#pragma once

#include "annotate/flow/solver.h"
#include "annotate/types/union_member.h"

/* Computations show a number only if nothing shows a pointer: tags are cut off pointers, and hashes
 * are made of them. */
struct findings {
	struct union_evidence *evidence;
	bool computed; /* as an integer */
	bool tagged;   /* what was computed with it may be a pointer's tag */
	bool summed;   /* something is added to it */
	bool moved;    /* the sum is a pointer: a member's address, or an element's */
	bool refused;  /* two uses contradict each other */
	bool type_refused;
	bool received; /* a variable got the value first, before it was cast */
	/* the union; the value is copied to another one of its type; and how many of the accesses
	 * to what it points to are in the block that loads it */
	const struct union_place *place;
	bool copied;
	bool passed; /* an inlined function's parameter has it */
	uint8_t own_accesses;
	const struct type *own_type; /* the type that this block shows */
	unsigned int said;           /* how often something has said a type */
	/* it is used on both sides of a test of the object's tag; nothing says a type on one */
	bool sided, untyped;
	bool has_sign; /* it is extended or compared with its sign */
};

void findings_class(struct findings *findings, uint8_t value_class);
/* Something with this name has the value, too. `name` may be NULL. */
void findings_name(struct findings *findings, const char *name);
/* The value is said to have this type. A record's first member is not meant by it. */
void findings_type(struct findings *findings, const struct type *type, uint64_t size);
/* The variable has the value: the same two. */
void findings_variable(struct findings *findings, const struct variable *variable, uint64_t size);
/* The sum of the value and something else is said to have this type. */
void findings_sum_type(struct findings *findings, const struct type *type);
/* Settles what the findings are together. */
void findings_conclude(struct findings *findings);
/* Keeps what was found of a value that an access moves. In a sum, either addend may be the pointer.
 */
void findings_set_moved(struct union_dereference *access, struct findings *findings);
/* True if the value was loaded from a place that a union shares among members: the type that it has
 * in the state is only one of several. */
bool findings_is_of_union(const struct solver *solver, const struct value *value);
/* True if the address is in a section of code. */
bool findings_is_code(const struct solver *solver, uint64_t address);
/* Adds what the state tells of a value. */
void findings_from_state(struct solver *solver, const struct value *value, uint64_t size,
			 struct findings *findings);
/* Adds what the function's facts tell of a register at an address, from facts that begin at `low`
 * or later. */
void findings_from_facts(const struct solver *solver, uint8_t reg, uint64_t address, uint64_t low,
			 uint64_t size, struct findings *findings);
