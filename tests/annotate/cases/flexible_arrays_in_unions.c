// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Flexible arrays of some members of a union: what is after the record's end is in one of them, wherever they are declared.
// RUN: gcc clang

struct pair {
	int first, second;
};
struct message {
	int kind;
	union {
		struct {
			int length;
			char data[];
		} text;
		struct {
			long count;
			struct pair pairs[];
		} list;
		double number;
	} u;
};

void of_pair(struct message *m, int i)
{
	m->u.list.pairs[i].second++; // EXPECT: struct message +20 (u.list.pairs.second)
}

void of_third_pair(struct message *m)
{
	m->u.list.pairs[3].first++; // EXPECT: struct message +16 (u.list.pairs.first)
}

int of_data(struct message *m)
{
	return m->u.text.data[9]; // EXPECT: struct message +21 (u.text.data)
}

/* clang loads two elements at once, and its version 23 leaves nothing that tells their size. */
struct numbers {
	long kind;
	union {
		struct {
			long count;
			int small[];
		} in;
		struct {
			long count;
			double real[];
		} db;
	};
};

long sum(struct numbers *m, int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++)
		sum += m->in.small[i]; // EXPECT: struct numbers +16 (in.small)
	// MAY: struct numbers +16
	return sum;
}
