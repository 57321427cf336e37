/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Small text files of the kernel under /sys and /proc, and what they say about PMUs.
 *
 * All paths are taken below a root: "" on the real machine, a folder with a copied tree in tests. A
 * missing file is not an error but an answer (NULL, false, an empty list), since machines differ in
 * what they have.
 */
#pragma once

#include <linux/perf_event.h>

#include "base/error.h"
#include "base/text.h"

/* Returns the content of ROOT/PATH, at most 1 MB, without last newlines, to be freed, or NULL. */
char *sysfs_read(const char *root, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Reads a decimal or 0x number. Returns false, and leaves *result alone, if there is none. */
bool sysfs_read_number(int64_t *result, const char *root, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
bool sysfs_exists(const char *root, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns the sorted entries of a folder, without hidden ones; none if it is missing. */
struct name_list sysfs_list(const char *root, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Sets *number to that of an entry "node12" for the prefix "node". False: another name. */
bool sysfs_entry_number(const char *name, const char *prefix, unsigned int *number);

/* ---- performance monitoring units ---- */

/* A performance monitoring unit, as /sys/bus/event_source/devices/NAME describes it: its terms in
 * perf_event_attr (format/), its events (events/), and its CPUs (cpus or cpumask). Source:
 * Documentation/ABI/testing/sysfs-bus-event_source-devices* of the kernel. */

#define PMU_FOLDER "/sys/bus/event_source/devices" /* has a folder for each PMU */

struct pmu {
	char *name;
	const char *root; /* where its sysfs is (sysfs.h); not owned */
	uint32_t type;    /* perf_event_attr.type */
	char *cpus;       /* the CPUs that it counts on, as "0-7,16"; NULL: all */
	bool uncore;      /* it counts for the machine, not for a task; `cpus` is its cpumask */
	bool traces;      /* its samples come as AUX data, not as records */
	struct name_list formats;
	struct name_list events; /* without the .scale, .unit, .snapshot files */
};

/* Reads the description of a PMU, for pmu_close(). ERROR_NOT_FOUND has the nearest name. `root`
 * must outlive the PMU. */
struct error *pmu_open(const char *root, const char *name, struct pmu **result);
void pmu_close(struct pmu *pmu);

bool pmu_has_event(const struct pmu *pmu, const char *event);
/* Returns whether the PMU has a place in the attr for this term. */
bool pmu_has_format(const struct pmu *pmu, const char *term);

/* Puts `value` into the bits of the attr that the format of `term` names. Returns an error if the
 * PMU has no such term, or if the value does not fit. */
struct error *pmu_set_term(const struct pmu *pmu, const char *term, uint64_t value,
			   struct perf_event_attr *attr);
/* Returns whether the PMU is one of Arm's SPE, the only one whose AUX data is recorded. */
bool pmu_is_spe(const struct pmu *pmu);
/* Returns the terms of a named event, "event=0xcd,umask=0x1", to be freed, or NULL. */
char *pmu_event_terms(const struct pmu *pmu, const char *event);

/* Returns the names of all PMUs, to be freed with name_list_deinit(). */
struct name_list pmu_names(const char *root);
/* Returns the names of the PMUs of the CPU cores, to be freed: "cpu", or on a hybrid machine those
 * with a `cpus` file ("cpu_core", "cpu_atom"). A machine without hardware counters has none. */
struct name_list pmu_core_names(const char *root);

/* ---- the machine's best event for memory accesses ---- */

enum memory_source {
	MEMORY_SOURCE_INTEL, /* PEBS loads with latency, and stores, of each kind of core */
	MEMORY_SOURCE_AMD,   /* instruction based sampling */
	MEMORY_SOURCE_ARM,   /* statistical profiling extension (SPE), of each kind of core */
	MEMORY_SOURCE_CLOCK, /* no hardware: a timer, with the registers that hold the operands */
};

/* The accesses that are wanted. IBS and the timer do not tell loads from stores. */
enum memory_operation { MEMORY_LOADS = 1, MEMORY_STORES = 2 };

/* Returns the best source that the machine below `root` has. */
enum memory_source memory_source_find(const char *root);
/* Returns one clause for messages: what the source is and why it was chosen. */
const char *memory_source_reason(enum memory_source source);
/* Returns the events of `source` for a set of enum memory_operation, as text for event_parse(), to
 * be freed; "" if it has none. `latency` is the loads' minimum (ldlat), in cycles; 0: the source's
 * own, which is 30 where loads have one. */
char *memory_source_events(const char *root, enum memory_source source, unsigned int operations,
			   unsigned int latency);
