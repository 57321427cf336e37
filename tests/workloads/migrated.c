// SPDX-License-Identifier: GPL-2.0-or-later
/* Moves to the second processor, and works there. */
#define _GNU_SOURCE
#include <sched.h>

volatile long sum;

__attribute__((noinline)) void migrated(void)
{
	for (long i = 0; i < 400000000; i++)
		sum += i;
}

int main(void)
{
	cpu_set_t set;
	CPU_ZERO(&set);
	CPU_SET(1, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return 1;
	migrated();
	return 0;
}
