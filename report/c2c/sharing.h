/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Verdicts on cachelines that several threads use: true sharing, false sharing, or neither.
 *
 * The evidence is which thread used which bytes of a line, from which processor and when. It needs
 * no snoop information, so samples of a timer whose data addresses were computed serve as well as
 * those of a processor's memory events.
 *
 * Two threads contend for a line if their samples alternate in time, on different processors, and
 * neither is known to sleep when the other one runs. Bytes
 * are truly shared if one contending thread writes and another uses them. A use of other bytes is
 * disturbed: false sharing. If threads alternate on one processor only, they do not contend, but
 * would on two; that is a latent verdict.
 *
 * A wrong verdict sends somebody to change the wrong struct. So each side of a verdict has at least
 * SHARING_SIDE_MIN samples, and "too few samples" is a verdict.
 */
#pragma once

#include "base/memory.h"
#include "base/strbuf.h"
#include "report/c2c/c2c_table.h"
#include "report/json.h"
#include "report/lock/lock_waits.h"
#include "report/print/annotated.h"

#define SHARING_SIDE_MIN 8   /* samples on each side of a verdict */
#define SHARING_LINE_MAX 256 /* bytes of a line, at most */
/* False sharing is the verdict if it has at least this many times the samples of true sharing. */
#define SHARING_PREVAILS 4
#define SHARING_NO_BASE  UINT64_MAX /* the address of the object is not known */

enum sharing_memory { SHARING_OTHER, SHARING_HEAP, SHARING_STACK, SHARING_STATIC };

/* Samples of one access at one time. Strings are interned: equal ones are one pointer. */
struct sharing_use {
	uint64_t time;      /* ns */
	uint64_t address;   /* of the data; never 0 */
	uint64_t ip;        /* of the instruction */
	uint64_t base;      /* address of the object, or SHARING_NO_BASE */
	uint64_t type_size; /* bytes of its type; 0: not known */
	uint64_t samples;
	uint64_t cost;            /* time or cycles, in a unit that all uses share */
	uint64_t variable_offset; /* of the address in the variable */
	uint32_t element_size;    /* of the variable, if it is an array; 0: not known */
	const char *type;         /* NULL: not known */
	const void *type_id;      /* the same for all uses of one type, of one program; or NULL */
	const char *field;        /* NULL: none */
	const char *function;     /* NULL: not known */
	const char *caller;       /* of the function; NULL: not known */
	const char *source;       /* "lock.c:12"; NULL: not known */
	const char *variable;     /* static data: its name; or NULL */
	/* The memory that addresses are of: 0 is the kernel's, a positive number that of a process,
	 * and each memory that several processes share has a negative number. */
	int32_t pid;
	/* With a negative number: the process with the memory, and that of the thread. */
	int32_t owner, process;
	int32_t tid;    /* idle threads have negative numbers, one for each processor */
	int32_t cpu;    /* -1: not known */
	uint16_t size;  /* bytes; at least 1 */
	uint8_t memory; /* enum sharing_memory */
	bool reads, writes;
	bool adds; /* it only adds to the memory or subtracts, so that the order does not matter */
	bool hitm; /* found the line modified in another cache */
	/* A loop that does nothing else reads this until it changes: some thread writes it, though
	 * maybe so rarely that no sample shows it. */
	bool polls;
	/* The access has no samples of its own. The code makes it whenever it makes another one,
	 * which has these samples; or it is the part of an access in the next line. `cost` is 0. */
	bool implied;
	/* With `implied`: the samples are of other memory. They are counted once for each line. */
	bool elsewhere;
	uint32_t alignment; /* bytes that the object is aligned to on purpose; 0: not known */
};

enum sharing_verdict {
	SHARING_FALSE,        /* threads use different bytes of the line, one of them writes */
	SHARING_TRUE,         /* threads use the same bytes, one of them writes */
	SHARING_BOTH,         /* both, for different bytes */
	SHARING_LATENT_CPU,   /* false sharing if the threads were on two processors */
	SHARING_LATENT_TRUE,  /* true sharing if the threads were on two processors */
	SHARING_LATENT_PLACE, /* false sharing if the objects were placed otherwise */
	SHARING_FEW,     /* contention is likely, but there are too few samples to tell its kind */
	SHARING_PRIVATE, /* one thread, or no writer, or one thread after the other */
	SHARING_VERDICTS
};

/* The objects that falsely shared bytes belong to. */
enum sharing_kind {
	SHARING_ONE_OBJECT, /* fields of one object */
	SHARING_NEIGHBOURS, /* objects of one type side by side */
	/* elements of an array in an object, or of objects side by side: an index hides which */
	SHARING_ELEMENTS,
	SHARING_ONE_TYPE, /* fields of one object or of two of its type, for the same reason */
	SHARING_UNLIKE,   /* different types, or not known */
};

