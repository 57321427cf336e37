// SPDX-License-Identifier: GPL-2.0-or-later
/* Two paths that end in a load meet. */
#include "node.h"

long f(struct node *n, long x)
{
	asm volatile("test %0, %0\n\tjne 1f\n\tnot %0\n\tmovq %1, %0\n\tjmp 2f\n\t"
		     "1: neg %0\n\tmovq %2, %0\n\t2: lea 9(%0), %0"
		     : "+r"(x)
		     : "m"(n->left), "m"(n->right));
	return x;
}
