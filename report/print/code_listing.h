/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Annotated code: the instructions of a function with the share of samples at each, the source
 * lines between them and the types of their memory accesses, in the form of perf annotate --stdio
 * or, with jumps drawn, --stdio2.
 */
#ifndef DTPROF_REPORT_PRINT_CODE_LISTING_H
#define DTPROF_REPORT_PRINT_CODE_LISTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/access_count.h"
#include "profiler/base/strbuf.h"
#include "report/json.h"

enum code_jump {
	JUMP_NONE,
	JUMP_INSIDE,  /* to code_line.target, an instruction of the listing */
	JUMP_OUTSIDE, /* out of the listing, or to an unknown target */
	JUMP_CALL,
	JUMP_RETURN,
};

/* The type that an instruction accesses. */
struct code_type {
	const char *name;  /* NULL: none */
	const char *field; /* NULL: no field at this offset */
	int64_t offset;
	bool typed; /* it has an offset */
};

/* An instruction, or a line of source before one. */
struct code_line {
	const char *source; /* the text of a source line; NULL: an instruction */
	const char *file;   /* the source file; NULL for an instruction whose source is not known */
	unsigned int number; /* of the line in `file` */

	uint64_t address;
	uint64_t target; /* of JUMP_INSIDE */
	uint8_t jump;    /* enum code_jump */
	bool is_target;  /* a jump of the listing leads here */
	const char *mnemonic;
	const char *operands;
	const char *bytes;     /* "8b 57 0c"; NULL: not shown */
	const char *reference; /* "# 33760 <absentkey>", or NULL */
	struct code_type type;
	const struct access_count *counts; /* for each event, the samples here; NULL: none */
	/* For each event, the samples that waited for this access; NULL: none, or samples were not
	 * charged. */
	const struct access_count *charged;
};

struct code_listing {
	const char *symbol;
	const char *object; /* path of the object file */
	const char *events; /* "cycles", "anon group { cycles, instructions }" */
	uint32_t event_count;
	bool plural;      /* write "events" */
	uint64_t address; /* of the symbol */
	uint64_t samples; /* of the symbol and the group's first event */
	uint64_t period;  /* of the symbol and all events */
	const struct access_count
		*totals; /* for each event: the symbol's, or all (--percent-type global) */
	const struct code_line *lines;
	size_t line_count;
};

enum code_figure { CODE_PERCENT, CODE_SAMPLES, CODE_PERIOD };

struct code_options {
	enum code_figure figure;
	bool by_hits;             /* percentages are of samples, not of periods */
	const char *percent_type; /* "local period" */
	unsigned int max_name;    /* longer type names lose their middle; 0: no limit */
	double percent_limit; /* -l: source lines with a smaller share are left out of the summary
			       */
	bool full_paths;      /* -P */
	bool print_lines;     /* -l: summary of source lines, and file:line beside instructions */
	bool show_bytes;
	bool drawn; /* in the form of perf annotate --stdio2 */
	bool hexadecimal;
	bool colour;
};

/* Prints the listing as text. */
void print_code_listing(const struct code_listing *listing, const struct code_options *options,
			struct strbuf *buffer);

/* Adds the listing as an element of the open array; Documentation/json.md and annotate.schema.json
 * describe it. */
void print_code_listing_json(const struct code_listing *listing, struct json *json);
/* Prints one line for each instruction, after a line with the names of the columns if `heading`. */
void print_code_listing_csv(const struct code_listing *listing, bool heading,
			    struct strbuf *buffer);

#endif
