// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Two numbers that are loaded into a vector register at once are not a third member because its width fits.
// RUN: gcc clang -O3

struct cell {
	long kind;
	union {
		double real;
		int small[2];
	} number;
	union {
		double wide;
		float place[2];
	} point;
	union {
		float real;
		short low[2];
	} half;
};

/* as clang 23 does where it adds the elements of an array */
long sum_of(struct cell *c)
{
	long both;

	__asm__("movq %1, %%xmm0; pshufd $0x55, %%xmm0, %%xmm1; paddd %%xmm1, %%xmm0; movq %%xmm0, %0" : "=r"(both) : "m"(c->number.small) : "xmm0", "xmm1");
	// EXPECT: struct cell +8 (number)
	return (int)both;
}

int halves_of(struct cell *c)
{
	int both;

	__asm__("movd %1, %%xmm0; paddw %%xmm0, %%xmm0; movd %%xmm0, %0" : "=r"(both) : "m"(c->half.low) : "xmm0");
	// EXPECT: struct cell +24 (half)
	return both;
}

double real_of(struct cell *c)
{
	return c->number.real * 3; // EXPECT: struct cell +8 (number.real)
}

float half_of(struct cell *c)
{
	return c->half.real * 3; // EXPECT: struct cell +24 (half.real)
}

/* both at once, or one after the other */
// EXPECT-IN scale: struct cell +16 (point) or struct cell +16 (point.place); struct cell +16 (point) or struct cell +20 (point.place)
void scale(struct cell *c, float by)
{
	c->point.place[0] *= by;
	c->point.place[1] *= by;
}
