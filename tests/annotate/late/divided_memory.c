// SPDX-License-Identifier: GPL-2.0-or-later
/* A division by a value in memory. */
#include "node.h"

long f(struct node *n, long x)
{
	asm volatile("cqto\n\tdivq %1\n\tnot %0" : "+a"(x) : "m"(n->value) : "rdx");
	return x + n->key;
}
