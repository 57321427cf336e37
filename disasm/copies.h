/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies of memory by the instructions of a function: values that are loaded and stored again, as
 * they are, at the same distances.
 *
 *     movdqu (%rsi),%xmm0        one copy of 24 bytes from (%rsi) to (%rdi)
 *     mov    16(%rsi),%rax
 *     movups %xmm0,(%rdi)
 *     mov    %rax,16(%rdi)
 *
 * All of a copy is in blocks that follow one another without a join, beside checks for example. The
 * registers of its addresses keep their values, or get the same ones again. What is no larger than
 * a word is no copy; a string instruction is one. Types do not matter here.
 */
#pragma once

#include "disasm/cfg.h"

struct code_copy {
	/* the instructions that load and store its lowest bytes; a string instruction is both */
	uint32_t load, store;
	uint32_t before; /* bytes of a word that is copied before those of a string instruction */
	uint32_t first, last; /* all of its instructions are among these */
	uint64_t bytes;       /* that are copied, each once; 0: not known (a string instruction) */
	uint64_t span;        /* from the lowest of them to the highest */
	bool loops;           /* its blocks repeat themselves, and copy other bytes each time */
};

struct code_copies {
	struct code_copy *items; /* by block */
	size_t count, capacity;
	uint32_t *of_insn; /* by instruction: the number of its copy + 1; 0: none */
	int64_t *within;   /* by instruction: bytes from the lowest of the copy to its own */
};

/* Finds the copies of a function. Call code_copies_deinit() afterwards. */
void code_copies_find(struct code_copies *copies, const struct cfg *code);
void code_copies_deinit(struct code_copies *copies);

/* Sets *number to the constant that a general register has at instruction `index`, as far as the
 * instruction's block shows. False: it shows none. */
bool code_constant(const struct cfg *code, uint32_t index, uint8_t reg, int64_t *number);

/* The use that a function makes of a copy in its own frame. */
struct copy_use {
	uint64_t unread; /* bytes that it does not read afterwards; 0: none, or not known */
	bool passed;     /* it reads none: they are an argument of the call that follows */
};

/* Returns the use of a copy of the function. The object around the copied bytes begins `before`
 * bytes before them: if its address is taken, nothing is known. */
struct copy_use code_copy_use(const struct cfg *code, const struct code_copy *copy, int64_t before);
