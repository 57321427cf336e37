// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A value that is read from a union belongs to the member with the type of the variable that gets it first, not to that of a
// variable to which it is cast at once.
// RUN: gcc

struct head {
	unsigned flags;
	unsigned references;
};

struct text {
	struct head head;
	unsigned length;
	char bytes[];
};

struct object {
	struct head head;
	struct object *parent;
};

struct value {
	unsigned tag;

	union {
		double number;
		struct head *any;
		struct text *text;
		struct object *object;
	} u;
};

static inline struct head *head_of(struct value *v)
{
	struct head *head = v->u.any; // EXPECT: struct value +8 (u.any)

	return head;
}

unsigned length_of(struct value *v)
{
	struct text *text = (struct text *)head_of(v);

	if (!text)
		return 0;
	return text->length; // EXPECT: struct text +8 (length)
}

unsigned direct(struct value *v)
{
	struct text *text = v->u.text; // EXPECT: struct value +8 (u.text)

	if (!text)
		return 1;
	return text->length; // EXPECT: struct text +8 (length)
}
