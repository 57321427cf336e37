// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Call chains of four functions and an inlined one. Functions that are not static, and whose
 * arguments only the program's caller knows, are not specialized. The program works for a time, not
 * for so many rounds, so that a fast processor gives as many samples as a slow one. With KEEP
 * functions keep a frame pointer also where nothing is called.
 */
#include <time.h>

#define NOINLINE __attribute__((noinline))
#ifdef KEEP
#define KEEP_FRAME                                                                                 \
	if (!__builtin_frame_address(0))                                                           \
	return
#else
#define KEEP_FRAME
#endif

volatile unsigned long sum;

NOINLINE void leaf_work(unsigned long n)
{
	KEEP_FRAME;
	for (unsigned long i = 0; i < n; i++)
		sum += i * n;
}

static inline __attribute__((always_inline)) void helper(unsigned long n)
{
	leaf_work(n);
	sum++;
}

NOINLINE void middle_work(unsigned long n)
{
	helper(n);
	sum++;
}

NOINLINE void outer_work(unsigned long n, int again)
{
	if (again)
		outer_work(n, again - 1);
	else
		middle_work(n);
	sum++;
}

int main(int argc, char **argv)
{
	(void)argv;
	while (clock() < CLOCKS_PER_SEC / 4)
		outer_work(100000 * argc, 2 * argc);
	return 0;
}