/* The uses of the same bytes by one thread in one function. */
struct sharing_row {
	const struct sharing_use *first;
	const char *caller; /* of the function, in the most samples; NULL: not known */
	bool other_callers;
	uint64_t samples; /* with implied uses */
	uint64_t loads, stores, hitm;
	uint64_t cost;
	uint64_t shared;    /* samples of bytes that a contending thread uses, too */
	uint64_t disturbed; /* samples that are disturbed by use of other bytes of the line */
	bool reads, writes; /* also by implied uses, which `loads` and `stores` do not count */
	bool waits;         /* its thread waited for a lock in the line */
};

/* A lock in a line that threads waited for. */
struct sharing_lock {
	const char *name, *kind; /* "struct pool +88 (guard)"; "mutex" */
	const char *field;       /* NULL: none */
	uint64_t address, size;  /* size 0: not known */
	uint64_t waits, time;
};

/* Another layout of a type, which mends a line: what `dtprof layout` proposes. */
struct sharing_cure {
	const char *kind;            /* "pad", "align", "split" or "copy" */
	uint64_t old_size, new_size; /* bytes of the type */
	const char *summary;         /* "struct stats 16 -> 128 bytes: 'received' at 64" */
	const char *source;          /* in C */
};

struct sharing_thread {
	int32_t tid;
	uint64_t samples, stores;
	int32_t cpu;   /* the one that most of its samples were on */
	uint32_t cpus; /* how many it was on */
};

struct sharing_line {
	enum sharing_verdict verdict;
	enum sharing_kind kind; /* of false sharing */
	int32_t pid;            /* as in struct sharing_use */
	uint64_t address;
	uint64_t samples, cost, hitm;
	uint64_t shared, disturbed; /* as in struct sharing_row */
	uint64_t elsewhere; /* samples of other memory that show the threads to use the line */
	uint64_t turns;     /* how often the samples changed from a thread to a contending one */
	size_t first_use;   /* of the line's part of the sorted uses */
	/* The lines that this one is an example of; the samples and the cost are those of all these
	 * lines. 0: it is not an example, and they are its own. */
	uint64_t alike;
	struct sharing_row *rows; /* by address */
	size_t row_count;
	struct sharing_thread *threads; /* by samples */
	size_t thread_count;
	/* SHARING_LATENT_PLACE: */
	uint64_t base;     /* of the first of two objects, */
	uint64_t distance; /* and how far after it the other one is */
	/* Bit N: objects share a line if the first begins N * 8 bytes into one. */
	uint64_t offsets;
	uint64_t pairs;                  /* such pairs of this type */
	const struct sharing_cure *cure; /* NULL: none */
	struct sharing_lock *locks;      /* by sharing_take_locks() */
	size_t lock_count, lock_capacity;
	/* Prediction: 0 without one */
	double gain;       /* how many times as fast the threads would be without false sharing */
	double whole_gain; /* the same for the whole process */
	/* An upper bound of `gain`: the gain if nothing were left of the contended accesses or, if
	 * `timed`, of the functions that make them. */
	double gain_at_most;
	bool timed; /* the samples are a timer's, which give only the bound */
	/* Nothing tells whether its threads ran at one time: each may have waited for the others
	 * to hand the line over, and then false sharing costs next to nothing. */
	bool maybe_in_turn;
};

struct sharing {
	uint64_t cacheline;
	struct sharing_line *lines; /* in the order of their cost; none with SHARING_PRIVATE */
	size_t line_count, line_capacity;
	uint64_t samples, cost; /* of all uses */
	bool *contended;        /* of each use: its line has false sharing */
	uint64_t private_lines; /* and those with SHARING_PRIVATE */
};

/* The cost of all samples of a thread, with or without a data address. */
struct sharing_total {
	int32_t pid, tid;
	uint64_t cost;
};

/* The cost of a thread's samples at one instruction whose data address is not known. */
struct sharing_rest {
	int32_t pid, tid;
	uint64_t ip;
	const char *function; /* interned as in struct sharing_use; NULL: not known */
	uint64_t cost;
};

struct sharing_input {
	struct sharing_use *uses; /* sorted by sharing_create(); must outlive the result */
	size_t count;
	/* Uses for latent verdicts, whose witnesses are samples of other accesses: they tell which
	 * bytes a thread uses, but nothing about waiting. Must outlive the result. */
	struct sharing_use *witnessed;
	size_t witnessed_count;
	uint64_t cacheline;           /* as sharing_has_line_size() accepts it */
	struct sharing_total *totals; /* each thread once */
	size_t total_count;
	struct sharing_rest
		*rests; /* samples without a use, each instruction of a thread once; or none */
	size_t rest_count;
	bool has_latencies; /* costs are latencies of single accesses, not times of all code */
	bool has_run_times; /* costs are how long threads ran, in ns */
	/* Returns whether a thread is known to have slept at a time. NULL: nothing tells. */
	bool (*slept)(const void *data, int32_t tid, uint64_t time);
	const void *slept_data;
};

