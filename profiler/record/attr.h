/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Settings that the events of a recording share: sampling rate, fields of samples, registers,
 * branch stacks.
 */
#pragma once

#include "profiler/record/event.h"
#include "profiler/record/open.h"

#define DEFAULT_FREQUENCY 4000

struct attr_options {
	uint64_t period;     /* -c; 0: use the frequency */
	uint64_t frequency;  /* samples a second */
	bool system_wide;    /* samples have their CPU */
	bool enable_on_exec; /* start counting when the workload calls exec */
	bool no_inherit;
	bool data_address; /* -d */
	/* Report maps that are not executable, too; -d and memory events imply it. */
	bool data_maps;
	bool no_data_maps; /* leave them out all the same */
	bool weight;       /* -W */
	bool physical_address;
	bool data_page_size, code_page_size;
	bool cpu;          /* --sample-cpu */
	bool period_field; /* samples have their period even if it is fixed */
	bool raw;          /* samples have the event's raw data */
	bool callchain;
	bool no_kernel_callchain, no_user_callchain;
	bool switches;                /* record context switches */
	bool cgroup;                  /* samples have their control group */
	uint64_t branches;            /* branch_sample_type; 0: no branch stacks */
	uint32_t user_stack;          /* bytes of the stack in a sample, for DWARF; 0: none */
	bool no_callers;              /* --no-callers */
	uint32_t max_stack;           /* most entries of a call chain; 0: the kernel's limit */
	uint64_t interrupt_registers; /* sample_regs_intr */
	uint64_t user_registers;      /* sample_regs_user */
	bool delayed;                 /* counting starts with counters_enable() */
	bool overwrite;               /* the newest records replace the oldest: write_backward */
	/* A dummy event reports processes from the start, even while the others are off. */
	bool separate_follower;
	bool namespaces;     /* report the namespaces of processes */
	bool has_clock;      /* -k */
	int32_t clock;       /* clockid_t of times; see clock_gettime(2) */
	bool exclude_user;   /* --all-kernel */
	bool exclude_kernel; /* --all-user */
};

/* Completes the attrs of `list`. One event, or one for each kind of core, also reports mmap, comm,
 * fork and exit; if none can, a dummy event is added. Events without u, k or h get exclude_* as the
 * rights demand; *restricted tells whether kernel samples are left out for that reason. */
void attr_configure(struct event_list *list, const struct attr_options *options,
		    const struct rights *rights, bool *restricted);

/* Returns the offset of the time in samples of this event, from the record's start. */
size_t attr_sample_time_offset(const struct perf_event_attr *attr);

/* ---- branch stacks (-b, -j) ---- */

/* The branches of --call-graph lbr: the calls of user space that have not returned. */
#define BRANCH_CALL_STACK                                                                          \
	(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_CALL_STACK | PERF_SAMPLE_BRANCH_NO_CYCLES |  \
	 PERF_SAMPLE_BRANCH_NO_FLAGS)

/* Parses "any_call,u" into attr.branch_sample_type; NULL means any branch. */
struct error *branch_filter_parse(const char *text, uint64_t *filter);

/* ---- registers, as bits of sample_regs_* (asm/perf_regs.h) ---- */

/* Returns all general registers, the instruction pointer and flags, for operands' addresses. */
uint64_t registers_general(void);
/* Parses names, "ax,bx,ip"; NULL means registers_general(). Errors list all names. */
struct error *registers_parse(const char *list, uint64_t *mask);
