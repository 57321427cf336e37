/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting for locks: what the events contention_begin and contention_end of a thread say about each
 * lock and caller.
 *
 * A wait lasts from a begin to the next end of the same lock in the same thread, unless the thread
 * begins to sleep for another lock before, so that the end was lost. Events must come in the order
 * of their times. Times are in ns.
 */
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "base/strbuf.h"
#include "report/json.h"

/* The field `flags` of contention_begin (include/trace/events/lock.h of Linux). */
enum lock_flag {
	LOCK_SPIN = 1,
	LOCK_READ = 2,
	LOCK_WRITE = 4,
	LOCK_REALTIME = 8,
	LOCK_PER_CPU = 16,
	LOCK_MUTEX = 32,
	LOCK_USER = 64, /* a lock of a program; the other bits are an enum lock_user_kind */
};

#define LOCK_FLAGS_ALL 127U

enum lock_user_kind {
	LOCK_USER_MUTEX,
	LOCK_USER_READ,
	LOCK_USER_WRITE,
	LOCK_USER_CONDITION,
	LOCK_USER_SEMAPHORE,
	LOCK_USER_BARRIER,
	LOCK_USER_OTHER, /* no lock: input, output, time */
};

/* Returns perf's name of the kind: "rwsem:R", or without `direction` "rwsem"; "unknown". */
const char *lock_kind_name(uint32_t flags, bool direction);
/* Sets *kinds to the set of kinds that a list of names means; "rwsem" means readers and writers.
 * False: there is no such kind, and *bad is the start of its name. */
bool lock_kinds_parse(const char *list, uint64_t *kinds, const char **bad);
/* Returns whether the kind of these flags is in a set of lock_kinds_parse(). */
bool lock_kind_is_in(uint32_t flags, uint64_t kinds);

struct lock_event {
	bool begin;
	bool failed;   /* it ends without the lock: a signal came, or the time was up */
	bool unchosen; /* it begins a wait that is not asked about, but ends like all */
	uint8_t futex; /* a program's: an enum user_futex (lock_names.h) */
	uint32_t flags;
	uint64_t time;
	uint64_t lock;   /* its address; 0: not known */
	union {
		uint64_t period;    /* of a timer's sample, in ns */
		uint64_t goroutine; /* the address of its record; 0: a thread waits */
	};
	/* of the thread; an idle processor's threads have the number 0, and are told by `cpu` */
	int32_t pid, tid, cpu;
	uint32_t chain;   /* number of the innermost frame; 0: not recorded */
	const char *comm, *cgroup; /* outlive the waits; cgroup: NULL: not recorded */
};

#define LOCK_NO_ARGUMENT 0xff

/* The call by which a program waits for a lock, where lock_waits_add() does not find it. */
struct lock_call {
	uint32_t frame;   /* of the caller; 0: not known */
	uint32_t inner;   /* of the locking function */
	uint8_t argument; /* that is the lock, from 0 */
	const char *type; /* the name of the lock's type; NULL: not known */
	/* NULL, or the member of `type` waited at ("" if not told), whatever is passed */
	const char *member;
	const char *otherwise; /* NULL, or the name of the object's type if no code is known */
	const char *word;      /* NULL, or the member of the lock that is at the address */
	const char *names[12]; /* of the locking function; NULL: no more */
	const char *other;     /* LOCK_USER_OTHER: what is waited in, "(epoll_wait)" */
	/* NULL, or names of functions, with a NULL at the end: in place of the call at `frame`, the
	 * one of one of these that is nearest before it, or of one of `undo` after it */
	const char *const *nearest, *const *undo;
	bool maybe;  /* it waits for a lock if the caller calls one of `names`, or it has a name */
	bool parks;  /* the futex is the thread's own, so that its address does not tell the lock */
	bool object; /* the argument is what is waited for, and not a lock in it */
};

struct lock_sums {
	uint64_t contended; /* begins */
	uint64_t acquired;  /* ends, so that the time is known */
	uint64_t total, most, least;
};

/* Ranges of times that waits are counted in: below 1, 3, 10, 30 us ..., and the rest. */
#define LOCK_TIMES 15

