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

struct mark {
	long at;
	int kind, depth;
	double weight;
};

static struct mark *marks;

/* The members that are accessed tell the three records of that size apart. */
double deepest(long n)
{
	double sum = 0;

	marks = calloc(n, sizeof(*marks));
	for (long k = 0; k < 100; k++) {
		for (long i = 0; i < n; i++)
			if (marks[i].depth > k) // EXPECT: struct mark +12 (depth)
				sum += marks[i].weight; // EXPECT: struct mark +16 (weight)
		for (long i = 0; i < n; i++)
			sum += marks[i].kind; // EXPECT: struct mark +8 (kind)
	}
	return sum;
}

struct place {
	double x, y;
};
struct step {
	long from, to;
};

static struct place *places;
static struct step *steps;

/* A number is no floating-point member. The steps may also be cells. */
double way(long n)
{
	double sum = 0;

	places = calloc(n, sizeof(*places));
	steps = calloc(n, sizeof(*steps));
	for (long i = 0; i < n; i++) {
		steps[i].from = i; // EXPECT: none
		steps[i].to = i + 1; // EXPECT: none
	}
	for (long k = 0; k < 100; k++)
		for (long i = 0; i < n; i++)
			sum += places[i].x * places[i].y; // EXPECT: struct place +0 (x); struct place +8 (y)
	return sum;
}
