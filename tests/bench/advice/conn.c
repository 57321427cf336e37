// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Connections in no order, whose last use is compared with their timeout.
 *
 * case: connection reorder 200000 60
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct connection {
	long last_active;
	long timeout;
	int state;
	int fd;
	char peer[48];
	char *in, *out;
	long in_used, out_used;
	char user[40];
	long bytes;
	char agent[56];
	long requests;
};
#else
struct connection {
	int fd;
	char peer[48];
	long last_active;
	char *in, *out;
	long in_used, out_used;
	char user[40];
	int state;
	long bytes;
	char agent[56];
	long timeout;
	long requests;
};
#endif
static struct connection **all;
__attribute__((noinline)) static long expired(long n, long now)
{
	long count = 0;
	for (long i = 0; i < n; i++) {
		struct connection *c = all[i];
		if (c->state && now - c->last_active > c->timeout)
			count++;
	}
	return count;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	unsigned long seed = 7;
	all = calloc(n, sizeof(*all));
	for (long i = 0; i < n; i++) {
		all[i] = calloc(1, sizeof(**all));
		all[i]->in = malloc(40 + i % 3 * 32);
		all[i]->state = i % 16 != 0, all[i]->last_active = i % 5000, all[i]->timeout = 300;
	}
	for (long i = n - 1; i > 0; i--) {
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		long j = (long)((seed >> 33) % (unsigned long)(i + 1));
		struct connection *t = all[i];
		all[i] = all[j], all[j] = t;
	}
	for (long k = 0; k < atol(argv[2]); k++)
		sum += expired(n, 2000 + k);
	printf("%ld\n", sum);
}
