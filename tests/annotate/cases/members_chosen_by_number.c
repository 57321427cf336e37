// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: One of two members is chosen by a number that was computed: it is no index into an array of the record that lies behind them.
// RUN: clang

struct tree {
	long key;
	struct tree *left, *right;
	long height;
	struct tree *cached[4];
};

struct tree *find(struct tree *n, long key)
{
	while (n && n->key != key) { // EXPECT: struct tree +0 (key)
		struct tree **next = key < n->key ? &n->left : &n->right;
		n = *next; // EXPECT: struct tree* +0
	}
	return n;
}

struct slot {
	unsigned long owner[5];
	unsigned key, left;
	unsigned long born;
	unsigned right;
	unsigned tags[4];
	unsigned count;
};

unsigned look_up(struct slot *all, unsigned key, unsigned at)
{
	while (at) {
		struct slot *n = &all[at];

		if (key == n->key) // EXPECT: struct slot +40 (key)
			return n->count; // EXPECT: struct slot +76 (count)
		unsigned *next = key < n->key ? &n->left : &n->right;
		// a pointer of its own, or the number
		at = *next; // MAY: unsigned int +0; none (the index may be into either of two arrays)
	}
	return 0;
}
