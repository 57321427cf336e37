// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Agents that each move towards another one.
 *
 * case: agent split 250000 150
 */
#include <stdio.h>
#include <stdlib.h>
#ifdef NEW
struct agent {
	float x, y, fx, fy;
	int partner;
};
struct agent_cold {
	char name[60];
	float memory[16];
	int id;
};
static struct agent_cold *cold;
#else
struct agent {
	int id;
	float x, y;
	char name[60];
	float fx, fy;
	float memory[16];
	int partner;
};
#endif
static struct agent *agents;
__attribute__((noinline)) static void attract(long n)
{
	for (long i = 0; i < n; i++) {
		const struct agent *other = &agents[agents[i].partner];
		agents[i].fx += (other->x - agents[i].x) * 0.1f;
		agents[i].fy += (other->y - agents[i].y) * 0.1f;
	}
}
int main(int argc, char **argv)
{
	long n = atol(argv[1]);
	unsigned long seed = 1;
	agents = calloc(n, sizeof(*agents));
#ifdef NEW
	cold = calloc(n, sizeof(*cold));
#endif
	for (long i = 0; i < n; i++) {
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		agents[i].partner = (int)((seed >> 33) % (unsigned long)n);
		agents[i].x = i % 100, agents[i].y = i / 100;
	}
	for (long k = 0; k < atol(argv[2]); k++)
		attract(n);
	printf("%g\n", agents[n / 3].fx);
}
