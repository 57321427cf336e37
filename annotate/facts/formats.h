/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Formats of printf and its like: what the arguments after the declared parameters are (C11
 * 7.21.6.1). Programs have functions of their own that take such formats, for messages.
 */
#ifndef DTPROF_ANNOTATE_FACTS_FORMATS_H
#define DTPROF_ANNOTATE_FACTS_FORMATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An argument in a general register. */
struct format_argument {
	bool pointer;
	uint8_t size; /* bytes of the number, or of the characters to which the pointer points; 0:
			 not known */
};

/* Finds the argument that is the `number`th of those in general registers, from 0. False: the
 * format has no such argument, or something else than printf knows before it. */
bool format_argument(const char *format, unsigned int number, struct format_argument *found);

struct solver;
struct prototype;

/* Returns the format that a call passes to a variadic function as the last of its `declared`
 * arguments, all in general registers; NULL: it passes none, or one that is not known. */
const char *format_of_call(const struct solver *solver, uint32_t call,
			   const struct prototype *prototype, uint8_t declared);

#endif
