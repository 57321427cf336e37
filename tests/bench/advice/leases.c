// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A list in no order: leases that run out.
 *
 * compiler: clang
 * case: lease reorder 150000 12
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct lease {
	struct lease *next;
	long expires;
	char host[64];
	char mac[24];
	char options[72];
};
#else
struct lease {
	struct lease *next;
	char host[64];
	long expires;
	char mac[24];
	char options[72];
};
#endif
__attribute__((noinline)) static long due(struct lease *l, long now)
{
	long count = 0;
	for (; l; l = l->next)
		if (l->expires < now)
			count++;
	return count;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned long seed = 9;
	struct lease **all = calloc(n, sizeof(*all));
	for (long i = 0; i < n; i++)
		all[i] = calloc(1, sizeof(**all)), all[i]->expires = i % 1000;
	for (long i = n - 1; i > 0; i--) {
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		long j = (long)((seed >> 33) % (unsigned long)(i + 1));
		struct lease *t = all[i];
		all[i] = all[j], all[j] = t;
	}
	for (long i = 0; i + 1 < n; i++)
		all[i]->next = all[i + 1];
	for (long k = 0; k < atol(argv[2]); k++)
		sum += due(all[0], 1000 + k);
	printf("%ld\n", sum);
}
