// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Free objects are chained through their first words by a cast: where an object is taken or given back, this word is a member of the chain's record.
// RULES: free-list
// RUN: gcc clang
// RUN off: gcc --no-rule=free-list

struct free_item {
	struct free_item *next;
};

struct node {
	struct node *left, *right;
	long key, count;
};

__attribute__((visibility("hidden"))) struct free_item *unused;
__attribute__((visibility("hidden"))) struct node *roots;
void *more(void);

struct node *take(long key)
{
	struct node *n = (struct node *)unused; // EXPECT: struct free_item* +0 EXPECT off: struct free_item* +0

	if (!n)
		return more();
	unused = ((struct free_item *)n)->next;
	// EXPECT: struct free_item* +0; struct free_item +0 (next)
	// EXPECT off: struct free_item* +0; struct node +0 (left)
	n->key = key; // EXPECT: struct node +16 (key) EXPECT off: struct node +16 (key)
	return n;
}

void give(struct node *n)
{
	((struct free_item *)n)->next = unused;
	// EXPECT: struct free_item* +0; struct free_item +0 (next) [inferred]
	// EXPECT off: struct free_item* +0; struct node +0 (left)
	unused = (struct free_item *)n;
	// EXPECT: struct free_item* +0
	// EXPECT off: struct free_item* +0
}

/* The chain is one of nodes. */
void push(struct node *n)
{
	n->left = roots; // EXPECT: struct node* +0; struct node +0 (left)
	// EXPECT off: struct node* +0; struct node +0 (left)
	roots = n; // EXPECT: struct node* +0
	// EXPECT off: struct node* +0
}

/* The object does not become the head. */
void keep(struct node *n)
{
	n->left = (struct node *)unused; // EXPECT: struct free_item* +0; struct node +0 (left)
	// EXPECT off: struct free_item* +0; struct node +0 (left)
	roots = n; // EXPECT: struct node* +0
	// EXPECT off: struct node* +0
}
