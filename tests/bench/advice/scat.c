// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rows that are visited in no order.
 *
 * case: row split 500000 80
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct row {
	long key, count;
};
#else
struct row {
	long key;
	char text[112];
	long count;
};
#endif
static struct row *rows;
static unsigned *order;
__attribute__((noinline)) static long visit(long n)
{
	long s = 0;
	for (long i = 0; i < n; i++) {
		struct row *r = &rows[order[i]];
		s += r->key;
		r->count++;
	}
	return s;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), s = 0;
	rows = aligned_alloc(128, (n * sizeof(*rows) + 127) & ~127UL);
	order = malloc(n * 4);
	for (long i = 0; i < n; i++) {
		rows[i].key = i;
		rows[i].count = 0;
		order[i] = i * 2654435761UL % n;
	}
	for (int k = 0; k < atoi(argv[2]); k++)
		s += visit(n);
	printf("%ld\n", s);
}
