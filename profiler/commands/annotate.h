/* SPDX-License-Identifier: GPL-2.0-or-later */
/* dtprof annotate --data-type: the types that samples access, field by field. */
#ifndef DTPROF_COMMANDS_ANNOTATE_H
#define DTPROF_COMMANDS_ANNOTATE_H

#include "disasm/decoder.h"
#include "profiler/commands/input.h"
#include "profiler/commands/output.h"
#include "report/annotated.h"
#include "report/code_listing.h"
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

/* dtprof annotate SYMBOL, --code-with-type: functions with the share of samples at each instruction. */

struct annotate_code_options {
	const struct word_list *symbols; /* names or patterns; none: all functions with samples */
	bool with_type;
	bool source;        /* lines of source, where they can be read */
	const char *prefix; /* --prefix and --prefix-strip: see code_lines.h */
	unsigned int strip;
	bool skip_missing; /* say nothing of functions whose code cannot be had */
	bool global;       /* percentages of all samples, not of the function's */
	enum syntax syntax;
	const struct grouping *grouping;
	const struct filter *filter;
	enum output_format format;
	struct json *json; /* OUTPUT_JSON: an object is open */
	const struct input_options *input;
	struct code_options output;
};

/* Set of enum result_need. */
unsigned int annotate_code_needs(const struct annotate_code_options *options);
/* ERROR_NOT_FOUND where no function with samples is called so. */
struct error *annotate_code(const struct input *input, struct annotate_code_options *options);

#endif
