// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A header is cast down to the record that begins with it.
// RUN: gcc

struct object {
	struct object *next;
	char kind, mark;
};
struct text {
	struct object *next;
	char kind, mark, extra;
	int hash;
	long length;
};
struct object *make(int);
void keep(struct text *);

void text(int h)
{
	struct object *o = make(4);
	struct text *t = (struct text *)o;

	t->hash = h; // EXPECT: struct text +12 (hash)
	t->length = 7; // EXPECT: struct text +16 (length)
	keep(t);
}
