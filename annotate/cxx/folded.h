/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of C and C++ that a linker has folded into one because their code is the same
 * (--icf=all). */
#pragma once

#include "annotate/access.h"
#include "annotate/flow/solver.h"

/* Bounds the comparisons for each answer. If more functions than this share the code, answers about
 * arguments are refused. */
#define FOLDED_MAX 64

/* The functions that share the code of the solver's function and whose arguments point to other
 * classes. The prototypes belong to the debug information. */
struct folded_functions {
	const struct prototype *own; /* of the solver's function */
	const struct prototype *others[FOLDED_MAX];
	size_t count;
	bool too_many; /* there are more than FOLDED_MAX */
};

/* Finds the functions that share the code of solver->function. False: there are none. */
bool folded_find(const struct solver *solver, struct folded_functions *folded);
/* Replaces the class of an answer by the outermost part of it that the
 * classes of all functions have there. Refuses the answer if there is no such part. */
void folded_decide(const struct folded_functions *folded, struct access *access);
