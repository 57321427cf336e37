/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The compiler's own word on accesses: the section .dtprof.exact, which annotate/exact/plugin/
 * makes gcc write (Documentation/exact.md). Both sections come from a file and are checked like any
 * other input: what contradicts the code or the types is left out.
 */
#pragma once

#include "annotate/access.h"
#include "dwarf/debug.h"
#include "dwarf/elf/image.h"

/* The sections of an object. Immutable, so all threads may use it. */
struct exact;

/* Returns NULL if the object has no such section, or one that is not understood. `image` must
 * outlive the result, which exact_close() frees. */
struct exact *exact_open(const struct elf_image *image);
void exact_close(struct exact *exact);

/* The tools of one thread. Zero-initialized, it has no facts; exact_reader_deinit() frees it.
 */
struct exact_reader {
	const struct exact *exact; /* NULL: no facts */
	struct exact_part *part;   /* the part of a function that was asked for last */
	struct exact_names *names; /* the types that were asked for */
};

/* `debug` has the types; NULL: there are none. */
void exact_reader_init(struct exact_reader *reader, const struct exact *exact,
		       struct debug_reader *debug);
void exact_reader_deinit(struct exact_reader *reader);

/* A memory operand of an instruction. */
struct exact_operand {
	const char *path;
	uint32_t size; /* bytes; 0: not known */
	bool store;
};

/* Returns the operands of the instruction that ends at an address, valid until the next call. */
const struct exact_operand *exact_operands(struct exact_reader *reader, uint64_t end,
					   size_t *count);

/*
 * Sets *access, the engine's answer for the instruction that ends at `end`, to the compiler's type,
 * unless both mean the same. An answer stays if its type has the compiler's type as a part at the
 * accessed place, because it says more. Returns the members on the way, for exact_narrow(); NULL:
 * nothing is known.
 */
const char *exact_apply(struct exact_reader *reader, uint64_t end, struct access *access);
/* Leaves those members of unions that are on the way. */
void exact_narrow(const char *members, struct access *access);
