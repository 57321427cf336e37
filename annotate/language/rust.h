/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values and objects that Rust's compiler and library make. */
#pragma once

#include "annotate/flow/solver.h"

/* True if the tracked value is a number that counts, although a location of Rust says that it is a
 * pointer. */
bool rust_is_index(const struct solver *solver, const struct value *tracked);
/* Notes the result of a return of the function, while uses are gathered. */
void rust_note_return(struct solver *solver, const struct value *result);
/* Notes that the first argument's register points to the result at the entry, if all returns that
 * were noted show it, or if the first parameter is in the second argument's register. */
void rust_conclude_returns(struct solver *solver);
/* Returns the record of `size` bytes that the innermost inlined eq() or ne() of Rust at the address
 * compares; NULL: there is none. */
const struct type *rust_compared(const struct solver *solver, uint64_t address, uint64_t size);
/* Returns the type for which a call of Rust's allocator gets memory, from the state before the
 * call; NULL: it is no such call, or the type is not known. */
const struct type *rust_boxed(const struct solver *solver, const struct state *state,
			      uint32_t index);
/* Finds the object of Rust's library at an offset in the block of thread-local variables. */
bool rust_thread_local(struct solver *solver, int64_t offset, struct value *object);
/* True for the `*mut u8` that Rust's allocator returns: memory for anything, as void * is in C. */
bool rust_is_raw_memory(const struct solver *solver, const struct value *value);
/* Returns the type that the innermost function that is inlined at the address moves; NULL: it moves
 * nothing. */
const struct type *rust_moved(const struct solver *solver, uint64_t address);
