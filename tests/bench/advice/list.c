// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A list in no order of memory.
 *
 * case: rec reorder 500 400000
 * case: rec reorder 100000 40
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct rec {
	struct rec *next;
	long id, key;
	char name[112];
};
#else
struct rec {
	long id;
	char name[112];
	long key;
	struct rec *next;
};
#endif
__attribute__((noinline)) static long sum(struct rec *r)
{
	long s = 0;
	for (; r; r = r->next)
		s += r->key ^ r->id;
	return s;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), s = 0;
	struct rec **a = calloc(n, sizeof(*a)), *first = NULL;
	for (long i = 0; i < n; i++) {
		a[i] = calloc(1, sizeof(*first));
		a[i]->key = i;
		a[i]->id = i * 3;
	}
	for (long i = n - 1; i > 0; i--) {
		long j = (rand() * 32768L + rand()) % i;
		struct rec *t = a[i];
		a[i] = a[j];
		a[j] = t;
	}
	for (long i = 0; i < n; i++) {
		a[i]->next = first;
		first = a[i];
	}
	for (int p = 0; p < atoi(argv[2]); p++)
		s += sum(first);
	printf("%ld\n", s);
}
