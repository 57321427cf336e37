// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Records within others, with BTF alone: nodes of lists and trees, and two descriptions of the same bytes.
// RULES: inferred-load, second-use
// RUN: gcc
// LINK: kernel
// TYPES: BTF

#define KEEP __attribute__((noipa, used))
#define IN(pointer, type, member)                                                        \
	((type *)((char *)(pointer) - __builtin_offsetof(type, member)))

struct link {
	struct link *next, *previous;
};

struct item {
	long key;
	struct link link;
	long value;
};

struct node {
	struct node *next, **back;
};

struct hook {
	struct node node;
	long data, more;
};

struct branch {
	unsigned long colour;
	struct branch *left, *right;
};

struct leaf {
	long start;
	struct branch branch;
	long last;
};

struct page {
	unsigned long flags, head, count, owner;
};

struct folio {
	union {
		struct {
			unsigned long flags, head, count, owner;
		};
		struct page page;
	};

	long order;
};

struct holder {
	long before;

	union {
		unsigned long number;
		struct item *item;
	};
};

KEEP void take(struct item *i)
{
	i->value = 0; // EXPECT: struct item +24 (value)
}

KEEP void put(struct folio *f)
{
	f->order = 0; // EXPECT: struct folio +32 (order)
}

KEEP unsigned long somewhere(void)
{
	return 4096;
}

/* The element has the type that it is passed on as; the register points to the element, not to its node. */
KEEP void passed_on(struct link *head)
{
	for (struct item *i = IN(head->next, struct item, link); &i->link != head;
	// EXPECT: struct link +0 (next) [btf]
	     i = IN(i->link.next, struct item, link)) {
	     // EXPECT: struct link +0 (next) [btf]
		i->key = 1; // EXPECT: struct item +0 (key) [inferred]
		take(i);
	}
}

KEEP void unlinked(struct link *l)
{
	l->next->previous = l->previous;
	// EXPECT: struct link +0 (next) [btf]; struct link +8 (previous) [btf]
	l->previous->next = l->next; // EXPECT: struct link +0 (next)
}

/* Members beyond the end of a node belong to a record that nothing here names. */
KEEP long of_nobody(struct node **first)
{
	long sum = 0;
	for (struct node *n = *first; n; n = n->next)
	// EXPECT: struct node* +0; struct node +0 (next)
		sum += IN(n, struct hook, node)->more; // EXPECT: none (the offset is outside the type)
	return sum;
}

/* A branch of a leaf may lead to a branch of anything: nothing here names the record around it. */
KEEP void leftmost(struct leaf *l, long last)
{
	struct branch *b = l->branch.right; // EXPECT: struct leaf +24 (branch.right) [btf]
	while (b) {
		struct leaf *leaf = IN(b, struct leaf, branch);
		if (leaf->last < last) // EXPECT: none (the offset is outside the type)
			leaf->last = last; // EXPECT: none (the offset is outside the type)
		b = leaf->branch.left; // EXPECT: struct branch +8 (left) [btf]
	}
}

KEEP struct branch *deepest(struct branch *b)
{
	while (b->left) // EXPECT: struct branch +8 (left) [btf]
		b = b->left;
	return b;
}

/* Passed on as a folio, and declared as a page: it surely is a page. */
KEEP void released(struct page **pages, long i)
{
	struct page *p = pages[i]; // EXPECT: struct page* +0
	unsigned long head = p->head; // EXPECT: struct page +8 (head) [btf]
	struct folio *f = (struct folio *)(head & 1 ? head - 1 : (unsigned long)p);
	if (--f->page.count == 0) // EXPECT: struct page +16 (count)
		put(f);
}

/* A member of a union that may be a number is no pointer. */
KEEP long kept(struct holder *h)
{
	unsigned long u = somewhere();
	h->number = u; // EXPECT: struct holder +8 (number) [btf]
	return *(long *)(u + 24); // EXPECT: none (an integer as the base)
}

int main(void)
{
	return 0;
}

void _start(void)
{
}
