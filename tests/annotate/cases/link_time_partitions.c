// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Link-time optimization puts functions and variables into units of their own, whose declarations are in the unit of the source.
// RUN: gcc -flto -flto-partition=max
// RUN one: gcc -flto -flto-partition=one

struct node {
	struct node *next;
	long key;
};

static struct node *current;
static struct node table[64];
static unsigned misses;

__attribute__((noinline)) void set(unsigned i)
{
	current = &table[i & 63]; // EXPECT: struct node* +0
}

__attribute__((noinline)) long touch(void)
{
	static long calls;

	calls++; // EXPECT: long int +0
	misses += current->key & 1; // EXPECT: struct node* +0; struct node +8 (key); unsigned int +0
	return current->next->key + calls; // EXPECT: struct node +0 (next); struct node +8 (key)
}

__attribute__((noinline)) long first_key(void)
{
	return table[3].key;
} // EXPECT: struct node[] +56 (key)

/* A record that the unit only casts to: what is known of the unit of the source is known here. */
struct head {
	int kind;
};
struct text {
	struct head head;
	int length;
	char *bytes;
};
#define text_of(h) ((struct text *)(h))

__attribute__((noinline)) char *bytes_of(struct head *h)
{
	return h->kind == 7 ? text_of(h)->bytes : 0; // EXPECT: struct head +0 (kind); struct text +8 (bytes)
}

long use(unsigned i, struct head *h)
{
	set(i);
	return touch() + first_key() + (bytes_of(h) != 0);
}
