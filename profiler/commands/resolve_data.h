/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For resolve.c only: what data addresses tell, of the data and of the types that were found. */
#ifndef DTPROF_COMMANDS_RESOLVE_DATA_H
#define DTPROF_COMMANDS_RESOLVE_DATA_H

#include "profiler/commands/resolve.h"

/* Where the data of each counted entry is: resolution->data and data_of. */
void resolve_data(struct resolution *resolution, const struct sample_counts *counts,
		  const struct dso_options *options);

/*
 * Hold each entry's data address against the variable or the stack that its type was found by. Entries that
 * contradict get a place of their own, which has no type.
 */
void resolve_verdicts(struct resolution *resolution, const struct sample_counts *counts);

#endif
