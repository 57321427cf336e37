// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records that are walked in each way that dtprof layout tells apart: an array in order, a list, objects in
 * no order, and one object in a loop.
 *
 * layout [COUNT [PASSES]]
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline))

struct neuron {
	double I, W, X, V, U, P, Q, R;
};

typedef struct {
	uint64_t low;
	char tag;
} mark;

struct entry {
	uint32_t flags : 3, level : 5;
	struct entry *next;
	char name[40];
	union {
		long count;
		double ratio;
	};
	mark marks[2];
	long (*hash)(const struct entry *, const mark *);
	long key;
};

struct totals {
	long sum, count;
};

static struct neuron *neurons;
static long count = 1000;

NOINLINE double sum_of_x(void)
{
	double sum = 0;

	for (long i = 0; i < count; i++)
		sum += neurons[i].X;
	return sum;
}

NOINLINE void activate(double factor)
{
	for (long i = 0; i < count; i++)
		neurons[i].W = neurons[i].I + factor * neurons[i].U;
}

NOINLINE struct entry *find(struct entry *entry, long key)
{
	for (; entry; entry = entry->next)
		if (entry->key == key)
			return entry;
	return NULL;
}

NOINLINE double jump(const int *order)
{
	double sum = 0;

	for (long i = 0; i < count; i++)
		sum += neurons[order[i]].P;
	return sum;
}

NOINLINE void add_up(struct totals *totals, const long *values)
{
	for (long i = 0; i < count; i++) {
		totals->sum += values[i];
		totals->count++;
	}
}

int main(int argc, char **argv)
{
	struct entry *first = NULL;
	struct totals totals = { 0, 0 };
	double sum = 0;
	int *order;
	long *values, passes = argc > 2 ? atol(argv[2]) : 10;

	if (argc > 1)
		count = atol(argv[1]);
	neurons = calloc(count, sizeof(*neurons));
	order = calloc(count, sizeof(*order));
	values = calloc(count, sizeof(*values));
	for (long i = 0; i < count; i++)
		order[i] = (int)(i * 7919 % count);
	for (long i = 0; i < 100; i++) {
		struct entry *entry = calloc(1, sizeof(*entry));

		entry->key = i;
		entry->next = first;
		first = entry;
	}
	for (long pass = 0; pass < passes; pass++) {
		sum += sum_of_x() + jump(order);
		activate(sum);
		sum += find(first, pass % 100) != NULL;
		add_up(&totals, values);
	}
	printf("%g %ld\n", sum, totals.count);
	return 0;
}
