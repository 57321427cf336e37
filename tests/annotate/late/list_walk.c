// SPDX-License-Identifier: GPL-2.0-or-later
/* A list is walked. */
#include "node.h"

long f(struct node *n)
{
	long sum = 0;
	for (; n; n = n->next)
		sum += n->key;
	return sum;
}
