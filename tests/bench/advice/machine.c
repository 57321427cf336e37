// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A small state machine, which stays in L1.
 *
 * case: state reorder 48 90000000
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct state {
	int next[2];
	int output;
	char name[84];
};
#else
struct state {
	int next[2];
	char name[84];
	int output;
};
#endif
static struct state *states;
__attribute__((noinline)) static long run(long steps, unsigned input)
{
	long sum = 0;
	int s = 0;
	for (long i = 0; i < steps; i++) {
		sum += states[s].output;
		s = states[s].next[(input >> (i & 31)) & 1];
	}
	return sum;
}
int main(int argc, char **argv)
{
	int n = atoi(argv[1]);
	states = calloc(n, sizeof(*states));
	for (int i = 0; i < n; i++) {
		states[i].next[0] = (i * 7 + 1) % n, states[i].next[1] = (i * 5 + 3) % n;
		states[i].output = i;
	}
	printf("%ld\n", run(atol(argv[2]), 0xdeadbeef));
}
