// SPDX-License-Identifier: GPL-2.0-or-later
/* A search in a tree; the jump leads away from the comparison. */
#include "node.h"

struct node *f(struct node *n, long key)
{
	while (n)
		asm volatile("cmpq %1, 8(%0)\n\tjl 1f\n\tmovq 16(%0), %0\n\tjmp 2f\n\t"
			     "1: not %%rax\n\tmovq 24(%0), %0\n\t2:"
			     : "+r"(n)
			     : "r"(key)
			     : "rax");
	return n;
}
