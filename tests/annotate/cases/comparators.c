// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A comparator casts pointers to void without a variable: the array that is passed to qsort() together with it tells the element.
// RUN: gcc clang
// RUN: gcc -O1
// RULES: distant-argument

typedef unsigned long pthread_t;
typedef unsigned long size_t;
int pthread_create(pthread_t *thread, const void *attributes, void *(*start)(void *), void *argument);
void qsort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *));
void *bsearch(const void *key, const void *base, size_t count, size_t size,
	      int (*compare)(const void *, const void *));

struct employee {
	int id;
	char name[20];
	double salary;
	short year;
};
struct job {
	long begin, end;
	double sum;
};

static int by_id(const void *a, const void *b)
{
	return ((const struct employee *)a)->id - ((const struct employee *)b)->id; // EXPECT: struct employee +0 (id) [inferred]
}

static int by_year(const void *a, const void *b)
{
	return ((const struct employee *)a)->year - ((const struct employee *)b)->year; // EXPECT: struct employee +32 (year)
}

static int key_to_id(const void *key, const void *element)
{
	return *(const int *)key - ((const struct employee *)element)->id; // EXPECT: struct employee +0 (id); int +0
}

static int by_pointer(const void *a, const void *b)
{
	return (*(struct employee *const *)a)->id - (*(struct employee *const *)b)->id;
	// EXPECT: struct employee* +0; struct employee +0 (id)
}

double work(long begin, long end);

static void *run(void *job)
{
	double sum = work(((struct job *)job)->begin, ((struct job *)job)->end); // EXPECT: struct job +0 (begin); struct job +8 (end)

	((struct job *)job)->sum = sum; // EXPECT: struct job +16 (sum)
	return (void *)0;
}

static struct employee staff[100];

struct employee *find(struct employee *all, struct employee **pointers, size_t count, int id)
{
	qsort(all, count, sizeof(*all), by_id);
	qsort(staff, 100, sizeof(*staff), by_year);
	qsort(pointers, count, sizeof(*pointers), by_pointer);
	return bsearch(&id, all, count, sizeof(*all), key_to_id);
}

int start(pthread_t *thread, struct job *job)
{
	return pthread_create(thread, (void *)0, run, job);
}
