// SPDX-License-Identifier: GPL-2.0-or-later
/* One way to the addition ends in a load; the other one tests what was loaded before. */
#include "node.h"

long f(struct node *n, long a)
{
	asm volatile("movq 16(%1), %%rax\n\ttestq %%rax, %%rax\n\tjs 1f\n\t"
		     "movq 24(%1), %%rcx\n\t1: notq %0\n\tleaq 2(%0), %0\n\tleaq 3(%0), %0"
		     : "+r"(a)
		     : "r"(n)
		     : "rax", "rcx");
	return a;
}
