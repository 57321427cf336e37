// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A unit does not say what a member points to: the member points to what two other units say, if they agree.
// RUN: gcc -x c tests/annotate/cases/cells_of_other_units.h tests/annotate/cases/cells_of_other_units.h
// RUN one: gcc -x c tests/annotate/cases/cells_of_other_units.h
//
// The command compiles the other unit as well, twice. Accesses are known by their lines, so there
// is no code here before the last line of the other unit.

struct text {
	unsigned long length;
	unsigned int uses;
};

struct cell {
	int type;
	void *data;
};

#define text_of(c) ((struct text *)(c)->data)

/* One unit alone says nothing about others. */
unsigned long length(struct cell *c)
{
	return text_of(c)->length;
	// EXPECT: struct cell +8 (data); struct text +0 (length) [inferred]
	// EXPECT one: struct cell +8 (data); none
}

unsigned int uses(struct cell *c)
{
	return text_of(c)->uses;
	// EXPECT: struct cell +8 (data); struct text +8 (uses) [inferred]
	// EXPECT one: struct cell +8 (data); none
}
