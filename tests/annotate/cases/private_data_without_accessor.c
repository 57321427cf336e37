// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A function that does more than to get from here to there is no accessor.
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

static struct disk *make(struct super *s)
{
	struct disk *d = s->private; // EXPECT: struct super +8 (private)

	s->magic++; // EXPECT: struct super +0 (magic)
	return d;
}

long elsewhere(struct super *s)
{
	return make(s)->blocks; // EXPECT: struct disk +0 (blocks)
}

long get(struct super *s)
{
	return ((struct disk *)s->private)->bits;
	// EXPECT: struct super +8 (private); none (a pointer to void or to an undefined type)
}
