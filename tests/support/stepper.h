/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs a program one instruction at a time, and records the data address of each memory operand of
 * its own code: what a processor would sample, but complete and exact. The programs are those of
 * tests/workloads/languages.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/elf/image.h"

struct step_access {
	uint64_t address; /* of the instruction; a file address */
	uint64_t data;    /* the address accessed, in the process */
	bool store;       /* it is written; with two memory operands, it is the written one */
};

/* struct language_arena of the program. */
struct step_arena {
	uint64_t cells; /* file address of the variable that tells the type; 0: none */
	char *type;
	uint64_t start;
	uint64_t end;
};

struct step_trace {
	struct step_access *accesses; /* each once, in the order of their first occurrence */
	size_t count, capacity;
	struct step_arena *arenas;
	size_t arena_count;
	uint64_t bias; /* address in the process - file address */
	uint64_t steps;
	uint64_t stack_low, stack_high;
};

/*
 * Steps `program`, whose image is `image`, from its first language_mark() to its second. Returns
 * false if processes cannot be traced here. Fails the running test if the program does anything
 * else.
 */
bool step_program(const char *program, const struct elf_image *image, struct step_trace *trace);
void step_trace_deinit(struct step_trace *trace);
