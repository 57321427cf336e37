// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A record that ends in a flexible array is followed by other members, in which its elements are.
// RUN: gcc clang -fno-tree-vectorize -fno-unroll-loops

struct pair {
	long key, value;
};
struct head {
	int count;
	struct pair pairs[];
};

struct stored {
	long id;
	struct head head;
	struct pair store[8];
};

/* The bytes are those of both arrays. */
long either(struct stored *s, long i)
{
	return s->head.pairs[i].value; // EXPECT: struct stored +24
}

/* A constant place is declared. */
long constant(struct stored *s)
{
	return s->store[3].key; // EXPECT: struct stored +64 (store.key)
}

struct followed {
	long id;
	struct head head;
	long *lists[40];
	short state;
};

/* Only one of the arrays has elements as large as the steps of the index. */
long of_head(struct followed *f, long i)
{
	return f->head.pairs[i].value; // EXPECT: struct followed +24 (head.pairs.value)
}

long *of_lists(struct followed *f, long i)
{
	return f->lists[i]; // EXPECT: struct followed +16 (lists)
}

struct marked {
	int state;
	struct pair pairs[0];
	short sizes[64];
	struct pair mark[0];
	struct pair marked[4];
};

/* An array of no elements beside what follows: elements of this size are nowhere else there. */
long of_marker(struct marked *m, long i)
{
	return m->pairs[i].value; // EXPECT: struct marked +16 (pairs.value)
}

/* It only marks the place of such elements. */
long of_marked(struct marked *m, long i)
{
	return m->marked[i].value; // EXPECT: struct marked +144 (marked.value)
}
