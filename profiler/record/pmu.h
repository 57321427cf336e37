/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A performance monitoring unit as /sys/bus/event_source/devices/NAME describes it: how its terms are laid
 * out in perf_event_attr (format/), which events it names (events/), on which CPUs it counts (cpus or
 * cpumask). Documentation/ABI/testing/sysfs-bus-event_source-devices* in the kernel's tree says what these
 * files hold.
 */
#ifndef DTPROF_RECORD_PMU_H
#define DTPROF_RECORD_PMU_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "profiler/base/error.h"
#include "profiler/record/sysfs.h"

struct pmu {
	char *name;
	const char *root; /* of the sysfs it was read from; outlives the pmu */
	uint32_t type;    /* perf_event_attr.type */
	char *cpus;       /* list of the CPUs that it counts on, as "0-7,16"; NULL: all */
	bool uncore;      /* cpus is its cpumask: events are of the machine's, not of a task's */
	struct name_list formats;
	struct name_list events; /* without the .scale, .unit, .snapshot files */
};

/* ERROR_NOT_FOUND, with the nearest name, if the machine has no such PMU. */
struct error *pmu_open(const char *root, const char *name, struct pmu **result);
void pmu_close(struct pmu *pmu);

bool pmu_has_event(const struct pmu *pmu, const char *event);
bool pmu_has_format(const struct pmu *pmu, const char *term);

/* Put `value` where the format of `term` says. */
struct error *pmu_set_term(const struct pmu *pmu, const char *term, uint64_t value,
			   struct perf_event_attr *attr);
/* The terms of the named event, "event=0xcd,umask=0x1", to be freed. */
char *pmu_event_terms(const struct pmu *pmu, const char *event);

/* The names of all PMUs. */
struct name_list pmu_names(const char *root);
/*
 * The PMUs of the CPU cores: "cpu", or on a hybrid machine "cpu_core", "cpu_atom", ... (those with a `cpus`
 * file); none on a machine without hardware counters.
 */
struct name_list pmu_core_names(const char *root);

#endif
