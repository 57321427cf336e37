// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: If paths meet with two types, neither of them is kept.

typedef long __attribute__((may_alias)) word;

struct a {
	long x, y;
};
struct b {
	int p, q, r, s;
};

long get(struct a *a, struct b *b, int c)
{
	char *raw = c ? (char *)a : (char *)b;

	return *(word *)(raw + 8); // EXPECT: char +0
}
