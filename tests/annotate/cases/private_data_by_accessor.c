// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Private data has the type that its accessor returns.
// LINK: kernel

#include "inodes.h"

long get(struct inode *i)
{
	return DISK(i->super)->bits + DISK(i->super)->blocks;
	// EXPECT: struct inode +8 (super); struct super +8 (private); struct disk +8 (bits)
	// EXPECT: struct disk +0 (blocks)
}
