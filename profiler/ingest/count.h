/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The declarations that the files of counting share: count.c (the loop over samples), count_merge.c
 * (the tables and their merge) and count_fields.c (the fields that have to be looked up: call
 * chains, data addresses, tracepoints). No other file includes this.
 */
#pragma once

#include <pthread.h>

#include "base/hash.h"
#include "base/strbuf.h"
#include "profiler/ingest/sample.h"
#include "profiler/ingest/session.h"
#include "profiler/ingest/timeline.h"
#include "profiler/ingest/tracepoint.h"

/* ---- tables of sums ---- */

/* The sums of an entry: samples, periods, weights; and with COUNT_WEIGHT the largest weight. */
enum { COUNTER_SAMPLES, COUNTER_PERIOD, COUNTER_WEIGHT, COUNTER_WEIGHT_MAX, COUNTERS };

/*
 * A hash table from keys of a fixed number of words to three sums. The inner loop of counting runs
 * on it.
 *
 * Entries are stored one after the other in the order in which their keys first appeared. A table
 * of indices finds them (open addressing, at most half full).
 */
struct count_table {
	unsigned int words;  /* of a key */
	unsigned int stride; /* words of an entry: key and counters */
	uint64_t *entries;
	uint32_t count, capacity;
	uint32_t *slots; /* index + 1; 0: free */
	uint32_t mask;
};

#define CACHELINE_WORDS 8

void count_table_init(struct count_table *table, unsigned int words);
void count_table_deinit(struct count_table *table);
/* Adds a key that is not in the table yet. Returns its counters. */
uint64_t *count_table_add(struct count_table *table, const uint64_t *key, uint64_t hash);

static inline __attribute__((always_inline)) uint64_t count_table_hash(const uint64_t *key,
								       unsigned int words)
{
	uint64_t hash = 0;

	for (unsigned int i = 0; i < words; i++) {
		hash = (hash ^ key[i]) * HASH_GOLDEN_RATIO;
		hash ^= hash >> 32;
	}
	return hash;
}

/* Returns the key's counters as count_table_get() does, the number of words being known. */
static inline __attribute__((always_inline)) uint64_t *count_table_get_words(
	struct count_table *table, const uint64_t *key, unsigned int words)
{
	uint64_t hash = count_table_hash(key, words);

	for (uint32_t i = (uint32_t)hash & table->mask; table->slots[i];
	     i = (i + 1) & table->mask) {
		uint64_t *entry =
			table->entries + (size_t)(table->slots[i] - 1) * (words + COUNTERS);
		uint64_t differs = 0;

		for (unsigned int w = 0; w < words; w++)
			differs |= entry[w] ^ key[w];
		if (!differs)
			return entry + words;
	}
	return count_table_add(table, key, hash);
}

/* Returns the key's counters as count_table_get_words() does. *likely is a guess of the key's
 * entry, which is tried before any slot, and becomes the number of the entry. */
static inline __attribute__((always_inline)) uint64_t *count_table_get_likely(
	struct count_table *table, const uint64_t *key, unsigned int words, uint32_t *likely)
{
	size_t stride = words + COUNTERS;

	if (*likely < table->count) {
		uint64_t *entry = table->entries + *likely * stride;

		if (!memcmp(entry, key, words * sizeof(*key)))
			return entry + words;
	}
	uint64_t *sums = count_table_get_words(table, key, words);

	*likely = (uint32_t)((size_t)(sums - table->entries) / stride);
	return sums;
}

/* Fetches an entry that will be needed soon, if there is one of this number. */
static inline void count_table_read_ahead(const struct count_table *table, uint32_t number)
{
	for (unsigned int i = 0; number < table->count && i < table->stride; i += CACHELINE_WORDS)
		__builtin_prefetch(table->entries + (size_t)number * table->stride + i, 1);
}

