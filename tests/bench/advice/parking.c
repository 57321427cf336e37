// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A parking place: cars come and go, and each free place is searched for.
 *
 * case: place split 120 30000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct car {
	char plate[12], owner[32];
	uint64_t since;
};
struct place {
#ifdef NEW
	uint32_t until;
	uint16_t wide;
#else
	char plate[12], owner[32];
	uint32_t until;
	uint64_t since;
	uint16_t wide;
#endif
};
static struct place *places;
#ifdef NEW
static struct car *cars;
#define CAR(i) cars[i]
#else
#define CAR(i) places[i]
#endif
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), events = atoi(v[2]);
	uint64_t r = 88172645463325252u, sum = 0;
	places = calloc(n, sizeof(*places));
#ifdef NEW
	cars = calloc(n, sizeof(*cars));
#endif
	for (uint32_t i = 0; i < n; i++) {
		places[i].wide = i % 3;
		CAR(i).since = i;
		CAR(i).owner[0] = 'o';
	}
	for (uint32_t e = 0; e < events; e++) {
		r ^= r << 13, r ^= r >> 7, r ^= r << 17;
		struct place *p = &places[(uint32_t)((r >> 32) * n >> 32)];
		if (p->until <= e && p->wide >= (r & 1))
			p->until = e + (r >> 8) % 400, sum++;
	}
	for (uint32_t i = 0; i < n; i++)
		sum += CAR(i).since;
	printf("%lu\n", sum);
	return c < 0;
}
