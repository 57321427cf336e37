// SPDX-License-Identifier: GPL-2.0-or-later
/* A load in the middle of instructions that access no memory. */
#include "node.h"

void f(struct node *n)
{
	asm volatile("not %%rcx\n\tneg %%rcx\n\tnot %%rcx\n\t"
		     "movq %0, %%rax\n\tnot %%rcx\n\tneg %%rcx\n\tnot %%rcx"
		     :
		     : "m"(n->value)
		     : "rax", "rcx");
}
