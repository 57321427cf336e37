// SPDX-License-Identifier: GPL-2.0-or-later
/* A load, and 20 instructions before its value is needed. */
#include "node.h"

long f(struct node *n, long x)
{
	long y;
	asm volatile("movq %2, %1\n\t.rept 20\n\tlea 3(%0), %0\n\t.endr\n\timul %1, "
		     "%0\n\tnot %0"
		     : "+r"(x), "=&r"(y)
		     : "m"(n->value));
	return x;
}
