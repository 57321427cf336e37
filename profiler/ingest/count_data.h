/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the data address of a sample, recorded or computed, and which object it is in. Each thread
 * has a finder of its own. Private to count.c and count_merge.c.
 */
#ifndef DTPROF_INGEST_COUNT_DATA_H
#define DTPROF_INGEST_COUNT_DATA_H

#include <pthread.h>

#include "profiler/ingest/count_table.h"
#include "profiler/ingest/placer.h"
#include "profiler/ingest/session.h"

/* Flags of count_data.where, above the id + 1 of the data's dso. */
#define COUNT_DATA_COMPUTED  (1ULL << 32)
#define COUNT_DATA_IN_OBJECT (1ULL << 33) /* in the instruction's object; `offset` is a file address */
#define COUNT_DATA_KNOWN     (1ULL << 34)
#define COUNT_DATA_STACK     35 /* two bits: enum data_stack */
#define COUNT_DATA_SHARED    (1ULL << 37)

struct count_data {
	uint64_t address; /* 0: not known */
	uint64_t where;   /* COUNT_DATA_* and the id + 1 of the data's DSO */
	uint64_t offset;  /* in the data's file, as the second word of a key; or a file address */
	/* Only what can contradict a type, so that samples which differ only in their address stay
	 * together: */
	uint64_t check;        /* flags as in `where` */
	uint64_t check_offset; /* file address of static data that is not addressed by %rip alone */
};

/* A sample whose data address is wanted. */
struct data_question {
	const struct sample *sample;
	bool store;
	uint32_t dso;    /* id + 1 of the instruction's DSO; 0: none */
	uint64_t offset; /* of the instruction in its file */
	uint32_t task_space;
	struct moment moment;
};

struct data_finder {
	struct session *session;
	pthread_mutex_t *lock;    /* shared by all threads: held while files are opened */
	struct count_table known; /* (dso << 2 | late << 1 | store, offset) -> index + 1 in operands */
	struct data_operand *operands;
	size_t count, capacity;
};

void data_finder_init(struct data_finder *finder, struct session *session, pthread_mutex_t *lock);
void data_finder_deinit(struct data_finder *finder);
/* Writes the words of those COUNT_DATA_FIELDS that are in `fields` to `key`. Returns how many there
 * are. */
unsigned int data_finder_words(struct data_finder *finder, struct placer *placer, uint64_t fields,
			       const struct data_question *question, uint64_t *key);

/*
 * Returns whether data addresses of the event's samples are checked against types, if types are
 * asked for. Samples without registers are not, so that counting millions of them stays fast.
 */
bool event_checks_data(const struct event *event);

#endif
