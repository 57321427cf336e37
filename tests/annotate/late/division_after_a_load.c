// SPDX-License-Identifier: GPL-2.0-or-later
/* A load, then a division by its value. */
#include "node.h"

long f(struct node *n, long x)
{
	long y;
	asm volatile("movq %2, %1\n\tcqto\n\t"
		     "divq %1\n\tnot %0"
		     : "+a"(x), "=&r"(y)
		     : "m"(n->value)
		     : "rdx");
	return x;
}
