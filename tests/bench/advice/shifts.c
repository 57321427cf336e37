// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Shifts of a year: hours of all are added up for each day's report.
 *
 * case: shift split 260000 500
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct more {
	char who[32], where[32];
	uint64_t made;
	double rate;
};
struct shift {
#ifdef NEW
	uint32_t hours;
#else
	char who[32];
	uint64_t made;
	uint32_t hours;
	char where[32];
	double rate;
#endif
};
static struct shift *shifts;
#ifdef NEW
static struct more *mores;
#define MORE(i) mores[i]
#else
#define MORE(i) shifts[i]
#endif
__attribute__((noinline)) static uint64_t hours(uint32_t n)
{
	uint64_t sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += shifts[i].hours;
	return sum;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), days = atoi(v[2]);
	uint64_t sum = 0;
	shifts = calloc(n, sizeof(*shifts));
#ifdef NEW
	mores = calloc(n, sizeof(*mores));
#endif
	for (uint32_t i = 0; i < n; i++) {
		shifts[i].hours = i % 9;
		MORE(i).made = i;
		MORE(i).rate = i;
		MORE(i).who[0] = 'w';
	}
	for (uint32_t d = 0; d < days; d++) {
		sum += hours(n);
		shifts[d].hours++;
	}
	for (uint32_t i = 0; i < n; i++)
		sum += MORE(i).made;
	printf("%lu\n", sum);
	return c < 0;
}
