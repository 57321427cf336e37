// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Functions whose arguments are in other registers than usual: the debug information tells where, and a call says nothing of the usual registers.
// RUN: clang -Wno-unknown-attributes
// RUN: gcc -Wno-attributes

struct node {
	struct node *next;
	long key;
};
struct text {
	long length;
	char *bytes;
	long hash;
};

#define OUT_OF_LINE __attribute__((noinline))

/* CPython's interpreter is built so; older compilers do not know the attribute */
OUT_OF_LINE __attribute__((preserve_none)) long none(struct node *n, struct text *t)
{
	return n->key + t->hash; // EXPECT: struct node +8 (key); struct text +16 (hash)
}

OUT_OF_LINE __attribute__((regcall)) long registers(struct node *n, struct text *t)
{
	return n->key + t->hash; // EXPECT: struct node +8 (key); struct text +16 (hash)
}

OUT_OF_LINE __attribute__((preserve_most)) long most(struct node *n, struct text *t)
{
	return n->key + t->hash; // EXPECT: struct node +8 (key); struct text +16 (hash)
}

/* The memory is in the register of the first argument when the function is called, which gets
 * something else. */
long call(void *memory, struct node *n, struct text *t)
{
	long word = ((long *)memory)[1]; // EXPECT clang: none

	return registers(n, t) + word; // MAY: void* +0
}

long call_through(void *memory, long __attribute__((regcall)) (*f)(struct node *, struct text *),
		  struct node *n, struct text *t)
{
	long word = ((long *)memory)[1]; // EXPECT clang: none

	return f(n, t) + word;
}
