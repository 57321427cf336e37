// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Records of a power of two: the fields that a walk reads are in every second set of the caches
 * alone, so half of L1 is not used.
 *
 * case: port split 450 1000000
 * case: port split 100 5000000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct port {
	int next, speed;
};
struct port_rest {
	char name[56];
	long counters[8];
};
#else
struct port {
	int next, speed;
	char name[56];
	long counters[8];
};
#endif
static struct port *ports;
__attribute__((noinline)) static long walk(int at)
{
	long sum = 0;
	do {
		sum += ports[at].speed;
		at = ports[at].next;
	} while (at);
	return sum;
}
int main(int argc, char **argv)
{
	int n = atoi(argv[1]), at = 0;
	long sum = 0;
	ports = aligned_alloc(4096, (n * sizeof(*ports) + 4095) & ~4095ul);
	for (int i = 0; i < n; i++) {
		int next = (int)((at + 7L * 13 * 17) % n);
		ports[at].next = i + 1 < n ? next : 0;
		ports[at].speed = at;
		at = next;
	}
	for (long k = 0; k < atol(argv[2]); k++)
		sum += walk(0);
	printf("%ld\n", sum);
}
