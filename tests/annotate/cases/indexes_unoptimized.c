// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Without optimization, an index is an argument or a counter in memory, and is multiplied by shifts and additions.
// RUN: gcc clang -O0

struct inner {
	long first[5];
	int last;
};
struct middle {
	long first[3];
	struct inner inner[6];
	int last;
};
struct outer {
	struct middle middle[5];
	short last;
} outers[10];

long deep(long i, long j, long k, long l)
{ // MAY: long...
	return outers[i].middle[j].inner[k].first[l]; // EXPECT: struct outer +24 (middle.inner.first)
	// MAY: long...; struct outer[]* +0
}

struct item {
	int key;
	char state;
	long words[3];
	char last;
};

long downwards(struct item *items, long n)
{ // MAY: long...; struct item* +0
	long sum = 0; // MAY: long...

	for (long i = n - 1; i >= 0; i--) // MAY: long...
		sum += items[i].key; // EXPECT: struct item +0 (key)
	// MAY: long...; struct item* +0
	return sum; // MAY: long...
}
