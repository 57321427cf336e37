// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An unsigned number in a union that is converted to a double is no double, although LLVM loads it into a vector register.
// RUN: clang

struct value {
	int tag;
	union {
		unsigned long number;
		double real;
		void *any;
	} u;
};

double converted(const struct value *value)
{
	return (double)value->u.number; // EXPECT: struct value +8 (u.number) MAY: *
}

double real(const struct value *value)
{
	return value->u.real + 1; // EXPECT: struct value +8 (u.real) MAY: *
}
