/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the events of one recording share: sampling rate, the fields of samples, who is followed. */
#ifndef DTPROF_RECORD_ATTR_H
#define DTPROF_RECORD_ATTR_H

#include "profiler/record/event.h"
#include "profiler/record/rights.h"

#define DEFAULT_FREQUENCY 4000

struct attr_options {
	uint64_t period;     /* -c; 0: by frequency */
	uint64_t frequency;  /* samples a second */
	bool system_wide;    /* samples say their CPU */
	bool enable_on_exec; /* counting begins with the workload's exec */
	bool no_inherit;
	bool data_address; /* -d */
	bool data_maps;    /* maps that are not executable, too; implied by -d and by memory events */
	bool weight;       /* -W */
	bool physical_address;
	bool data_page_size;
	bool code_page_size;
	bool cpu;          /* --sample-cpu */
	bool period_field; /* samples hold their period even where it is fixed */
	bool raw;          /* samples hold what the event has of its own */
	bool callchain;
	bool no_kernel_callchain;
	bool no_user_callchain;
	bool switches;                /* context switches are recorded: who ran when */
	bool cgroup;                  /* samples say their control group */
	uint64_t branches;            /* branch_sample_type (branch.h); 0: no branch stacks */
	uint32_t user_stack;          /* bytes of the user stack a sample, for unwinding by DWARF; 0: none */
	uint32_t max_stack;           /* entries of a call chain; 0: the kernel's limit */
	uint64_t interrupt_registers; /* sample_regs_intr */
	uint64_t user_registers;      /* sample_regs_user */
	bool delayed;           /* counting begins later, by counters_enable(); a follower sees the exec */
	bool overwrite;         /* the newest records replace the oldest: attr.write_backward */
	bool separate_follower; /* a dummy event follows processes from the start, whatever the others do */
	bool exclude_user;      /* --all-kernel */
	bool exclude_kernel;    /* --all-user */
};

/*
 * Complete the attrs of `list`. The first event also follows mmap, comm, fork and exit. Events without u, k,
 * h get exclude_* as the rights allow; *restricted tells whether kernel samples are left out for that reason.
 */
void attr_configure(struct event_list *list, const struct attr_options *options, const struct rights *rights,
		    bool *restricted);

/* Offset of the time in a sample record of these attrs, from the record's start. */
size_t attr_sample_time_offset(const struct perf_event_attr *attr);
/* Bytes of the sample_id trailer of other records: perf_event_open(2), sample_id_all. */
size_t attr_sample_id_size(const struct perf_event_attr *attr);

#endif
