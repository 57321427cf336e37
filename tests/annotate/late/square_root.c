// SPDX-License-Identifier: GPL-2.0-or-later
/* A square root of a value in a register. */
#include "node.h"

double f(double x)
{
	return __builtin_sqrt(x) + 1;
}
