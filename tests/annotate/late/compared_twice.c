// SPDX-License-Identifier: GPL-2.0-or-later
/* A list is searched by two members. Both comparisons lead to the same instruction. */
#include "node.h"

struct node *f(struct node *n, long key)
{
	asm volatile(".p2align 6\n\tcmpq %1, 8(%0)\n\tjne 1f\n\tnot %%rax\n\t"
		     "cmpq %1, 32(%0)\n\tjne 1f\n\tneg %%rax\n\t"
		     "1: movq 16(%0), %0"
		     : "+r"(n)
		     : "r"(key)
		     : "rax");
	return n;
}
