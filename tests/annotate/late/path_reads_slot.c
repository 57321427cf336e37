// SPDX-License-Identifier: GPL-2.0-or-later
/* One way to the addition ends in a load; the other reads a slot of the frame. */
#include "node.h"

long f(struct node *n, long a)
{
	asm volatile("testq %0, %0\n\tje 1f\n\tmovq 24(%1), %%rcx\n\tjmp 2f\n\t"
		     "1: movq -16(%%rsp), %%rcx\n\t"
		     "2: notq %0\n\tleaq 2(%0), %0\n\tleaq 3(%0), %0"
		     : "+r"(a)
		     : "r"(n)
		     : "rcx", "memory");
	return a;
}
