// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Before a variable is made, inlined code of its class's own members accesses a temporary of the class in its place.
// RUN: g++ -fno-tree-slp-vectorize

struct text {
	long size, room, hash;
	text(long n) : size(n), room(n + 1), hash(5) {}
	// EXPECT: text +0 (size); text +8 (room); text +16 (hash)
	~text();
};

struct edge {
	long from, to, cost;
	edge(long n) : from(n), to(n + 1), cost(7) {} // EXPECT: edge +0 (from); edge +8 (to); edge +16 (cost)
	~edge();
};

long take(const text &);
long go(const edge &);
text make(long);

extern "C" long before(long n)
{
	long sum = take(text(n));
	text t = make(sum);

	return take(t) + sum;
}

extern "C" long other(long n)
{
	long sum = go(edge(n));
	text t = make(sum);

	t.room += sum; // EXPECT: text +8 (room)
	return take(t) + sum;
}
