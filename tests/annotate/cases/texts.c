// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A text has no variable of its own; the variable that points to it has no place, but a value.
// RUN: gcc

void use(int i, int *out)
{
	const char *digits = "0123456789abcdef";

	out[0] = digits[i & 15]; // EXPECT: char +0; int +0
	out[1] = digits[i >> 4 & 15]; // EXPECT: char +0; int +0
}
