/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The events to record: the text after -e, and what it means to perf_event_open(2).
 *
 * event_parse() turns the text into specs, attr_configure() (attr.h) adds what all events of a
 * recording share, and counters_open() (open.h) opens them.
 */
#pragma once

#include "base/error.h"
#include "base/strbuf.h"
#include "profiler/record/sysfs.h"
#include "profiler/record/target.h"

/* The call chains of one event, where they differ from those of the recording (--call-graph). */
enum event_call_graph {
	EVENT_CALL_GRAPH_SHARED,
	EVENT_CALL_GRAPH_NONE,
	EVENT_CALL_GRAPH_FP,
	EVENT_CALL_GRAPH_DWARF,
};

struct event_spec {
	char *name; /* as the file has it: the text with its modifiers */
	struct perf_event_attr attr;
	const struct pmu *pmu; /* owned by the event list; NULL: no description is needed */
	size_t leader;         /* index of the first event of its group; its own if it is in none */
	bool memory;           /* its samples carry a data address, a data source and a weight */
	bool highest_precision; /* modifier P: use the highest precision that the machine has */
	bool group_read;        /* modifier S: samples of the leader read the whole group */
	bool weak_group;        /* modifier W: single events if the group cannot be scheduled */
	bool exclude_given;     /* u, k or h was given, so missing rights do not add exclude_* */
	bool guest_given;       /* G or H was given */
	bool rate_given;        /* period= or freq= is among its terms: -c and -F do not apply */
	bool no_inherit;        /* no-inherit is among its terms */
	bool name_given;        /* name= is among its terms */
	/* call-graph= is among its terms. */
	enum event_call_graph call_graph;
	uint32_t user_stack; /* bytes, with EVENT_CALL_GRAPH_DWARF */
	uint64_t registers;  /* of user space; 0: those of the recording */
	bool follower;    /* a dummy event that only reports processes and is never switched off */
	char *symbol;     /* mem:SYMBOL, whose address is known once the target runs; else NULL */
	char *cgroup;     /* -G: count only while a task of this group runs; NULL: always */
	char *tracepoint; /* "sys/name", whose format goes into the file; NULL: not a tracepoint */
	char *probed;     /* the file with a probed instruction; NULL: not a probe */
};

struct event_list {
	struct event_spec *items;
	size_t count, capacity;
	struct pmu **pmus; /* the PMUs that items refer to */
	size_t pmu_count;
	size_t pmu_capacity;
};

/* Adds the events of `text`: names of hardware, software and cache events, rNNN,
 * PMU/term=value,.../, SYSTEM:TRACEPOINT, mem:ADDRESS[/LENGTH][:rwx], {group,of,events}, each with
 * modifiers u k h G H I p P S D W e. /sys is read below `root` (sysfs.h). On an error the list
 * stays as it was. */
struct error *event_parse(struct event_list *list, const char *root, const char *text);

/* Appends an event that is in no group. The result is valid until the next event is added. */
struct event_spec *event_list_add(struct event_list *list, const char *name);
/* Removes the group that the event at `leader` leads, or a single event. */
void event_list_drop(struct event_list *list, size_t leader);
/* Removes one event from the list after attr_configure(). If it led a group, the next event of the
 * group takes its place. If it reported what processes do, another event does so from then on. */
void event_list_remove(struct event_list *list, size_t index);
/* Makes single events of a group after attr_configure(), which start and sample as its leader. */
void event_list_ungroup(struct event_list *list, size_t leader);
/* Returns whether the event's samples come as AUX data. */
bool event_traces(const struct event_spec *spec);
bool event_list_traces(const struct event_list *list); /* those of any event */
/* Returns whether the event counts cycles. A timer replaces it if the machine cannot count them. */
bool event_is_cycles(const struct event_spec *spec);
/* Turns the event into cpu-clock, and keeps its modifiers, its rate and its fields. */
void event_fall_back(struct event_spec *spec);
void event_list_deinit(struct event_list *list);

/* ---- probes of instructions in programs (uprobes) ---- */

struct event_probe {
	char *path; /* of the file */
	uint64_t offset;
	const char *name;   /* of the event */
	uint64_t registers; /* of user space, that samples have */
	bool callchain;     /* samples have one, by frame pointers */
};

/* Returns why the kernel has no probes; NULL: it has. */
struct error *event_probes_check(const char *root);
/* Adds the event that a program comes by an instruction. It needs root or CAP_PERFMON, and counts
 * in all processes that run the file: a thread that starts another one would inherit the path's
 * address, which means nothing in its own memory, and its clone(2) would fail. */
struct error *event_add_probe(struct event_list *list, const char *root,
			      const struct event_probe *probe);
/* Returns the attr as files have it: without addresses of this process. */
static inline struct perf_event_attr event_file_attr(const struct event_spec *spec)
{
	struct perf_event_attr attr = spec->attr;

	if (spec->probed)
		attr.uprobe_path = 0;
	return attr;
}

/* ---- names of the events that perf_event_open(2) itself defines ---- */

/* Returns all names of PERF_TYPE_HARDWARE, _SOFTWARE or _HW_CACHE, in a fixed order. */
struct name_list event_name_list(uint32_t type);

/* ---- tracepoints (named_event.c) ---- */

/* Adds SYSTEM:NAME, or patterns. *modifiers is after the second colon of `text`, or "". */
struct error *tracepoint_add(struct event_list *list, const char *root, const char *text,
			     const char **modifiers);

/* Returns the folder of a readable tracefs, without the root, to be freed, or NULL. */
char *tracepoint_directory(const char *root);

/* Adds the formats of the tracepoints of `list` as the header of a trace.dat file, which perf.data
 * carries (trace-cmd.dat.v6(5)). Adds nothing if the list has no tracepoint. */
struct error *tracing_data_read(const struct event_list *list, const char *root,
				struct strbuf *content);

/* ---- breakpoints on names: mem:SYMBOL, mem:VARIABLE.FIELD, ... (named_event.c) ---- */

/* Returns whether an event of the list still needs its address. */
bool breakpoint_pending(const struct event_list *list);
/* Sets the addresses of all breakpoints on names. They are looked up in `processes`, or in the
 * kernel if there are no processes. Returns an error if a name is not found or has different
 * addresses in two processes. */
struct error *breakpoint_resolve(struct event_list *list, const char *root,
				 const struct thread_ids *processes);

/* Returns ERROR_UNSUPPORTED if an event of the list is a breakpoint that the processor accepts but
 * never delivers, as some virtual ones do: the recording would be empty without a message. Returns
 * NULL if that cannot be found out. */
struct error *breakpoint_probe(const struct event_list *list);
