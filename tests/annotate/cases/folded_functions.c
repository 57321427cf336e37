// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: gcc makes one function of two that are the same; the code has the types of the one that is left.
// RUN: gcc -fipa-icf -fno-ipa-sra

struct node {
	struct node *next;
	long key;
};

static __attribute__((noinline)) long first(struct node *n, long k)
{
	return n->next->key * k + n->key; // EXPECT: struct node +0 (next); struct node +8 (key)
}

static __attribute__((noinline)) long second(struct node *m, long k)
{
	return m->next->key * k + m->key;
}

/* A caller of the function that is gone calls the other one. */
long sums(struct node *n, long k)
{
	struct node *own = n->next; // EXPECT: struct node +0 (next)

	return first(n, k) + second(own, k);
}
