// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Texels: each loop uses one of their fields.
 *
 * case: texel peel 600000 220
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
static float *red, *green, *depth;
struct texel_rest {
	float blue, alpha;
	int object;
	float normal[3];
	int flags;
};
static struct texel_rest *rest;
#define RED(i)   red[i]
#define GREEN(i) green[i]
#define DEPTH(i) depth[i]
#else
struct texel {
	float red, green, blue, alpha, depth;
	int object;
	float normal[3];
	int flags;
};
static struct texel *texels;
#define RED(i)   texels[i].red
#define GREEN(i) texels[i].green
#define DEPTH(i) texels[i].depth
#endif
__attribute__((noinline)) static void fade(long n)
{
	for (long i = 0; i < n; i++)
		RED(i) *= 0.999f;
}
__attribute__((noinline)) static float brightest(long n)
{
	float sum = 0;
	for (long i = 0; i < n; i++)
		sum += GREEN(i);
	return sum;
}
__attribute__((noinline)) static float nearest(long n)
{
	float least = 1e9f;
	for (long i = 0; i < n; i++)
		least = DEPTH(i) < least ? DEPTH(i) : least;
	return least;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	float sum = 0;
#ifdef NEW
	red = calloc(n, 4), green = calloc(n, 4), depth = calloc(n, 4);
	rest = calloc(n, sizeof(*rest));
#else
	texels = calloc(n, sizeof(*texels));
#endif
	for (long i = 0; i < n; i++)
		RED(i) = GREEN(i) = i % 255, DEPTH(i) = 1 + i % 77;
	for (long k = 0; k < atol(argv[2]); k++) {
		fade(n);
		sum += brightest(n) + nearest(n);
	}
	printf("%g\n", sum);
}