/* Returns whether lines of this size can have verdicts: a power of 2, at most SHARING_LINE_MAX. */
static inline bool sharing_has_line_size(uint64_t cacheline)
{
	return cacheline <= SHARING_LINE_MAX && has_one_bit(cacheline);
}

/* Returns the verdicts, which sharing_destroy() frees; they point into `input`. */
struct sharing *sharing_create(const struct sharing_input *input);
void sharing_destroy(struct sharing *sharing);

/* Returns the process that has the line at its address; 0: it is the kernel's. */
static inline int32_t sharing_line_owner(const struct sharing_line *line)
{
	return line->pid < 0 && line->row_count ? line->rows[0].first->owner : line->pid;
}

/* Sets the locks of lines, by waits whose locks have names (lock_names.h). Texts are allocated in
 * `texts`. */
void sharing_take_locks(struct sharing *sharing, const struct lock_waits *waits,
			struct arena *texts);

/* Return names for people and for JSON: "false sharing"; "fields of one object". */
const char *sharing_verdict_name(enum sharing_verdict verdict);
const char *sharing_kind_name(enum sharing_kind kind);

/* ---- for the files that implement this header: sharing.c, sharing_groups.c, latent.c,
 * prediction.c, sharing_locks.c, print_sharing.c ---- */

/* Returns the probability of at most `most` events where `mean` are expected (Poisson). */
double sharing_probability_of_at_most(uint64_t most, double mean);

/* Appends a line and takes over its rows and threads. */
void sharing_add(struct sharing *sharing, const struct sharing_line *line);

/* Append the locks of a line, and add them to the open object. */
void sharing_locks_text(const struct sharing_line *line, struct strbuf *buffer);
void sharing_locks_json(const struct sharing_line *line, struct json *json);

/* Counts a use of the row's bytes. */
void sharing_row_add(struct sharing_row *row, const struct sharing_use *use);

/* The uses all[first .. first + count) of one line. */
struct sharing_span {
	size_t first, count;
};

/* Adds a line as an example of `alike` lines with false sharing, which have `samples` in all. */
void sharing_add_example(struct sharing *sharing, const struct sharing_use *all,
			 struct sharing_span example, uint64_t alike, uint64_t samples);

/* Adds lines with false sharing that is spread over many of them. `uses` are sorted by line. Call
 * after all lines have verdicts, in the order of their uses. */
void sharing_find_groups(struct sharing *sharing, const struct sharing_use *uses, size_t count);

/* Adds lines with SHARING_LATENT_PLACE, last. input->uses are sorted by line. */
void sharing_find_latent(struct sharing *sharing, const struct sharing_input *input);

/* Fills in the gains of lines with false sharing. Call after all lines have verdicts. */
void sharing_predict(struct sharing *sharing, const struct sharing_input *input);

/* ---- verdicts as text for a terminal of 80 columns, as JSON and as CSV ---- */

struct sharing_print_options {
	double percent_limit; /* lines below this share of all costs are only counted */
	bool all;             /* also lines with too few samples, and all rows of each line */
	bool quiet;           /* CSV without a line of column names */
	size_t width;         /* columns of the terminal; 0: nothing is cut */
	const char *cost;     /* what costs are, in a sentence: "the samples", "the latency" */
	/* Returns the name of a thread or process; NULL: not known. */
	const char *(*name)(void *data, int32_t tid);
	void *name_data;
	uint64_t all_samples; /* also those without a data address; */
	uint64_t left_out;    /* others were not looked at: all_samples stand for these, too */
};

/* Appends a summary and the lines with a verdict, each with its rows, threads and advice. */
void print_sharing(const struct sharing *sharing, const struct sharing_print_options *options,
		   struct strbuf *buffer);
/* Appends a row for each pair of functions that contend. */
void print_sharing_functions(const struct sharing *sharing,
			     const struct sharing_print_options *options, struct strbuf *buffer);
/* Adds the members "lines" and "functions" to the open object. */
void print_sharing_json(const struct sharing *sharing, const struct sharing_print_options *options,
			struct json *json);
/* Appends one line of text for each row of each cacheline, below the names of the columns. */
void print_sharing_csv(const struct sharing *sharing, const struct sharing_print_options *options,
		       struct strbuf *buffer);

/* Sets the objects and the sharings of a type, for its layout: those of its written fields that lie
 * in a line with a verdict of false or latent sharing, the fields in the most lines first. `type`
 * is the `type_id` of its uses, and `uses` are those that the verdicts were made of. Texts and
 * arrays are allocated in `texts`. */
void sharing_show_type(const struct sharing *sharing, const struct sharing_use *uses, size_t count,
		       const void *type, struct arena *texts, struct annotated_type *result);
