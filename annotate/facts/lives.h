/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * When the lives of variables of C++ begin.
 *
 * A variable of a class has its place on the stack in all of its scope, but it is no object before
 * its constructor has run. Until then gcc uses the place for unnamed objects. If the constructor is
 * inlined, its scope shows where the life begins, and the control flow shows which code runs
 * before that.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct solver;
struct stack_fact;

/* The life of one variable. */
struct life {
	uint32_t variable; /* index in function->variables */
	int64_t offset;    /* of its place (struct stack_fact) */
	/* by block: the constructor may have begun before the block ends; NULL: it is not known
	 * where the life begins */
	bool *begun;
};

/* The scope and line of an instruction. */
struct scope_line {
	uint32_t scope;  /* the innermost one that has the instruction */
	uint32_t number; /* of the line; 0: not known */
	bool asked;      /* `number` has been looked up */
};

/* The lives of a function that were asked for. Zero-initialized is empty. */
struct lives {
	struct life *items;
	size_t count, capacity;
	struct scope_line *lines; /* by instruction; NULL: not needed so far */
};

/* True if no path to `address` goes through the block with the variable's
 * constructor. False as well if it is not known where the constructor is. */
bool lives_begin_later(struct solver *solver, const struct stack_fact *variable, uint64_t address);
/* True if the code at `address` is on a line before the variable's declaration
 * in the source. */
bool lives_declared_later(struct solver *solver, const struct stack_fact *variable,
			  uint64_t address);
/* Forgets all lives, when the function is done. */
void lives_clear(struct lives *lives);
void lives_deinit(struct lives *lives);
