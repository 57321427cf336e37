// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Values that are kept on the stack over calls have their type again when they are loaded.

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

void other(void);

long declared(struct node *a, struct node *b, struct node *c, struct node *d,
	      struct node *e, struct node *f)
{ // MAY: struct node* +0
	struct node *g = a->next, *h = b->next, *i = c->next;
	// EXPECT: struct node +0 (next) MAY: struct node* +0

	other();
	return a->key + b->key + c->key + d->key + e->key + f->key + g->key + h->key +
	// EXPECT: struct node* +0; struct node +8 (key)
	       i->key;
}
