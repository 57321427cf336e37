// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An access to half of p[2], an array of pointers, is to a member of a record that begins with a pointer.
// RULES: far-scalar
// LINK: kernel

#include "inodes.h"

int half(struct inode **p)
{
	return *(int *)(p + 2); // EXPECT: none (the offset is outside the type)
}

struct inode *whole(struct inode **p)
{
	return p[2]; // EXPECT: struct inode* +0
}
