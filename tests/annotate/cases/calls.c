// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Results and arguments of calls.
// CODE: callq *; jmp

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};
struct pair {
	struct node *first, *second;
};

struct node *find(long);

long of_result(long k)
{
	return find(k)->key; // EXPECT: struct node +8 (key)
}

struct ops {
	int id;
	struct node *(*find)(long);
};

long of_pointer(struct ops *o, long k)
{
	return o->find(k)->key; // EXPECT: struct ops +8 (find); struct node +8 (key)
}

struct table {
	struct node *(*make)(void), *(*find[4])(long);
};

/* Functions that are called through members. */
long of_members(struct table *t, int i)
{
	return t->find[i](7)->key + t->make()->value;
	// EXPECT: struct table +8 (find); struct node +8 (key); struct table +0 (make)
	// EXPECT: struct node +16 (value)
}

long walk(struct node *);
void *any(void);

/* A tail call says what its argument is. */
long tail(void)
{
	void *p = any();

	*(long *)((char *)p + 8) = 1; // EXPECT: struct node +8 (key)
	return walk(p);
}

struct outer {
	long count;
	struct node inner;
};
void touch(struct node *);

/* The address of a member is passed on; a pointer that comes back still points to the
 * member. */
long member_address(struct outer *o)
{
	struct node *n = &o->inner;

	touch(n);
	return n->key + o->count; // EXPECT: struct outer +0 (count); struct outer +16 (inner.key)
}
