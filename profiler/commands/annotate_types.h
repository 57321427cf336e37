/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dtprof annotate --data-type: the types that samples access, field by field. */
#ifndef DTPROF_COMMANDS_ANNOTATE_TYPES_H
#define DTPROF_COMMANDS_ANNOTATE_TYPES_H

#include "profiler/commands/event_groups.h"
#include "profiler/commands/input.h"
#include "profiler/commands/output_format.h"
#include "report/annotated.h"
#include "report/filter.h"
#include "report/json.h"

struct annotate_types_options {
	const char *type; /* --data-type; NULL: all */
	bool by_symbol;
	bool elements;
	bool quiet;  /* CSV without the names of its columns */
	bool layout; /* --layout: as pahole shows it */
	const struct grouping *grouping;
	const struct filter *filter;
	enum output_format format;
	struct json *json;     /* OUTPUT_JSON: an object is open */
	unsigned int max_name; /* columns of a name in text: longer ones lose their middle; 0: none does */
	struct annotated_options output;
};

/* Set of enum result_need. */
unsigned int annotate_types_needs(const struct annotate_types_options *options);
/* Prints the types; ERROR_NOT_FOUND where none is called `type`. */
struct error *annotate_types(const struct input *input, const struct dso_options *dso_options,
			     struct annotate_types_options *options);

#endif
