// SPDX-License-Identifier: GPL-2.0-or-later
/* A function that begins with a load. */
#include "node.h"

void f(struct node *n)
{
	asm volatile("movq %0, %%rax\n\tnot %%rcx\n\tneg %%rcx\n\t"
		     "not %%rcx"
		     :
		     : "m"(n->value)
		     : "rax", "rcx");
}
