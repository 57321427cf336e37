// SPDX-License-Identifier: GPL-2.0-or-later
/* The rights to record: see rights.h. */
#include "profiler/record/rights.h"

#include <stdlib.h>
#include <string.h>

#include <linux/capability.h>

#include "profiler/base/memory.h"
#include "profiler/record/sysfs.h"

#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

static bool has_capability(const char *root, uint64_t capabilities)
{
	_cleanup_free_ char *status = sysfs_read(root, "/proc/self/status");
	const char *line = status ? strstr(status, "\nCapEff:") : NULL;
	uint64_t effective = line ? strtoull(line + strlen("\nCapEff:"), NULL, 16) : 0;

	return effective & capabilities;
}

struct error *rights_read(const char *root, struct rights *rights)
{
	int64_t value;

	if (!sysfs_read_number(&value, root, "/proc/sys/kernel/perf_event_paranoid"))
		return error_create(ERROR_UNSUPPORTED,
				    "this kernel has no performance events "
				    "(/proc/sys/kernel/perf_event_paranoid cannot be read)");
	*rights = (struct rights){ .paranoid = value,
				   .privileged =
					   has_capability(root, 1ULL << CAP_PERFMON | 1ULL << CAP_SYS_ADMIN),
				   .may_lock = has_capability(root, 1ULL << CAP_IPC_LOCK),
				   .lockable_kilobytes = 516 };
	if (sysfs_read_number(&value, root, "/proc/sys/kernel/perf_event_max_sample_rate") && value > 0)
		rights->max_sample_rate = value;
	if (sysfs_read_number(&value, root, "/proc/sys/kernel/perf_event_mlock_kb") && value > 0)
		rights->lockable_kilobytes = value;
	return NULL;
}

bool rights_allow_kernel(const struct rights *rights)
{
	return rights->privileged || rights->paranoid <= 1;
}

bool rights_allow_system_wide(const struct rights *rights)
{
	return rights->privileged || rights->paranoid <= 0;
}

char *rights_advice(const struct rights *rights, int level)
{
	return xasprintf("kernel.perf_event_paranoid is %d; as root: sysctl kernel.perf_event_paranoid=%d, "
			 "or give dtprof "
			 "the capability CAP_PERFMON",
			 rights->paranoid, level);
}
