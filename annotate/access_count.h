/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of accesses, sums over the samples of one event; and their bytes in a type. Plain numbers.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct access_count {
	uint64_t samples;
	uint64_t period;
	uint64_t weight;     /* sum of the samples' own weights: latency, in cycles */
	uint64_t weight_max; /* the largest of them */
	uint64_t loads; /* samples that read; an instruction that reads and writes counts as both */
	uint64_t stores;
	/* Samples with a data source, by what it says (perf_event_open(2), union
	 * perf_mem_data_src): */
	uint64_t sourced;
	uint64_t l1, l2, l3, ram; /* where the data was; l1 with the line fill buffer */
	uint64_t remote;          /* in another socket's cache or memory */
	uint64_t hitm;            /* in another processor's cache, modified there */
	uint64_t tlb_misses;
	uint64_t locked;
};

/* All members are numbers of one type, and sums, but for `weight_max`. */
#define ACCESS_NUMBERS (sizeof(struct access_count) / sizeof(uint64_t))

static inline void access_count_add(struct access_count *sum, const struct access_count *more)
{
	const uint64_t most =
		sum->weight_max > more->weight_max ? sum->weight_max : more->weight_max;

	for (unsigned int i = 0; i < ACCESS_NUMBERS; i++)
		(&sum->samples)[i] += (&more->samples)[i];
	sum->weight_max = most;
}

/* Returns how much of `count` is before the place `end` of `whole` ones, rounded up. */
static inline uint64_t access_count_before(uint64_t count, uint64_t end, uint64_t whole)
{
	const uint64_t after = whole - end;

	return count - (count / whole * after + count % whole * after / whole);
}

/* Returns the share of counts that belongs to [first, end) of `whole` bits. The shares of all bits
 * add up to the counts. */
static inline struct access_count access_count_share(const struct access_count *all, uint64_t first,
						     uint64_t end, uint64_t whole)
{
	struct access_count share;

	for (unsigned int i = 0; i < ACCESS_NUMBERS; i++)
		(&share.samples)[i] = access_count_before((&all->samples)[i], end, whole) -
				      access_count_before((&all->samples)[i], first, whole);
	share.weight_max = all->weight_max;
	return share;
}

/*
 * The bytes of the type that a sample accessed. Where an index chose an element of an array and no
 * data address tells which one, they are those of the whole array: the access was somewhere in
 * them. The object begins `offset` bytes before the data address if `size` is 0.
 */
struct access_span {
	int64_t offset; /* of the access, or of the first of these bytes */
	uint64_t size;  /* 0: the access is at `offset`; ACCESS_SPAN_OPEN: the end is not known */
};

#define ACCESS_SPAN_OPEN (UINT64_MAX >> 2)

/* Returns the numbers of the first and the last line of `line` bytes that the span is in. The last
 * one of a span without an end is UINT64_MAX. */
static inline uint64_t access_span_first(const struct access_span *span, uint64_t line)
{
	return span->offset > 0 ? (uint64_t)span->offset / line : 0;
}
static inline uint64_t access_span_last(const struct access_span *span, uint64_t line)
{
	if (span->size == ACCESS_SPAN_OPEN)
		return UINT64_MAX;
	return span->size ? (uint64_t)(span->offset + (int64_t)span->size - 1) / line
			  : access_span_first(span, line);
}
/* Sets *object to where the accessed object begins in memory. Returns false if that is not known:
 * it is only if the data address is (else it is 0), and the accessed element. */
static inline bool access_span_object(const struct access_span *span, uint64_t data_address,
				      uint64_t *object)
{
	*object = data_address - (uint64_t)span->offset;
	return !span->size && span->offset >= 0 && data_address > (uint64_t)span->offset;
}
