// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Elements of an array that is a member.

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

struct heap {
	long size;
	struct node *items[16];
};

long key(struct heap *h, int i)
{
	return h->items[i]->key; // EXPECT: struct heap +8 (items); struct node +8 (key)
}

struct trie {
	struct trie *child[26];
	int words;
};

/* The index starts 97 elements before the record. */
int find(struct trie *n, const char *w)
{
	for (; *w && n; w++) // EXPECT: char +0
		n = n->child[*w - 'a']; // EXPECT: struct trie +0 (child)
	return n ? n->words : 0; // EXPECT: struct trie +208 (words)
}

struct two {
	long key;
	long low[26], high[26];
};

/* The index starts so far away that either of the two arrays may be meant, unless its constant is
 * not in the displacement. */
long of_two(struct two *n, const char *w)
{
	return n->high[*w - 'a']; // EXPECT: char +0 MAY: none (the offset is outside the type); struct two +216 (high)
}

struct nothing {
};
struct holder {
	long before;
	struct nothing all[3];
	long after;
};

/* Elements without a size: there is nothing to divide by. */
long empty_elements(struct holder *h, int i)
{
	struct nothing *n = &h->all[i];

	__asm__ volatile("" ::"r"(n));
	return h->before + h->after; // EXPECT: struct holder +8 (after); struct holder +0 (before)
}
