// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Shadow memory of AddressSanitizer is no object of the program. The variables that it watches are where the description of their frame says.
// RUN: gcc -fsanitize=address
// RUN plain: gcc -O0 -fsanitize=address

struct pair {
	long first;
	int second, third;
};
int fill(long *);
int fill_all(void *, void *);

int third(struct pair *pair)
{ // MAY plain: struct pair* +0
	return pair->third; // EXPECT: (sanitizer); struct pair +12 (third)
	// MAY plain: struct pair* +0
}

int local(int n)
{
	// MAY: none; (sanitizer); int +0; void* +0
	long number = n; // EXPECT: (sanitizer); long int +0
	// MAY: none; int +0

	fill(&number);
	return number; // EXPECT: (sanitizer); long int +0
	// MAY: int +0
}

static inline long filled(void *to)
{ // MAY: none; (sanitizer); void* +0
	// MAY: none; (sanitizer)
	struct pair inner; // MAY: (sanitizer)

	fill_all(to, &inner); // MAY: void* +0
	return inner.third;   // EXPECT: (sanitizer); struct pair +12 (third)
}

long several(int n)
{ // MAY: none; (sanitizer); int +0; void* +0
	struct pair pairs[4]; // MAY: (sanitizer)
	long sum = filled(pairs);

	// MAY: long int +0
	return sum + pairs[3].first; // EXPECT: (sanitizer); struct pair +0 (first)
	// MAY: long int +0
}

struct wide {
	long first, second, third, fourth;
};

long by_value(struct wide wide) // MAY: struct wide...
{ // MAY: none; (sanitizer); void* +0
	fill_all(&wide, 0);
	return wide.third; // EXPECT: (sanitizer); struct wide +16 (third)
}
