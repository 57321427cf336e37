/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Code around an instruction: addresses of operands, callees, registers and bits that are read. */
#pragma once

#include "annotate/flow/solver.h"

/* ---- address.c */
struct value solver_address(struct solver *solver, const struct state *state,
			    const struct operand *operand);
/* Returns whether a variable shows that a pointer to a record, or an address computed from it,
 * points behind that record, and both are in one record in scope: a struct unix_sock begins with a
 * struct sock, and its lock is the pointer to the struct sock plus a constant. Not in C++, whose
 * containers have objects of their own behind their links. */
bool solver_is_behind(struct solver *solver, const struct value *base,
		      const struct value *variable);
/* Moves an address in an object from some elements before an array into the array, if the index is
 * less by a constant: without it the address is in the first element, or other code around the
 * instruction tells (next_array.c). */
void solver_skip_array(const struct solver *solver, const struct state *state,
		       const struct operand *operand, struct value *address);
/* True if the number is an address in the object's memory. That is possible only if the code is
 * linked to a fixed address. */
bool solver_is_image_address(const struct solver *solver, int64_t number);
/* Returns the variable that is the sum of a memory operand's base and index at this instruction, or
 * is in memory there (`in_memory`). If the instruction leaves both registers as they are, the fact
 * may also begin after it. NULL: none. */
const struct sum_fact *solver_sum_at(const struct solver *solver, const struct insn *insn,
				     const struct operand *operand, bool in_memory);

/* ---- next_array.c */
/* True if the code around an access shows that its address, `offset` plus an index into a record,
 * is in the second of two arrays, with an index from which a number was subtracted. `from_base`:
 * the base has an index, too. */
bool next_array_is_meant(const struct solver *solver, const struct operand *operand, int64_t offset,
			 const struct array_pair *pair, bool from_base);

/* ---- callee.c */
/* Returns what an instruction calls, whatever the state. */
const struct call_cache *solver_callee(struct solver *solver, uint32_t insn);
/* Returns the virtual function that is called through the operand, by its slot
 * in the table of the object's class; NULL: not known. An overriding function may be called instead
 * of it, which has the same arguments, and whose result is the same or of a derived class. */
const struct prototype *solver_virtual_callee(struct solver *solver, const struct state *state,
					      const struct operand *target);
/* True for a clone, whose parameters the compiler has changed: its declaration does not say what is
 * in the registers. */
bool solver_is_clone(const struct solver *solver, uint64_t target);
/* Returns the name of the function at `target`, or of the prototype; NULL: not known. */
const char *solver_callee_name(struct solver *solver, const struct prototype *prototype,
			       uint64_t target);

/* ---- live.c */
/* Finds the registers that are live at the entries of the blocks for which blocks[] is set; all
 * predecessors of such a block must be among them. Paths that meet need not be joined for the other
 * registers: nobody reads them before they are written. */
void live_find(struct liveness *live, struct solver *solver, const uint8_t *blocks);
/* Returns the registers that the block or those after it may read, before they write them. */
general_set live_at_entry(struct solver *solver, uint32_t block);
/* Sets solver->tags.dominators and position of the function. */
void live_find_dominators(struct solver *solver);
/*
 * Returns those of the `clobbered` registers that the call `insn` of the function at `target` must
 * have kept, as a mask. 0: none, or `target` is 0 (the call is indirect). Registers of results are
 * among them only if the `prototype` returns nothing; it may be NULL.
 *
 * A compiler knows the code of the functions of its own unit, and keeps values across a call in
 * registers that the callee does not change (gcc's -fipa-ra). The debug information does not say
 * so, but the code after the call shows it: it reads a register that it has not written.
 */
uint64_t kept_by_call(struct solver *solver, uint32_t insn, uint64_t target,
		      const struct prototype *prototype, uint64_t clobbered);

/* ---- union_siblings.c */
/* Adds the other accesses through the register of a memory operand of the instruction. */
void union_evidence_siblings(struct solver *solver, uint32_t insn, const struct operand *operand,
			     struct union_evidence *evidence);

/* True if the instruction loads an unsigned number of 8 bytes to convert it to a double. */
bool union_evidence_is_converted(const struct solver *solver, uint32_t insn);

/* True if a test of other memory of the object from which `load` loads, its tag, decides where a
 * block goes on to. `written`: registers that were written since. */
bool union_evidence_tests_tag(const struct solver *solver, uint32_t load, uint64_t written,
			      uint32_t block);

/* Adds the functions that the instruction's code is from. */
void union_evidence_functions(const struct solver *solver, uint32_t insn,
			      struct union_evidence *evidence);

/* ---- used_bits.c: bitfields in one byte are told apart by the bits that the code uses */

/*
 * Returns the bits of `operand`, a memory operand of instruction `index`; bit 0 is the lowest of
 * its first byte. 0: not known, or none of them. Without a solver, nothing is known but the code.
 *
 * For a load these are the bits that shifts, masks and tests leave of the value. If the value is
 * stored to the same memory again with some bits changed, they are the changed bits, for the load
 * and for the store.
 */
uint64_t used_bits(struct solver *solver, const struct cfg *code, uint32_t index,
		   const struct operand *operand);
