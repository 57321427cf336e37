// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Private data is what an accessor of the unit returns it as. (clang does not tell which functions were written as inline.)
// RUN: gcc
// LINK: kernel

__attribute__((section(".data..percpu"))) long some = 1;
int other = 1;

struct extent {
	long start, length;
};

struct disk {
	long blocks;
	int bits;
};

struct super {
	long magic;
	void *private;
};

struct inode {
	long number;
	struct super *super;
};

struct own {
	long reserved;
	struct extent *tree;
	struct inode inode;
	int last;
};

static inline __attribute__((always_inline)) struct own *OWN(struct inode *i)
{
	return (struct own *)((char *)i - 16);
}

static inline __attribute__((always_inline)) struct disk *DISK(struct super *s)
{
	return s->private;
}

long elsewhere(struct super *s)
{
	return DISK(s)->blocks; // EXPECT: struct super +8 (private); struct disk +0 (blocks)
}

long get(struct super *s)
{
	return ((struct disk *)s->private)->bits;
	// EXPECT: struct super +8 (private); struct disk +8 (bits) [inferred]
}
