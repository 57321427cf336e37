// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lots of an auction: the highest bid on each is raised, and lots are asked for in any order.
 *
 * case: lot split 350000 10000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct text {
	char title[44];
	uint32_t pages;
	uint64_t seller;
	char place[20];
};
struct lot {
#ifdef NEW
	uint32_t bid, bids;
#else
	char title[44];
	uint32_t bid;
	uint32_t pages;
	uint64_t seller;
	char place[20];
	uint32_t bids;
#endif
};
static struct lot *lots;
#ifdef NEW
static struct text *texts;
#define TEXT(i) texts[i]
#else
#define TEXT(i) lots[i]
#endif
__attribute__((noinline)) static void raise(uint32_t n, uint64_t count)
{
	uint64_t r = 1234567891234567u;
	while (count--) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		struct lot *l = &lots[(r >> 32) * n >> 32];
		uint32_t bid = (uint32_t)r >> 4;
		if (bid > l->bid) {
			l->bid = bid;
			l->bids++;
		}
	}
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]);
	uint64_t sum = 0;
	lots = calloc(n, sizeof(*lots));
#ifdef NEW
	texts = calloc(n, sizeof(*texts));
#endif
	for (uint32_t i = 0; i < n; i++) {
		TEXT(i).pages = i % 9;
		TEXT(i).seller = i;
		TEXT(i).title[0] = 't';
	}
	raise(n, atol(v[2]));
	for (uint32_t i = 0; i < n; i++)
		sum += lots[i].bid + lots[i].bids + TEXT(i).pages;
	printf("%lu\n", sum);
	return c < 0;
}
