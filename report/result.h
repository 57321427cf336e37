/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Results: samples that were counted together, with all that tables may show about them.
 *
 * Nothing in report/ opens a file or decodes an instruction. The caller fills in results, and only
 * those members that the chosen keys and filters need (layout_needs(), filter_needs()). All strings
 * are interned in one pool, so equal strings are equal pointers, and they outlive the table.
 */
#pragma once

#include "annotate/access_count.h"
#include "base/sample_fields.h"

/* Numbers for the bits of enum result_need. */
enum {
	NEED_BIT_FIRST = 22, /* NEED_ELEMENT, the last bit without a row */
#define NEED_BIT(NAME, type, member) NEED_BIT_##NAME,
	COUNTED_FIELDS(NEED_BIT, NEED_BIT, NO_FIELD)
#undef NEED_BIT
		NEED_BITS
};
_Static_assert(NEED_BITS <= 64, "sets of enum result_need are uint64_t");

/* The members that keys and filters need. NEED_ and a row's NAME: sample_fields.h. */
enum result_need {
	NEED_COMM = 1 << 0,
	NEED_PID = 1 << 1,
	NEED_TID = 1 << 2,
	NEED_CPU = 1 << 3,
	NEED_WEIGHT = 1 << 4,
	NEED_DSO = 1 << 5,
	NEED_ADDRESS = 1 << 6, /* place->address */
	NEED_SYMBOL = 1 << 7,
	NEED_SOURCE_LINE = 1 << 8,
	NEED_TYPE = 1 << 9,
	NEED_DATA_SOURCE = 1 << 10,
	NEED_CHAIN = 1 << 11,
	NEED_FIELD_NAME = 1 << 12, /* place->field; with NEED_TYPE */
	NEED_LANGUAGE = 1 << 14,
	NEED_DATA_ADDRESS = 1 << 15, /* data_address and `data` */
	NEED_TRACE_TEXT = 1 << 17,
	NEED_COPY = 1 << 18,       /* place->copy; with NEED_TYPE */
	NEED_DATA_RANGE = 1 << 20, /* data_begin, data_end, data_last, data_kept */
	NEED_ELEMENT = 1 << 22,    /* `span`, as far as data addresses tell; with NEED_TYPE */
#define NEED_FIELD(NAME, type, member) NEED_##NAME = 1ULL << NEED_BIT_##NAME,
	COUNTED_FIELDS(NEED_FIELD, NEED_FIELD, NO_FIELD)
#undef NEED_FIELD
};

/* A copy of memory. Equal copies are one struct. */
struct result_copy {
	const char
		*text; /* all of it in one line, "(no copy)", or the reason why it is not known */
	const char *type;    /* that is copied, wholly or in part; NULL: not known, or no copy */
	const void *type_id; /* in the debug information, canonical; for comparisons */
	uint64_t bytes;      /* 0: not known */
	uint64_t size;       /* of the type; 0: not known */
	/* the field, the variable or "(stack)" that is read and written; NULL: not known */
	const char *from, *to;
	const char *function; /* that is called to copy; NULL: none */
	const char *line;     /* "match.c:88"; NULL: not known, or no copy */
	const char *hint;     /* NULL: none */
};

