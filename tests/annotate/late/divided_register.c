// SPDX-License-Identifier: GPL-2.0-or-later
/* A division by a value that was loaded before. */
#include "node.h"

long f(struct node *n, long x)
{
	asm volatile("cqto\n\tdivq %1\n\tnot %0" : "+a"(x) : "r"(n->value) : "rdx");
	return x + n->key;
}
