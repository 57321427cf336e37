// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Before an array's first element is the header to which macros cast the pointer, if an access there would cut an element.
// RUN: gcc clang
// RUN: gcc -O1
// RULES: header-before

struct point {
	double x, y;
	int id;
	struct point *next;
};
struct head {
	unsigned long length, room;
};

#define HEAD(v) ((struct head *)(v) - 1)

int push(struct point *v, double x)
{
	if (HEAD(v)->length == HEAD(v)->room) // EXPECT: struct head +0 (length); struct head +8 (room)
		return -1;
	v[HEAD(v)->length].x = x; // EXPECT: struct point +0 (x) MAY: struct head +0 (length)
	return HEAD(v)->length++; // EXPECT: struct head +0 (length)
}
double sum(struct point *v)
{ // MAY: struct head +0 (length)
	double s = 0;

	for (unsigned long i = 0; i < HEAD(v)->length; i++) // MAY: struct head +0 (length)
		s += v[i].x; // EXPECT: struct point +0 (x)
	return s;
}
// The element before is meant where each access goes to a member of one.
int rises(struct point *p, struct point *end)
{
	int n = 0;

	for (; p < end; p++)
		n += p[-1].y < p->x && p[-1].id > 3; // EXPECT: struct point +8 (y); struct point +0 (x); struct point +16 (id)
	return n;
}
