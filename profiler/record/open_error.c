// SPDX-License-Identifier: GPL-2.0-or-later
/* perf_event_open(2)'s errors, section ERRORS, in words: see open_error.h. */
#include "profiler/record/open_error.h"

#include <errno.h>
#include <string.h>

#include "profiler/base/memory.h"

static struct error *no_right(const struct event_spec *spec, const struct rights *rights, bool system_wide)
{
	int level = system_wide ? 0 : spec->attr.exclude_kernel ? 2 : 1;

	if (spec->tracepoint || (spec->attr.sample_type & PERF_SAMPLE_RAW))
		level = -1;
	/* physical addresses are the kernel's, whoever runs */
	else if (level > 1 && (spec->attr.sample_type & PERF_SAMPLE_PHYS_ADDR))
		level = 1;
	if (rights->privileged || rights->paranoid <= level)
		return error_create(ERROR_PERMISSION,
				    "no permission to record event '%s' of this process (a security module, "
				    "or not your process)",
				    spec->name);
	_cleanup_free_ char *advice = rights_advice(rights, level);

	return error_create(ERROR_PERMISSION, "no permission to record event '%s'%s: %s", spec->name,
			    system_wide ? " system-wide" : "", advice);
}

struct error *open_error(int error_number, const struct event_spec *spec, const struct rights *rights,
			 bool system_wide)
{
	switch (error_number) {
	case EACCES:
	case EPERM: return no_right(spec, rights, system_wide);
	case ENOENT:
	case ENODEV:
	case ENXIO:
		return error_create(ERROR_UNSUPPORTED, "event '%s' is not supported by this machine",
				    spec->name);
	case EOPNOTSUPP:
		if (spec->attr.branch_sample_type & PERF_SAMPLE_BRANCH_CALL_STACK)
			return error_create(ERROR_UNSUPPORTED,
					    "event '%s': this machine keeps no calls for --call-graph lbr, "
					    "or not for this "
					    "event: record with --call-graph dwarf",
					    spec->name);
		return error_create(
			ERROR_UNSUPPORTED,
			"event '%s': this machine cannot sample it so (no interrupt, or not this precise)",
			spec->name);
	case ESRCH: return error_create(ERROR_NOT_FOUND, "event '%s': the thread has ended", spec->name);
	case EMFILE:
		return error_create(ERROR_OTHER,
				    "event '%s': too many open files: raise the limit (ulimit -n) or record "
				    "fewer threads or "
				    "CPUs",
				    spec->name);
	case EBUSY:
		return error_create(ERROR_OTHER, "event '%s': another event that excludes it is in use",
				    spec->name);
	case ENOSPC:
		return error_create(ERROR_OTHER,
				    "event '%s': no breakpoint register is left (there are four)",
				    spec->name);
	case ENODATA:
		return error_create(ERROR_UNSUPPORTED,
				    "event '%s' must follow mem-loads-aux in a group: "
				    "{%s/mem-loads-aux/,%s}",
				    spec->name, spec->pmu ? spec->pmu->name : "cpu", spec->name);
	case EINVAL:
		return error_create(ERROR_UNSUPPORTED, "event '%s': the kernel refuses it with these options",
				    spec->name);
	default: return error_errno(error_number, "event '%s'", spec->name);
	}
}
