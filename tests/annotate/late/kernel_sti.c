// SPDX-License-Identifier: GPL-2.0-or-later
/* Interrupts are enabled by sti, in a module of a kernel: only those have this section. */
#include "node.h"

__attribute__((section(".gnu.linkonce.this_module"))) long module = 1;

void f(struct node *n)
{
	asm volatile("movq %0, %%rax\n\tsti\n\tnot %%rcx\n\tneg %%rcx\n\tnot %%rcx"
		     :
		     : "m"(n->value)
		     : "rax", "rcx", "memory");
}
