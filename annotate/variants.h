/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The variant of a Rust enum that an access goes to. */
#ifndef DTPROF_ANNOTATE_VARIANTS_H
#define DTPROF_ANNOTATE_VARIANTS_H

#include "annotate/solver.h"

/*
 * Sets access->variants of an ACCESS_TYPE by instruction `insn`: for each enum on its path, the
 * variant that the code around the access shows. An entry stays NULL if the code shows none.
 */
void variants_find(struct solver *solver, uint32_t insn, bool store, struct access *access);

/* Returns the type of a word that is loaded from a field: in an enum, what the variant has there,
 * if variants_ask_loads() has found it for this instruction; otherwise `declared`. */
const struct type *variants_loaded(struct solver *solver, const struct field_ref *field,
				   uint64_t size, const struct type *declared);

/* Looks for the variants of the loads that variants_loaded() was asked for. True if one more is
 * known: the function is to be solved again. */
bool variants_ask_loads(struct solver *solver);

/* Frees what is kept of the function. */
void variants_clear(struct solver *solver);
/* Frees all that is kept, also what outlives one function. */
void variants_close(struct solver *solver);

#endif
