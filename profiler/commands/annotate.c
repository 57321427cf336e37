// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof annotate: types with the share of each field, or how the types were found. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "profiler/commands/annotate_types.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/globals.h"
#include "profiler/commands/insn_stat.h"
#include "profiler/commands/terminal.h"
#include "profiler/commands/type_stat.h"

#define UNSET     UINT64_MAX
#define CACHELINE 64 /* where the file does not say */

static struct {
	struct input_options input;
	struct annotate_types_options types;
	struct filter filter;
	struct grouping grouping;
	const char *columns; /* NULL: percent, or what -n or --show-total-period asks for */
	bool show_samples;
	bool show_period;
	bool type_stat;
	bool insn_stat;
	bool stdio;
} options = { .types = { .output.cacheline = UNSET,
			 .filter = &options.filter,
			 .grouping = &options.grouping } };

static struct error *parse_type(void *value, const char *argument)
{
	(void)value;
	options.types.type = argument;
	return NULL;
}

static struct error *parse_words(void *value, const char *argument)
{
	word_list_parse(value, argument);
	return NULL;
}

static const struct option_spec annotate_options[] = {
	{ OPTION_GROUP, 0, NULL, NULL, NULL, "What", NULL },
	{ OPTION_CALL_OPTIONAL, 0, "data-type", NULL, "NAME",
	  "the type of this name (or all like 'list_*'); all types\nif none is given, those with the most "
	  "samples first",
	  parse_type },
	{ OPTION_FLAG, 0, "layout", &options.types.layout, NULL,
	  "types as pahole shows them: holes, padding, cachelines,\nand which fields share these", NULL },
	{ OPTION_FLAG, 0, "type-stat", &options.type_stat, NULL,
	  "how types were found, and why those missing were not", NULL },
	{ OPTION_FLAG, 0, "insn-stat", &options.insn_stat, NULL,
	  "for which instructions types were found, and for which not", NULL },
	{ OPTION_CALL, 's', "symbol", &options.filter.symbols, "LIST", "accesses in these functions only",
	  parse_words },
	{ OPTION_CALL, 'd', "dsos", &options.filter.dsos, "LIST", "in these programs and libraries only",
	  parse_words },
	{ OPTION_CALL, 'c', "comms", &options.filter.comms, "LIST", "by these commands only", parse_words },

	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Output", NULL },
	{ OPTION_STRING, 'F', "columns", &options.columns, "LIST",
	  "these columns for each field, in this order; +NAME adds to\nthe default", NULL },
	{ OPTION_FLAG, 0, "by-symbol", &options.types.by_symbol, NULL,
	  "below each field the functions that touch it", NULL },
	{ OPTION_FLAG, 0, "elements", &options.types.elements, NULL,
	  "below each array the elements that are accessed by a\nconstant index", NULL },
	{ OPTION_FLAG, 'n', "show-nr-samples", &options.show_samples, NULL,
	  "samples instead of percentages", NULL },
	{ OPTION_FLAG, 0, "show-total-period", &options.show_period, NULL,
	  "periods instead of percentages", NULL },
	{ OPTION_U64, 0, "cacheline", &options.types.output.cacheline, "BYTES",
	  "mark boundaries of that distance (the recorded machine's,\nelse 64); 0: none", NULL },
	{ OPTION_FLAG, 0, "hex", &options.types.output.hexadecimal, NULL,
	  "offsets and sizes as perf prints them: 0x28", NULL },
	GROUPING_OPTION_SPECS(options.grouping),
	{ OPTION_FLAG, 0, "stdio", &options.stdio, NULL, "as text (it always is)", NULL },

	{ OPTION_GROUP, 0, NULL, NULL, NULL, "Input", NULL },
	INPUT_OPTION_SPECS(options.input),
	{ OPTION_END, 0, NULL, NULL, NULL, NULL, NULL },
};

static const struct command_usage annotate_usage = {
	.name = "annotate",
	.synopsis = "[--data-type[=NAME]] [--type-stat] [--insn-stat] [OPTIONS]",
	.summary = "Show the types that samples of a perf.data file go to, field by field.",
	.options = annotate_options,
};

static struct error *choose_columns(void)
{
	struct field_columns *columns = &options.types.output.columns;

	*columns = (struct field_columns){ .items = { options.show_period    ? &field_period
						      : options.show_samples ? &field_samples
									     : &field_percent },
					   .count = 1 };
	return options.columns ? field_columns_parse(options.columns, columns) : NULL;
}

static struct error *run_annotate(struct input *input)
{
	RETURN_ERROR(input_open(&options.input, input));
	RETURN_ERROR(input_resolve(&options.input,
				   &(struct input_needs){ .needs = annotate_types_needs(&options.types) |
								   filter_needs(&options.filter) },
				   input));
	if (options.types.output.cacheline == UNSET) {
		uint64_t recorded = session_cacheline(input->session);

		options.types.output.cacheline = recorded ? recorded : CACHELINE;
	}
	options.types.output.colour = terminal_colour();
	pager_start();
	if (options.type_stat)
		print_type_stat(input, &options.filter);
	if (options.insn_stat)
		RETURN_ERROR(print_insn_stat(input, &options.input.dso, &options.filter));
	return annotate_types(input, &options.input.dso, &options.types);
}

static void print_columns(void)
{
	printf("\nColumns of -F:\n");
	for (const struct field_column *const *column = all_field_columns; *column; column++)
		printf("    %-14s %s\n", (*column)->name, (*column)->summary);
}

int command_annotate(int argc, char **argv)
{
	struct input input = { 0 };
	int rest, status;

	if (!command_begin(argc, argv, &annotate_usage, OPTIONS_ANYWHERE, &rest, &status)) {
		if (status == EXIT_SUCCESS)
			print_columns();
		return status;
	}
	if (rest)
		return fail_usage(error_create(
			ERROR_OTHER, "what is '%s'? (--data-type=NAME names a type, -i FILE a file)",
			argv[0]));

	struct error *error = choose_columns();

	if (error)
		return fail_usage(error);
	error = run_annotate(&input);
	status = error ? fail(error) : EXIT_SUCCESS;
	input_close(&input);
	filter_release(&options.filter);
	return status;
}
