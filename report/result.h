/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tables are made of: samples that were counted together, with everything about them already found
 * out.
 *
 * Nothing in report/ opens a file or decodes an instruction; whoever fills results in does that first, and
 * only for what the chosen keys need (keys_needs()). Every string is interned in one pool, so that equal
 * strings are equal pointers, and outlives the table.
 */
#ifndef DTPROF_REPORT_RESULT_H
#define DTPROF_REPORT_RESULT_H

#include <stdbool.h>
#include <stdint.h>

/* What the keys and filters of a report want filled in. */
enum result_need {
	NEED_COMM = 1 << 0,
	NEED_PID = 1 << 1,
	NEED_TID = 1 << 2,
	NEED_CPU = 1 << 3,
	NEED_WEIGHT = 1 << 4,
	NEED_DSO = 1 << 5,
	NEED_ADDRESS = 1 << 6, /* place.address */
	NEED_SYMBOL = 1 << 7,
	NEED_SOURCE_LINE = 1 << 8,
	NEED_TYPE = 1 << 9,
	NEED_DATA_SOURCE = 1 << 10,
};

/* Of one sampled instruction. */
struct result_place {
	const char *dso;      /* as the dso column shows it */
	const char *dso_path; /* in full, for -v and --dsos */
	uint64_t address;     /* file address in the object; the sampled address where there is none */
	const char *symbol;   /* NULL: none */
	bool no_symbol;       /* it was looked for */
	uint64_t symbol_address;
	const char *source_line; /* "lvm.c:122" */
	const char *type;        /* "struct inode", "(unknown)", "(stack operation)" ... */
	const char *field;       /* member path; NULL: none */
	const char *access;      /* "load 8" */
	const char *how;         /* "variable", "(nothing known of the base register)" */
	int64_t offset;          /* in the type */
	bool typed;              /* `type` is a type's name: it has an offset, and a field or none */
};

struct result {
	const struct result_place *place;
	uint32_t event;
	char level; /* 'k', '.', ... */
	const char *comm;
	int32_t pid;
	int32_t tid;
	int32_t cpu;
	uint64_t weight;
	uint64_t data_source; /* union perf_mem_data_src */
	uint64_t samples;
	uint64_t period; /* what rows are weighed by */
};

#endif
