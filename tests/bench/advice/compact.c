// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Cells with holes between their fields, all of which are used.
 *
 * case: cell shrink 500 1500000
 * case: cell shrink 2000000 80
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct cell {
	long value;
	int weight;
	char kind, flag;
	short group;
};
#else
struct cell {
	char kind;
	long value;
	char flag;
	int weight;
	short group;
};
#endif
static struct cell *cells;
__attribute__((noinline)) static long sum_of(long n)
{
	long sum = 0;
	for (long i = 0; i < n; i++)
		sum += (cells[i].value * cells[i].weight + cells[i].group) ^ cells[i].kind ^
		       cells[i].flag;
	return sum;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	cells = calloc(n, sizeof(*cells));
	for (long i = 0; i < n; i++) {
		cells[i].kind = (char)i;
		cells[i].value = i;
		cells[i].weight = (int)(i % 10);
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		sum += sum_of(n);
		__asm__ volatile("" : : : "memory");
	}
	printf("%ld\n", sum);
}
