// SPDX-License-Identifier: GPL-2.0-or-later
/* A member is compared with a constant, another one with a register. */
#include "node.h"

struct node *f(struct node *n, long key)
{
	asm volatile(".p2align 6\n\tcmpq $7, 8(%0)\n\tjne 1f\n\tnot %%rax\n\t"
		     "1: cmpq %1, 32(%0)\n\tjl 2f\n\tnot %%rax\n\t"
		     "2: movq 16(%0), %0"
		     : "+r"(n)
		     : "r"(key)
		     : "rax");
	return n;
}
