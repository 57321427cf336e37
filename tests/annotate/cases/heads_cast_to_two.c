// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Macros cast a head to two records that begin with it: an access is to the one that alone has a member there; if both have one, nothing tells which is meant.

struct head {
	struct head *next;
	int kind;
};

struct text {
	struct head head;
	char *bytes;
	long length;
};

struct pair {
	struct head head;
	struct head *first, *second;
	int weight, count;
};

long length(struct head *o)
{
	return ((struct text *)o)->length; // EXPECT: none
}

void *second(struct head *o)
{
	return ((struct pair *)o)->second; // EXPECT: none
}

int count(struct head *o)
{
	return ((struct pair *)o)->count; // EXPECT: struct pair +36 (count) [inferred]
}
