// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A ring of messages: all their fields are written and read, so there is nothing to gain.
 *
 * case: message reorder 100000 800
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct message {
	double when;
	int to, from;
	long body[4];
	long kind;
};
#else
struct message {
	int from;
	int to;
	long kind;
	double when;
	long body[4];
};
#endif
static struct message *ring;
__attribute__((noinline)) static void send_all(long n, long value)
{
	for (long i = 0; i < n; i++)
		ring[i] = (struct message){ .from = (int)i,
					    .to = (int)value,
					    .kind = value & 3,
					    .when = 1,
					    .body = { i, value, 2, 3 } };
}
__attribute__((noinline)) static long receive_all(long n)
{
	long sum = 0;
	for (long i = 0; i < n; i++)
		sum += ring[i].from + ring[i].to + ring[i].kind + (long)ring[i].when +
		       ring[i].body[0] + ring[i].body[1] + ring[i].body[2] + ring[i].body[3];
	return sum;
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]), sum = 0;
	ring = calloc(n, sizeof(*ring));
	for (long k = 0; k < atol(argv[2]); k++) {
		send_all(n, k);
		sum += receive_all(n);
	}
	printf("%ld\n", sum);
}
