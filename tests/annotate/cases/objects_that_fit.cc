// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An object without a name has the place of a variable that is used later: an access that fits the object alone is to the object.
// RUN: g++

struct text {
	char *start;
	long length, room;
};

struct result {
	bool good;
	int line;
	long column, size;
};

struct result compare(long n);
void fill(struct text *t, long n);

long check(long n)
{
	struct text t;

	if (!compare(n).good)
		// EXPECT:  result +0 (good)
		return 0;
	fill(&t, n);
	return t.length; // EXPECT:  text +8 (length)
}
