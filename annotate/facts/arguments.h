/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers and the memory in which arguments and results are passed, by the ABI's tables. */
#pragma once

#include "annotate/facts/abi.h"
#include "dwarf/types/function.h"
#include "dwarf/types/type.h"

/* The registers or the memory in which one parameter is passed. */
struct argument {
	const struct type *type; /* of a class that is passed by its address: a pointer to it */
	uint8_t registers[2];    /* general registers, by word; REG_NONE: that word is elsewhere */
	int64_t stack_offset;    /* from the CFA, of an argument in memory; otherwise -1 */
};

/* A walk over the parameters of a prototype, in their order. */
struct argument_walk {
	const struct abi *abi;
	const struct prototype *prototype;
	size_t index;  /* of the next parameter */
	size_t next;   /* of the convention's argument registers */
	size_t vector; /* vector registers taken so far, in an ABI with flatten() */
	int64_t stack; /* bytes in memory taken so far, from the CFA on */
	bool lost;     /* it ended early, at a parameter whose place is not known */
};

void arguments_begin(struct argument_walk *walk, const struct abi *abi,
		     const struct prototype *prototype);
/* Returns false if there are no more. */
bool arguments_next(struct argument_walk *walk, struct argument *argument);

/* Finds the objects that registers point to at a function's entry, as its prototype says.
 * pointers[] has room for REG_COUNT. Returns how many. */
size_t arguments_pointers(const struct abi *abi, const struct function *function,
			  struct passed_pointer *pointers);

/* Returns the distance of a function's result in memory from the CFA, in an ABI with flatten(),
 * after a walk over all parameters; -1: the result is in registers, or its place is not known. */
int64_t arguments_flat_result(const struct argument_walk *walk);

/* Classifies the one or two words of a parameter or result. False if it is passed in memory, as are
 * all classes of C++ that are passed by their address. */
bool abi_classify(const struct abi *abi, const struct type *type, enum argument_class classes[2]);
/* Returns the type of the result that the first general register has at a return; NULL: there is
 * none, or it is in a vector register. `prototype` may be NULL. */
const struct type *arguments_general_result(const struct abi *abi,
					    const struct prototype *prototype);
/* True if the caller passes the address to which the result is written. */
bool arguments_return_in_memory(const struct abi *abi, const struct prototype *prototype);
