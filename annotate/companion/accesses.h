/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The answers for instructions that a companion keeps: its section .dtprof.access
 * (Documentation/companion.md). */
#pragma once

#include "annotate/access.h"
#include "dwarf/companion/build.h"
#include "dwarf/companion/companion.h"
#include "dwarf/companion/section.h"

/* ---- reading ---- */

/* More rules than any version has. */
#define COMPANION_RULES_MAX 256

/* The members that many answers share, and which others follow. */
struct companion_shape {
	struct access access;
	uint64_t has;
};

/* An instruction of a run of code. */
struct companion_token {
	uint64_t address;
	uint32_t answer; /* number among those of the run */
	uint32_t store;  /* the same, of its answer for stores */
	bool fused;
};

/* A run of code: where its answers are, and which instruction has which. */
struct companion_run {
	uint64_t low, high;
	struct cursor item;
	size_t *answers; /* positions in `item` */
	size_t answer_count;
	size_t answer_capacity;
	struct companion_token *tokens; /* in the order of addresses */
	size_t token_count;
	size_t token_capacity;
};

/* A companion that is asked for answers by one thread, mostly in the order of addresses. */
struct companion_answers {
	struct companion *companion;
	uint8_t rules[COMPANION_RULES_MAX]; /* by the file's number: enum rule_id of this build */
	size_t rule_count;
	struct companion_shape *shapes;
	size_t shape_count;
	struct companion_window window;
	struct companion_run run; /* the last one that was asked for */
};

void companion_answers_open(struct companion_answers *answers, struct companion *companion);
void companion_answers_close(struct companion_answers *answers);
/* Closes answers that are on the heap, and frees them; NULL: does nothing. */
void companion_answers_destroy(struct companion_answers *answers);

/*
 * Finds the answer for the instruction at an address. `store` chooses between two memory operands;
 * with `fused`, a conditional jump stands for the comparison of memory before it. An address at
 * which the companion has no code gives ACCESS_NO_CODE.
 */
struct access companion_access(struct companion_answers *answers, uint64_t address, bool store,
			       bool fused);

/* Finds what an argument, from 0 on, of the call at an address points to. Leaves *access as it is
 * if the companion does not have it. */
void companion_argument(const struct companion_answers *answers, uint64_t address, uint8_t argument,
			struct access *access);

/* ---- writing ---- */

/* An instruction that accesses memory. */
struct companion_insn {
	uint64_t address;
	bool fused; /* `load` is the answer of the comparison before it */
	bool two;   /* it has another answer for stores */
	struct access load, store;
};

/* Writes accesses of one companion. */
struct companion_accesses *companion_accesses_create(struct companion_builder *builder);
void companion_accesses_destroy(struct companion_accesses *accesses);
/* Appends the lanes of a run of code, which begins at `low`, to lanes[], by enum access_lane. The
 * caller ends the item, with the key `low`. The instructions ascend. */
void companion_add_accesses(struct companion_accesses *accesses, uint64_t low,
			    const struct companion_insn *insns, size_t count, struct strbuf *lanes);
/* Appends the item of a call, whose `count` arguments have their numbers, from 0 on, in
 * arguments[], to `item`. The caller ends it, with the address as its key. */
void companion_add_call(struct companion_accesses *accesses, const uint8_t *arguments,
			const struct access *answers, size_t count, struct strbuf *item);
/* Ends the first item, which says how answers are written, when all have been appended. */
void companion_accesses_finish(struct companion_accesses *accesses);
