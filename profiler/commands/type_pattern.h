/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The types that --data-type=NAME means: by name, by a typedef's name, by a pattern, or by the end of a
 * qualified name (report/type_match.h). */
#ifndef DTPROF_COMMANDS_TYPE_PATTERN_H
#define DTPROF_COMMANDS_TYPE_PATTERN_H

#include <stdbool.h>
#include <stddef.h>

#include "dwarf/type.h"
#include "profiler/base/error.h"
#include "profiler/commands/resolve.h"

struct type_pattern {
	const char *text;          /* NULL: every type */
	const struct type **types; /* canonical: what the name stands for in each object */
	size_t count, capacity;
};

/* Ask the debug information of all objects that have samples what it calls `text`. */
struct error *type_pattern_init(struct type_pattern *pattern, const char *text,
				const struct resolution *resolution, const struct dso_options *dso_options);
void type_pattern_release(struct type_pattern *pattern);

bool type_pattern_matches(const struct type_pattern *pattern, const struct type *type);
#endif
