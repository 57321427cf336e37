// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An index begins at 1, so the operand's constant is before the array, or in the variable before it.
// RUN: gcc clang -fno-tree-vectorize
// LINK: fixed

struct cell {
	long key;
	int used, kind;
};
/* One of these is before each array, whichever order the compiler chooses. */
struct edge {
	char name[64];
} before = { "b" };
struct cell table[1000] = { { 1 } };
struct edge between = { "c" };
long counts[1000] = { 1 };
struct edge after = { "d" };

__attribute__((noinline)) long in_turn(long n)
{
	long sum = 0;

	for (long i = 1; i <= n; i++) {
		sum += table[i - 1].kind; // EXPECT: struct cell +12 (kind)
		sum += counts[i - 1] * i; // EXPECT gcc: long int[]... EXPECT clang: long[]...
	}
	return sum;
}

/* Nothing tells where the index begins. */
__attribute__((noinline)) int of_index(long i)
{
	return table[i - 1].kind; // EXPECT: struct cell +12 (kind)
}

/* The last element of an array is not one of the next array. */
__attribute__((noinline)) int from_end(long i)
{
	return table[999 - i].kind; // EXPECT: struct cell +12 (kind)
}

/* The index is counted from 2, and another variable is before the array. */
int parse(struct cell *cells, int most, char *text);

__attribute__((noinline)) long of_last(void)
{
	char text[250];
	struct cell cells[24];
	int count = parse(cells, 24, text);

	return cells[count - 2].key; // EXPECT: struct cell +0 (key)
}

__attribute__((noinline)) int of_last_but_two(long i)
{
	return table[i - 3].kind; // EXPECT: struct cell +12 (kind)
}
