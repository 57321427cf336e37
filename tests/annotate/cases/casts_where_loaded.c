// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A variable is in the memory of a member that points to another record: what is loaded from there was cast to the variable's type.
// RUN: gcc clang

struct shape {
	long edges, corners;
};
struct circle {
	double radius;
	long uses;
};
struct drawing {
	long lines;
	struct shape *shape;
};
double radius(const struct drawing *d)
{
	struct circle *c = (struct circle *)d->shape; // MAY: struct drawing +8 (shape)

	return c->radius; // EXPECT: struct circle +0 (radius) MAY: struct drawing +8 (shape)
}
long edges(const struct drawing *d)
{
	struct shape *s = d->shape; // MAY: struct drawing +8 (shape)

	return s->edges; // EXPECT: struct shape +0 (edges) MAY: struct drawing +8 (shape)
}
