// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A void pointer is passed on as a pair on one path, and read as something else on the other.
// RUN: gcc clang -fno-strict-aliasing

struct pair {
	int first, second;
};

long use(struct pair *);

/* A long is no member of a pair. */
long other(void **p, int is_pair)
{
	void *v = *p; // EXPECT: void* +0

	if (is_pair)
		return use(v) + 1;
	return *(long *)v; // EXPECT: none (the offset is outside the type) [rule misfit]
}

/* A member is, and so are both members that are cleared together. */
long same(void **p, int is_pair)
{
	void *v = *p; // EXPECT: void* +0

	if (is_pair)
		return use(v) + 1;
	*(long *)v = 0; // EXPECT: struct pair +0 (first)
	return ((int *)v)[1];
}
