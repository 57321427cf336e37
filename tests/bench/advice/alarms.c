// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Alarms of a hotel, counted down each minute: few of them ring, and only those need the rest.
 *
 * case: alarm split 250000 900
 * case: alarm split 120 1500000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct about {
	char guest[24];
	uint64_t rung, asked;
	uint32_t room, tone;
};
struct alarm {
#ifdef NEW
	uint32_t left, period;
#else
	uint32_t left;
	char guest[24];
	uint64_t rung, asked;
	uint32_t room, tone, period;
#endif
};
static struct alarm *alarms;
#ifdef NEW
static struct about *abouts;
#define ABOUT(i) abouts[i]
#else
#define ABOUT(i) alarms[i]
#endif
__attribute__((noinline)) static uint64_t minute(uint32_t n, uint64_t now)
{
	uint64_t rung = 0;
	for (uint32_t i = 0; i < n; i++) {
		if (--alarms[i].left)
			continue;
		alarms[i].left = alarms[i].period;
		ABOUT(i).rung = now;
		ABOUT(i).tone ^= ABOUT(i).room;
		rung++;
	}
	return rung;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), minutes = atoi(v[2]);
	uint64_t sum = 0;
	alarms = calloc(n, sizeof(*alarms));
#ifdef NEW
	abouts = calloc(n, sizeof(*abouts));
#endif
	for (uint32_t i = 0; i < n; i++) {
		alarms[i].left = 1 + rand() % 1440;
		alarms[i].period = 1440;
		ABOUT(i).room = i;
	}
	for (uint32_t m = 0; m < minutes; m++)
		sum += minute(n, m);
	for (uint32_t i = 0; i < n; i++)
		sum += ABOUT(i).tone;
	printf("%lu\n", sum);
	return c < 0;
}
