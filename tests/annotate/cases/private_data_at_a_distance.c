// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Private data that several modules keep theirs in, at distances that are known only at run time.
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

extern int distance;

int distance = 8;

static inline __attribute__((always_inline)) struct disk *PART(struct super *s)
{
	return s->private + distance; // EXPECT: int +0
}

long get(struct super *s)
{
	return PART(s)->bits; // EXPECT: struct super +8 (private); struct disk +8 (bits)
}
