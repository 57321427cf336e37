// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A temporary has no name; `this` of its inlined constructor tells what is on the stack, and where.
// RUN: g++ -fno-shrink-wrap-separate -fno-caller-saves
// RUN: clang++
// FORBID: (stack spill)

struct text {
	char *start;
	unsigned long length;
	char few[16];

	text(char *from, unsigned long n) : start(few), length(n)
	// EXPECT: text +8 (length); text +0 (start)
	{
		if (n > 15)
			start = new char[n]; // EXPECT: text +0 (start)
		for (unsigned long i = 0; i < n; i++)
			start[i] = from[i];
			// EXPECT: char +0; text +0 (start)
			// MAY: text +16 (few); none (paths disagree on the base register)
	}

	~text()
	{
		if (start != few) // EXPECT: text +0 (start)
			delete[] start;
	}
};

void take(const text &);

extern "C" void give(char *from, unsigned long n)
{
	take(text(from, n));
}
