// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An access that is wider than the record is to another record.
// RUN: gcc clang -fno-strict-aliasing

struct small {
	int x;
};

long get(struct small *s)
{
	return *(long *)s; // EXPECT: none (the offset is outside the type)
}
