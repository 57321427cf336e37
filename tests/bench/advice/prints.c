// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A hash table with open addresses, which compares hashes.
 *
 * case: print split 1048576 4000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct print {
	uint64_t hash;
};
struct print_cold {
	uint64_t place;
	char file[40];
	uint64_t count;
};
static struct print_cold *cold;
#define ADD_COLD(n) cold = (struct print_cold *)calloc(n, sizeof(*cold));
#else
struct print {
	uint64_t hash;
	uint64_t place;
	char file[40];
	uint64_t count;
};
#define ADD_COLD(n)
#endif
static unsigned long seed = 1;
static unsigned long rnd(unsigned long n)
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return (seed >> 33) % n;
}
static struct print *all;
static uint64_t mask;
__attribute__((noinline)) static long find(uint64_t hash)
{
	uint64_t i = hash & mask;
	while (all[i].hash && all[i].hash != hash)
		i = (i + 1) & mask;
	return i;
}
int main(int argc, char **argv)
{
	(void)argc;
	long n = atol(argv[1]), sum = 0;
	mask = n - 1;
	all = calloc(n, sizeof(*all));
	ADD_COLD(n);
	for (long i = 1; i < n / 2; i++) {
		uint64_t h = i * 0x9e3779b97f4a7c15ul;
		h ^= h >> 29;
		all[find(h)].hash = h;
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		uint64_t h = (1 + rnd(n - 2)) * 0x9e3779b97f4a7c15ul;
		h ^= h >> 29;
		sum += find(h) & 3;
	}
	printf("%ld\n", sum);
}
