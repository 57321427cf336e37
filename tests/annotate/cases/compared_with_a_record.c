// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer to void that may be the address of a static record points to such a record.
// RULES: compared-object
// RUN: gcc clang
// RUN: gcc -O1

struct text {
	unsigned long length;
	unsigned int references;
	char bytes[4];
};

struct cell {
	short type, filler;
	void *value;
};

extern void drop(void *text);
static struct text empty = { 5, 1, "none" };

struct text *first_text(void)
{
	return &empty;
}

void release(struct cell *c)
{
	if (c->value != &empty && --((struct text *)c->value)->references == 0) // EXPECT: struct cell +8 (value); struct text +8 (references) [inferred]
		drop(c->value); // MAY: struct cell +8 (value)
}

/* The order of two addresses says nothing: the record may be what follows an array. */
unsigned int before(struct cell *c)
{
	unsigned int *value = c->value; // EXPECT: struct cell +8 (value)

	return (void *)value < (void *)&empty ? *value : 0; // EXPECT: unsigned int +0
}
