// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Memory of no known type is walked by the size of a record in scope: it has such records, unless another record of the unit is as large.
// RULES: record-array
// RUN: gcc
// RUN off: gcc --no-rule=record-array

struct growing {
	long length;
	void *data;
};
struct frame {
	struct frame *outer;
	long values[6];
};
struct entry {
	long line;
	char *name;
	long values[5];
};
struct wide {
	long first;
	long values[10];
};

/* A frame is as large as an entry. */
long last(struct growing *g, struct frame *f, long i)
{
	return ((struct entry *)g->data)[i].line + f->values[0];
	// EXPECT: struct growing +8 (data); none; struct frame +8 (values)
}

/* No other record has this size. */
long first(struct growing *g, struct wide *w, long i)
{
	return ((struct wide *)g->data)[i].first + w->values[0];
	// EXPECT: struct growing +8 (data); struct wide +0 (first) [inferred]; struct wide +8 (values)
	// EXPECT off: struct growing +8 (data); none (a pointer to void or to an undefined type); struct wide +8 (values)
}
