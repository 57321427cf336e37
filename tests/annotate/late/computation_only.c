// SPDX-License-Identifier: GPL-2.0-or-later
/* A function without memory accesses. */
#include "node.h"

long f(long x)
{
	asm volatile("not %0\n\tneg %0" : "+D"(x));
	return x;
}
