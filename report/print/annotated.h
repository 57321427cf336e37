/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The columns of annotated types: what can be told of a field's accesses. */
#ifndef DTPROF_REPORT_PRINT_ANNOTATED_H
#define DTPROF_REPORT_PRINT_ANNOTATED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "annotate/access_count.h"
#include "profiler/base/error.h"
#include "profiler/base/strbuf.h"
#include "report/json.h"

struct field_column {
	const char *name; /* for --columns and machines */
	const char *header;
	const char *summary;   /* for --help; one line */
	unsigned int needs;    /* set of enum result_need */
	unsigned int width;    /* of one event's number, with a blank before it */
	unsigned int decimals; /* of the number */
	bool percentage;       /* which is coloured by its size */
	/* Of a field, in a type with `total`; false: it cannot be told (no sample says it). */
	bool (*value)(const struct access_count *count, const struct access_count *total, double *value);
};

/* All columns, NULL-terminated, in the order of --help. */
extern const struct field_column *const all_field_columns[];
extern const struct field_column field_percent, field_samples, field_period;

#define FIELD_COLUMNS 32

struct field_columns {
	const struct field_column *items[FIELD_COLUMNS];
	size_t count;
};

/* "percent,l1,ram"; "+ram" adds to those that are there. An unknown name's error has the nearest one. */
struct error *field_columns_parse(const char *text, struct field_columns *columns);
/* Set of enum result_need. */
unsigned int field_columns_needs(const struct field_columns *columns);

/* All columns of all events, one column's events side by side; `counts` and `total` have one for each event.
 */
void field_columns_print(const struct field_columns *columns, const struct access_count *counts,
			 const struct access_count *total, size_t event_count, bool colour,
			 struct strbuf *buffer);
void field_columns_print_headings(const struct field_columns *columns, size_t event_count,
				  struct strbuf *buffer);
size_t field_columns_width(const struct field_columns *columns, size_t event_count);

/* A type's members with their shares of its accesses, in the form of perf annotate --data-type. */

/* Some of a line's accesses, shown below it: those in one function, or to one element of an array. */
struct annotated_part {
	const char *label; /* "[.] lookup", "[3]" */
	int64_t offset;    /* as the line's; negative: none of its own */
	uint64_t size;
	const struct access_count *counts; /* by event */
};

/* One thread's accesses to a field. */
struct annotated_thread {
	int32_t id; /* tid */
	uint64_t loads, stores;
};

/* How many of a line's samples go to one cacheline. */
struct annotated_spread {
	uint64_t cacheline;
	uint64_t samples;
};

struct annotated_line {
	const char *type; /* as C would declare it: "struct list_head", "__u64" */
	const char *name; /* NULL: anonymous */
	uint32_t depth;   /* 0: the type itself, the first line */
	int64_t offset;   /* from the start of the whole type, bytes */
	uint64_t size;
	uint32_t bit_offset;               /* bitfield: first bit, from `offset` */
	uint32_t bit_size;                 /* bitfield; 0: none */
	bool opens;                        /* its members follow, one deeper */
	bool is_base;                      /* base class */
	bool is_union;                     /* its members share their bytes */
	bool is_variant;                   /* one of an enum's, which share their bytes */
	uint64_t element_size;             /* of arrays: of one element */
	const struct access_count *counts; /* by event */
	const struct annotated_part *parts;
	size_t part_count;
	/* for layouts only: */
	const char *base, *declarator; /* as pahole declares it: "struct list *" and "next" */
	uint64_t unit;                 /* of bitfields: bytes of its declared type */
	const struct annotated_thread *threads;
	size_t thread_count;
	const struct annotated_spread *spread; /* of arrays of scalars, by cacheline; elsewhere none */
	size_t spread_count;
};

/* The accesses to one cacheline of the type, for layouts. */
struct annotated_cacheline {
	uint64_t number; /* from the start of the type */
	const struct access_count *counts;
};

/* A place of the type that one thread writes, while another one uses other bytes of the cacheline of memory
 * that it is in. */
struct annotated_sharing {
	const char *field;      /* "'hits'" */
	const int32_t *writers; /* tids; -1 - cpu: that processor's idle thread */
	size_t writer_count;
	const char *const *neighbours; /* "'limit'", "'hits' of another object", "'lock' of struct pool" */
	size_t neighbour_count;
	const int32_t *threads; /* that use these */
	size_t thread_count;
	uint64_t cachelines; /* of memory where that was seen */
};

struct annotated_type {
	const char *name;
	const char *object;
	uint64_t samples;
	const char *const *events; /* names */
	uint32_t event_count;
	const char *
		virtual_bases; /* "shop::Item, shop::Tag": somewhere in what looks like padding; NULL: none */
	const struct annotated_line *lines;
	size_t line_count;
	const struct annotated_cacheline *cachelines; /* those with accesses, in order */
	size_t cacheline_count;
	/* for layouts only, by the addresses of data: */
	bool addressed;                    /* some are known */
	uint64_t objects, aligned_objects; /* distinct ones, and how many of them begin with a cacheline */
	const struct annotated_sharing *sharings;
	size_t sharing_count;
};

struct annotated_options {
	struct field_columns columns;
	bool hexadecimal;
	bool name_events; /* also where there is only one */
	bool colour;
	uint64_t cacheline; /* bytes; 0: boundaries are not marked */
};

/* What kind of page it is, and the events; also for layouts. */
void print_type_heading(const struct annotated_type *type, const struct annotated_options *options,
			struct strbuf *buffer);
void print_annotated_type(const struct annotated_type *type, const struct annotated_options *options,
			  struct strbuf *buffer);

/* The line after `line` and all its members. */
size_t annotated_line_end(const struct annotated_type *type, size_t line);

/* "total 8937, ok 6460 (72.3%), bad 2477 (27.7%)" and the like: one table of counted labels. */
struct statistic {
	const char *label;
	uint64_t count;
};
/* Lines with a count, its share of `total`, and the label; most first; those of count 0 are left out. */
void print_statistics(const char *heading, const struct statistic *statistics, size_t count, uint64_t total,
		      struct strbuf *buffer);

/* Adds `type` as an element of the array that is open, as Documentation/json.md and annotate.schema.json say.
 */
void print_annotated_type_json(const struct annotated_type *type, const struct annotated_options *options,
			       struct json *json);
/* A line for each member; with `heading` first the names of the columns. */
void print_annotated_type_csv(const struct annotated_type *type, bool heading, struct strbuf *buffer);

#endif