/* Returns the key's counters, which are 0 at first. They are valid until the next call. */
static inline __attribute__((always_inline)) uint64_t *count_table_get(struct count_table *table,
								       const uint64_t *key)
{
	/* With a constant number of words the compiler keeps a short key in registers. */
	switch (table->words) {
	case 1: return count_table_get_words(table, key, 1);
	case 2: return count_table_get_words(table, key, 2);
	case 3: return count_table_get_words(table, key, 3);
	case 4: return count_table_get_words(table, key, 4);
	default: return count_table_get_words(table, key, table->words);
	}
}

/* ---- callers from copies of stacks ---- */

/*
 * Finds the callers in user space from the registers and the copy of the stack in a sample (record
 * --call-graph dwarf), by the call frame information of the objects (dwarf/unwind/unwind.h).
 *
 * Only x86-64 is supported. Nothing outside of the copy is read. A frame is the last one if its
 * object is missing, or if the copy does not contain its caller.
 */

struct walked_object;

struct stack_walker {
	struct session *session;
	struct walked_object *objects; /* indexed by DSO id */
	size_t object_count;
	const struct arch *arch; /* of the recorded machine; NULL: its stacks cannot be walked */
};

/* Returns the registers of a level's innermost frame ('.' is user space). Those at the interrupt
 * are of the level that was interrupted. */
const struct sample_registers *count_registers_at(const struct sample *sample, char level);

/* A sample whose stack is walked. */
struct walked_sample {
	const struct sample *sample;
	uint32_t space; /* of the sample's task */
	struct moment moment;
};

/* ---- call chains ---- */

/* Call chains of samples, interned. Frames with the same place and the same callers are one frame
 * with one number, so a chain is the number of its innermost frame, and memory grows with the paths
 * of a program and not with its samples. */

#define CHAIN_NONE 0 /* frame 0 stands for no frame */

/* The place of a frame. Frames with the same caller and the same place are one. */
struct chain_place {
	uint64_t ip;
	uint64_t offset; /* in the file of the DSO, or the ip if there is none */
	uint32_t dso;    /* id + 1; 0: in no map */
	char level;      /* as in struct counted */
	uint8_t stands;  /* enum frame_address */
};

struct chain_node {
	uint32_t caller; /* CHAIN_NONE: the outermost frame */
	struct chain_place place;
};

struct chain_table {
	struct chain_node *nodes; /* indexed by frame number; [0] is not used */
	size_t count;
	size_t capacity;
	struct hash_index index;
};

void chain_table_deinit(struct chain_table *table);
/* Gives an empty table the frames of counted samples, with the same numbers. */
void chain_table_restore(struct chain_table *table, const struct sample_counts *counts);

/*
 * The user parts of chains that the kernel records later, at the return to user space (since Linux
 * 6.17). A cookie links them to the kernel parts.
 */
struct deferred_chains {
	struct sample_words *chains;
	size_t count, capacity;
	struct hash_map by_cookie; /* cookie -> index in `chains` */
};

struct known_chain;

struct chain_counter {
	struct chain_table table;
	struct known_chain *known; /* KNOWN_CHAINS, by a hash of the words; NULL: none yet */
	struct deferred_chains deferred;
	struct stack_walker walker;
	unsigned int limit;         /* how many frames are taken from a copy of the stack */
	bool kernel_only;           /* as in struct count_options */
	struct chain_place *frames; /* the current sample's frames, innermost first */
	size_t frame_count, frame_capacity;
	uint32_t last; /* number of the last sample's chain */
};

void chain_counter_init(struct chain_counter *counter, struct session *session,
			const struct count_options *options);
/* Frees everything except the table, which the caller takes over. */
void chain_counter_deinit(struct chain_counter *counter);
/* Returns the number of the sample's chain, or CHAIN_NONE if it has none or a broken one. `space`
 * is the address space of the sample's task. */
uint32_t chain_counter_add(struct chain_counter *counter, struct placer *placer, uint32_t space,
			   const struct sample *sample, struct moment moment);

