// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Without locations, the variables of the inlined function tell the record to which a header was cast, and that a part of the pointee is one of several.
// RULES: repeated-head
// RUN: gcc -fno-var-tracking

#define HEADER struct head *next; unsigned char kind, mark
struct head {
	HEADER;
};
struct table {
	HEADER;
	unsigned char bits;
	int count;
	long *rows;
};
struct proto {
	HEADER;
	int lines;
	long *code, *names;
};
union value {
	struct head *head;
	long number;
	void *pointer;
};
struct cell {
	union value value;
	int kind;
};
union slot {
	struct cell cell;
	long words[2];
};
long walk(long *, int);

static inline long walk_table(struct table *table)
{
	return walk(table->rows, table->count); // EXPECT: struct table +12 (count); struct table +16 (rows)
}

static inline long walk_proto(struct proto *proto)
{
	return walk(proto->names, proto->lines); // EXPECT: struct proto +12 (lines); struct proto +24 (names)
}

/* Both records repeat the members of the header. */
long walk_any(struct head *head)
{
	switch (head->kind) { // EXPECT: struct head +8 (kind)
	case 1: return walk_table((struct table *)head);
	case 2: return walk_proto((struct proto *)head);
	}
	return 0;
}

/* The variables point to the one part of a slot, and to two further slots. */
long prepare(union slot *slot)
{
	struct cell *first = &slot->cell, *step = &slot[2].cell;

	if (first->kind == 3) // EXPECT: union slot +8 (...
		return step->value.number + step->kind; // EXPECT: none (the offset is outside the type)
	return 0;
}
