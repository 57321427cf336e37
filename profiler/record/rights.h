/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the kernel lets this process record. */
#ifndef DTPROF_RECORD_RIGHTS_H
#define DTPROF_RECORD_RIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#include "profiler/base/error.h"

struct rights {
	int paranoid;                /* kernel.perf_event_paranoid */
	bool privileged;             /* CAP_PERFMON or CAP_SYS_ADMIN: the level does not bind */
	bool may_lock;               /* CAP_IPC_LOCK: memory beyond the limit, too */
	uint64_t max_sample_rate;    /* kernel.perf_event_max_sample_rate; 0: unknown */
	uint64_t lockable_kilobytes; /* kernel.perf_event_mlock_kb, of ring buffers a CPU */
};

/* ERROR_UNSUPPORTED if the kernel has no perf events. */
struct error *rights_read(const char *root, struct rights *rights);
/* Kernel samples are allowed up to level 1, system-wide recording up to level 0: sysctl/kernel.rst. */
bool rights_allow_kernel(const struct rights *rights);
bool rights_allow_system_wide(const struct rights *rights);
/* What to do about the level, one clause. `level` is the one that would do. */
char *rights_advice(const struct rights *rights, int level);

#endif
