// SPDX-License-Identifier: GPL-2.0-or-later
/* A call through a pointer in a register. */
#include "node.h"

long f(long (*g)(void))
{
	return g() + 1;
}
