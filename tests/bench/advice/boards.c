// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Boards of a sawmill: a few kinds are used again and again.
 *
 * case: board split 200 100000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct wood {
	char name[24];
	double price;
	uint64_t lot;
};
struct board {
#ifdef NEW
	uint32_t left, cut;
#else
	char name[24];
	uint32_t left;
	double price;
	uint64_t lot;
	uint32_t cut;
#endif
};
static struct board *boards;
#ifdef NEW
static struct wood *woods;
#define WOOD(i) woods[i]
#else
#define WOOD(i) boards[i]
#endif
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]);
	uint64_t cuts = atol(v[2]), r = 7, sum = 0;
	boards = calloc(n, sizeof(*boards));
#ifdef NEW
	woods = calloc(n, sizeof(*woods));
#endif
	for (uint32_t i = 0; i < n; i++) {
		boards[i].left = 1000;
		WOOD(i).lot = i;
		WOOD(i).price = i;
	}
	while (cuts--) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		struct board *b = &boards[(r >> 32) * n >> 32];
		uint32_t length = r >> 60;
		if (b->left > length) {
			b->left -= length;
			b->cut++;
		} else
			b->left = 1000;
	}
	for (uint32_t i = 0; i < n; i++)
		sum += boards[i].cut + WOOD(i).lot;
	printf("%lu\n", sum);
	return c < 0;
}
