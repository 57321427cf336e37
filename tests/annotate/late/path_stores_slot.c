// SPDX-License-Identifier: GPL-2.0-or-later
/* One way to the addition ends in a counter that is incremented; the other clears a slot of the frame. */
#include "node.h"

long f(struct node *n, long a)
{
	asm volatile("testq %0, %0\n\tje 1f\n\taddq $1, 40(%1)\n\tjmp 2f\n\t"
		     "1: movb $0, -16(%%rsp)\n\t"
		     "2: notq %0\n\tleaq 2(%0), %0\n\tleaq 3(%0), %0"
		     : "+r"(a)
		     : "r"(n)
		     : "memory");
	return a;
}
