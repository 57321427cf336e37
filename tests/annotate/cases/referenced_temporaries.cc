// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An object on the stack has no variable, but a reference points to it: accesses have the reference's type.
// RUN: g++

struct samples {
	long first;
	int values[8];
};

static inline long pick(const samples &s, int i)
{
	return s.values[i] + s.first;
	// EXPECT: samples +8 (values)
}

extern "C" long of_temporary(long n, int i, int j)
{
	return pick(samples{ n, { 1, 2, 3, 4, 5, 6, 7, j } }, i);
	// EXPECT: (constant); samples +36 (values); samples +32 (values); samples +24 (values); samples +8 (values)
	// MAY: samples +0...
}
