// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The unit casts to two records that would fit, so neither is chosen.
// LINK: kernel

#include "inodes.h"

struct sock {
	long reserved;
	struct disk *disk;
	struct inode inode;
	int first;
};

static inline __attribute__((always_inline)) struct sock *SOCK(struct inode *i)
{
	return (struct sock *)((char *)i - 16);
}

long elsewhere(struct inode *i)
{
	return OWN(i)->last + SOCK(i)->first; // EXPECT: none (the offset is outside the type)
}

long get(struct inode *i)
{
	return ((struct own *)((char *)i - 16))->last;
	// EXPECT: none (the offset is outside the type)
}
