/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Annotated types: a type's members with their shares of its accesses, printed in the form of perf
 * annotate --data-type, as JSON or as comma-separated values; and the columns of figures beside
 * each member.
 *
 * A struct annotated_type is plain data that the caller owns; printing does not change it. Its
 * lines are in declaration order, each record directly before its members, which are one level
 * deeper.
 */
#pragma once

#include "annotate/access_count.h"
#include "base/error.h"
#include "base/strbuf.h"
#include "report/json.h"

/* A column of figures about a field's accesses. */
struct field_column {
	const char *name; /* for --columns, JSON and CSV */
	const char *header;
	const char *summary;   /* for --help; one line */
	uint64_t needs;        /* set of enum result_need */
	unsigned int width;    /* of one event's number and the space before it */
	unsigned int decimals; /* of the number */
	bool percentage;       /* coloured by its value */
	/* Sets *value to a field's figure; `total` is its type's. False: no sample shows it. */
	bool (*value)(const struct access_count *count, const struct access_count *total,
		      double *value);
};

/* All columns, NULL-terminated, in the order of --help. */
extern const struct field_column *const all_field_columns[];
extern const struct field_column field_percent, field_samples, field_period;

#define FIELD_COLUMNS_MAX 32

struct field_columns {
	const struct field_column *items[FIELD_COLUMNS_MAX];
	size_t count;
};

/* Sets `columns` to those named in `text`, "percent,l1,ram"; "+ram" adds to those that are there
 * already. For an unknown name the error suggests the nearest one. */
struct error *field_columns_parse(const char *text, struct field_columns *columns);
/* Returns what the columns need to know about each result: a set of enum result_need. */
uint64_t field_columns_needs(const struct field_columns *columns);

/* Prints all columns, each with all events: elements of `counts` and `total`. */
void field_columns_print(const struct field_columns *columns, const struct access_count *counts,
			 const struct access_count *total, size_t event_count, bool colour,
			 struct strbuf *buffer);
void field_columns_print_headings(const struct field_columns *columns, size_t event_count,
				  struct strbuf *buffer);
size_t field_columns_width(const struct field_columns *columns, size_t event_count);

/* ---- annotated types ---- */

/* Some accesses of a line, below it: of one function or one element of an array. */
struct annotated_part {
	const char *label; /* "[.] lookup", "[3]" */
	int64_t offset;    /* like the line's; negative: the part has no offset of its own */
	uint64_t size;
	const struct access_count *counts; /* for each event */
};

/* One thread's accesses to a field. */
struct annotated_thread {
	int32_t id; /* tid */
	uint64_t loads, stores;
};

/* How many of a line's samples are in one cacheline, or somewhere in several ones. */
struct annotated_spread {
	uint64_t first, last, samples;
};

/* The type itself (the first line) or one of its members. */
struct annotated_line {
	const char *type; /* as C declares it: "struct list_head", "__u64" */
	const char *name; /* NULL: anonymous */
	uint32_t depth;   /* 0: the type itself */
	int64_t offset;   /* in bytes from the start of the whole type */
	uint64_t size;
	bool is_unsized;     /* its size depends on the object, and is not known */
	uint32_t bit_offset; /* of a bitfield: its first bit, counted from `offset` */
	uint32_t bit_size;   /* of a bitfield; 0: not a bitfield */
	/* bitfields together, "type..lru": the accesses that belong to some of them. No member */
	bool is_unit;
	bool opens;                        /* a record; its members follow one level deeper */
	bool is_base;                      /* a base class */
	bool is_union;                     /* its members share their bytes */
	bool is_variant;                   /* a variant of an enum; variants share their bytes */
	uint64_t element_size;             /* of an array: the size of one element; else 0 */
	const struct access_count *counts; /* for each event */
	const struct annotated_part *parts;
	size_t part_count;
	/* The rest is for layouts only. */
	const char *base, *declarator; /* as pahole declares it: "struct list *" and "next" */
	uint64_t unit;                 /* of a bitfield: the size of its declared type in bytes */
	const struct annotated_thread *threads;
	size_t thread_count;
	/* the samples that count for no member of the line, by place; none: they are where the line
	 * is */
	const struct annotated_spread *spread;
	size_t spread_count;
};

