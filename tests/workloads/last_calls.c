// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls after which the caller's next instruction belongs to somebody else: to another inlined
 * function, and, after a call that does not return, to the next function of the file. The program
 * works for a time, as call_chains.c does. Compile it with frame pointers, without gaps between
 * functions (-falign-functions=1), in the order of the source (-fno-toplevel-reorder).
 */
#include <stdlib.h>
#include <time.h>

#define NOINLINE __attribute__((noinline, noclone))
#define INLINE	 static inline __attribute__((always_inline))

volatile unsigned long sum;
static volatile int forever = 1;

NOINLINE void spin(void)
{
	clock_t end = clock() + CLOCKS_PER_SEC / 8;

	while (clock() < end)
		for (int i = 0; i < 100000; i++)
			sum += i;
}

INLINE void first_part(void)
{
	spin();
}

INLINE void second_part(void)
{
	sum++;
}

NOINLINE void parts(void)
{
	first_part();
	second_part();
}

NOINLINE __attribute__((noreturn)) void leave(void)
{
	spin();
	exit(forever - 1);
}

NOINLINE void caller_that_leaves(void)
{
	leave();
}

NOINLINE void bystander(void)
{
	sum += 2;
}

int main(void)
{
	parts();
	if (forever)
		caller_that_leaves();
	bystander();
	return 0;
}
