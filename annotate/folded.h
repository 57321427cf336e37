/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of C++ that a linker has made one, because their code is the same (--icf=all). */
#ifndef DTPROF_ANNOTATE_FOLDED_H
#define DTPROF_ANNOTATE_FOLDED_H

#include "annotate/access.h"
#include "annotate/solver.h"

/* The functions that share the code of the solver's function, and have an argument of another class
 * in the place of one of its own. */
struct folded_functions {
	const struct prototype *own;
	const struct prototype *others[64];
	size_t count;
	bool too_many; /* there are more */
};

/* Finds them. False: there are none. */
bool folded_find(const struct solver *solver, struct folded_functions *folded);
/* Rule folded-function: names the part that all classes have there, instead of the one class of an
 * answer, or refuses the answer. */
void folded_decide(const struct folded_functions *folded, struct access *access);

#endif
