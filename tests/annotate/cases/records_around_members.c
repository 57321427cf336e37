// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The memory before and after an inode belongs to the record that the function casts it to, whether or not a variable of that type is left.
// RULES: enclosing-record
// RUN: gcc clang -fno-var-tracking
// LINK: kernel

#include "inodes.h"

long around(struct inode *i, struct own *parent)
{
	struct own *own = OWN(i);

	return own == parent ? 0 : own->tree->length + own->last + own->reserved;
	// EXPECT: struct own +8 (tree); struct own +32 (last); struct extent +8 (length)
	// EXPECT: struct own +0 (reserved)
}

struct sock {
	long reserved;
	struct disk *disk;
	struct inode inode;
	int first;
};

/* No answer if two records in scope would fit. */
long of_two(struct inode *i, struct own *own, struct sock *other)
{
	asm volatile("" : : "r"(own), "r"(other));
	long v;

	asm volatile("mov -8(%1), %0" : "=r"(v) : "r"(i));
	// EXPECT: none (the offset is outside the type)
	return v;
}
