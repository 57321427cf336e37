// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects that are allocated one by one and used in this order.
 *
 * case: sprite reorder 300000 120
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct sprite {
	int layer;
	int visible;
	long width;
	char file[80];
	char comment[64];
};
#else
struct sprite {
	int layer;
	char file[80];
	long width;
	char comment[64];
	int visible;
};
#endif
static struct sprite **sprites;
__attribute__((noinline)) static long area(long n)
{
	long sum = 0;
	for (long i = 0; i < n; i++)
		sum += sprites[i]->visible * sprites[i]->width + sprites[i]->layer;
	return sum;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	sprites = calloc(n, sizeof(*sprites));
	for (long i = 0; i < n; i++) {
		sprites[i] = calloc(1, sizeof(**sprites));
		sprites[i]->visible = i % 2, sprites[i]->width = i % 100;
	}
	for (long k = 0; k < atol(argv[2]); k++)
		sum += area(n);
	printf("%ld\n", sum);
}
