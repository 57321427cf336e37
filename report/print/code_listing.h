/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Annotated code: instructions with the share of samples at each, source lines between them and the types of
 * their memory accesses beside them, in the form of perf annotate --stdio (or --stdio2, where jumps are
 * drawn).
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
	JUMP_OUTSIDE, /* elsewhere, or where it cannot be seen */
	JUMP_CALL,
	JUMP_RETURN,
};

/* The type that an instruction accesses. */
struct code_type {
	const char *name;  /* NULL: none */
	const char *field; /* NULL: none there */
	int64_t offset;
	bool typed; /* it has an offset */
};

/* One instruction, or a line of source before one. */
struct code_line {
	const char *source;  /* a line's text; NULL: an instruction */
	const char *file;    /* where the source is; of an instruction NULL where that is not known */
	unsigned int number; /* of the line in `file` */

	uint64_t address;
	uint64_t target; /* of a jump inside */
	uint8_t jump;    /* enum code_jump */
	bool is_target;  /* some jump of the listing leads here */
	const char *mnemonic;
	const char *operands;
	const char *bytes;     /* "8b 57 0c"; NULL: not asked for */
	const char *reference; /* "# 33760 <absentkey>", or NULL */
	struct code_type type;
	const struct access_count *counts; /* by event, as sampled; NULL: none */
	/* by event, of the samples that waited for its access; NULL: none, or samples were not charged */
	const struct access_count *charged;
};

struct code_listing {
	const char *symbol;
	const char *object; /* path */
	const char *events; /* "cycles", "anon group { cycles, instructions }" */
	uint32_t event_count;
	bool plural;                       /* "events" */
	uint64_t address;                  /* of the symbol */
	uint64_t samples;                  /* of the group's first event */
	uint64_t period;                   /* in all: of the symbol and all events */
	const struct access_count *totals; /* by event: of the symbol, or of all (--percent-type global) */
	const struct code_line *lines;
	size_t line_count;
};

enum code_figure { CODE_PERCENT, CODE_SAMPLES, CODE_PERIOD };

struct code_options {
	enum code_figure figure;
	bool by_hits;             /* percentages of samples, not of periods */
	const char *percent_type; /* "local period" */
	unsigned int max_name;    /* columns of a type's name: longer ones lose their middle; 0: none does */
	double percent_limit;     /* -l: source lines below are not summed up */
	bool full_paths;          /* -P */
	bool print_lines;         /* -l: source lines summed up, and file:line beside instructions */
	bool show_bytes;
	bool drawn; /* as perf's --stdio2 */
	bool hexadecimal;
	bool colour;
};

void print_code_listing(const struct code_listing *listing, const struct code_options *options,
			struct strbuf *buffer);

/* Adds `listing` as an element of the array that is open, as Documentation/json.md and annotate.schema.json
 * say. */
void print_code_listing_json(const struct code_listing *listing, struct json *json);
/* A line for each instruction; with `heading` first the names of the columns. */
void print_code_listing_csv(const struct code_listing *listing, bool heading, struct strbuf *buffer);

#endif
