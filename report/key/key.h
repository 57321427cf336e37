/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sort keys, which are also columns. A key has a name, a set of needs (members of results that it
 * reads), an identity (results that agree in it are one row), an order of rows, and the text of its
 * cells.
 *
 * A *figure* (overhead, sample, period) is a number that is summed over the results of a row. All
 * other keys are *attributes*: results are in one row if they agree in all attributes.
 *
 * To add a key whose value struct result or struct result_place has already:
 *   - if it is plain (a number or a text, printed as it is), a row in all_keys of key.c;
 *   - otherwise `const struct key key_NAME` from KEY() and callbacks that it shares with others
 *     (keys.h), in the file of its family, its declaration in keys.h, and its address in all_keys;
 *   - its description in Documentation/dtprof-report.1 and, if its JSON is not a string, in
 *     Documentation/report.schema.json.
 * If they do not have the value: a field of the sample starts in base/sample_fields.h; a fact of
 * the instruction or of its type is a member of struct result_place (report/result.h), which
 * resolved_place_show_access() in profiler/resolve/object.c sets.
 */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"
#include "report/result.h"

struct json;

#define BREAKDOWN_CLASSES 7  /* classes of one breakdown, at most */
#define BREAKDOWN_PARTS   29 /* classes of all breakdowns */
#define BREAKDOWN_WIDTH   7  /* width of a class's column: "  42.7%" */

/* A figure that divides a row's share by one field of the data sources, as perf 7.2 does: op,
 * cache, memory, snoop, dtlb. Each class with samples has a column. */
struct breakdown {
	const char *title;
	uint8_t first; /* index of its first class in an array of BREAKDOWN_PARTS */
	uint8_t count; /* number of its classes */
	const char *names[BREAKDOWN_CLASSES];
};

/* Values of mem_lvl_num of a data source (perf_event_open(2)); headers of older systems lack some.
 */
enum source_level {
	SOURCE_UNSET,
	SOURCE_L1,
	SOURCE_L2,
	SOURCE_L3,
	SOURCE_L4,
	SOURCE_L2_MHB,
	SOURCE_MEMORY_SIDE,
	SOURCE_UNCACHED = 8,
	SOURCE_CXL,
	SOURCE_IO,
	SOURCE_ANY_CACHE,
	SOURCE_LFB,
	SOURCE_RAM,
	SOURCE_PMEM,
	SOURCE_NA,
};

/* Adds the result's period to one class of each breakdown. */
void breakdown_add(uint64_t parts[BREAKDOWN_PARTS], const struct result *result);

enum { WEIGHTS = 3 }; /* the weights of a PERF_SAMPLE_WEIGHT_STRUCT */

struct figures {
	uint64_t samples, period;
};

/* Sums that only some keys show; tables without such keys do not keep them. */
struct more_figures {
	uint64_t weights[WEIGHTS];
	uint64_t parts[BREAKDOWN_PARTS];
};

/* True if class `index` of the breakdown has samples anywhere in the table, and so a column. */
bool breakdown_shows(const struct breakdown *breakdown, unsigned int index,
		     const struct more_figures *totals, uint32_t events);

/* A row in the form that keys get. */
struct row_view {
	const struct result *result;     /* the first result that was counted in this row */
	const struct figures *figures;   /* for each event of the table */
	const struct more_figures *more; /* the same; NULL: no key of the table needs them */
	const uint64_t *children; /* for each event, the period including callees; NULL: not kept */
	uint32_t event_count;
	uint32_t chain_depth; /* frames of the row's longest call chain */
	bool caller_first;    /* call chains begin with the outermost caller */
};

/* How cells are printed. */
struct cell_format {
	unsigned int width;     /* of the column */
	bool separated;         /* -t: figures are not padded */
	bool hexadecimal;       /* --hex */
	bool nanoseconds;       /* --ns: print times to the nanosecond */
	bool verbose;           /* -v: print addresses beside symbols, and full paths */
	bool colour;            /* colour percentages by their value */
	bool type_shown;        /* the type is in a column before this one */
	const uint64_t *totals; /* for each event, the period of all results */
	const struct more_figures *more_totals; /* the same; only if row_view.more is there */
};

#define KEY_WORDS 3

struct key {
	const char *name;
	const char *alias; /* another name, or NULL */
	const char *header;
	const char *summary; /* for --help; one line */
	uint64_t needs;      /* set of enum result_need */
	/* Attributes: sets words that are equal in a row, unused ones 0. NULL: a figure. */
	void (*identity)(const struct key *key, const struct result *result,
			 uint64_t words[KEY_WORDS]);
	/* Returns a positive number if a comes first, a negative one if b does, else 0. */
	int (*order)(const struct key *key, const struct row_view *a, const struct row_view *b);
	/* Returns the width that this row's cell wants. NULL: that of the heading is enough. */
	unsigned int (*width)(const struct key *key, const struct row_view *row,
			      const struct cell_format *format);
	void (*cell)(const struct key *key, const struct row_view *row,
		     const struct cell_format *format, struct strbuf *buffer);
	/* Attributes: adds the value as a member called key->name. NULL: the cell's text. */
	void (*json)(const struct key *key, const struct row_view *row, struct json *json);

	/* Figures: */
	uint64_t (*figure)(const struct key *key, const struct row_view *row, uint32_t event);
	unsigned int event_width; /* width of one event's number */
	bool wants_more;          /* reads row_view.more */

	/* Parameters of callbacks that several keys share; see keys.h: */
	struct key_value {
		uint16_t offset; /* of a member of struct result or struct result_place */
		uint8_t size;    /* of the member: 4 or 8 */
		bool in_place;   /* it is a member of struct result_place */
	} value;
	const char *(*text)(const struct result *result); /* in place of `value` */
	const char *none;                                 /* the cell of a text that is NULL */
	int (*compare)(uint64_t a, uint64_t b);
	unsigned int column_width;
	unsigned int index; /* of a weight, or of an enum */
	const struct source_part *source;
	const struct breakdown *breakdown;
};

/* All keys, NULL-terminated, in the order of --help. */
extern const struct key *const all_keys[];

/*
 * Finds the key of a name, an alias or the beginning of a name, ignoring case, as perf does. For an
 * unknown name the error suggests the nearest one; `option` ("--sort") is for its message. Some
 * names are those of a figure and of an attribute: --fields prefers the figure
 * (`figures_first`), --sort the attribute.
 */
struct error *key_find(const char *name, size_t length, const char *option, bool figures_first,
		       const struct key **result);

/* Appends all parts of a data source in one text, as perf script does: "|OP LOAD|LVL L1
 * hit|...". */
void data_source_add_text(uint64_t source, struct strbuf *buffer);

/* Begins perf's colour of a percentage, if any and `colour`. True: COLOUR_RESET is due. */
bool begin_percent_colour(struct strbuf *buffer, double percent, bool colour);
#define COLOUR_RESET "\033[m"
