// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packets count at their port, which is found by number.
 *
 * case: port split 400000 32000000
 * case: port split 250 300000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct port {
	uint32_t packets, limit;
};
struct about {
	char name[32];
	uint64_t opened, closed;
	uint8_t mac[6];
	uint16_t vlan;
	uint64_t total;
};
static struct about *abouts;
#define A(i) abouts[i]
#else
struct port {
	char name[32];
	uint32_t packets;
	uint64_t opened, closed;
	uint32_t limit;
	uint8_t mac[6];
	uint16_t vlan;
	uint64_t total;
};
#define A(i) ports[i]
#endif
static struct port *ports;
__attribute__((noinline)) static uint64_t receive(uint32_t n, uint64_t count)
{
	uint64_t dropped = 0, r = 99;
	while (count--) {
		r = r * 6364136223846793005u + 1442695040888963407u;
		struct port *p = &ports[(r >> 32) * n >> 32];
		if (p->packets < p->limit)
			p->packets++;
		else
			dropped++;
	}
	return dropped;
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]);
	ports = calloc(n, sizeof(*ports));
#ifdef NEW
	abouts = calloc(n, sizeof(*abouts));
#endif
	for (uint32_t i = 0; i < n; i++) {
		ports[i].limit = 1u << 30;
		A(i).opened = i;
		A(i).name[0] = 'p';
		A(i).vlan = 3;
		A(i).total = 4;
	}
	uint64_t d = receive(n, atol(v[2])), s = 0;
	for (uint32_t i = 0; i < n; i++)
		s += ports[i].packets + A(i).opened + A(i).total;
	printf("%lu %lu\n", d, s);
	return c < 0;
}
