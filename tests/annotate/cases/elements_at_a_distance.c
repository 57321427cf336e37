// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A variable points to the first element of an array in a record, and a register with the record's address has it at a distance: accesses through the register are the record's.
// RUN: gcc

struct record {
	long length, offset;
	unsigned char *data;
};
struct layer {
	long count;
	struct record records[4];
};
struct session {
	long id;
	int mode, state;
	struct layer layer;
	long total;
};

extern int begin(int mode);
extern int fill(struct record *records, int mode);

long receive(struct session *s, long limit)
{
	struct record *first;
	long sum = 0;

	while (begin(s->mode)) { // EXPECT: struct session +8 (mode)
		first = s->layer.records;
		if (first->length < limit) { // EXPECT: struct session +24 (layer.records.length)
			s->state = 2; // EXPECT: struct session +12 (state)
			if (fill(first, s->mode)) // MAY: struct session +8 (mode)
				return s->id; // EXPECT: struct session +0 (id)
		}
		first->offset = 1; // EXPECT: struct session +32 (layer.records.offset)
		sum += s->total; // EXPECT: struct session +120 (total)
	}
	return sum;
}
