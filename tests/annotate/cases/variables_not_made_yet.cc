// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A variable is no object before its constructor; gcc keeps temporaries in its place until then.
// RUN: g++ -fno-tree-slp-vectorize

struct edge {
	long to, cost, kind, next;
};

struct table {
	long *start;
	long used, room, few;

	table() : start(&few), used(0), room(1), few(0)
	// EXPECT: table +0 (start); table +8 (used); table +16 (room); table +24 (few)
	{
	}
	table(const table &) = delete;
	long add(long key);
};

long put(const edge *e);
static inline long insert(const edge &e)
{
	return put(&e) + e.to; //
}
long last(table &t, long key);

extern "C" long variables_not_made_yet(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		sum += insert({ i, n, 1, 2 }); //
	table t;

	t.add(sum);
	return last(t, n) + t.used; // EXPECT: table +8 (used)
}
