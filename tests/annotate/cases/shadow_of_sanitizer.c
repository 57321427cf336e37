// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Shadow memory of AddressSanitizer is no object of the program. Variables in a frame of the sanitizer's have no type: it is no code to be measured.
// RUN: gcc -fsanitize=address
// RUN plain: gcc -O0 -fsanitize=address

struct pair {
	long first;
	int second, third;
};
int fill(long *);

int third(struct pair *pair)
{ // MAY plain: struct pair* +0
	return pair->third; // EXPECT: (sanitizer); struct pair +12 (third)
	// MAY plain: struct pair* +0
}

int local(int n)
{
	// MAY: void* +0; none; (sanitizer); int +0
	long number = n; // EXPECT: (sanitizer)
	// MAY: none; int +0

	fill(&number);
	return number; // EXPECT: (sanitizer); none
	// MAY: int +0
}
