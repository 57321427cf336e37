/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What Rust's library declares too little of. Private to annotate/. */
#ifndef DTPROF_ANNOTATE_RUST_H
#define DTPROF_ANNOTATE_RUST_H

#include "annotate/solver.h"

/*
 * Is the `u8*` at `offset` of an object of type `record` the buffer of a Vec<T>, VecDeque<T> ...? All vectors
 * share code that does not know T, so that is how it is declared. *element becomes T, NULL where it cannot be
 * told.
 */
bool rust_vector_buffer(const struct solver *solver, const struct type *record, int64_t offset,
			const struct type **element);

/* Is this a pointer to memory for whatever there is to come: the `*mut u8` that Rust's allocation gives? C's
 * is void*. */
bool rust_is_raw_memory(const struct solver *solver, const struct value *value);

#endif
