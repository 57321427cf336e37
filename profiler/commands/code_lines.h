/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a decoded function to the lines of its listing: text, source, jumps, counts. */
#ifndef DTPROF_COMMANDS_CODE_LINES_H
#define DTPROF_COMMANDS_CODE_LINES_H

#include "profiler/commands/code_function.h"
#include "profiler/commands/source_file.h"
#include "report/code_listing.h"

struct code_lines_options {
	uint32_t event_count;
	struct decoder *decoder;
	enum syntax syntax;
	bool show_bytes;
	bool full_paths;
	bool source;
	/* sources are read at this folder and what is left of their paths without the first `strip` parts */
	const char *prefix; /* NULL: where the debug information says */
	unsigned int strip;
	const struct dso_options *dso;
	struct source_files *sources;
};

struct code_lines {
	struct code_line *items;
	size_t count, capacity;
	struct arena texts; /* what the lines point to */
};

struct error *code_lines_make(const struct code_function *function, const struct code_lines_options *options,
			      struct code_lines *lines);
void code_lines_release(struct code_lines *lines);

#endif
