// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A union has a pointer to a record beside one to a function: the memory that is accessed through it is the record's.
// RULES: union-pointer

struct object {
	struct object *next;
	unsigned char kind, mark;
};
union word {
	struct object *object;
	int (*call)(int);
	long number;
};
struct cell {
	union word word;
	int tag;
};

int marked(struct cell *cell)
{
	return cell->word.object->mark & 8; // EXPECT: struct cell +0 (word.object); struct object +9 (mark)
}
