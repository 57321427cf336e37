// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A variable that is nowhere, for the compiler needed only what is loaded from it, still says what was meant.
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

long get(struct inode *i)
{
	struct own_inode *own = (struct own_inode *)((char *)i - 16);

	return own->tree->length; // EXPECT: struct own_inode +8 (tree); struct extent +8 (length)
}
