// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A byte of a record of bytes is a different member in each of two records that the unit casts it to: nothing tells which.
// RUN: gcc -fno-strict-aliasing

struct value {
	char length[4];
	char data[];
};

struct small {
	unsigned char header, kind;
};

struct outside {
	unsigned char header, tag;
	char data[];
};

int kind(struct value *v)
{
	return ((struct small *)v)->kind; // EXPECT: none
}

int tag(struct value *v)
{
	return ((struct outside *)v)->tag; // EXPECT: none
}
