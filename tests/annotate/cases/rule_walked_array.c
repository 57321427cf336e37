// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Rule walked-array: an access before a pointer that a loop moves is to an element of the array.
// RULES: walked-array
// RUN: gcc clang -O1
// RUN without: gcc clang -O1 --no-rule=walked-array

struct item {
	long key, value;
};

long rising(struct item *p, struct item *end)
{
	long n = 0;

	for (; p < end; p++)
		n += p[-1].value < p->value;
		// EXPECT: struct item +8 (value)
		// EXPECT without: struct item +8 (value); none (the offset is outside the type)
	return n;
}

union meaning {
	struct item item;
	char *text;
};

/* The stack of a parser: a rule of the grammar reads what many symbols mean, far below the top. */
long meanings(union meaning *top, union meaning *end)
{
	long n = 0;

	for (; top < end; top++)
		n += top[-9].item.value;
		// EXPECT: union meaning +8 (item.value)
		// EXPECT without: none (the offset is outside the type)
	return n;
}

/* Nothing moves the pointer: another object may lie there. */
long far(union meaning *top)
{
	return top[-9].item.value; // EXPECT: none (the offset is outside the type)
}
