// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A function gets as a pointer to void what is given with its address: to qsort(), to a thread, or beside it.
// RULES: distant-argument
// RUN: gcc clang

typedef unsigned long size_t;

struct item {
	long key;
	int weight;
	struct item *next;
};

struct job {
	long count, limit;
};

void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
int pthread_create(unsigned long *thread, const void *attributes, void *(*start)(void *), void *argument);
void when_idle(long after, void (*call)(void *data), void *data);
void for_each(void *all, void (*call)(void *data), void *data);

#define WEIGHT(p) (((const struct item *)(p))->weight)

static int by_weight(const void *a, const void *b)
{
	return WEIGHT(a) - WEIGHT(b); // EXPECT: struct item +8 (weight)
}

static void *run(void *argument)
{
	((struct job *)argument)->count += ((struct job *)argument)->limit;
	// EXPECT: struct job +8 (limit); struct job +0 (count)
	return 0;
}

static void idle(void *data)
{
	((struct job *)data)->limit = 1; // EXPECT: struct job +8 (limit)
}

/* Two parameters of for_each() may be what it passes on. */
static void each(void *data)
{
	((struct job *)data)->limit = 2; // EXPECT: none (a pointer to void or to an undefined type)
}

/* It is given with two types. */
static void either(void *data)
{
	((struct job *)data)->limit = 3; // EXPECT: none (a pointer to void or to an undefined type)
}

void sort(struct item *items, size_t count)
{
	qsort(items, count, sizeof(*items), by_weight);
}

int start(struct job *job)
{
	unsigned long thread;

	when_idle(1, idle, job);
	return pthread_create(&thread, 0, run, job);
}

void all(struct item *items, struct job *job)
{
	for_each(items, each, job);
	when_idle(2, either, job);
	when_idle(3, either, items);
}
