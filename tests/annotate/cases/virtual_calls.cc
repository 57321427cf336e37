// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A virtual call reads the object's pointer to its table, and the function in the table.

struct shape {
	virtual double area();
	virtual int sides();
	long uses;
};

double shape::area()
{
	return 0;
}

int shape::sides()
{
	return 0;
}

extern "C" int sides(shape *s)
{
	s->uses++; // EXPECT: shape +8 (uses)
	return s->sides() + 1;
	// EXPECT: vtable for shape +24 (shape::sides) EXPECT gcc: shape +0 (_vptr.shape)
	// EXPECT clang: shape +0 (_vptr$shape)
}
