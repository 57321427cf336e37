// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Patients in a list, as in Olden's health, whose fields are written.
 *
 * case: patient reorder 1000 150000
 * case: patient reorder 200000 20
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct patient {
	struct patient *next;
	int time, time_left;
	int hosps;
	char name[64];
	double history[8];
};
#else
struct patient {
	int hosps;
	int time;
	char name[64];
	int time_left;
	double history[8];
	struct patient *next;
};
#endif
__attribute__((noinline)) static long walk(struct patient *p)
{
	long s = 0;
	for (; p; p = p->next) {
		p->time++;
		if (--p->time_left < 0) {
			p->time_left = 10;
			s++;
		}
	}
	return s;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), s = 0;
	struct patient **a = calloc(n, sizeof(*a)), *first = NULL;
	for (long i = 0; i < n; i++)
		a[i] = calloc(1, sizeof(*first));
	for (long i = n - 1; i > 0; i--) {
		long j = (rand() * 32768L + rand()) % i;
		struct patient *t = a[i];
		a[i] = a[j];
		a[j] = t;
	}
	for (long i = 0; i < n; i++) {
		a[i]->next = first;
		first = a[i];
	}
	for (int p = 0; p < atoi(argv[2]); p++)
		s += walk(first);
	printf("%ld\n", s);
}
