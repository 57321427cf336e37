// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer to a base class may be cast to any class that is derived from it: if several have a member there, the one that the function names is not taken.
// RUN: g++ clang++

struct rep {
	long length, tag;
};

struct part : rep {
	long start, end;
};

struct tree : rep {
	rep *left, *right;
};

long ends(part *p)
{
	return p->start + p->end; // EXPECT: part +16 (start); part +24 (end)
}

long walk(tree *t, rep *r)
{
	long n = t->length; // EXPECT: tree +0 (length)

	if (r->tag == 1) // EXPECT: rep +8 (tag)
		n += static_cast<part *>(r)->end; // EXPECT: none
	return n;
}

// Only one class is derived from this one.
struct shape {
	long kind, color;
};

struct circle : shape {
	long radius;
};

long round(circle *c, shape *s)
{
	long n = c->kind; // EXPECT: circle +0 (kind)

	if (s->kind == 2) // EXPECT: shape +0 (kind)
		n += static_cast<circle *>(s)->radius; // EXPECT: circle +16 (radius)
	return n;
}
