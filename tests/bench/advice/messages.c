// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A queue, of which a loop adds up the messages that are ready.
 *
 * case: message split 400000 130
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct message {
	int length;
	int ready;
};
struct message_cold {
	long id;
	char from[32];
	char body[72];
	int kind;
};
static struct message_cold *cold;
#define ADD_COLD(n) cold = (struct message_cold *)calloc(n, sizeof(*cold));
#else
struct message {
	long id;
	char from[32];
	int length;
	char body[72];
	int ready;
	int kind;
};
#define ADD_COLD(n)
#endif
static unsigned long seed = 1;
static unsigned long rnd(unsigned long n)
{
	seed = seed * 6364136223846793005ul + 1442695040888963407ul;
	return (seed >> 33) % n;
}
static struct message *all;
__attribute__((noinline)) static long pending(long n)
{
	long s = 0;
	for (long i = 0; i < n; i++)
		if (all[i].ready)
			s += all[i].length;
	return s;
}
int main(int argc, char **argv)
{
	(void)argc;
	long n = atol(argv[1]), sum = 0;
	all = calloc(n, sizeof(*all));
	ADD_COLD(n);
	for (long i = 0; i < n; i++)
		all[i].ready = rnd(8) > 0, all[i].length = i % 100;
	for (long k = 0; k < atol(argv[2]); k++)
		sum += pending(n);
	printf("%ld\n", sum);
}
