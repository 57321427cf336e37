// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A linker has made one function of several in C, whose arguments are different records: an access is answered only if all of them have the same part there.
// RUN: gcc clang -fPIC

struct shape {
	long kind, place;
};

struct circle {
	struct shape shape;
	long radius;
};

struct square {
	struct shape shape;
	long side;
};

struct stack {
	long *items;
	long depth;
};

/* It is folded with a function of another record. */
__attribute__((noinline)) long place_of(struct shape *s)
{
	return s->place * 7; // EXPECT: none
}

/* It is folded with one of a record that begins in the same way. */
__attribute__((noinline)) long size_of(struct circle *c)
{
	return c->shape.kind + 5 * c->radius; // EXPECT: struct shape +0 (kind); none
}

/* It has another name as well, and only that. */
__attribute__((noinline)) long kind_of(struct shape *s)
{
	return s->kind * 11; // EXPECT: struct shape +0 (kind)
}

/* The linker leaves the symbol of a function that it has folded. */
#define FOLDED(gone, left) \
	asm(".globl " gone "\n.type " gone ", @function\n.set " gone ", " left "\n")

long depth_of(struct stack *stack);
long edge_of(struct square *square);
long old_kind_of(struct shape *shape);

long all(struct shape *s, struct circle *c, struct square *q, struct stack *t)
{
	q->side += t->depth;
	return place_of(s) + depth_of(t) + size_of(c) + edge_of(q) + kind_of(s) + old_kind_of(s);
}

FOLDED("depth_of", "place_of");
FOLDED("edge_of", "size_of");
FOLDED("old_kind_of", "kind_of");
