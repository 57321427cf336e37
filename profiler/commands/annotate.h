/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The two outputs of dtprof annotate, which annotate.c chooses between: types (annotate_types.c)
 * and code (annotate_code.c).
 */
#pragma once

#include "disasm/insn.h"
#include "profiler/cli/input.h"
#include "profiler/cli/output.h"
#include "report/print/annotated.h"
#include "report/filter.h"
#include "report/json.h"

/* Receives types or code as values instead of printed text, for the browser. Then nothing is
 * printed or warned of, and functions only charged to are shown. */
struct annotate_receiver {
	/* Returns whether the samples of this result count. `result` is at the place of an access,
	 * or for code at that of the sample or of the access that it is charged to. */
	bool (*accepts)(void *data, const struct result *result);
	void (*type)(void *data, const struct annotated_type *type);
	void (*code)(void *data, const struct code_listing *listing);
	void *data;
};

struct annotate_types_options {
	const char *type; /* --data-type; NULL: all types */
	bool exact;       /* `type` is the whole name as it is shown, and no pattern */
	/* Without a `type`: each type also counts its objects within others, as if it was asked for
	 * alone. The figures of all types are then more than those of all samples. */
	bool parts;
	bool by_symbol, elements;
	bool quiet;  /* CSV without a line of column names */
	bool layout; /* --layout: in pahole's form */
	/* with a layout: do not find shared cachelines, for which samples are kept apart */
	bool no_sharing;
	const struct grouping *grouping;
	const struct filter *filter;
	const struct annotate_receiver *receiver; /* NULL: print */
	enum output_format format;
	struct json *json; /* OUTPUT_JSON: writes into the open object */
	/* longest name in text, in columns; longer ones are cut in the middle; 0: no limit */
	unsigned int max_name;
	struct annotated_options output;
};

/* Returns whether samples have data addresses, or registers to compute them from. */
bool annotate_has_addresses(const struct session *session);

/* Returns the time quantum that layouts count samples by, in ns. It is 0, for exact times, if data
 * addresses are known: threads that use a cacheline in turns are found by time. Without addresses,
 * exact times would keep all samples apart for nothing. */
uint64_t annotate_time_quantum(struct session *session);

/* Returns the figures of a counted entry: loads, stores, and where data came from. */
struct access_count count_accesses(const struct counted *counted, const struct access *access);

/* Set of enum result_need. */
uint64_t annotate_types_needs(const struct annotate_types_options *options);
/* Prints the types. ERROR_NOT_FOUND if none is called `type`. */
struct error *annotate_types(struct input *input, const struct dso_options *dso_options,
			     struct annotate_types_options *options);

/* Options of dtprof annotate SYMBOL and --code-with-type: the share of each instruction. */

struct annotate_code_options {
	const struct name_list *symbols; /* names or patterns; empty: all functions with samples */
	bool with_type;
	bool source;         /* show source lines where they can be read */
	bool source_in_json; /* also in JSON, which otherwise only names them */
	/* --prefix: the folder that source paths are below; NULL: as in the debug information */
	const char *prefix;
	unsigned int strip;
	bool skip_missing; /* do not warn of functions without code */
	/* 0: no limit. Functions beyond it are left out and counted; the first may exceed it. */
	size_t insns_max;
	size_t left_out_functions;
	uint64_t left_out_samples;
	enum syntax syntax;
	const struct grouping *grouping;
	const struct filter *filter;
	const struct annotate_receiver *receiver; /* NULL: print */
	enum output_format format;
	struct json *json; /* OUTPUT_JSON: writes into the open object */
	const struct input_options *input;
	struct code_options output;
};

/* Set of enum result_need. */
uint64_t annotate_code_needs(const struct annotate_code_options *options);
/* Prints the functions. ERROR_NOT_FOUND if no function with samples has such a name. */
struct error *annotate_code(const struct input *input, struct annotate_code_options *options);
