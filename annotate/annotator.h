/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Types for the instructions of one object. Every function that has an asked-for address is decoded once,
 * solved once, and gives the types of all its memory operands.
 */
#ifndef DTPROF_ANNOTATE_ANNOTATOR_H
#define DTPROF_ANNOTATE_ANNOTATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/access.h"
#include "dwarf/debug.h"
#include "dwarf/elf_image.h"
#include "profiler/base/error.h"
#include "profiler/base/strbuf.h"

struct annotator;

struct annotator_options {
	bool no_infer; /* leave HOW_INFERRED answers out */
	/* The addresses are of samples: a conditional jump behind a comparison of memory stands for that,
	 * which the processor makes one operation of with it (macro-fusion), as in perf. */
	bool fused;
	unsigned int threads; /* 0: parallel_default_threads() */
	/* --debug type-profile: if not NULL, the story of each asked-for address is given here, in order of
	 * address, from the calling thread. `text` is whole lines. One thread works then. */
	void (*story)(void *data, uint64_t address, const char *text);
	void *story_data;
	/* If not NULL, called by some thread, with the asked-for addresses, before any code is read: what it
	 * makes of the code counts. */
	void (*settle)(void *data, const uint64_t *addresses, size_t count);
	void *settle_data;
};

/*
 * `image` and `debug` (NULL: no debug information; everything is then unknown for that reason) stay the
 * caller's and must outlive the annotator.
 */
struct error *annotator_create(const struct elf_image *image, struct debug_object *debug,
			       const struct annotator_options *options, struct annotator **result);
void annotator_destroy(struct annotator *annotator);

/*
 * The answers for `count` addresses of instructions, in their order, duplicates allowed, into results[].
 * `stores`, if not NULL, has for each address whether the sample was a store: it chooses among two memory
 * operands of one instruction.
 */
struct error *annotator_resolve(struct annotator *annotator, const uint64_t *addresses, const bool *stores,
				size_t count, struct access *results);

#endif
