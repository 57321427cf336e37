// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A short table of routes, which stays in L1.
 *
 * case: route split 60 20000000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct route {
	unsigned net, mask;
};
struct route_cold {
	char device[16];
	unsigned gateway;
	long packets;
	char note[32];
};
static struct route_cold *cold;
#else
struct route {
	unsigned net;
	char device[16];
	unsigned gateway;
	long packets;
	char note[32];
	unsigned mask;
};
#endif
static struct route *routes;
__attribute__((noinline)) static long find(long n, unsigned to)
{
	for (long i = 0; i < n; i++)
		if ((to & routes[i].mask) == routes[i].net)
			return i;
	return -1;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	routes = calloc(n, sizeof(*routes));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	for (long i = 0; i < n; i++)
		routes[i].net = (unsigned)i << 8, routes[i].mask = 0xffffff00;
	for (unsigned long k = 0; k < (unsigned long)atol(argv[2]); k++)
		sum += find(n, (unsigned)(k * 2654435761u % (n << 8)));
	printf("%ld\n", sum);
}
