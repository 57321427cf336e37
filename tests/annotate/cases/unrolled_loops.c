// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A loop that is unrolled, and then the rest of it, step over several elements at once.
// RUN: clang -O2
// RUN: gcc -O3 -march=x86-64-v3

struct total {
	int count;
	struct {
		long first, second;
		int rest;
	} middle;
	unsigned long words[1]; /* 40 bytes */
};
unsigned long all_words(struct total *t, int n)
{
	unsigned long sum = 0;

	for (int i = 0; i < n; i++)
		sum ^= t->words[i]; // EXPECT: struct total +32 (words)...
	return sum + t->middle.rest; // EXPECT: struct total +24 (middle.rest)
}

struct dot {
	unsigned char red, green, blue;
};
struct picture {
	int size;
	struct {
		short width;
		struct {
			char depth;
			struct dot dots[];
		} inner;
	} outer;
};
long all_greens(struct picture *p, int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++)
		sum += p->outer.inner.dots[i].green; // EXPECT: struct picture +8 (outer.inner.dots.green)... MAY: struct picture +9...; struct picture +7...
	return sum;
}
