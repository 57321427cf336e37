// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A skip list whose nodes have a name before their pointers.
 *
 * case: node reorder 500 6000000
 * case: node reorder 200000 600000
 */
#include <stdio.h>
#include <stdlib.h>
#define LEVELS 8
#ifdef NEW
struct node {
	long key;
	struct node *next[LEVELS];
	char name[88];
};
#else
struct node {
	long key;
	char name[88];
	struct node *next[LEVELS];
};
#endif
static struct node *head;
__attribute__((noinline)) static long find(long key)
{
	struct node *node = head;
	for (int level = LEVELS - 1; level >= 0; level--)
		while (node->next[level] && node->next[level]->key <= key)
			node = node->next[level];
	return node->key;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned long x = 1;
	struct node **all = calloc(n + 1, sizeof(*all)), *last[LEVELS];
	head = calloc(1, sizeof(*head));
	head->key = -1;
	for (long i = 0; i < n; i++)
		all[i] = calloc(1, sizeof(*head));
	for (long i = n - 1; i > 0; i--) {
		x = x * 6364136223846793005UL + 1442695040888963407UL;
		long j = (long)((x >> 33) % i);
		struct node *swap = all[i];
		all[i] = all[j];
		all[j] = swap;
	}
	for (int level = 0; level < LEVELS; level++)
		last[level] = head;
	for (long i = 0; i < n; i++) {
		all[i]->key = 2 * i;
		for (int level = 0; level < LEVELS && i % (1 << 2 * level) == 0; level++)
			last[level] = last[level]->next[level] = all[i];
	}
	for (long k = 0; k < atol(argv[2]); k++) {
		x = x * 6364136223846793005UL + 1442695040888963407UL;
		sum += find((long)((x >> 33) % (2 * n)));
	}
	printf("%ld\n", sum);
}
