/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where arguments and results of a function are (System V psABI x86-64, 3.2.3). Private to annotate/. */
#ifndef DTPROF_ANNOTATE_ARGUMENT_H
#define DTPROF_ANNOTATE_ARGUMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/function.h"

#define ARGUMENT_REGISTERS 6
extern const uint8_t argument_registers[ARGUMENT_REGISTERS];

enum argument_class { ARGUMENT_NONE, ARGUMENT_INTEGER, ARGUMENT_SSE, ARGUMENT_MEMORY };

/* Classes of the (up to two) eightbytes of a type; false: it goes in memory. */
bool argument_classes(const struct type *type, enum argument_class classes[2]);

/* How one parameter is passed (psABI 3.2.3, "Passing"). */
struct argument {
	const struct type *type;
	uint8_t registers[2]; /* general ones, of its eightbytes; REG_NONE: this one is elsewhere */
	int64_t stack_offset; /* from the CFA, if it is passed in memory; else -1 */
};

/* Over the parameters of a prototype, in their order. */
struct argument_walk {
	const struct prototype *prototype;
	size_t index;  /* of the next parameter */
	size_t next;   /* of argument_registers */
	int64_t stack; /* taken in memory, from the CFA on */
};

void arguments_begin(struct argument_walk *walk, const struct prototype *prototype);
/* False: there are no more. */
bool arguments_next(struct argument_walk *walk, struct argument *argument);

/* Is the address of the room for the result a hidden first argument? That of a long double is not: it comes
 * in an x87 register. */
bool arguments_return_in_memory(const struct prototype *prototype);

#endif
