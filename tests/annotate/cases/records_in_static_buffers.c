// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Records in static buffers of bytes: a variable that has the buffer's address tells which one is there.
// RUN: gcc

struct page {
	char bytes[512];
};

static struct page pages[4];

struct volume {
	long magic;
	long blocks;
	short shift;
	int state;
};

struct node {
	long next, previous;
	unsigned char flags;
	unsigned char reserved;
	short count;
	int where[60];
};

extern int read_page(void *page, long block);

long mount(long block)
{
	struct volume *volume = (struct volume *)&pages[0];
	struct node *node = (struct node *)&pages[2];
	long at = block;

	if (read_page(volume, block))
		return -1;
	do {
		at = (long)node->where[3] << volume->shift; // EXPECT: struct page[] +1056 (bytes.where) or struct page +32 (bytes.where); struct page[] +16 (bytes.shift) or struct page +16 (bytes.shift)
		if (read_page(node, at))
			return -1;
	} while (!(node->flags & 2)); // EXPECT: struct page[] +1040 (bytes.flags) or struct page +16 (bytes.flags)
	volume->state = 1; // EXPECT: struct page[] +20 (bytes.state) or struct page +20 (bytes.state)
	return volume->blocks >> volume->shift; // EXPECT: struct page[] +8 (bytes.blocks) or struct page +8 (bytes.blocks); struct page[] +16 (bytes.shift) or struct page +16 (bytes.shift)
}

// A record at a place in the bytes that is known only at run time.
struct point {
	double x;
	int id;
};
static _Alignas(16) char pool[4096];
static unsigned long used;
struct point *take(int id)
{
	struct point *p = (struct point *)(pool + used); // EXPECT: long unsigned int +0

	used += sizeof(*p); // MAY: long unsigned int +0
	p->id = id; // EXPECT: struct point +8 (id)
	p->x = id; // EXPECT: struct point +0 (x)
	return p;
}
