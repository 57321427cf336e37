// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Shadow memory of AddressSanitizer is no object of the program. Variables in frames of its own have no location.
// RUN: gcc -fsanitize=address
// RUN plain: gcc -O0 -fsanitize=address

struct pair {
	long first;
	int second, third;
};
int fill(struct pair *, char *);

int two(int n)
{
// MAY: void* +0; none; (sanitizer); int +0
	struct pair pair;
	char text[40];

	text[0] = 'x'; // EXPECT: (sanitizer)
	// MAY: none; char[] +0
	pair.second = n; // EXPECT: (sanitizer)
	// MAY: none; int +0; struct pair +8 (second)
	fill(&pair, text);
	return pair.third; // EXPECT: (sanitizer)
	// MAY: none; struct pair +12 (third)
}
