// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chapters refer to others by number: references are followed until a chapter has none.
 *
 * case: chapter peel 500000 400000
 * case: chapter split 250 6000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct body {
	char title[56];
	uint64_t words;
	uint32_t year;
};
struct chapter {
#ifdef NEW
	uint32_t see;
#else
	char title[56];
	uint64_t words;
	uint32_t see;
	uint32_t year;
#endif
};
static struct chapter *chapters;
#ifdef NEW
static struct body *bodies;
#define BODY(i) bodies[i]
#else
#define BODY(i) chapters[i]
#endif
__attribute__((noinline)) static uint32_t last(uint32_t at)
{
	uint32_t steps = 0;
	while (chapters[at].see && steps < 40) {
		at = chapters[at].see;
		steps++;
	}
	return at;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), asked = atoi(v[2]);
	uint64_t r = 99, sum = 0;
	chapters = calloc(n, sizeof(*chapters));
#ifdef NEW
	bodies = calloc(n, sizeof(*bodies));
#endif
	for (uint32_t i = 0; i < n; i++) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		chapters[i].see = (r >> 61) ? (r >> 20) % n : 0;
		BODY(i).words = i;
		BODY(i).title[0] = 'c';
	}
	for (uint32_t q = 0; q < asked; q++) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		sum += last((r >> 32) % n);
	}
	for (uint32_t i = 0; i < n; i++)
		sum += BODY(i).words;
	printf("%lu\n", sum);
	return c < 0;
}
