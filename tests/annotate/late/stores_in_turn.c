// SPDX-License-Identifier: GPL-2.0-or-later
/* Three stores; the first one is apart from the others. */
#include "node.h"

void f(struct node *n, long a)
{
	asm volatile("movq %1, 8(%0)\n\tnotq %1\n\tmovq %1, 16(%0)\n\tmovq %1, 24(%0)"
		     : "+r"(n), "+r"(a)
		     :
		     : "memory");
}
