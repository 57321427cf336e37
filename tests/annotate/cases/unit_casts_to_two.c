// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The unit casts to two records that would do, so that neither is chosen.
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
