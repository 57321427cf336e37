// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: More than 24 functions move a member that is a pointer to void: the shortest ones tell what it is.
// RUN: gcc clang

struct state {
	long count;
	void *data;
};

struct account {
	long id, total;
};

/* Each of these says the same. */
#define STORES(n)                                               \
	void store##n(struct state *s, struct account *a)       \
	{                                                       \
		s->data = a;                                    \
		s->count += n;                                  \
	}
#define FIVE(n) STORES(n##1) STORES(n##2) STORES(n##3) STORES(n##4) STORES(n##5)

FIVE(1)
FIVE(2)
FIVE(3)
FIVE(4)
FIVE(5)
FIVE(6)

#define account_of(s) ((struct account *)(s)->data)

long total(struct state *s)
{
	return account_of(s)->total; // EXPECT: struct state +8 (data); struct account +8 (total)
}
