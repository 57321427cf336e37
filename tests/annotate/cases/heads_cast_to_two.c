// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A head is cast in macros to two records that begin with it and differ where the access goes: nothing tells which.

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
