/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hash table from keys of a fixed number of words to three sums: the inner loop of counting.
 *
 * Entries are stored one after the other in the order in which their keys first appeared. A table
 * of indices finds them (open addressing, at most half full).
 */
#ifndef DTPROF_INGEST_COUNT_TABLE_H
#define DTPROF_INGEST_COUNT_TABLE_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { COUNTER_SAMPLES, COUNTER_PERIOD, COUNTER_WEIGHT, COUNTERS };

struct count_table {
	unsigned int words;  /* of a key */
	unsigned int stride; /* words of an entry: key and counters */
	uint64_t *entries;
	uint32_t count;
	uint32_t capacity;
	uint32_t *slots; /* index + 1; 0: free */
	uint32_t mask;
};

void count_table_init(struct count_table *table, unsigned int words);
void count_table_deinit(struct count_table *table);
/* Adds a key that is not in the table yet. Returns its counters. */
uint64_t *count_table_add(struct count_table *table, const uint64_t *key, uint64_t hash);

static inline __attribute__((always_inline)) uint64_t count_table_hash(const uint64_t *key,
								       unsigned int words)
{
	uint64_t hash = 0;

	for (unsigned int i = 0; i < words; i++) {
		hash = (hash ^ key[i]) * 0x9e3779b97f4a7c15ULL;
		hash ^= hash >> 32;
	}
	return hash;
}

static inline __attribute__((always_inline)) uint64_t *count_table_get_words(struct count_table *table,
									     const uint64_t *key,
									     unsigned int words)
{
	uint64_t hash = count_table_hash(key, words);

	for (uint32_t i = (uint32_t)hash & table->mask; table->slots[i]; i = (i + 1) & table->mask) {
		uint64_t *entry = table->entries + (size_t)(table->slots[i] - 1) * (words + COUNTERS);
		uint64_t differs = 0;

		for (unsigned int w = 0; w < words; w++)
			differs |= entry[w] ^ key[w];
		if (!differs)
			return entry + words;
	}
	return count_table_add(table, key, hash);
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

#endif
