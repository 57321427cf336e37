/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For count*.c only: the data address of a sample, recorded or computed, and where it is. One finder a
 * thread. */
#ifndef DTPROF_INGEST_COUNT_DATA_H
#define DTPROF_INGEST_COUNT_DATA_H

#include <pthread.h>

#include "profiler/ingest/count_table.h"
#include "profiler/ingest/placer.h"
#include "profiler/ingest/session.h"

/* Flags of count_data.where, above the id + 1 of the data's dso. */
#define COUNT_DATA_COMPUTED  (1ULL << 32)
#define COUNT_DATA_IN_OBJECT (1ULL << 33) /* in the object of the instruction: `offset` is a file address */
#define COUNT_DATA_KNOWN     (1ULL << 34)
#define COUNT_DATA_STACK     35 /* two bits: enum data_stack */
#define COUNT_DATA_SHARED    (1ULL << 37)

struct count_data {
	uint64_t address; /* 0: not known */
	uint64_t where;
	uint64_t offset; /* in the data's file, as the second word of a key; or a file address */
	/* The same for the type engine alone: what can contradict a type, and no more, so that samples which
	 * differ in their address alone stay together. */
	uint64_t check;        /* flags as in `where` */
	uint64_t check_offset; /* file address, of static data that is not reached by %rip alone */
};

/* What there is of a sample. */
struct data_question {
	const struct sample *sample;
	bool store;
	uint32_t dso;    /* of the instruction: id + 1, */
	uint64_t offset; /* and offset in its file */
	uint32_t task_space;
	struct moment moment;
};

struct data_finder {
	struct session *session;
	pthread_mutex_t *lock;    /* the one of all threads, for files that are opened */
	struct count_table known; /* by dso << 2 | late << 1 | store, and offset: index + 1 in operands */
	struct data_operand *operands;
	size_t count, capacity;
};

void data_finder_init(struct data_finder *finder, struct session *session, pthread_mutex_t *lock);
void data_finder_release(struct data_finder *finder);
/* Words of a key, for those of COUNT_DATA_FIELDS that are in `fields`; returns how many. */
unsigned int data_finder_words(struct data_finder *finder, struct placer *placer, unsigned int fields,
			       const struct data_question *question, uint64_t *key);

/*
 * Whether addresses of the event's data, and what they can be held against, are looked for where only types
 * are asked for: not where samples have no registers, so that millions of them are still counted in few
 * instructions each.
 */
bool event_checks_data(const struct event *event);

#endif
