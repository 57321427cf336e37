// SPDX-License-Identifier: GPL-2.0-or-later
/* A list is searched. The function returns where it is found, and where the list ends. */
#include "node.h"

__attribute__((naked)) struct node *f(struct node *n __attribute__((unused)),
				      long key __attribute__((unused)))
{
	asm volatile(".p2align 6\n\tmovq %rdi, %rax\n\ttest %rax, %rax\n\tjne 2f\n\tjmp 3f\n\t"
		     "1: movq (%rax), %rax\n\ttest %rax, %rax\n\tje 3f\n\t"
		     "2: cmpq 8(%rax), %rsi\n\tjne 1b\n\t"
		     "3: ret");
}
