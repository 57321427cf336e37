/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Copies of objects to places without a variable, and constants that are objects. */
#ifndef DTPROF_ANNOTATE_OBJECTS_COPIES_H
#define DTPROF_ANNOTATE_OBJECTS_COPIES_H

#include "annotate/flow/solver.h"
#include "annotate/types/field.h"

/* Finds the field that the instruction copies to or from a place on the stack
 * that has no variable. False: not known. */
bool go_copied(struct solver *solver, const struct state *state, const struct insn *insn,
	       struct field_ref *field);
/* Notes what an instruction shows about objects on the stack that have no variable: copies from or
 * to objects of known type, and closures. */
void go_gather(struct solver *solver, const struct state *state, const struct insn *insn);
/* True if the frame of a function of Go may have objects without a variable whose types the
 * function shows: it takes addresses in its frame, or passes arguments in memory. */
bool go_may_have_unnamed(struct solver *solver);
/* Notes the object on the stack to which a variable points from here on: `tracked` is its address,
 * `declared` the variable's value. */
void go_note_named(struct solver *solver, const struct state *state, const struct value *tracked,
		   const struct value *declared);
/* Finds the type of a constant of 16 bytes that an instruction of Rust reads. It is
 * copied to an object of this type, or compared with one. False: not known. */
bool constant_object(struct solver *solver, const struct state *state, const struct insn *insn,
		     struct field_ref *field);

#endif