/* ---- tracepoints ---- */

/* Texts of tracepoint records. They are interned while samples are counted, so that each text is
 * one number. */

struct trace_texts {
	struct string_pool pool;
	struct hash_map numbers; /* address of a text -> its number */
	const char **texts;      /* indexed by number; [0] is NULL */
	size_t count, capacity;
	struct strbuf text; /* of the current sample */
};

void trace_texts_init(struct trace_texts *texts);
void trace_texts_deinit(struct trace_texts *texts);
/* Returns the number of the text of a sample, " name=value" for each field; 0: none, or not
 * described. `swap`: the other byte order. */
uint32_t trace_texts_add(struct trace_texts *texts, const struct sample *sample, bool swap);

/* ---- data addresses ---- */

/* Finds the data address of a sample and its object. Each thread has a finder. */

/* Flags of count_data.where, above the id + 1 of the data's DSO. */
#define COUNT_DATA_COMPUTED    (1ULL << 32) /* from registers, not recorded */
#define COUNT_DATA_IN_OBJECT   (1ULL << 33) /* in the instruction's object, at a file address */
#define COUNT_DATA_KNOWN       (1ULL << 34) /* there is an address */
#define COUNT_DATA_STACK_SHIFT 35           /* of two bits: enum data_stack */
#define COUNT_DATA_SHARED      (1ULL << 37) /* in anonymous memory that processes may share */

struct count_data {
	uint64_t address; /* 0: not known */
	uint64_t where;   /* COUNT_DATA_* and the id + 1 of the data's DSO */
	/* In the data's file, as in a key's second word; COUNT_DATA_IN_OBJECT: file address. */
	uint64_t offset;
	/*
	 * The facts that can contradict a type. They lack the address itself, so that samples which
	 * differ only in their address stay together:
	 */
	uint64_t check;        /* flags as in `where` */
	uint64_t check_offset; /* file address of static data that is not addressed by %rip alone */
	uint64_t begin, end, last; /* as in struct counted */
	uint64_t kept[DATA_KEPT_MAX];
	uint8_t element_known; /* as in struct counted, with the two others: */
	uint64_t element_index, element_address;
};

struct data_question {
	const struct sample *sample;
	bool store;
	bool coarse;     /* without the address and the memory around it */
	uint32_t dso;    /* id + 1 of the instruction's DSO; 0: none */
	uint64_t offset; /* of the instruction in its file */
	uint32_t task_space;
	struct moment moment;
};

/* The numbers of the entries that the last sample of an instruction had. They are those of the next
 * one in nearly all cases. Tables of many instructions are larger than the caches of the processor,
 * and with these numbers entries are fetched before they are needed. */
struct likely_entries {
	uint32_t operand; /* in data_finder.known and .operands */
	uint32_t counted; /* in the table in which samples are counted */
};

#define LIKELY_BITS_MAX 18 /* 2 MB for each thread */

struct data_finder {
	struct session *session;
	const struct arch *arch; /* of the recorded machine; NULL: it is not supported */
	pthread_mutex_t *lock;   /* shared by all threads, held while files are opened */
	/* (dso << 2 | late << 1 | store, offset); only the numbers of its entries count */
	struct count_table known;
	struct data_operand *operands; /* `known` has an entry for each, in the same order */
	size_t count, capacity;
	struct likely_entries *likely; /* of an instruction: likely_entries_of() */
	unsigned int likely_bits;      /* there are so many for every fourth sample */
	struct hash_map image_of;      /* id of a DSO -> index in images */
	const struct elf_image **images;
	size_t image_count, image_capacity;
};

void data_finder_init(struct data_finder *finder, struct session *session, pthread_mutex_t *lock);
void data_finder_deinit(struct data_finder *finder);

static inline struct likely_entries *likely_entries_of(const struct data_finder *finder,
						       uint64_t ip)
{
	return &finder->likely[ip * HASH_GOLDEN_RATIO >> (64 - finder->likely_bits)];
}

