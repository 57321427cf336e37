/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --debug type-profile on stderr: the story of each instruction, and what is known of its samples' data
 * addresses. */
#ifndef DTPROF_COMMANDS_STORY_PRINT_H
#define DTPROF_COMMANDS_STORY_PRINT_H

#include "profiler/base/hash.h"
#include "profiler/ingest/session.h"

struct story_sums;

/* Zero-initialized but for `counts`, which may be NULL until there are some. */
struct story_teller {
	const struct sample_counts *counts;
	const struct dso *dso;    /* of the stories to come */
	struct hash_map by_place; /* of dso and address -> index + 1 in sums */
	struct story_sums *sums;
	size_t count, capacity;
};

/* For struct resolve_options; `teller` is a struct story_teller. */
void story_print_object(void *teller, const struct dso *dso);
void story_print(void *teller, uint64_t address, const char *text);
void story_teller_release(struct story_teller *teller);

#endif
