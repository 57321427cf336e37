// SPDX-License-Identifier: GPL-2.0-or-later
/* Four stores in a row. */
#include "node.h"

void f(struct node *n, long x)
{
	asm volatile("lea 1(%4), %4\n\tmovq %4, %0\n\tmovq %4, %1"
		     "\n\tmovq %4, %2\n\tmovq %4, %3"
		     : "=m"(n->key), "=m"(n->left), "=m"(n->right), "=m"(n->value),
		       "+r"(x));
}
