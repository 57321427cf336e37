// SPDX-License-Identifier: GPL-2.0-or-later
/* A locked addition. */
#include "node.h"

void f(struct node *n)
{
	asm volatile("lock addq $1, %0\n\tlea 1(%%rax), %%rax"
		     : "+m"(n->flags)
		     :
		     : "rax", "memory");
}
