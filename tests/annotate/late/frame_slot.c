// SPDX-License-Identifier: GPL-2.0-or-later
/* A value is loaded, kept on the stack, and loaded again. */
#include "node.h"

void f(struct node *n)
{
	asm volatile("movq %0, %%rax\n\tmovq %%rax, -16(%%rsp)\n\t"
		     "movq -16(%%rsp), %%rcx\n\tnot %%rcx\n\tneg %%rcx"
		     :
		     : "m"(n->value)
		     : "rax", "rcx", "memory");
}
