// SPDX-License-Identifier: GPL-2.0-or-later
/* A load, and a multiplication that needs its value two instructions later. */
#include "node.h"

long f(struct node *n, long x)
{
	long y;
	asm volatile("movq %2, %1\n\tlea 3(%0), %0\n\timul %1, %0\n\tnot %0\n\tneg %0"
		     : "+r"(x), "=&r"(y)
		     : "m"(n->value));
	return x;
}
