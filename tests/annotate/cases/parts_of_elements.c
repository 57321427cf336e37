// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer to a member of an element of an array is one to the record around it, as without an index.
// RUN: gcc clang -fno-unroll-loops

struct part {
	int state, count;
	double cost;
};
struct whole {
	long id;
	char name[100];
	struct part in;
	long tail;
};

static inline int count_of(struct part *p)
{
	return p->state == 1 ? p->count : 0;
}

int at_index(struct whole *all, unsigned long i)
{
	return count_of(&all[i].in); // MAY: struct whole +112 (in.state); struct whole +116 (in.count)
} // EXPECT-IN at_index: struct whole +112 (in.state); struct whole +116 (in.count)

double cost_of(struct whole *all, unsigned long i, unsigned long n)
{
	struct part *p = &all[i % n].in;

	if (p->state == 2) // EXPECT: struct whole +112 (in.state)
		return 0;
	return p->cost; // EXPECT: struct whole +120 (in.cost)
}
