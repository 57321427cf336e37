/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waits for locks from a recording: the kernel's by its events of contention, or as samples of a
 * timer that spin; those of programs by context switches, and those of goroutines by probes.
 */
#pragma once

#include "profiler/cli/input.h"
#include "profiler/ingest/contentions.h"
#include "profiler/ingest/sleeps.h"
#include "profiler/resolve/lock_names.h"

#define EVENT_SWITCH "sched:sched_switch" /* the same samples as of context-switches */

struct lock_reading_options {
	const struct sample_choice *choice; /* NULL: all samples */
	const char *pids, *tids;            /* numbers with commas between; NULL: all */
	bool blocked;                       /* waits for no lock count, too */
	bool timers;                        /* samples of one that spin, if there are no waits */
	enum input_ahead ahead;             /* in recordings of the kernel's locks */
	bool kernel_only; /* callers in programs are needed for locks of programs alone */
	bool quiet;       /* the caller tells what is missing for symbols */
};

/* The meaning of an event's samples. */
enum event_role {
	ROLE_NONE,
	ROLE_BEGIN, /* of a wait in the kernel */
	ROLE_END,
	ROLE_SWITCH,
	ROLE_TIMER,
	ROLE_GO_BEGIN, /* of a wait of a goroutine */
	ROLE_GO_END,
};

struct lock_fields {
	uint32_t event; /* its number */
	bool found;
	const struct tracepoint_field *address;
	const struct tracepoint_field *flags; /* of an end: `ret`, not 0 if it failed */
};

struct lock_reading {
	struct lock_waits waits;
	/* private: */
	struct lock_reading_options options;
	struct input *input;
	struct dso_options dso;
	struct lock_fields begin, end;
	uint8_t *roles;            /* by event: an enum event_role */
	bool switches;             /* there is an event of context switches, */
	bool probes;               /* of goroutines that begin to wait, */
	bool timers;               /* of timers, and no other one */
	struct lock_event *events; /* in the order of the file; room for the keys behind them */
	size_t event_count, event_capacity;
	size_t cut; /* waits in futex(2) whose chains end in the function that calls it */
	bool goroutines; /* threads of Go's runtime had no work: their waits are not recorded */
	struct sleeps sleeps;
	struct go_wait *go_waits; /* by goroutine: go_wait_of */
	size_t go_wait_count, go_wait_capacity;
	struct hash_map go_wait_of;
	struct user_lock *calls; /* by chain: call_of */
	size_t call_count, call_capacity;
	struct hash_map call_of;
};

/* Reads the waits of an open recording, whose counts and symbols are then those of `input`.
 * ERROR_NOT_FOUND: it has no events of waiting. Call lock_reading_deinit() also after an error. */
struct error *lock_reading_read(struct lock_reading *reading, struct input *input,
				const struct input_options *input_options,
				const struct lock_reading_options *options);
void lock_reading_deinit(struct lock_reading *reading);

/* The waits of a recording with the names of their locks, for commands about other samples. */
struct named_waits {
	struct lock_reading reading;
	struct input input; /* what the names are of */
};

/* Reads and names the waits, if the recording has events of them. `input`, which is open, is then
 * as before. Call named_waits_deinit() also after an error. */
struct error *named_waits_read(struct named_waits *waits, struct input *input,
			       const struct input_options *options,
			       const struct sample_choice *choice);
void named_waits_deinit(struct named_waits *waits);
