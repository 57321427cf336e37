// SPDX-License-Identifier: GPL-2.0-or-later
/* A function that begins with a store. */
#include "node.h"

void f(struct node *n, long x)
{
	n->key = x;
}
