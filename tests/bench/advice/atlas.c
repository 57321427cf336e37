// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Places of an atlas, sorted by a number: each question is a binary search.
 *
 * case: place split 262144 3000000
 * case: place split 256 16000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct about {
	char name[44];
	float north, east;
	uint32_t people;
	uint64_t founded;
};
struct place {
#ifdef NEW
	uint64_t number;
#else
	char name[44];
	float north, east;
	uint32_t people;
	uint64_t founded;
	uint64_t number;
#endif
};
static struct place *places;
#ifdef NEW
static struct about *abouts;
#define ABOUT(i) abouts[i]
#else
#define ABOUT(i) places[i]
#endif
__attribute__((noinline)) static uint32_t find(uint32_t n, uint64_t number)
{
	uint32_t low = 0, high = n;
	while (low + 1 < high) {
		uint32_t middle = (low + high) / 2;
		if (places[middle].number <= number)
			low = middle;
		else
			high = middle;
	}
	return low;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), questions = atoi(v[2]);
	uint64_t r = 31, sum = 0;
	places = calloc(n, sizeof(*places));
#ifdef NEW
	abouts = calloc(n, sizeof(*abouts));
#endif
	for (uint32_t i = 0; i < n; i++) {
		places[i].number = 10ull * i;
		ABOUT(i).people = i % 1000;
	}
	for (uint32_t i = 0; i < questions; i++) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		sum += ABOUT(find(n, (r >> 32) * (10ull * n) >> 32)).people;
	}
	printf("%lu\n", sum);
}
