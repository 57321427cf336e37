// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer to bytes in a union is cast to one to a record no less often than a pointer to void.

struct header {
	unsigned char count, wide;
	unsigned short length;
	unsigned long parent;
};

struct fork {
	long bytes;
	union {
		void *root;
		char *data;
	} u;
};

struct inode {
	long number;
	struct fork fork;
};

void make_wide(struct inode *inode, const struct header *from)
{
	struct header *header = (struct header *)inode->fork.u.data; // EXPECT: struct inode +16 (fork.u.data)

	header->count = from->count; // EXPECT: struct header +0 (count)
	header->wide = 1; // EXPECT: struct header +1 (wide)
}
