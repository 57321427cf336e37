/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counters by key: a key is `words` words, a counter three sums. For session_count() only: its inner loop.
 *
 * Entries lie one after the other in the order of their first appearance; a table of indices finds them.
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
void count_table_release(struct count_table *table);
/* The counters of a key that is not there yet. */
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

/* The key's counters, all 0 at first; good until the next call. */
static inline __attribute__((always_inline)) uint64_t *count_table_get(struct count_table *table,
								       const uint64_t *key)
{
	/* With a constant the compiler keeps a short key in registers. */
	switch (table->words) {
	case 1: return count_table_get_words(table, key, 1);
	case 2: return count_table_get_words(table, key, 2);
	case 3: return count_table_get_words(table, key, 3);
	case 4: return count_table_get_words(table, key, 4);
	default: return count_table_get_words(table, key, table->words);
	}
}

#endif
