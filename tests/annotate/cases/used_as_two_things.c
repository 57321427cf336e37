// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A void pointer is passed on as a pair on one path, and read as something else on the other.
// RUN: gcc clang -fno-strict-aliasing

struct pair {
	int first, second;
};

long use(struct pair *);

/* A long is no member of a pair. */
long other(void **p, int is_pair)
{
	void *v = *p; // EXPECT: void* +0

	if (is_pair)
		return use(v) + 1;
	return *(long *)v; // EXPECT: none (the offset is outside the type) [rule misfit]
}

/* Both members may be cleared together, but nothing on this path says that they are a pair's. */
long same(void **p, int is_pair)
{
	void *v = *p; // EXPECT: void* +0

	if (is_pair)
		return use(v) + 1;
	*(long *)v = 0; // EXPECT: none
	return ((int *)v)[1]; // MAY: none; int +0
}

struct tagged;

struct node {
	struct tagged *back;
	unsigned char slot;
	struct tagged *slots[16];
};

struct sum {
	long read;
};

void leave(struct node *);

/* A word with a tag is a node, or else something that has a number where the node has a byte. */
long slot_of(struct tagged *word, struct sum *sum)
{
	void *v = (void *)((unsigned long)word & ~3UL);

	if (!((unsigned long)word & 2)) {
		leave(v); // MAY: void* +0
		return *((unsigned char *)v + 8); // EXPECT: struct node +8 (slot)
		// MAY: void* +0
	}
	sum->read += *(long *)v;
	// EXPECT: struct sum +0 (read); none
	return *((int *)v + 2); // EXPECT: none (the offset is outside the type) [rule misfit]
}
