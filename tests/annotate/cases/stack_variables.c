// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Members of variables on the stack, also in arrays and with a realigned stack pointer.
// CODE: andq

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

void fill(struct node *);

long local(void)
{
	struct node n;

	n.value = 3; // EXPECT: struct node +16 (value)
	fill(&n);
	return n.key + n.flags; // EXPECT: struct node +20 (flags); struct node +8 (key)
}

struct __attribute__((aligned(64))) line {
	long a, b;
};
void fill_line(struct line *);

long realigned(void)
{
	struct line l;

	l.b = 4; // EXPECT: struct line +8 (b)
	fill_line(&l);
	return l.a; // EXPECT clang: struct line +0 (a)
} // EXPECT gcc: struct line +0 (a)

long indexed(int i)
{
	struct node pool[8];

	fill(pool);
	return pool[i].key + pool[3].value;
	// EXPECT: struct node[] +88 (value); struct node +8 (key)
}

struct node *get(int);
void use(struct node **);

/* Its address is passed on, so that it is in memory throughout. */
long stored(int i)
{
	struct node *n = get(i); // EXPECT: struct node* +0
	long k = n->key; // EXPECT: struct node +8 (key)

	use(&n);
	return k;
}
