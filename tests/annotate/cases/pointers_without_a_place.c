// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer at file scope that one function alone uses has no place; the steps of its loop
// have the size of its record.
// RULES: placeless-array
// RUN: gcc

void *calloc(unsigned long, unsigned long);

struct neuron {
	double in, weight, x, v, u, p, q, r;
};
struct cell {
	long key, next;
};

static struct neuron *layer;
static struct cell *cells;

double run(long n)
{
	double sum = 0;

	layer = calloc(n, sizeof(*layer));
	cells = calloc(n, sizeof(*cells));
	for (long k = 0; k < 100; k++)
		for (long i = 0; i < n; i++) {
			layer[i].u = layer[i].p + sum; // EXPECT: struct neuron +40 (p); struct neuron +32 (u)
			sum += layer[i].x * layer[i].q; // EXPECT: struct neuron +16 (x); struct neuron +48 (q)
		}
	return sum;
}

struct pair {
	long left, right, weight;
};
struct twin {
	long key, next, count;
};

static struct pair *pairs;
static struct twin *twins;

/* Two records have the size of the steps. */
long count(long n)
{
	long sum = 0;

	pairs = calloc(n, sizeof(*pairs));
	twins = calloc(n, sizeof(*twins));
	for (long k = 0; k < 100; k++)
		for (long i = 0; i < n; i++)
			sum += ++pairs[i].right; // EXPECT: none (a pointer to void or to an undefined type)
	return sum;
}
