// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer to a record flows here, and the variable points to pointers: accesses to members of the record are the record's.
// RULES: far-pointer, alternative-type
// RUN: gcc clang -fno-strict-aliasing

struct row {
	long keys[6];
	double balance;
	struct row *next;
};

void note(struct row **);

double member(struct row **rows, long n)
{
	struct row *r = rows[n], **list = (struct row **)r; // EXPECT: struct row* +0

	note(list);
	return *(double *)(list + 6); // EXPECT: struct row +48 (balance)
}