/* The waits of one thread for one lock with one chain of callers. */
struct lock_wait {
	uint64_t lock;
	uint32_t chain, flags;
	int32_t pid, tid;
	bool unchosen;
	const char *comm, *cgroup; /* cgroup: NULL: not recorded */
	struct lock_sums sums;
	uint32_t times[LOCK_TIMES]; /* how many waits took so long */
	/* Times that others waited after these waits, until the next of them had the lock: of the
	 * thread that got it, and of threads that came in between and need not wait. Not known of
	 * readers and semaphores, which several threads have at once. */
	struct lock_sums held;
	struct lock_call call; /* LOCK_USER */
	/* Set by the caller of lock_waits_add(); strings outlive the waits: */
	uint64_t extent;    /* bytes from the lock's address that may be the same lock; 0: none */
	const char *name;   /* "struct mm_struct +112 (mmap_lock)"; NULL: `doubt` says why */
	const char *type;   /* "struct mm_struct", that has the lock; NULL: not known */
	int64_t offset;     /* in the type */
	const char *field;  /* "mmap_lock", NULL: none */
	const char *doubt;  /* "no call chain" */
	const char *caller; /* "lock_mm_and_find_vma+0xb"; NULL: not known */
	uint32_t frame;     /* of the caller; 0: not known */
};

#define LOCK_RECENT 64

struct lock_waits {
	struct lock_wait *items; /* in the order in which they began */
	size_t count, capacity;
	uint64_t events, unbegun; /* unbegun: ends without a begin, at the start of a recording */
	uint64_t open;            /* begins without an end so far */
	uint64_t lost;            /* begins whose end was lost: the thread waits again, or sleeps */
	/* private: */
	struct hash_map wait_of;   /* lock, chain, flags, thread -> index + 1 in `items` */
	struct hash_map begun_of;  /* lock, thread -> index in `begun` */
	uint32_t recent[LOCK_RECENT]; /* indices in `begun`, by a hash: most come again soon */
	struct hash_map sleeps_of; /* thread -> index in `begun` of what it slept for last */
	struct lock_begun *begun;
	size_t begun_count, begun_capacity;
	struct hash_map tenure_of; /* lock -> index in `tenures` */
	struct lock_tenure *tenures;
	size_t tenure_count, tenure_capacity;
};

void lock_waits_add(struct lock_waits *waits, const struct lock_event *event);
/* Adds a whole wait, which begins with the event. It ends at `end`; 0: not known. `call` is empty
 * if the lock is a kernel's. */
void lock_waits_add_whole(struct lock_waits *waits, const struct lock_event *event,
			  const struct lock_call *call, uint64_t end);
/* Makes the waits those of others after each of them, which had the lock: those that nobody waited
 * after are left out. */
void lock_waits_of_holders(struct lock_waits *waits);
void lock_waits_deinit(struct lock_waits *waits);
void lock_sums_add(struct lock_sums *sums, const struct lock_sums *more);

/* ---- tables, as text in the form of perf lock contention, or as JSON (Documentation/json.md) ----
 */

enum lock_view {
	LOCK_BY_FIELD,
	LOCK_BY_CALLER,
	LOCK_BY_ADDRESS,
	LOCK_BY_THREAD,
	LOCK_BY_CGROUP,
};

/* Columns, and what rows are sorted by. */
enum lock_key {
	LOCK_CONTENDED,
	LOCK_WAIT_TOTAL,
	LOCK_WAIT_MAX,
	LOCK_WAIT_MIN,
	LOCK_AVG_WAIT,
	LOCK_KEYS,
};

/* Appends a time in ns, in `width` columns, with the largest unit of which it has one: "  5.54 ms".
 */
void lock_table_add_time(struct strbuf *text, uint64_t time, int width);

/* A frame of the callers that -v shows. */
struct lock_frame {
	uint64_t address;
	const char *name; /* "do_user_addr_fault+0x2d7", or "[unknown]" */
};

struct lock_table_options {
	enum lock_view view;
	enum lock_key sort;
	enum lock_key columns[LOCK_KEYS];
	size_t column_count;
	unsigned int entries; /* rows shown; 0: all */
	unsigned int callers; /* LOCK_BY_FIELD: callers shown below each lock */
	bool times;           /* how many waits of a row took how long is shown below it */
	bool holders;         /* lock_waits_of_holders() made the waits */
	const char *separator;
	bool headings;
	unsigned int width; /* of the terminal; 0: not limited */
	bool narrow;        /* set by lock_table_fit() */
	/* -v, or NULL: sets *frame to the next of a chain, *next to its caller. False: none. */
	bool (*frame)(void *data, uint32_t number, struct lock_frame *frame, uint32_t *next);
	void *frame_data;
	unsigned int depth; /* frames of a chain that are shown */
};

/* Sets the key of a name as perf has it ("wait_total"). False: there is none. */
bool lock_key_parse(const char *name, size_t length, enum lock_key *key);

/* Makes the columns narrow if the names would not fit into `width`, and leaves out the last ones
 * unless they were chosen. */
void lock_table_fit(struct lock_table_options *options, bool chosen);
void lock_table_text(const struct lock_waits *waits, const struct lock_table_options *options,
		     struct strbuf *text);
/* Writes the rows as an array `name`. */
void lock_table_json(const struct lock_waits *waits, const struct lock_table_options *options,
		     struct json *json, const char *name);
