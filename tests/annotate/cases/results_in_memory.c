// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Records that are passed or returned in memory or registers (psABI 3.2.3).
// CODE: (%rdi); (%rsi); (%rdx); (%rsp)
// FORBID: (stack spill)

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};
struct pair {
	struct node *first, *second;
};

/* Two pointers in two registers, and back. */
long sum_of_small(struct pair p)
{
	return p.first->key + p.second->value;
	// EXPECT: struct node +16 (value); struct node +8 (key)
}

struct pair make_small(void);

long use_small(void)
{
	struct pair p = make_small();

	return p.first->key + p.second->value;
	// EXPECT: struct node +16 (value); struct node +8 (key)
}

struct big {
	long numbers[4];
	struct node *node;
};

long sum_of_large(struct big b)
{
	return b.numbers[1] + b.node->key;
	// EXPECT: struct big +32 (node); struct big +8 (numbers); struct node +8 (key)
}

struct four {
	long a, b, c, d;
};

struct four make(long x)
{
	struct four r = { x, x + 1, x * 3, 4 };
	// EXPECT: struct four +8 (b)
	// MAY: struct four +0 (a); struct four +16 (c); struct four +24 (d)

	return r; // MAY: struct four +0 (a); struct four +16 (c); struct four +24 (d)
}

long use(long x)
{
	struct four b = make(x);

	return b.c;
} // MAY: struct four +16 (c)

struct five {
	long a, b, c, d;
	struct node *next;
};

struct five make_five(int);

/* A record that a call returns in memory, with no variable for it. */
long first(int n)
{
	return make_five(n).next->key; // EXPECT: struct five +32 (next); struct node +8 (key)
}
