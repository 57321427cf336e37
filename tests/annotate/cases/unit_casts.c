// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A macro casts here; it is to what inline functions of the unit cast to elsewhere. (clang drops functions of which nothing is left.)
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

long elsewhere(struct inode *i)
{
	return OWN(i)->last; // EXPECT: struct own +32 (last)
}

long get(struct inode *i)
{
	return ((struct own *)((char *)i - 16))->tree->length +
	// EXPECT: struct own +8 (tree) [inferred]; struct extent +8 (length)
	       ((struct own *)((char *)i - 16))->last; // EXPECT: struct own +32 (last) [inferred]
}
