// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Moons on their orbits: where each is after a step, by its angle.
 *
 * case: moon split 30000 1500
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct story {
	char name[40];
	uint64_t found, seen;
	double mass;
};
struct moon {
#ifdef NEW
	double angle, rate, x, y;
#else
	char name[40];
	double angle;
	uint64_t found, seen;
	double rate, mass, x, y;
#endif
};
static struct moon *moons;
#ifdef NEW
static struct story *stories;
#define STORY(i) stories[i]
#else
#define STORY(i) moons[i]
#endif
__attribute__((noinline)) static void step(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		moons[i].angle += moons[i].rate;
		moons[i].x = cos(moons[i].angle);
		moons[i].y = sin(moons[i].angle);
	}
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), rounds = atoi(v[2]);
	double sum = 0;
	moons = calloc(n, sizeof(*moons));
#ifdef NEW
	stories = calloc(n, sizeof(*stories));
#endif
	for (uint32_t i = 0; i < n; i++) {
		moons[i].rate = 0.001 * (i % 90);
		STORY(i).mass = i;
		STORY(i).name[0] = 'm';
	}
	for (uint32_t r = 0; r < rounds; r++)
		step(n);
	for (uint32_t i = 0; i < n; i++)
		sum += moons[i].x + moons[i].y + STORY(i).mass;
	printf("%.3f\n", sum);
	return c < 0;
}
