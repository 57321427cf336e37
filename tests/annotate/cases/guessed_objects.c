// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An object on the stack without a variable is guessed from its use: an access that does not fit it is to something else.
// RULES: misfit
// RUN: gcc clang

struct raw {
	long words[4];
};

struct pair {
	int first;
	long second;
	struct pair *next;
};

void use(struct pair *);
void keep(long);

static inline long mixed(void *p, long n)
{
	use((struct pair *)p);
	keep(n);
	return *(long *)((char *)p + 12);
}

static inline long whole(void *p, long n)
{
	use((struct pair *)p);
	keep(n);
	return *(long *)((char *)p + 8); // MAY: struct pair +8 (second)
}

long of_mixed(long n)
{
	return mixed(&(struct raw){ { n, n, n } }, n);
	// EXPECT: struct pair +16 (next); struct pair +0 (first) MAY: struct pair +8 (second)
}

long of_whole(long n)
{
	return whole(&(struct raw){ { n, n, n } }, n);
	// EXPECT: struct pair +16 (next); struct pair +0 (first) MAY: struct pair +8 (second)
} // MAY: struct pair +8 (second)
