// SPDX-License-Identifier: GPL-2.0-or-later
/* A load, then a system call. */
#include "node.h"

long f(struct node *n)
{
	long result = n->key;
	asm volatile("syscall\n\tnot %%rdx"
		     : "+a"(result)
		     :
		     : "rcx", "rdx", "r11", "memory");
	return result;
}
