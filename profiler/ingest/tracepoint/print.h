/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The text that the kernel prints of a tracepoint's record, by the print format in the description
 * of the event.
 */
#ifndef DTPROF_INGEST_TRACEPOINT_PRINT_H
#define DTPROF_INGEST_TRACEPOINT_PRINT_H

#include "base/memory.h"
#include "base/strbuf.h"
#include "profiler/ingest/tracepoint/field.h"

struct trace_program;

/*
 * Parses the print format in a whole description of an event, into the arena, which must also own
 * `fields`. Returns NULL if there is none, or if it has something unknown. *problem then says what,
 * as a clause ("it has no field 'x'"), and is empty otherwise.
 */
const struct trace_program *trace_program_parse(const char *format, size_t size,
						const struct tracepoint_field *fields,
						size_t field_count, unsigned int long_size,
						struct arena *arena, struct strbuf *problem);

/* Names of functions, for %pS and the like. */
struct trace_symbols {
	/*
	 * Returns the name of the kernel function at `address`, and the offset in it, or NULL. May
	 * be NULL itself.
	 */
	const char *(*find)(void *data, uint64_t address, uint64_t *offset);
	void *data;
};

/*
 * Adds the text of a record, the `size` bytes of `raw`. Returns false, and adds nothing, if the
 * record does not have what the format asks for. `symbols` may be NULL.
 */
bool trace_program_print(const struct trace_program *program, const uint8_t *raw, size_t size,
			 bool swap, const struct trace_symbols *symbols, struct strbuf *text);

/* ---- the parsed print format, for parse.c and print.c ---- */

/*
 * A print format is the text of a call of printf in C, with helpers of the kernel for flags, names
 * of values and arrays (include/trace/stages/stage3_trace_output.h): `print fmt: "%p (flags=%s)",
 * REC->lock_addr, __print_flags(...)`. Everything that is read of a record is checked against its
 * size.
 */

#define TRACE_DEPTH_MAX 200  /* nodes within nodes; bounds the recursion over hostile formats */
#define TRACE_WIDTH_MAX 1000 /* of a column, whatever the format or an argument says */

enum trace_kind {
	TRACE_NUMBER,
	TRACE_STRING,         /* a literal */
	TRACE_FIELD,          /* REC->field */
	TRACE_UNARY,          /* operator, a */
	TRACE_BINARY,         /* operator, a, b */
	TRACE_CONDITION,      /* a ? b : c */
	TRACE_CAST,           /* type, a */
	TRACE_INDEX,          /* a[b], of elements of type */
	TRACE_FLAGS,          /* a, delimiter in text, entries */
	TRACE_SYMBOLIC,       /* a, entries */
	TRACE_HEX,            /* the b bytes at a, separated by spaces */
	TRACE_HEX_STRING,     /* the b bytes at a, not separated */
	TRACE_ARRAY,          /* the b numbers at a, each of c bytes */
	TRACE_DYNAMIC,        /* what a dynamic field points to */
	TRACE_DYNAMIC_LENGTH, /* the number of those bytes */
	TRACE_DYNAMIC_STRING, /* those bytes as a string */
	TRACE_BITMASK,        /* those bytes as words of bits */
};

/* The number of an operator of one or two characters; `second` is 0 if it has one. */
#define TRACE_OPERATOR(first, second) ((first) | (second) << 8)

struct trace_type {
	uint8_t size; /* bytes; 0: not known */
	bool is_signed;
	bool is_pointer;
	uint8_t element_size; /* of what a pointer points to; 0: not known */
	bool element_signed;
};

/* A row of __print_flags() or __print_symbolic(). */
struct trace_entry {
	uint64_t value;
	const char *name;
	const struct trace_entry *next;
};

struct trace_node {
	enum trace_kind kind;
	unsigned int depth; /* of the tree below it */
	unsigned int operation;
	struct trace_type type;
	uint64_t number;
	const char *text;
	const struct tracepoint_field *field;
	const struct trace_node *a, *b, *c;
	const struct trace_entry *entries;
};

/* A conversion of the format string with the literal text before it. */
struct trace_piece {
	const char *text; /* with % for %% */
	char flags[8];
	int width, precision; /* -1: none */
	const struct trace_node *width_argument, *precision_argument;
	char length;       /* 'H' for hh, h, l, 'L' for ll; 0: none */
	char conversion;   /* diuxXoscp; 0: the text alone, at the end */
	char extension[4]; /* after %p */
	const struct trace_node *argument;
};

struct trace_program {
	struct trace_piece *pieces;
	size_t count, capacity;
	const struct tracepoint_field *fields;
	size_t field_count;
	unsigned int long_size; /* bytes, on the recorded machine */
};

/* Sets *value to that of an expression of numbers alone. Returns false if it needs fields. */
bool trace_evaluate_constant(const struct trace_node *node, uint64_t *value);

#endif
