// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A later element of an array and an earlier one of the next array, at a variable index, are the same code: neither is named.

struct sums {
	int tag;
	int low[2], high[4];
	short end;
};
struct pair {
	long key;
	char kind;
};
struct table {
	int tag;
	struct pair pairs[5];
	long first[3], second[6];
};

long more(struct sums *p, long i, long j)
{
	return p[i].low[j + 1]; // EXPECT: none
}

long less(struct sums *p, long i, long j)
{
	return p[i].high[j - 1]; // EXPECT: none
}

long before(struct table *p, long i, long j)
{
	return p[i].pairs[j - 1].key; // EXPECT: none
}

/* The next element is in the array itself, and the one before it is not. */
long plain(struct table *p, long i, long j)
{
	return p[i].second[j] + p[i].second[j + 1]; // EXPECT: struct table +112 (second); struct table +120 (second)
}
