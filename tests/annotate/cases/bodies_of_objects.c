// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer to void is to the body of an object: a cast type, where other records repeat the member with a type.
// RULES: only-record
// RUN: gcc clang
// RUN off: gcc clang --no-rule=only-record

/* The bodies of objects: the members of `struct any` are repeated by the others. */
struct number_body {
	long unit, scale;
	double value;
};

struct any {
	void *body;
	unsigned int count, flags;
};

struct array {
	struct array_body *body;
	unsigned int count, flags;
};

struct array_body {
	long used, room;
	struct any **items;
};

#define NUMBER(a) ((struct number_body *)(a)->body)

long number(struct any *a)
{
	return NUMBER(a)->unit;
	// EXPECT: struct any +0 (body); struct number_body +0 (unit) [inferred]
	// EXPECT off: struct any +0 (body); none
}

/* The function has an array, whose body begins with such a word, too. */
long either(struct any *a, struct array *list)
{
	return list->count + ((struct array_body *)a->body)->used;
	// EXPECT: struct array +8 (count); struct any +0 (body); none
	// EXPECT off: struct array +8 (count); struct any +0 (body); none
}
