/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rights of this process to record, and messages about events, buffers and samples that the
 * kernel did not give. */
#pragma once

#include "base/error.h"
#include "profiler/record/event.h"

struct rights {
	int paranoid;             /* kernel.perf_event_paranoid */
	bool privileged;          /* CAP_PERFMON or CAP_SYS_ADMIN: `paranoid` does not matter */
	bool may_lock;            /* CAP_IPC_LOCK: may lock more memory than the limit */
	bool user_namespace;      /* another one than the first: no capability counts */
	bool pid_namespace;       /* another one than the first: outside processes have no id */
	bool foreign_proc;        /* /proc shows another PID namespace than that of this process */
	bool filtered;            /* by seccomp(2) */
	uint64_t max_sample_rate; /* kernel.perf_event_max_sample_rate; 0: unknown */
	uint64_t lockable_kilobytes; /* kernel.perf_event_mlock_kb: ring buffers of one CPU */
};

/* Reads the rights of this process. Returns ERROR_UNSUPPORTED if the kernel has no perf events. */
struct error *rights_read(const char *root, struct rights *rights);
/* Returns whether kernel samples are allowed: perf_event_paranoid up to 1 (its .rst). */
bool rights_allow_kernel(const struct rights *rights);
/* Returns whether system-wide recording is allowed: up to level 0. */
bool rights_allow_system_wide(const struct rights *rights);
/* Returns an error if /proc shows other processes than those which the ids in this process mean. */
struct error *rights_check_proc(const struct rights *rights);
/* Returns how to get what `level` of kernel.perf_event_paranoid allows, to be freed. */
char *rights_advice(const struct rights *rights, int level);

/* Returns an error that says what to do about `error_number`, the errno of perf_event_open(2) for
 * this event. ERROR_NOT_FOUND: the thread has ended. */
struct error *open_error(int error_number, const struct event_spec *spec,
			 const struct rights *rights, bool system_wide);
/* Returns the error for too few descriptors; `needed` is how many the counters need. */
struct error *descriptors_error(size_t needed);
/* Returns the error for `rings` buffers of `pages` pages, each with `aux_pages` beside it, which
 * are more memory than may be locked. `fitting` is the largest number of pages for which there was
 * enough; 0: for none. */
struct error *lock_error(size_t rings, unsigned int pages, unsigned int aux_pages,
			 unsigned int fitting, const struct rights *rights);
/* Takes an error of bpf(2) for `option`, and returns it, or one about rights. */
struct error *bpf_error(const char *option, const struct rights *rights, struct error *error);
