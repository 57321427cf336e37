// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A cache with four ways, of which a search compares the tags.
 *
 * compiler: clang
 * case: way split 800000 3000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct way {
	uint64_t tag;
	int used;
};
struct way_cold {
	char data[40];
	char more[36];
};
static struct way_cold *cold;
#define ADD_COLD(n) cold = (struct way_cold *)calloc(n, sizeof(*cold));
#else
struct way {
	char data[40];
	uint64_t tag;
	int used;
	char more[36];
};
#define ADD_COLD(n)
#endif
static unsigned long seed = 1;
static unsigned long rnd(unsigned long n)
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return (seed >> 33) % n;
}
static struct way *ways;
__attribute__((noinline)) static int find(long set, uint64_t tag)
{
	for (int i = 0; i < 4; i++)
		if (ways[set * 4 + i].tag == tag)
			return ways[set * 4 + i].used;
	return 0;
}
int main(int argc, char **argv)
{
	(void)argc;
	long n = atol(argv[1]), sum = 0;
	ways = calloc(n, sizeof(*ways));
	ADD_COLD(n);
	for (long i = 0; i < n; i++)
		ways[i].tag = i * 7, ways[i].used = i % 5;
	for (long k = 0; k < atol(argv[2]); k++) {
		long i = rnd(n);
		sum += find(i / 4, i * 7);
	}
	printf("%ld\n", sum);
}
