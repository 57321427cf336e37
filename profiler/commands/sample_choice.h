/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which samples count at all: --time and --cpu. What is outside is as if it were not in the file. */
#ifndef DTPROF_COMMANDS_SAMPLE_CHOICE_H
#define DTPROF_COMMANDS_SAMPLE_CHOICE_H

#include <stddef.h>

#include "profiler/base/error.h"
#include "profiler/ingest/session.h"

struct sample_choice {
	struct time_range *ranges; /* NULL: all times */
	size_t range_count, range_capacity;
	struct number_set cpus;
	bool all_cpus;
};

/* NULL: all. Shares of the time are of that between the first and the last sample. */
struct error *sample_choice_init(struct sample_choice *choice, const char *time, const char *cpus,
				 struct session *session);
void sample_choice_release(struct sample_choice *choice);
void sample_choice_apply(const struct sample_choice *choice, struct count_options *options);

#endif