/* The accesses to one cacheline of the type, or to an array in several ones, somewhere in which
 * they were. Lines are counted from the start of the type. For layouts only. */
struct annotated_cacheline {
	uint64_t first, last; /* `last` may be LINES_OPEN (report/text.h) */
	const struct access_count *counts;
};

/* False sharing that data addresses show: threads write a field while other threads use other
 * bytes of the same cacheline of memory. For layouts only. */
struct annotated_sharing {
	const char *field;      /* "'hits'" */
	const int32_t *writers; /* thread ids; -1 - N is the idle thread of processor N */
	size_t writer_count;
	const char *const
		*neighbours; /* "'limit'", "'hits' of another object", "'lock' of struct pool" */
	size_t neighbour_count;
	const int32_t *threads; /* those that use the neighbours */
	size_t thread_count;
	uint64_t cachelines; /* number of cachelines of memory in which it was seen */
	bool latent;         /* only the choice of processors or addresses prevented it */
};

/* A record that has objects of the type as a part. */
struct annotated_whole {
	const char *type, *field;
	uint64_t samples;
};

struct annotated_type {
	const char *name;
	const char *object;
	uint64_t samples;
	const char *const *events; /* names */
	uint32_t event_count;
	/* "shop::Item, shop::Tag", which lie in apparent padding; NULL: none */
	const char *virtual_bases;
	const struct annotated_line *lines;
	size_t line_count;
	const struct annotated_whole *wholes; /* those with the most samples first */
	size_t whole_count;
	const struct annotated_cacheline *cachelines; /* with accesses; those of one line first */
	size_t cacheline_count;
	/* The rest is for layouts only, and comes from the addresses of data. */
	bool addressed; /* some addresses are known */
	uint64_t objects,
		aligned_objects; /* distinct objects, and those that begin with a cacheline */
	const struct annotated_sharing *sharings;
	size_t sharing_count;
};

struct annotated_options {
	struct field_columns columns;
	bool hexadecimal;
	bool name_events; /* name the event even if there is only one */
	bool colour;
	uint64_t cacheline;   /* size in bytes; 0: do not mark the boundaries of cachelines */
	size_t width;         /* of the terminal, into which all lines are to fit; 0: none */
	const char *ellipsis; /* with `width`: stands for what is cut out of names */
};

/* Prints the lines above a type or its layout: the type's name, its samples and the events. */
void print_type_heading(const struct annotated_type *type, const struct annotated_options *options,
			struct strbuf *buffer);
/* Prints the type with the figures of each member, as text. */
void print_annotated_type(const struct annotated_type *type,
			  const struct annotated_options *options, struct strbuf *buffer);

/* Returns the index after `line` and all its members. */
size_t annotated_line_end(const struct annotated_type *type, size_t line);

/* Declarations in a terminal: `room` are their columns, with indentation; 0: no limit. */

/* Returns members' indentation: `indent`, or less if the deepest lost half the room. */
size_t annotated_indent(const struct annotated_type *type, size_t indent, size_t room);
/* Returns the indentation of a member, which is at most half of the room. */
size_t annotated_indentation(uint32_t depth, size_t indent, size_t room);
/* Returns what is left of the room, and at least 1; 0 if there is no limit. */
size_t annotated_left(size_t room, size_t taken);
/* Appends the type in `columns` columns, and the rest of the declaration after it. With a limit,
 * the type's name is shortened first, and the whole only if that is not enough. */
void annotated_declare(struct strbuf *buffer, const char *type, size_t columns, const char *rest,
		       size_t room, const char *ellipsis);

/* ---- statistics: "6460  72.3% : variable" ---- */
struct statistic {
	const char *label;
	uint64_t count;
};
/* Prints a line for each count that is not 0, the largest first: count, share, label. */
void print_statistics(const char *heading, const struct statistic *statistics, size_t count,
		      uint64_t total, struct strbuf *buffer);

/* ---- for programs ---- */

/* Adds the type to the open array, as json.md and annotate.schema.json describe. */
void print_annotated_type_json(const struct annotated_type *type,
			       const struct annotated_options *options, struct json *json);
/* Prints one line for each member, after a line with the names of the columns if `heading`. */
void print_annotated_type_csv(const struct annotated_type *type, bool heading,
			      struct strbuf *buffer);

