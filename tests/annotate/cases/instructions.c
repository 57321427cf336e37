// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Instructions that do more than move: exchange, locked arithmetic, strings, conditional moves.
// CODE: lock; xchg; stos; cmov; set

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

struct counter {
	long pad, hits;
	struct node *head;
};

struct node *count(struct counter *c, struct node *n)
{
	__atomic_fetch_add(&c->hits, 1, 5); // EXPECT: struct counter +8 (hits)

	struct node *o = __atomic_exchange_n(&c->head, n, 5); // EXPECT: struct counter +16 (head)

	return o->next; // EXPECT: struct node +0 (next)
}

struct big {
	long a[40];
};

void clear(struct big *b)
{
	__asm__ volatile("rep stosq" : "+D"(b) : "a"(0), "c"(40) : "memory");
	// EXPECT: struct big +0 (a)
}

long choose(struct node *a, struct node *b, long k)
{
	struct node *n = k > 3 ? a : b;

	n->flags = k == 5; // EXPECT: struct node +20 (flags)
	return n->key; // EXPECT: struct node +8 (key)
}
