// SPDX-License-Identifier: GPL-2.0-or-later
/* A call through a pointer in memory. */
#include "node.h"

struct ops {
	long count;
	long (*get)(struct ops *ops);
};

long f(struct ops *ops)
{
	return ops->get(ops) + 1;
}
