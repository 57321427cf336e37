// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Global and thread-local variables, and the objects that pointers in them lead to.

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

struct stats {
	long hits;
	struct node *last;
} stats;
struct node pool[8];
struct node *shared;

long use(int i, struct node *n)
{
	stats.hits++; // EXPECT: struct stats* +0; struct stats +0 (hits)
	stats.last = n; // EXPECT: struct stats +8 (last)
	shared = n; // EXPECT: struct node** +0; struct node* +0
	return pool[i].key; // EXPECT: struct node[]* +0; struct node +8 (key)
}

static __thread struct node *mine __attribute__((tls_model("initial-exec")));

long own_key(void)
{
	return mine->key;
	// EXPECT: none (no variable at the address); struct node* +0; struct node +8 (key)
}

void set(struct node *n)
{
	mine = n; // EXPECT: none (no variable at the address); struct node* +0
}
