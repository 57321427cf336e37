// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Radio masts: the strongest one for each of many places, by a grid whose cells have numbers of
 * masts.
 *
 * case: mast split 300000 7
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#define SIDE     256
#define PER_CELL 6
struct permit {
	char office[40];
	uint64_t until, fees;
	uint32_t repairs[4];
};
struct mast {
#ifdef NEW
	float x, y, power;
#else
	float x;
	char office[40];
	float y;
	uint64_t until, fees;
	uint32_t repairs[4];
	float power;
#endif
};
static struct mast *masts;
#ifdef NEW
static struct permit *permits;
#define PERMIT(i) permits[i]
#else
#define PERMIT(i) masts[i]
#endif
static uint32_t cells[SIDE * SIDE][PER_CELL];
__attribute__((noinline)) static float strongest(float x, float y, uint32_t cell)
{
	float best = 0;
	for (int i = 0; i < PER_CELL; i++) {
		const struct mast *m = &masts[cells[cell][i]];
		float dx = m->x - x, dy = m->y - y, got = m->power / (1 + dx * dx + dy * dy);
		best = got > best ? got : best;
	}
	return best;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), rounds = atoi(v[2]);
	double sum = 0;
	uint64_t r = 5;
	masts = calloc(n, sizeof(*masts));
#ifdef NEW
	permits = calloc(n, sizeof(*permits));
#endif
	for (uint32_t i = 0; i < n; i++) {
		masts[i].x = i % 500;
		masts[i].y = i % 300;
		masts[i].power = 1 + i % 7;
		PERMIT(i).until = i;
		PERMIT(i).office[0] = 'o';
	}
	for (uint32_t i = 0; i < SIDE * SIDE * PER_CELL; i++) {
		r ^= r << 13, r ^= r >> 7, r ^= r << 17;
		cells[i / PER_CELL][i % PER_CELL] = (r >> 20) % n;
	}
	for (uint32_t k = 0; k < rounds * 1000000; k++) {
		r ^= r << 13, r ^= r >> 7, r ^= r << 17;
		sum += strongest(k % 500, k % 300, (r >> 20) % (SIDE * SIDE));
	}
	for (uint32_t i = 0; i < n; i++)
		sum += PERMIT(i).until;
	printf("%g\n", sum);
	return c < 0;
}
