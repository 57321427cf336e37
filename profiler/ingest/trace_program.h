/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For trace_*.c only: the print format of a tracepoint, taken apart.
 *
 * A format is the text of a call of printf in C, with helpers of the kernel's for flags, names of values and
 * arrays (include/trace/stages/stage3_trace_output.h): `print fmt: "%p (flags=%s)", REC->lock_addr,
 * __print_flags(...)`. Everything that is read of a record is checked against its size.
 */
#ifndef DTPROF_INGEST_TRACE_PROGRAM_H
#define DTPROF_INGEST_TRACE_PROGRAM_H

#include "profiler/base/strbuf.h"
#include "profiler/ingest/trace_print.h"

#define TRACE_DEPTH 200 /* of nodes within nodes */

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
	TRACE_HEX,            /* the b bytes at a, with blanks between */
	TRACE_HEX_STRING,     /* without */
	TRACE_ARRAY,          /* the b numbers of c bytes each at a */
	TRACE_DYNAMIC,        /* what a dynamic field points to */
	TRACE_DYNAMIC_LENGTH, /* how many bytes that are */
	TRACE_DYNAMIC_STRING, /* the same as a string */
	TRACE_BITMASK,        /* the same as words of bits */
};

/* Operators of two characters. */
#define TRACE_OPERATOR(first, second) ((first) | (second) << 8)

struct trace_type {
	uint8_t size; /* bytes; 0: not known */
	bool is_signed;
	bool is_pointer;      /* to elements of: */
	uint8_t element_size; /* 0: not known */
	bool element_signed;
};

/* What a value of the table is called. */
struct trace_entry {
	uint64_t value;
	const char *name;
	const struct trace_entry *next;
};

struct trace_node {
	enum trace_kind kind;
	unsigned int depth; /* of the nodes below it */
	unsigned int operation;
	struct trace_type type;
	uint64_t number;
	const char *text;
	const struct tracepoint_field *field;
	const struct trace_node *a, *b, *c;
	const struct trace_entry *entries;
};

/* One conversion, with the literal text before it. */
struct trace_piece {
	const char *text; /* %% is one % */
	char flags[8];
	int width, precision; /* -1: none */
	const struct trace_node *width_argument, *precision_argument;
	char length;       /* 'H' for hh, h, l, 'L' for ll; 0: none */
	char conversion;   /* diuxXoscp; 0: the text alone, at the end */
	char extension[4]; /* behind %p */
	const struct trace_node *argument;
};

struct trace_program {
	struct trace_piece *pieces;
	size_t count, capacity;
	const struct tracepoint_field *fields;
	size_t field_count;
	unsigned int long_size; /* bytes, on the recorded machine */
};

/* What is read while a format is parsed. */
struct trace_parser {
	struct trace_program *program;
	struct arena *arena;
	const char *at, *end;
	unsigned int depth;
	struct strbuf *problem; /* why it cannot be; empty: it can */
};

/* trace_word.c: what stands next, past blanks. */
void trace_parse_blanks(struct trace_parser *parser);
bool trace_parse_next_is(struct trace_parser *parser, const char *text);
/* The same, and takes it. */
bool trace_parse_text(struct trace_parser *parser, const char *text);
/* The same of one character; that it is missing is a problem. */
bool trace_parse_expect(struct trace_parser *parser, char character);
/* How many letters and digits follow. */
size_t trace_parse_word(struct trace_parser *parser);
bool trace_is_word(const char *text, size_t length, const char *word);

/* trace_type.c: "unsigned long *" up to a ')'; false: what stands there is no type, and is not taken. */
bool trace_parse_type(struct trace_parser *parser, struct trace_type *type);

/* trace_call.c: the call of a helper, behind its name and the '('. */
const struct trace_node *trace_parse_call(struct trace_parser *parser, const char *name, size_t length);

/* trace_expression.c: a copy in the arena, and the name of a field. */
const struct trace_node *trace_parse_add(struct trace_parser *parser, struct trace_node node);
const struct tracepoint_field *trace_parse_field(struct trace_parser *parser);
/* One expression, up to a ',' or ')' or the end; NULL: parser->problem says why not. */
const struct trace_node *trace_parse_expression(struct trace_parser *parser);
/* A string literal, or several, in the arena; NULL: there is none. */
const char *trace_parse_string(struct trace_parser *parser);
/* Past blanks; whether `character` follows, which is then taken, too. */
bool trace_parse_take(struct trace_parser *parser, char character);
/* Only the first problem is kept; returns NULL. */
const void *trace_parse_fail(struct trace_parser *parser, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* trace_value.c: a number by C's rules, of 32 or 64 bits. */
struct trace_number {
	uint64_t value; /* extended to 64 bits by its sign */
	bool is_long;   /* of 64 bits */
	bool is_signed;
};

/* A record, while it is printed. */
struct trace_record {
	const struct trace_program *program;
	const uint8_t *raw;
	size_t size;
	bool swap;
	bool failed; /* it lacks what the format asks for */
};

struct trace_bytes {
	const uint8_t *data;
	size_t size;
};

struct trace_number trace_evaluate(struct trace_record *record, const struct trace_node *node);
/* Of numbers alone; false: fields are needed. */
bool trace_evaluate_constant(const struct trace_node *node, uint64_t *value);
/* What an array or dynamic field holds; false: the node is something else, or the record failed. */
bool trace_evaluate_bytes(struct trace_record *record, const struct trace_node *node,
			  struct trace_bytes *bytes);

#endif
