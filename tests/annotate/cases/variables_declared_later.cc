// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Code on lines before a variable's declaration accesses temporaries that have the variable's place.
// RUN: g++ -fno-tree-slp-vectorize

struct edge {
	long from, to, cost;
};

struct made {
	long first, second, third;
	~made();
};

struct kept {
	long count, limit;
};

long take(edge &&);
made make(long);
long use(const made &);
long keep(kept &);

extern "C" long before(long n)
{
	kept first = { n, 5 }; // EXPECT: kept +0 (count); kept +8 (limit)
	long sum = keep(first) + take(edge{ n, n + 1, n + 2 });
	// EXPECT: edge +0 (from); edge +8 (to); edge +16 (cost)
	made m = make(n);

	m.second += sum; // EXPECT: made +8 (second)
	sum += first.count; // EXPECT: kept +0 (count)
	return use(m) + sum;
}

// In a loop, lines before the loop have run already.
extern "C" long around(long n)
{
	long sum = 0;

	for (long i = 0; i < n; i++) {
		made m = make(i);

		sum += use(m);
		m.first = sum; // EXPECT: made +0 (first)
		sum += use(m);
	}
	return sum;
}