/* ---- code ---- */

/* Annotated code: the instructions of a function with the share of samples at each, the source
 * lines between them and the types of their memory accesses, in the form of perf annotate --stdio.
 */

/* The type that an instruction accesses. */
struct code_type {
	const char *name;  /* NULL: none */
	const char *field; /* NULL: no field at this offset */
	int64_t offset;
	bool typed; /* it has an offset */
};

struct code_line {
	const char *source; /* the text of a source line; NULL: an instruction */
	const char *file;   /* the source file; NULL for an instruction whose source is not known */
	unsigned int number; /* of the line in `file` */

	uint64_t address;
	uint64_t target; /* of a jump to an instruction of the listing; else 0 */
	bool is_target;  /* a jump of the listing leads here */
	const char *mnemonic;
	const char *operands;
	const char *reference; /* "# 33760 <absentkey>", or NULL */
	struct code_type type;
	const struct access_count *counts; /* for each event, the samples here; NULL: none */
	/* For each event, samples that waited for this access; NULL: none were charged. */
	const struct access_count *charged;
};

struct code_listing {
	const char *symbol;
	const char *object; /* path of the object file */
	const char *events; /* "cycles", "anon group { cycles, instructions }" */
	uint32_t event_count;
	uint64_t address;                  /* of the symbol */
	uint64_t samples;                  /* of the symbol and the group's first event */
	const struct access_count *totals; /* for each event: the symbol's */
	const struct code_line *lines;
	size_t line_count;
};

enum code_figure { CODE_PERCENT, CODE_SAMPLES, CODE_PERIOD };

struct code_options {
	enum code_figure figure;
	unsigned int max_name; /* longer type names lose their middle; 0: no limit */
	unsigned int width;    /* of the terminal, into which instructions are to fit; 0: none */
	double percent_limit;  /* functions with a smaller share are left out */
	bool full_paths;       /* -P */
	bool hexadecimal;
	bool colour;
};

void print_code_listing(const struct code_listing *listing, const struct code_options *options,
			struct strbuf *buffer);

/* Adds the listing to the open array, as json.md and annotate.schema.json describe. */
void print_code_listing_json(const struct code_listing *listing, struct json *json);
/* Prints one line for each instruction, after a line with the names of the columns if `heading`. */
void print_code_listing_csv(const struct code_listing *listing, bool heading,
			    struct strbuf *buffer);

/* ---- layouts in the form of pahole ---- */

/*
 * The layout of a type in the form of pahole: offsets and sizes, holes, padding, gaps between
 * bitfields and boundaries of cachelines, with the figures of each field beside it and the heat of
 * each cacheline below.
 *
 * Positions inside a record are in bits from its start. `base` is the record's offset in the whole
 * type, in bytes.
 */

/* Prints the layout and, unless options->cacheline is 0, the heat of its cachelines. */
void print_struct_layout(const struct annotated_type *type, const struct annotated_options *options,
			 struct strbuf *buffer);

/* The unused space before a member or after the last one, as pahole counts it: the rest of a
 * bitfield's storage unit in bits, anything else in bytes. */
struct layout_gap {
	uint64_t bits, bytes;
};

/* How much of a record the members so far occupy. */
struct layout_fill {
	uint64_t end;
	/* end of the last bitfield's storage unit; 0: the last member is not a bitfield */
	uint64_t unit_end;
};

/* Returns where the storage unit of a bitfield begins. A packed bitfield may end after its unit. */
uint64_t layout_unit_start(const struct annotated_line *line, int64_t base);
/* Returns the gap before `line`; NULL: before the end of a record of `size` bytes. */
struct layout_gap layout_gap(const struct layout_fill *fill, const struct annotated_line *line,
			     int64_t base, uint64_t size);
/* Adds a member to `fill`. */
void layout_take(struct layout_fill *fill, const struct annotated_line *line, int64_t base);

/* Returns whether the member is a record without data, such as an empty base class. */
bool layout_is_empty(const struct annotated_type *type, size_t index);
/* Returns the members by offset, to be freed: Rust's are declared in another order. */
size_t *layout_members(const struct annotated_type *type, size_t record, size_t *count);
