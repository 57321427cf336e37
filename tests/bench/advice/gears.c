// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Torques of gears: each contact of a row adds to it what the gear on the other side turns.
 *
 * case: contact split 30000 560
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct wear {
	uint64_t oiled, checked;
	char maker[16];
	double play;
};
struct contact {
#ifdef NEW
	uint32_t gear;
	float ratio;
#else
	uint64_t oiled, checked;
	uint32_t gear;
	char maker[16];
	double play;
	float ratio;
#endif
};
static struct contact *contacts;
#ifdef NEW
static struct wear *wears;
#define WEAR(i) wears[i]
#else
#define WEAR(i) contacts[i]
#endif
#define PER_GEAR 16
__attribute__((noinline)) static void turn(uint32_t gears, const float *now, float *next)
{
	for (uint32_t g = 0; g < gears; g++) {
		float sum = 0;
		for (uint32_t k = g * PER_GEAR; k < (g + 1) * PER_GEAR; k++)
			sum += contacts[k].ratio * now[contacts[k].gear];
		next[g] = sum;
	}
}
int main(int c, char **v)
{
	uint32_t gears = atoi(v[1]), rounds = atoi(v[2]), n = gears * PER_GEAR;
	float *a = calloc(gears, sizeof(*a)), *b = calloc(gears, sizeof(*b)), *swap;
	double sum = 0;
	contacts = calloc(n, sizeof(*contacts));
#ifdef NEW
	wears = calloc(n, sizeof(*wears));
#endif
	for (uint32_t i = 0; i < n; i++) {
		contacts[i].gear = (uint64_t)i * 2654435761u % gears;
		contacts[i].ratio = 1.0f / PER_GEAR;
		WEAR(i).oiled = i;
		WEAR(i).maker[0] = 'm';
	}
	for (uint32_t g = 0; g < gears; g++)
		a[g] = g % 17;
	for (uint32_t r = 0; r < rounds; r++) {
		turn(gears, a, b);
		swap = a, a = b, b = swap;
	}
	for (uint32_t g = 0; g < gears; g++)
		sum += a[g];
	for (uint32_t i = 0; i < n; i++)
		sum += WEAR(i).oiled;
	printf("%g\n", sum);
	return c < 0;
}
