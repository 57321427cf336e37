/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Counts of accesses: sums over the samples of one event, plain numbers. */
#ifndef DTPROF_ANNOTATE_ACCESS_COUNT_H
#define DTPROF_ANNOTATE_ACCESS_COUNT_H

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

static inline void access_count_add(struct access_count *sum, const struct access_count *more)
{
	sum->samples += more->samples;
	sum->period += more->period;
	sum->weight += more->weight;
	if (more->weight_max > sum->weight_max)
		sum->weight_max = more->weight_max;
	sum->loads += more->loads;
	sum->stores += more->stores;
	sum->sourced += more->sourced;
	sum->l1 += more->l1;
	sum->l2 += more->l2;
	sum->l3 += more->l3;
	sum->ram += more->ram;
	sum->remote += more->remote;
	sum->hitm += more->hitm;
	sum->tlb_misses += more->tlb_misses;
	sum->locked += more->locked;
}

#endif
