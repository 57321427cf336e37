// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: LLVM turns an allocation that is made once into a variable, and removes the pointer to it.
// RUN: clang

void *calloc(unsigned long, unsigned long);

struct node {
	struct node *child[26];
	int count, words;
};

static struct node *root;

__attribute__((noinline)) void make(void)
{
	root = calloc(1, sizeof(*root));
}

long count(const unsigned char *s)
{
	struct node *n = root; // MAY: struct node* +0

	for (; *s && n->child[*s]; s++) // EXPECT: unsigned char +0; struct node +0 (child)
		n = n->child[*s]; // MAY: unsigned char +0; struct node +0 (child)
	n->words++; // EXPECT: struct node +212 (words)
	return n->count; // EXPECT: struct node +208 (count)
}
