// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A tree, which a function descends by calling itself.
 *
 * compiler: clang
 * case: person reorder 200000 25
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct person {
	struct person *left, *right;
	long age;
	char name[72];
	char place[56];
};

#else
struct person {
	struct person *left;
	char name[72];
	struct person *right;
	char place[56];
	long age;
};
#endif
static unsigned long seed = 1;
static unsigned long rnd(unsigned long n)
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return (seed >> 33) % n;
}
__attribute__((noinline)) static long ages(const struct person *p)
{
	return p ? p->age + ages(p->left) + ages(p->right) : 0;
}
int main(int argc, char **argv)
{
	(void)argc;
	long n = atol(argv[1]), sum = 0;
	struct person **all = malloc(n * sizeof(*all)), *root = 0;
	for (long i = 0; i < n; i++)
		all[i] = calloc(1, sizeof(**all)), all[i]->age = i % 90;
	for (long i = n - 1; i > 0; i--) {
		long j = rnd(i + 1);
		struct person *t = all[i];
		all[i] = all[j];
		all[j] = t;
	}
	for (long i = 0; i < n; i++) {
		if (2 * i + 1 < n)
			all[i]->left = all[2 * i + 1];
		if (2 * i + 2 < n)
			all[i]->right = all[2 * i + 2];
	}
	root = all[0];
	for (long k = 0; k < atol(argv[2]); k++)
		sum += ages(root);
	printf("%ld\n", sum);
}
