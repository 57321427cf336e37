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
	NEED_CHAIN = 1 << 11,
	NEED_WEIGHT2 = 1 << 12,
	NEED_WEIGHT3 = 1 << 13,
	NEED_TRANSACTION = 1 << 14,
	NEED_CODE_PAGE_SIZE = 1 << 15,
	NEED_CGROUP = 1 << 16,
	NEED_TIME = 1 << 17,
	NEED_IP = 1 << 18,
	NEED_SOCKET = 1 << 19,
	NEED_MAP_SIZE = 1 << 20,
	NEED_PARENT = 1 << 21,
	NEED_LANGUAGE = 1 << 22,
	NEED_DATA_ADDRESS = 1 << 23, /* data_address, and with it `data` */
	NEED_PHYSICAL_ADDRESS = 1 << 24,
	NEED_DATA_PAGE_SIZE = 1 << 25,
	NEED_TRACE = 1 << 26,
	NEED_TRACE_TEXT = 1 << 28,
	NEED_PARALLELISM = 1 << 27, /* how many threads ran; and so the latency */
	NEED_CGROUP_NAMESPACE = 1 << 29,
};

/* Of one sampled instruction. */
struct result_place {
	const char *dso;      /* as the dso column shows it */
	const char *dso_path; /* in full, for -v and --dsos */
	uint64_t address;     /* file address in the object; the sampled address where there is none */
	const char *symbol;   /* NULL: none */
	bool no_symbol;       /* it was looked for */
	bool inlined;         /* a frame: `symbol` was inlined in the function at symbol_address */
	uint64_t symbol_address;
	uint64_t symbol_size;
	const char *source_file; /* "lvm.c" */
	const char *language;    /* of the source: "C", "C++", "Rust"; NULL: not known */
	const char *source_line; /* "lvm.c:122" */
	const char *type;        /* "struct inode", "(unknown)", "(stack operation)" ... */
	const char *field;       /* member path; NULL: none */
	const char *access;      /* "load 8" */
	const char *how;         /* "variable", "(nothing known of the base register)" */
	const char *blame; /* with NEED_TYPE: whose access the samples were charged to: "at", "before" ... */
	bool charged;      /* another instruction's than the sampled one */
	bool interrupts_off; /* nobody's: they were held back until interrupts were enabled */
	int64_t offset;      /* in the type */
	bool no_memory;      /* with NEED_TYPE: the instruction accesses none */
	bool typed;          /* `type` is a type's name: it has an offset, and a field or none */
};

/* Of one data address. */
struct result_data {
	const char *dso;      /* as the dso_daddr column shows it; "[unknown]": in no map */
	const char *dso_path; /* in full, for -v; NULL: in no map */
	uint64_t address;     /* file address in the object; the data address where there is none */
	const char *symbol;   /* NULL: none */
	uint64_t symbol_address;
	bool is_variable; /* the symbol is of data: an offset into it tells something */
	bool is_private;  /* of no file: the same address of another process is another place */
};

/* The value of a field of a tracepoint, one for each field that there is a key of. */
struct result_trace {
	const char *value;  /* what rows are told apart by; NULL: the sample has no such field */
	const char *text;   /* the same, or what the kernel prints for it */
	uint64_t first;     /* its first eight bytes as a big-endian number */
	unsigned int width; /* that its column has at least */
};

/* One frame of a call chain: equal chains are one number, that of their innermost frame. */
struct result_frame {
	const struct result_place *place;
	uint32_t caller; /* a smaller number; 0: none that is known */
	char level;
	uint64_t ip; /* as recorded: what is shown of a frame without a symbol */
};

struct result {
	const struct result_place *place;
	const struct result_data *data; /* with NEED_DATA_ADDRESS; else NULL */
	uint32_t event;
	char level; /* 'k', '.', ... */
	const char *comm;
	const char *thread;  /* the last name that the thread had; with NEED_TID */
	const char *process; /* name of the process's first thread, last of all; with NEED_PID */
	int32_t pid;
	int32_t tid;
	int32_t cpu;
	int32_t socket; /* -1: not known */
	uint64_t weight;
	uint64_t weight2;
	uint64_t weight3;
	uint64_t transaction;    /* PERF_TXN_* */
	uint64_t code_page_size; /* bytes; 0: not known */
	uint64_t cgroup;         /* id; 0: none was recorded */
	const char *cgroup_name; /* NULL: not known */
	uint64_t cgroup_device;  /* of the task's cgroup namespace; 0 and 0: not recorded */
	uint64_t cgroup_inode;
	const char *parent;    /* -p: the nearest caller's name that matches; NULL: none */
	uint64_t time;         /* ns; the start of its quantum */
	uint64_t ip;           /* as sampled */
	uint64_t map_size;     /* bytes of the map that it was in; 0: not known */
	uint64_t data_source;  /* union perf_mem_data_src */
	uint64_t data_address; /* recorded or computed; 0: not known */
	bool data_known; /* there is a data address; also with NEED_TYPE, where registers were recorded */
	bool data_computed;
	bool data_shared; /* it is in memory of no file that processes may share */
	uint64_t physical_address;
	uint64_t data_page_size;           /* bytes; 0: not known */
	uint32_t parallelism;              /* threads that ran at the time; with NEED_PARALLELISM */
	uint32_t chain;                    /* number of the call chain's innermost frame; 0: none */
	const char *trace_text;            /* what the kernel prints of a tracepoint's record; NULL: none */
	const struct result_trace *traces; /* with NEED_TRACE */
	uint64_t samples;
	uint64_t period; /* what rows are weighed by */
};

#endif
