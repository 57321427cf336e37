// SPDX-License-Identifier: GPL-2.0-or-later
/* The flags are restored by popf, in a program. */
#include "node.h"

void f(struct node *n)
{
	asm volatile(
		"movq %0, %%rax\n\tpushfq\n\tpopfq\n\tnot %%rcx\n\tneg %%rcx\n\tnot %%rcx"
		:
		: "m"(n->value)
		: "rax", "rcx", "memory");
}
