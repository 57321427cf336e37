// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A list through an array, in no order.
 *
 * case: chunk split 300000 6
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct chunk {
	int next;
	int used;
};
struct chunk_cold {
	char data[88];
};
static struct chunk_cold *cold;
#else
struct chunk {
	int next;
	int used;
	char data[88];
};
#endif
static struct chunk *chunks;
__attribute__((noinline)) static long walk(int at)
{
	long used = 0;
	for (; at >= 0; at = chunks[at].next)
		used += chunks[at].used;
	return used;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned long seed = 1;
	int *order = calloc(n, sizeof(int));
	chunks = calloc(n, sizeof(*chunks));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	for (long i = 0; i < n; i++)
		order[i] = (int)i;
	for (long i = n - 1; i > 0; i--) {
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		long j = (long)((seed >> 33) % (unsigned long)(i + 1));
		int t = order[i];
		order[i] = order[j], order[j] = t;
	}
	for (long i = 0; i < n; i++) {
		chunks[order[i]].next = i + 1 < n ? order[i + 1] : -1;
		chunks[order[i]].used = 1;
	}
	for (long k = 0; k < atol(argv[2]); k++)
		sum += walk(order[0]);
	printf("%ld\n", sum);
}
