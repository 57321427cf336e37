// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects of a garbage collector, of which a sweep needs the mark.
 *
 * compiler: clang
 * case: cell split 400000 150
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct cell {
	unsigned char mark, kind;
};
struct cell_cold {
	int refs[4];
	char payload[56];
	long hash;
};
static struct cell_cold *cold;
#else
struct cell {
	int refs[4];
	char payload[56];
	long hash;
	unsigned char mark, kind;
};
#endif
static struct cell *heap;
__attribute__((noinline)) static long sweep(long n, unsigned char epoch)
{
	long freed = 0;
	for (long i = 0; i < n; i++) {
		if (heap[i].mark != epoch && heap[i].kind)
			freed++;
		heap[i].mark = (unsigned char)(epoch + 1);
	}
	return freed;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	heap = calloc(n, sizeof(*heap));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	for (long i = 0; i < n; i++)
		heap[i].kind = i % 3;
	for (long k = 0; k < atol(argv[2]); k++)
		sum += sweep(n, (unsigned char)k);
	printf("%ld\n", sum);
}
