// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The unit casts a record of bytes to two records, in which a byte is a different member: nothing tells which one is meant.
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