/* Writes the words of those COUNT_DATA_FIELDS that `fields` has. Returns their number. */
unsigned int data_finder_words(struct data_finder *finder, struct placer *placer, uint64_t fields,
			       const struct data_question *question, uint64_t *key);

/* ---- keys and results ---- */

/*
 * A key has these words in this order. The first word is always there, the others only if their
 * fields are counted by:
 * - event << 39 | coarse << 38 | exact << 37 | after << 36 | store << 35 | level << 32 | DSO id + 1
 * (0: none)
 * - offset in the file, or the address itself if there is no file
 * - comm id, or COUNT_KEY_UNNAMED | tid if the thread has no name
 * - cpu
 * - pid << 32 | tid, either of which is 0 if it is not counted by
 * - weight
 * - data source
 * - data address, its DSO and offset: three words (struct count_data)
 * - what types are checked against: two words
 * - the memory around the data address, and registers: three words and DATA_KEPT_MAX
 * - the element of an array: three words
 * - one word for each row of COUNTED_FIELDS
 */
#define COUNT_KEY_ONE(...) +1
#define COUNT_KEY_WORDS_MAX                                                                        \
	(18 + DATA_KEPT_MAX COUNTED_FIELDS(COUNT_KEY_ONE, COUNT_KEY_ONE, COUNT_KEY_ONE))
#define COUNT_KEY_UNNAMED (1ULL << 32)
/* In the first word: */
#define COUNT_KEY_LEVEL_SHIFT  32
#define COUNT_KEY_STORE_SHIFT  35
#define COUNT_KEY_AFTER_SHIFT  36
#define COUNT_KEY_EXACT_SHIFT  37
#define COUNT_KEY_COARSE_SHIFT 38
#define COUNT_KEY_EVENT_SHIFT  39

/* Fields that separate samples of the kernel from those of user space. */
#define COUNT_LEVEL_FIELDS (COUNT_PLACE | COUNT_DSO | COUNT_DATA_ADDRESS | COUNT_PHYSICAL_ADDRESS)
/* Fields that need a sample's registers and object files. */
#define COUNT_DATA_FIELDS (COUNT_DATA_ADDRESS | COUNT_DATA_CHECK | COUNT_DATA_RANGE | COUNT_ELEMENT)

/* The samples that one thread has counted. */
struct count_result {
	struct count_table table;
	uint64_t unknown_samples, bad_samples;
	uint64_t first_bad;       /* position of the first bad sample */
	struct trace_texts texts; /* with COUNT_TRACE_TEXT */
	/* With COUNT_CHAIN; then there is only one result: */
	struct chain_table chains;
};

/* Returns the entries of all results, sorted and merged. Takes over their contents. */
struct sample_counts *count_merge(struct session *session, uint64_t fields,
				  struct count_result *results, size_t result_count);

/* ---- samples one by one, for slices (slices.h) ---- */

struct sample_counter;

/* A sample that counts for an event. One that reads the counters of a group counts for several. */
struct ordered_sample {
	uint64_t time; /* as recorded; 0: none */
	uint64_t position;
	uint64_t clock; /* as in struct sample */
	uint64_t period;
	uint32_t event;
};

/* Counts samples that the caller chooses, with the frame numbers of an outline of all of them. */
struct sample_counter *sample_counter_create(struct session *session,
					     const struct count_options *options,
					     const struct sample_counts *outline);
void sample_counter_destroy(struct sample_counter *counter);
/* Calls `take` for the samples of a chunk that the options choose. The values of counters are
 * differences, so chunks are listed in their order. */
void sample_counter_list(struct sample_counter *counter, size_t chunk,
			 void (*take)(const struct ordered_sample *sample, void *data), void *data);
void sample_counter_add(struct sample_counter *counter, const struct ordered_sample *item);
/* Returns what was counted since the last call, without the frames. */
struct sample_counts *sample_counter_take(struct sample_counter *counter);
