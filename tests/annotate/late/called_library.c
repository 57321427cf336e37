// SPDX-License-Identifier: GPL-2.0-or-later
/* A call of another object's function, through a stub. */
#include "node.h"

long g(long);

long f(long x)
{
	return g(x) + 1;
}
