/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records for everything that exists before recording begins: processes with their threads, names
 * and maps; the kernel, its modules and BPF programs. They look as if the kernel had written them
 * at time 0, so readers treat them alike.
 */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"
#include "profiler/record/event.h"
#include "profiler/record/ring.h"
#include "profiler/record/target.h"

struct synthesis_options {
	size_t id_size;       /* bytes of the sample_id trailer that all records have */
	bool data_maps;       /* include maps that are not executable */
	unsigned int threads; /* that read /proc */
};

/* Adds the threads, names and maps of these processes, as far as they go on. */
void synthesize_processes(const struct thread_ids *processes,
			  const struct synthesis_options *options, struct strbuf *records);
/* Adds the name of a process without maps of its own yet: a workload before exec. */
void synthesize_comm(pid_t pid, pid_t tid, const char *name,
		     const struct synthesis_options *options, struct strbuf *records);

/* Adds the kernel's text with its reference symbol, and the modules. Sets *restricted if the kernel
 * hides its addresses (kernel.kptr_restrict); then there are no records, and kernel samples have no
 * symbols. */
void synthesize_kernel(const char *root, const struct synthesis_options *options,
		       struct strbuf *records, bool *restricted);

/* Adds the loaded BPF programs and functions; none without CAP_SYS_ADMIN. */
void synthesize_bpf(const char *root, const struct synthesis_options *options,
		    struct strbuf *records);

/* Adds a CGROUP record, which names the id in samples, for each group that exists, with the image
 * of its container where it is known. */
void synthesize_cgroups(const char *root, const struct synthesis_options *options,
			struct strbuf *records);

/* Adds what readers must know of the AUX data of SPE: AUXTRACE_INFO with the processors below
 * `root`, and TIME_CONV, by which the times in the data become those of samples, as a ring has it.
 * Adds nothing if no event writes AUX data. */
void synthesize_trace_info(const char *root, const struct event_list *events,
			   const struct ring *ring, struct strbuf *records);
