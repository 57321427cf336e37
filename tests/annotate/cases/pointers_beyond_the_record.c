// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer to a record flows here, and the variable points to pointers: the record has no member there.
// RUN: gcc -fno-strict-aliasing

struct row {
	long keys[6];
	double balance;
};

void note(struct row **);

struct row *get(struct row *r)
{
	struct row **list = (struct row **)r;

	note(list);
	return list[9]; // EXPECT: struct row* +0
}
