// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A macro casts a pointer to the type to which inline functions of the unit cast it elsewhere. (clang drops functions of which nothing is left.)
// RULES: unit-cast
// RUN: gcc
// LINK: kernel

#include "inodes.h"

long elsewhere(struct inode *i)
{
	return OWN(i)->last; // EXPECT: struct own +32 (last)
}

long get(struct inode *i)
{
	return ((struct own *)((char *)i - 16))->tree->length +
	// EXPECT: struct own +8 (tree) [inferred]; struct extent +8 (length)
	       ((struct own *)((char *)i - 16))->last; // EXPECT: struct own +32 (last) [inferred]
}
