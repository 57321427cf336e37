// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Code with AddressSanitizer keeps variables in a frame of its own, which may be a copy: the frame's description tells which variables it has. Shadow memory is no object of the program.
// RUN: gcc -fsanitize=address
// RUN plain: gcc -O0 -fsanitize=address

struct pair {
	long first;
	int second, third;
};
int fill(struct pair *, long *, char *);

int two(int n)
{
// MAY: void* +0; none; (sanitizer); int +0
	struct pair pair;
	long number = n; // EXPECT: (sanitizer); long int +0
	// MAY: int +0
	char text[40];

	text[0] = 'x'; // EXPECT: (sanitizer); char[] +0
	pair.second = n; // EXPECT: (sanitizer); struct pair +8 (second)
	// MAY: int +0
	fill(&pair, &number, text);
	if (text[3] == 'y') // EXPECT: (sanitizer); char[] +3
		number++; // EXPECT: (sanitizer); long int +0
	return pair.third + number; // EXPECT: (sanitizer); struct pair +12 (third)
	// MAY: long int +0
}
