// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Triangles, whose corners are visited in no order.
 *
 * case: corner split 200000 40
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct corner {
	float x, y, z;
};
struct corner_cold {
	float normal[3];
	float uv[2];
	unsigned color;
	char material[48];
	float weights[8];
};
static struct corner_cold *cold;
#else
struct corner {
	float x, y, z;
	float normal[3];
	float uv[2];
	unsigned color;
	char material[48];
	float weights[8];
};
#endif
struct face {
	int a, b, c;
};
static struct corner *corners;
static struct face *faces;
__attribute__((noinline)) static float volume(long n)
{
	float sum = 0;
	for (long i = 0; i < n; i++) {
		const struct corner *a = &corners[faces[i].a], *b = &corners[faces[i].b],
				    *c = &corners[faces[i].c];
		sum += a->x * (b->y * c->z - b->z * c->y) + a->y * (b->z * c->x - b->x * c->z) +
		       a->z * (b->x * c->y - b->y * c->x);
	}
	return sum;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	float sum = 0;
	unsigned long seed = 1;
	corners = calloc(n, sizeof(*corners));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	faces = calloc(2 * n, sizeof(*faces));
	for (long i = 0; i < n; i++)
		corners[i].x = i % 10, corners[i].y = i % 7, corners[i].z = i % 3;
	for (long i = 0; i < 2 * n; i++)
		for (int k = 0; k < 3; k++) {
			seed = seed * 6364136223846793005ul + 1442695040888963407ul;
			(&faces[i].a)[k] = (int)((seed >> 33) % (unsigned long)n);
		}
	for (long k = 0; k < atol(argv[2]); k++)
		sum += volume(2 * n);
	printf("%g\n", sum);
}
