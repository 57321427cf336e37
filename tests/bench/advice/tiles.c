// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A map of tiles: water flows to the lower ones of four neighbours.
 *
 * case: tile split 700 190
 * case: tile split 20 1100000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct plan {
	char owner[24];
	uint32_t road, taxed, built[4];
};
struct tile {
#ifdef NEW
	float ground, water;
#else
	char owner[24];
	float ground;
	uint32_t road, taxed;
	float water;
	uint32_t built[4];
#endif
};
static struct tile *tiles;
#ifdef NEW
static struct plan *plans;
#define PLAN(i) plans[i]
#else
#define PLAN(i) tiles[i]
#endif
__attribute__((noinline)) static float flow(uint32_t side)
{
	float moved = 0;
	for (uint32_t y = 1; y + 1 < side; y++)
		for (uint32_t x = 1; x + 1 < side; x++) {
			struct tile *t = &tiles[y * side + x];
			float level = t->ground + t->water;
			float around = (t[-1].ground + t[1].ground + t[-(int)side].ground +
					t[side].ground) *
				       0.25f;
			float out = (level - around) * 0.1f;
			t->water -= out;
			moved += out;
		}
	return moved;
}
int main(int c, char **v)
{
	uint32_t side = atoi(v[1]), rounds = atoi(v[2]);
	float sum = 0;
	tiles = calloc(side * side, sizeof(*tiles));
#ifdef NEW
	plans = calloc(side * side, sizeof(*plans));
#endif
	for (uint32_t i = 0; i < side * side; i++) {
		tiles[i].ground = i * 7919 % 100;
		tiles[i].water = 1;
		PLAN(i).road = i % 3;
		PLAN(i).owner[0] = 'x';
	}
	for (uint32_t r = 0; r < rounds; r++)
		sum += flow(side);
	for (uint32_t i = 0; i < side * side; i++)
		sum += PLAN(i).road;
	printf("%g\n", sum);
	return c < 0;
}
