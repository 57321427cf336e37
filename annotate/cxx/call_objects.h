/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects in stack memory whose addresses calls get: arguments, `this`, and room for results.
 *
 * gcc puts unnamed objects of C++ in one place, one after the other. The calls around an
 * instruction show which of them is there: an object that an earlier call made stays until its
 * destructor is called; an object that a later call uses is there before that call. Only calls in
 * the same block count, and in blocks that always run before or after it.
 *
 * In Go, all calls of a function pass arguments and results in memory at the bottom of its frame,
 * so each call may overwrite those of the call before.
 */
#pragma once

#include "annotate/facts/facts.h"
#include "annotate/values/value.h"

struct solver;
struct state;
struct prototype;

enum call_role {
	CALL_MAKES, /* the object begins its life in the call: it has none before */
	CALL_USES,
	CALL_ENDS, /* it has none after */
};

struct call_object {
	uint32_t insn; /* the call */
	uint8_t role;  /* enum call_role */
	bool passed;   /* it is an argument or result in memory: any other call may change it */
	struct stack_fact fact;
};

struct call_objects {
	struct call_object *items; /* sorted by the call, once all are noted */
	uint32_t count;
	uint32_t capacity;
};

/* Enclose the pass that gathers: the first forgets all objects, the second sorts those that were
 * noted since. */
void call_objects_begin(struct call_objects *objects);
void call_objects_end(struct call_objects *objects);

/* Notes that the call at solver->pass.current is passed `value` as the address of `object`. */
void call_objects_note(struct solver *solver, const struct value *value, const struct type *object,
		       enum call_role role);
/* Notes that the call at solver->pass.current takes the `object` at the address `value` as an
 * argument in memory, or returns it there if `result` is set. */
void call_objects_note_passed(struct solver *solver, const struct value *value,
			      const struct type *object, bool result);
/* Returns what a call of this function does with the object of its first argument. */
enum call_role call_objects_role(const struct prototype *callee, const struct type *object);

/*
 * Returns the object that has the byte at `at` of the frame when instruction `insn` accesses it;
 * NULL if no call shows one, or if two objects remain. *offset becomes the byte's offset in it.
 */
const struct stack_fact *call_objects_find(const struct solver *solver, uint32_t insn,
					   uint8_t frame, int64_t at, int64_t *offset);
