// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A binary tree by indexes.
 *
 * case: span split 300000 500000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct span {
	long start;
	int left, right;
};
struct span_cold {
	long end;
	char owner[40];
	char path[32];
	long flags;
};
static struct span_cold *cold;
#else
struct span {
	long start;
	long end;
	char owner[40];
	int left, right;
	char path[32];
	long flags;
};
#endif
static struct span *spans;
static int used;
static int insert(int root, long start)
{
	if (root < 0) {
		spans[used].start = start, spans[used].left = spans[used].right = -1;
		return used++;
	}
	if (start < spans[root].start)
		spans[root].left = insert(spans[root].left, start);
	else
		spans[root].right = insert(spans[root].right, start);
	return root;
}
__attribute__((noinline)) static int find(int at, long start)
{
	while (at >= 0 && spans[at].start != start)
		at = start < spans[at].start ? spans[at].left : spans[at].right;
	return at;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), found = 0;
	unsigned long seed = 3;
	int root = -1;
	spans = calloc(n, sizeof(*spans));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	for (long i = 0; i < n; i++) {
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		root = insert(root, (long)(seed >> 20));
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		found += find(root, spans[(seed >> 33) % (unsigned long)n].start) >= 0;
	}
	printf("%ld\n", found);
}
