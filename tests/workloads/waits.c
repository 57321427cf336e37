// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Half a second of processor time each of what programs wait for: a list whose nodes lie anywhere in 64 MB,
 * and divisions that need each other's result. `waits MS`: so many milliseconds each.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define NODES (1u << 20)
#define STEPS 20000 /* between two looks at the clock */

/* A cacheline each. */
struct node {
	uint64_t id;
	struct node *next;
	uint64_t room[6];
};

static struct node *make_list(void)
{
	struct node *nodes = aligned_alloc(64, NODES * sizeof(*nodes));
	uint32_t *order = malloc(NODES * sizeof(*order));
	uint64_t random = 88172645463325252u;

	if (!nodes || !order)
		exit(1);
	for (uint32_t i = 0; i < NODES; i++)
		order[i] = i;
	/* one cycle through all */
	for (uint32_t i = NODES - 1; i > 0; i--) {
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;

		uint32_t other = (uint32_t)(random % i), kept = order[i];

		order[i] = order[other];
		order[other] = kept;
	}
	for (uint32_t i = 0; i < NODES; i++) {
		nodes[i].id = i;
		nodes[order[i]].next = &nodes[order[(i + 1) % NODES]];
	}
	free(order);
	return nodes;
}

__attribute__((noinline)) static const struct node *walk_list(const struct node *node, unsigned int steps)
{
	while (steps--)
		node = node->next;
	return node;
}

/* 128 bits by 64: the remainder is the upper half of the next dividend, so that no quotient is too large. */
__attribute__((noinline)) static uint64_t divide(uint64_t number, unsigned int steps)
{
	uint64_t remainder = 1, divisor = UINT64_C(0x9e3779b97f4a7c15);

	while (steps--)
		__asm__ volatile("div %2\n\tdiv %2\n\tdiv %2\n\tdiv %2"
				 : "+a"(number), "+d"(remainder)
				 : "r"(divisor)
				 : "cc");
	return number;
}

static double seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
	double each = argc > 1 ? strtod(argv[1], NULL) / 1000 : 0.5, start;
	const struct node *node = make_list();
	uint64_t number = 7;

	for (start = seconds(); seconds() - start < each;)
		node = walk_list(node, STEPS);
	for (start = seconds(); seconds() - start < each;)
		number = divide(number, STEPS);
	printf("%llu %llu\n", (unsigned long long)node->id, (unsigned long long)number);
	return 0;
}
