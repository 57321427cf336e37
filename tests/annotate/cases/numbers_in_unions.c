// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An int may have got the value of an unsigned member; all ten bytes of a long double are the member.
// RUN: gcc
// RUN: clang

struct token {
	long kind;
	union {
		unsigned special;
		int argument;
		const char *text;
	} u;
};

struct constant {
	long kind;
	union {
		struct {
			struct constant *left, *right;
		} two;
		struct {
			long width;
			long first, second;
		} number;
		long double real;
		char bytes[16];
	} u;
};

extern int taken(int value, int kind);

int special_of(struct token *t)
{
	int op = t->u.special; // EXPECT: struct token +8 (u)

	if (taken(op, 1) && taken(op, 2))
		return op;
	return 0;
}

long double real_of(struct constant *c)
{
	return c->u.real * 3; // EXPECT: struct constant +16 (u.real)
}
