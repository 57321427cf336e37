// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A floating-point result is in a vector register: at the return, the first general one tells nothing of a union's member.
// RUN: gcc

union number {
	double real;
	long integer;
	unsigned long natural;
};

struct value {
	int tag;
	union number u;
};

/* gcc converts it with and without its sign bit, and has it in %rax all the time */
double of_natural(struct value *v)
{
	return (double)v->u.natural; // EXPECT: struct value +8 (u)
}

double of_integer(struct value *v)
{
	return (double)v->u.integer; // EXPECT: struct value +8 (u)
}

double of_real(struct value *v)
{
	return v->u.real; // EXPECT: struct value +8 (u.real)
}

/* a result in the general register */
long as_integer(struct value *v)
{
	return v->u.integer; // EXPECT: struct value +8 (u.integer)
}
