/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dtprof mem report -D: each sample in a line, as recorded, in perf's form. */
#ifndef DTPROF_COMMANDS_MEM_DUMP_H
#define DTPROF_COMMANDS_MEM_DUMP_H

#include <stdbool.h>

#include "profiler/base/error.h"
#include "profiler/commands/input.h"

struct mem_dump_options {
	const char *separator; /* NULL: a blank */
	const char *cpus;      /* as after -C; NULL: all */
	bool physical_address;
	bool data_page_size;
	bool resolved; /* -U: only samples in functions whose name is known */
};

struct error *mem_dump(const struct input_options *input_options, const struct mem_dump_options *options);

#endif
