// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer to a record is a member of a union, and of a record in the union, whose other members nothing accesses: either may
// be meant.
// RUN: gcc
// RUN: clang

struct name;
struct expression {
	long kind;
	struct expression *left, *right;
};

/* as parser generators write them: one member for each type of a rule's value */
union minor {
	int number;
	struct {
		struct expression *on;
		struct name *using;
	} join;
	struct expression *expression;
	struct name *name;
};

struct entry {
	long state;
	union minor minor;
};

extern struct expression *make(struct expression *left, struct expression *right);
extern struct name *name_of(struct expression *on, struct name *using);

struct expression *sum(struct entry *first, struct entry *second)
{
	return make(first->minor.expression, second->minor.expression); // EXPECT: struct entry +8 (minor)
}

struct name *joined(struct entry *top)
{
	return name_of(top->minor.join.on, top->minor.join.using); // EXPECT: struct entry +8 (minor.join.on); struct entry +16 (minor.join.using)
}
