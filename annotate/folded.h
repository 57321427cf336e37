/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions of C++ that a linker has made one, because their code is the same (--icf=all). */
#ifndef DTPROF_ANNOTATE_FOLDED_H
#define DTPROF_ANNOTATE_FOLDED_H

#include "annotate/access.h"
#include "annotate/solver.h"

/* True if another function begins where the solver's function does, and has an argument of another
 * class in the place of one of its own: what the code accesses is then not known. */
bool folded_is_ambiguous(const struct solver *solver);
/* Refuses an answer that may be about another function's classes. */
void folded_refuse(struct access *access);

#endif
