// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: In front of and behind an inode lies what the function casts it to, whether or not a variable of that type is left.
// RUN: gcc clang -fno-var-tracking
// LINK: kernel

#include "kernel.h"

struct super {
	long magic;
	void *private;
};

struct inode {
	long number;
	struct super *super;
};

struct disk {
	long blocks;
	int block_bits;
};

struct extent {
	long start, length;
};

struct own_inode {
	long reserved;
	struct extent *tree;
	struct inode inode;
	int last_group;
};

static inline __attribute__((always_inline)) struct own_inode *OWN(struct inode *i)
{
	return (struct own_inode *)((char *)i -
				    __builtin_offsetof(struct own_inode, inode));
}

static inline __attribute__((always_inline)) struct disk *DISK(struct super *s)
{
	return s->private;
}

long around(struct inode *i, struct own_inode *parent)
{
	struct own_inode *own = OWN(i);

	return own == parent ? 0 : own->tree->length + own->last_group + own->reserved;
	// EXPECT: struct own_inode +8 (tree); struct own_inode +32 (last_group)
	// EXPECT: struct extent +8 (length); struct own_inode +0 (reserved)
}

struct other_inode {
	long reserved;
	struct task *owner;
	struct inode inode;
	int first_group;
};

/* Not if it speaks of two that would do. */
long of_two(struct inode *i, struct own_inode *own, struct other_inode *other)
{
	asm volatile("" : : "r"(own), "r"(other));
	long v;

	asm volatile("mov -8(%1), %0" : "=r"(v) : "r"(i));
	// EXPECT: none (the offset is outside the type)
	return v;
}
