// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The arguments of a constructor are evaluated before the variable is made, and their temporaries may be in its place: accesses to these are not to the variable.
// RUN: g++ -fno-tree-slp-vectorize

struct edge {
	long to, cost, kind, next;
};

struct table {
	long *start;
	long used, room, few;

	table(long n) : start(&few), used(n), room(1), few(0)
	// EXPECT: table +8 (used); table +0 (start); table +16 (room); table +24 (few)
	{
	}
	table(const table &) = delete;
	long add(long key);
};

long put(const edge *e);
static inline long insert(const edge &e)
{
	return put(&e) + e.to;
}
long last(table &t, long key);

static inline long sum_of(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += insert({ i, n, 1, 2 });
	return sum;
}

extern "C" long variables_not_made_yet(long n)
{
	table t(sum_of(n));

	t.add(n);
	return last(t, n) + t.used; // EXPECT: table +8 (used)
}
