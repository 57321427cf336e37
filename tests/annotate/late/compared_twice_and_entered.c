// SPDX-License-Identifier: GPL-2.0-or-later
/* A list is walked and searched by two members. The step to the next is a block of its own, because
 * the walk begins after it. */
#include "node.h"

struct node *f(struct node *n, long key)
{
	asm volatile(".p2align 6\n\tjmp 2f\n\t"
		     "1: movq 16(%0), %0\n\t"
		     "2: test %0, %0\n\tje 3f\n\tcmpq %1, 8(%0)\n\tjne 1b\n\tnot %%rax\n\t"
		     "cmpq %1, 32(%0)\n\tjne 1b\n\tneg %%rax\n\t"
		     "3: lea 1(%%rax), %%rax"
		     : "+r"(n)
		     : "r"(key)
		     : "rax");
	return n;
}
