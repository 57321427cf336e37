// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: a reference is bound to a number that has no name, and pointers without a variable are spilled above that place.
// RUN: clang++

struct leaf {
	long weight, hits;
};

struct tree {
	leaf *a, *b, *c, *d, *e, *f, *g, *h;
	long count;
};

void add(tree &, const int &value);

// Only the function around it is described.
__attribute__((always_inline, nodebug)) inline long both(tree &t)
{
	leaf *a = t.a, *b = t.b, *c = t.c, *d = t.d;
	leaf *e = t.e, *f = t.f, *g = t.g, *h = t.h;

	add(t, 5);
	add(t, 7);
	return a->hits + b->hits + c->hits + d->hits + e->hits + f->hits + g->hits + h->hits;
}

__attribute__((noinline)) long all(tree &t)
{
	return both(t) + t.count;
	// EXPECT: tree +64 (count); tree +8 (b); tree +56 (h); leaf +8 (hits)
	// MAY: tree +0 (a); tree +16 (c); tree +24 (d); tree +32 (e); tree +40 (f); tree +48 (g); (stack spill); tree* +0; leaf* +0; int +0
}
