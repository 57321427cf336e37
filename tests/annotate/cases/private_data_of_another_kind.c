// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The end of one member and the start of the next are read at once: private data of another kind.
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

struct halves {
	int low, high;
};

static inline __attribute__((always_inline)) struct halves *HALVES(struct super *s)
{
	return s->private; // MAY: struct super +8 (private)
}

long elsewhere(struct super *s)
{
	return HALVES(s)->high; // EXPECT: struct halves +4 (high) MAY: struct super +8 (private)
}

long get(struct super *s)
{
	return *(long *)s->private;
	// EXPECT: struct super +8 (private) MAY: none (the offset is outside the type)
	// MAY: none (a pointer to void or to an undefined type)
}
