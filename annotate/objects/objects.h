/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The objects that addresses are in. */
#pragma once

#include "annotate/flow/solver.h"

/* ---- fixed_object.c */
/* Finds the variable at an ADDRESS, or at a FRAME of thread-local or per-cpu variables, as a
 * pointer into it. False: none. */
bool solver_fixed_object(struct solver *solver, const struct value *address, struct value *object);
/* Joins two values, at least one of them an address, at the join that is the origin `phi`. Globals
 * are joined as pointers to their types: two of them shall not become a stride from one to the
 * other, and one may be joined with a pointer. */
struct value solver_join_addresses(struct solver *solver, struct value a, struct value b,
				   uint32_t phi);
/* Finds the global that covers a fixed address, as a pointer into it. False: none. */
bool solver_global(struct solver *solver, int64_t address, struct value *pointer);
/* Lists at most `most` addresses in the function's code that are those of static records of a type,
 * or of objects that begin with one. Returns their number. */
size_t solver_static_records(struct solver *solver, const struct type *record, size_t most,
			     uint64_t *addresses);
/* The same for an ADDRESS that may have an index in it; *at is a fixed address in the global. */
bool solver_indexed_global(struct solver *solver, const struct value *address,
			   struct value *pointer, int64_t *at);
/* Finds the contents of a slot that the dynamic linker fills: the address of a symbol, or a
 * thread-local offset. Only the type of a thread-local variable of another DSO is known, so that a
 * pointer to the variable stands for its offset; only accesses relative to the thread pointer use
 * it. False: it is no such slot. */
bool solver_slot(struct solver *solver, int64_t address, struct value *value);
/* Finds the object that a GOT entry is: a pointer to the variable whose address it will hold.
 * False: no GOT entry is there. */
bool solver_got_entry(struct solver *solver, int64_t address, struct value *value);
/* Finds the thread-local variable whose module and offset the dynamic linker puts into the two
 * slots at the address `slots`, the argument of __tls_get_addr(). False: nothing is known of it. */
bool solver_thread_local_slots(struct solver *solver, const struct value *slots,
			       struct value *variable);

/* ---- stack.c */
/*
 * Returns the variable that has this byte of the stack at `address` or `next_address`; NULL if
 * there is none. *offset becomes the offset into it. solver_stack_object() also finds objects
 * without a name to which a pointer variable is said to point; such an object may be a part of
 * something larger, so only its type counts.
 */
const struct stack_fact *solver_stack_variable(struct solver *solver, const struct state *state,
					       uint64_t address, uint64_t next_address,
					       uint8_t frame, int64_t at, int64_t *offset);
const struct stack_fact *solver_stack_object(struct solver *solver, const struct state *state,
					     uint64_t address, uint64_t next_address, uint8_t frame,
					     int64_t at, uint64_t size, int64_t *offset);
/* Notes that an address in stack memory is given away: calls may change what lies there, `size`
 * bytes if no variable does. */
void solver_escape_stack(struct solver *solver, const struct state *state,
			 const struct value *value, uint64_t address, uint64_t size);
/* The same, if the value is such an address. */
static inline void solver_escape(struct solver *solver, const struct state *state,
				 const struct value *value, uint64_t address, uint64_t size)
{
	if (value->kind == VALUE_FRAME && value->frame <= FRAME_LAST_OTHER)
		solver_escape_stack(solver, state, value, address, size);
}

/* ---- sanitizer_frame.c */
/* The first word of such a frame (kCurrentStackFrameMagic of compiler-rt, asan_internal.h). */
#define SANITIZER_MARK 0x41b58ab3
/* Adds the variables of a frame that AddressSanitizer watches, once the mark and the description
 * are at the start of it. `value` was stored at `address`. */
void sanitizer_frame_note_store(struct solver *solver, const struct state *state,
				const struct value *address, const struct value *value);

/* ---- overlays.c */
/* Adds to the evidence the records that variables say are around the memory operand. */
void overlay_views(const struct solver *solver, const struct state *state,
		   const struct operand *operand, uint64_t address,
		   struct union_evidence *evidence);
/* Sets the overlay of an answer of kind ACCESS_TYPE, if it is to one. */
void overlay_judge(struct solver *solver, const struct state *state, uint32_t insn, bool store,
		   struct access *access);

/* ---- copies of objects to places without a variable, and constants that are objects: copies.c */

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
