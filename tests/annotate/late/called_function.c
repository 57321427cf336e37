// SPDX-License-Identifier: GPL-2.0-or-later
/* A call of a function that ends in a load. */
#include "node.h"

static __attribute__((noinline, noclone)) long g(struct node *n)
{
	long result;
	asm volatile("movq %1, %0" : "=r"(result) : "m"(n->value));
	return result;
}

long f(struct node *n)
{
	return g(n) + 1;
}
