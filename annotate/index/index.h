/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds out all that a companion has of a build: solves every function, and lists what the debug
 * information says of code and data. */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"
#include "dwarf/debug.h"
#include "dwarf/elf/image.h"

struct index_options {
	unsigned int threads; /* 0: parallel_default_threads() */
	/* as in struct type_resolver_options */
	void (*apply_alternatives)(void *data, const uint64_t *addresses, size_t count);
	void *apply_alternatives_data;
};

struct index_counts {
	size_t functions;
	size_t instructions;
	size_t accesses; /* instructions that access memory */
	size_t typed;    /* those with a type */
	size_t types;
};

/* Appends the companion of an object to `file`. The same object gives the same bytes, whatever the
 * threads. */
struct error *index_object(const struct elf_image *image, struct debug_object *debug,
			   const struct index_options *options, struct strbuf *file,
			   struct index_counts *counts);
