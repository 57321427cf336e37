// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Beads on a thread pull at their neighbours.
 *
 * case: bead split 1500 280000
 * case: bead split 250000 800
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct look {
	char colour[16];
	double size, weight, price;
	uint64_t made, sold;
};
struct bead {
#ifdef NEW
	float at, speed;
#else
	char colour[16];
	float at;
	double size, weight, price;
	float speed;
	uint64_t made, sold;
#endif
};
static struct bead *beads;
#ifdef NEW
static struct look *looks;
#define LOOK(i) looks[i]
#else
#define LOOK(i) beads[i]
#endif
__attribute__((noinline)) static void pull(uint32_t n)
{
	for (uint32_t i = 1; i + 1 < n; i++)
		beads[i].speed += (beads[i - 1].at + beads[i + 1].at - 2 * beads[i].at) * 0.1f;
}
__attribute__((noinline)) static void move(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		beads[i].at += beads[i].speed * 0.01f;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), rounds = atoi(v[2]);
	double sum = 0;
	beads = calloc(n, sizeof(*beads));
#ifdef NEW
	looks = calloc(n, sizeof(*looks));
#endif
	for (uint32_t i = 0; i < n; i++) {
		beads[i].at = i % 13;
		LOOK(i).made = i;
		LOOK(i).colour[0] = 'r';
	}
	for (uint32_t r = 0; r < rounds; r++) {
		pull(n);
		move(n);
	}
	for (uint32_t i = 0; i < n; i++)
		sum += beads[i].at + LOOK(i).made;
	printf("%g\n", sum);
	return c < 0;
}
