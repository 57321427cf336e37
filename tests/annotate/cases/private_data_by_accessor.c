// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Private data is what its accessor returns it as.
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
	return s->private; // EXPECT: struct super +8 (private) MAY: struct inode +8 (super)
}

long get(struct inode *i)
{
	return DISK(i->super)->block_bits + DISK(i->super)->blocks;
	// EXPECT: struct disk +8 (block_bits); struct disk +0 (blocks) MAY: struct inode +8 (super)
}
