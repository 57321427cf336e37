/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An inode in a larger record, and a superblock with private data, as file systems have them; for the cases
 * that are linked as a kernel. */

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
