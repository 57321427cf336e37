// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A herd of sheep: all walk in each step, and all get hungry.
 *
 * case: sheep split 250000 1000
 * case: sheep split 200 3000000
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
struct tag {
	char name[32];
	uint64_t born, mother;
	uint32_t shorn[6];
};
struct sheep {
#ifdef NEW
	float x, y, dx, dy;
#else
	uint64_t born, mother;
	float x, y;
	char name[32];
	float dx, dy;
	uint32_t shorn[6];
#endif
};
static struct sheep *herd;
#ifdef NEW
static struct tag *tags;
#define TAG(i) tags[i]
#else
#define TAG(i) herd[i]
#endif
__attribute__((noinline)) static void walk(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		herd[i].x += herd[i].dx;
		herd[i].y += herd[i].dy;
		if (herd[i].x > 100)
			herd[i].dx = -herd[i].dx;
	}
}
int main(int c, char **v)
{
	uint32_t n = atoi(v[1]), steps = atoi(v[2]);
	double sum = 0;
	herd = calloc(n, sizeof(*herd));
#ifdef NEW
	tags = calloc(n, sizeof(*tags));
#endif
	for (uint32_t i = 0; i < n; i++) {
		herd[i].dx = (float)(i % 7) / 8;
		herd[i].dy = (float)(i % 5) / 8;
		TAG(i).born = i;
	}
	for (uint32_t s = 0; s < steps; s++)
		walk(n);
	for (uint32_t i = 0; i < n; i++)
		sum += herd[i].x + herd[i].y + (double)TAG(i).born;
	printf("%f\n", sum);
}
