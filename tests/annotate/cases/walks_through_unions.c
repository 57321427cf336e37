// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A walk over records goes on by a pointer out of a union of pointers: it leads to another record of that type.
// RUN: gcc clang
// RULES: union-pointer

struct symbol {
	const char *name;
	long value;
};
struct expression {
	unsigned char operation;
	int line;
	union {
		struct {
			struct expression *left, *right;
		} sides;
		struct {
			const char *name;
			struct symbol *symbol;
		} variable;
		struct {
			struct expression *function, **arguments;
			int count;
		} call;
		long number;
	} u;
};

/* The last call of each branch becomes a jump to the start, where nothing describes the pointer. */
long value(struct expression *e)
{
	switch (e->operation) { // EXPECT: struct expression +0 (operation)
	case '+': return value(e->u.sides.left) + value(e->u.sides.right); // MAY: struct expression +8...; struct expression +16...
	case 'n': return e->u.number; // MAY: struct expression +8...
	case 'v': return e->u.variable.symbol != 0; // MAY: struct expression +16...
	case 'c': return value(e->u.call.function) + e->u.call.count; // EXPECT: struct expression +24 (u.call.count) MAY: struct expression +8...
	default: return e->line; // EXPECT: struct expression +4 (line)
	}
}

static int total;

int sum(void)
{
	return total; // MAY: int +0
}

/* Two of the ways to the next record meet before they meet the parameter. */
void add(struct expression *e)
{
	if (!e)
		return;
	total += e->line; // EXPECT: struct expression +4 (line) MAY: int +0
	switch (e->operation) { // EXPECT: struct expression +0 (operation)
	case '+':
		add(e->u.sides.right); // EXPECT: struct expression +16 (...
		add(e->u.sides.left); // MAY: struct expression +8...
		break;
	case '-':
		add(e->u.sides.right); // EXPECT: struct expression +16 (...
		total += e->u.call.count; // EXPECT: struct expression +24 (u.call.count) MAY: int +0
		add(e->u.sides.left); // MAY: struct expression +8...
		break;
	case 'c':
		add(e->u.call.function); // MAY: struct expression +8...
		break;
	}
}
