/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A performance monitoring unit, as /sys/bus/event_source/devices/NAME describes it: where its
 * terms go in perf_event_attr (format/), which events it names (events/), and on which CPUs it
 * counts (cpus or cpumask). Source: Documentation/ABI/testing/sysfs-bus-event_source-devices* of
 * the kernel.
 */
#ifndef DTPROF_RECORD_PMU_H
#define DTPROF_RECORD_PMU_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "profiler/base/error.h"
#include "profiler/record/sysfs.h"

#define PMU_FOLDER "/sys/bus/event_source/devices" /* has a folder for each PMU */

struct pmu {
	char *name;
	const char *root; /* where its sysfs is (sysfs.h); not owned */
	uint32_t type;    /* perf_event_attr.type */
	char *cpus;       /* the CPUs that it counts on, as "0-7,16"; NULL: all */
	bool uncore;      /* it counts for the machine, not for a task; `cpus` is its cpumask */
	struct name_list formats;
	struct name_list events; /* without the .scale, .unit, .snapshot files */
};

/*
 * Reads the description of a PMU, which the caller closes with pmu_close(). Returns
 * ERROR_NOT_FOUND, with the nearest name, if the machine has no such PMU. `root` must outlive the
 * PMU.
 */
struct error *pmu_open(const char *root, const char *name, struct pmu **result);
void pmu_close(struct pmu *pmu);

/* Return whether the PMU names such an event, or has a place for such a term. */
bool pmu_has_event(const struct pmu *pmu, const char *event);
bool pmu_has_format(const struct pmu *pmu, const char *term);

/*
 * Puts `value` into the bits of the attr that the format of `term` names. Returns an error if the
 * PMU has no such term, or if the value does not fit.
 */
struct error *pmu_set_term(const struct pmu *pmu, const char *term, uint64_t value,
			   struct perf_event_attr *attr);
/* Returns the terms of a named event, "event=0xcd,umask=0x1", to be freed, or NULL. */
char *pmu_event_terms(const struct pmu *pmu, const char *event);

/* Returns the names of all PMUs. The caller frees this list and the next one. */
struct name_list pmu_names(const char *root);
/*
 * Returns the PMUs of the CPU cores: "cpu", or on a hybrid machine those with a `cpus` file
 * ("cpu_core", "cpu_atom"). A machine without hardware counters has none.
 */
struct name_list pmu_core_names(const char *root);

#endif
