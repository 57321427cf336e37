/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code and memory that Go's compiler made and that the debug information does not describe:
 * iterators of maps, closures, interfaces, slices, write barriers, methods. Private to annotate/.
 */
#pragma once

#include "annotate/facts/arguments.h"
#include "annotate/flow/solver.h"

/* The runtime's type of the first word of a closure. */
#define GO_CLOSURE "runtime.funcval"

/* The iterators' slots of a state, kept while memory whose address was passed on is forgotten. */
struct go_kept {
	struct slot slots[2 * GO_ITERATORS_MAX];
	size_t count;
};

/* A call that starts the iteration of a map. Both types are NULL if the call does something else,
 * or if the map's types are not known. */
struct go_iteration {
	const struct type *key, *element;
	int64_t offset; /* of the iterator, from the base `frame` */
	uint8_t frame;
};

/* Returns the name of the local variable whose address an instruction loads, or NULL. A variable
 * that outlives its function is moved to the heap, and "&name" is described in its place: a pointer
 * to it, which closures capture. */
const char *go_moved_variable(const struct solver *solver, const struct insn *insn);
/* The same of the variable whose address is in a register at `address` of the code or, with
 * REG_NONE, at a place in the frame. */
const char *go_variable_in(const struct solver *solver, uint8_t reg, int64_t place,
			   uint64_t address);

/* Returns the iteration that a call of `callee` starts, by the state before the call. */
struct go_iteration go_iteration_of(struct solver *solver, const struct state *state,
				    const char *callee);
/* Notes the iterator's pointers in the state after the call. */
void go_iteration_begin(struct solver *solver, struct state *state,
			const struct go_iteration *iteration);
/* Save and restore the pointers of all known iterators, around forgetting memory whose address was
 * passed on: only the runtime writes to an iterator, and always pointers of the same types. */
void go_iterators_keep(const struct solver *solver, const struct state *state,
		       struct go_kept *kept);
void go_iterators_restore(struct state *state, const struct go_kept *kept);

/* Notes what the first word of a slice points to, if the argument of a call is
 * a slice. */
void go_note_slice(struct solver *solver, const struct state *state,
		   const struct argument *argument);
/* Notes the types of the objects that a call of `callee` gets together with their type words. */
void go_note_arguments(struct solver *solver, const struct state *state, const char *callee);

/* Finds an object that Go's compiler put into memory without a variable: a constant, or what an
 * assertion of an interface type, or a switch with interface types, remembers. False: it is
 * something else. */
bool go_symbol(struct solver *solver, int64_t address, struct value *pointer);

/*
 * Puts into the state what taking an edge shows: the type of an interface's data, if
 * the edge is only taken when the interface's first word is that of this type. `compare` is what
 * tags_find_equality() found for the edge. False: it shows nothing, and the state is as it was.
 */
bool go_enter_edge(struct solver *solver, struct state *state, uint32_t compare);
/* Returns the join of two values that are the data of one interface, whose type is known on one
 * path or on both. BOTTOM: they are something else. */
struct value go_join(const struct solver *solver, const struct value *a, const struct value *b);
/* Returns the `declared` value of a variable with the origin of `data`, if that is the data of an
 * interface. Other cases have other variables for the same data. */
struct value go_name_data(struct solver *solver, const struct value *data, struct value declared);

/* Sets the only register that a call of a write barrier changes (a bit in `changed`). From Go 1.21
 * on, it has the address to which the old and the new pointer are then written. */
void go_write_barrier(struct solver *solver, struct state *state, const char *callee,
		      uint64_t changed);

/* Sets the context register at a function's entry to a pointer to a closure. */
void go_context(struct solver *solver, struct state *state);
/* Sets the first register at the entry of a method that the compiler made to its
 * receiver, whose type is in the method's name. */
void go_receiver(struct solver *solver, struct state *state);

/* In a function of Go: notes that the object on the stack with the address `input` has the type of
 * `joined`, the pointer into which the address was joined. */
void go_note_joined(struct solver *solver, const struct value *joined, const struct value *input);
/* Notes that the address of one place on the stack is stored in another one. */
void go_note_stored(struct solver *solver, const struct value *place, const struct value *stored);