/* A sampled instruction or the frame of a call chain. */
struct result_place {
	const char *dso;      /* as the dso column shows it */
	const char *dso_path; /* the full path, for -v and --dsos; NULL: in no object */
	uint64_t address; /* file address in the object, or the sampled address if there is none */
	const char *symbol; /* NULL: none */
	bool no_symbol;     /* a symbol was looked for and not found */
	bool inlined;       /* a frame: `symbol` was inlined in the function at symbol_address */
	/* a frame with a symbol: `address` is its call's last byte, one below the record */
	bool returned;
	bool no_code;   /* the instruction could not be read, so nothing is known about it */
	bool no_memory; /* the instruction accesses no memory */
	bool typed;     /* `type` names a type, so `offset` and `field` are valid */
	bool no_names;  /* the members' names are not known */
	bool charged;   /* samples were charged to it that were taken at another instruction */
	/* charged to none: the samples were held back while interrupts were off */
	bool interrupts_off;
	/* bytes from `offset` on that a bulk memory function works on; 0: one field, or not
	 * known */
	uint32_t range;
	uint64_t symbol_address, symbol_size;
	const char *source_file; /* "lvm.c" */
	const char *language;    /* "C", "C++", "Rust"; NULL: not known */
	const char *source_line; /* "lvm.c:122" */
	/* With NEED_TYPE; `field` with NEED_FIELD_NAME, too: */
	const char *type; /* "struct inode", "struct {hits, misses}", "(unknown)", ... */
	/* as `type`, but a record without a name is only its keyword, as in perf: "struct" */
	const char *bare_type;
	const char *field;  /* path of the member; NULL: none */
	const char *access; /* "load 8" */
	const char *how;    /* how the type was found, or in parentheses why it was not */
	const char *rule;   /* the rule of the type engine that found or refused the type, or "-" */
	const char *blame;  /* the instruction that samples were charged to: "at", "before", ... */
	int64_t offset;     /* in the type */
	/* the bulk memory function, if `type` is "(bulk memory)"; NULL: not known */
	const char *bulk;
	const struct result_copy *copy; /* with NEED_COPY; NULL: not known */
};

struct result_data {
	const char *dso;      /* as the dso_daddr column shows it; "[unknown]": in no map */
	const char *dso_path; /* the full path, for -v; NULL: in no map */
	uint64_t address;     /* file address in the object, or the data address if there is none */
	const char *symbol;   /* NULL: none */
	uint64_t symbol_address;
	bool is_variable; /* the symbol is a variable, so an offset into it is shown */
	bool is_private;  /* anonymous memory: another process has other data at the same address */
};

/* A frame of a call chain, which is the number of its innermost frame: equal if equal. */
struct result_frame {
	const struct result_place *place;
	uint32_t caller; /* number of the calling frame, smaller than this one's; 0: not known */
	char level;      /* as in struct result */
	uint64_t ip;     /* as recorded; shown for a frame without a symbol */
};

struct result {
	const struct result_place *place;
	struct access_span span;        /* with NEED_TYPE */
	const struct result_data *data; /* with NEED_DATA_ADDRESS; else NULL */
	uint32_t event;
	char level; /* 'k' kernel, '.' user, 'g' guest kernel, 'u' guest user, 'H' hypervisor */
	const char *comm;
	const char *thread;  /* with NEED_TID: the thread's last name */
	const char *process; /* with NEED_PID: the last name of the process's first thread */
	int32_t pid;
	int32_t tid, cpu;
	uint64_t weight;
#define RESULT_FIELD(NAME, type, member) type member;
	COUNTED_FIELDS(RESULT_FIELD, RESULT_FIELD, NO_FIELD)
#undef RESULT_FIELD
	const char *cgroup_name; /* NULL: not known */
	uint64_t data_source;    /* union perf_mem_data_src */
	uint64_t data_address;   /* recorded or computed; 0: not known */
	/* The memory around it, by the registers, as in struct counted; 0: not known */
	uint64_t data_begin, data_end, data_last;
	const uint64_t *data_kept; /* DATA_KEPT_MAX values of registers; 0: not known */
	/* there is a data address; also with NEED_TYPE if registers were recorded */
	bool data_known;
	bool data_computed;     /* it was computed from registers */
	bool data_shared;       /* it is in anonymous memory that processes may share */
	uint32_t chain;         /* number of the call chain's innermost frame; 0: none */
	const char *trace_text; /* the fields of a tracepoint's record; NULL: none */
	uint64_t samples;
	uint64_t period; /* rows are weighed by this */
};
