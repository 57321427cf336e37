// SPDX-License-Identifier: GPL-2.0-or-later
/* A load, then a store that does not need its value. */
#include "node.h"

void f(struct node *n)
{
	asm volatile("movq %1, %%rax\n\tlea 1(%%rcx), %%rcx\n\t"
		     "movq %%rcx, %0"
		     : "=m"(n->key)
		     : "m"(n->value)
		     : "rax", "rcx");
}
