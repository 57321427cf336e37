// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A variable has no place, because only what is loaded from it is needed; its type still tells what was meant.
// RUN: gcc clang -fno-var-tracking
// LINK: kernel

#include "inodes.h"

long get(struct inode *i)
{
	struct own *own = (struct own *)((char *)i - 16);

	return own->tree->length; // EXPECT: struct own +8 (tree); struct extent +8 (length)
}
