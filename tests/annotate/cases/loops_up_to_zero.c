// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A loop that counts up to 0 adds the address where its array ends, which is that of the next variable.
// LINK: fixed
// RUN: clang -fno-vectorize -fno-unroll-loops
// RUN unrolled: clang -fno-vectorize

struct point {
	int x, y;
};
struct range {
	long first, last;
};
struct row {
	double sum;
};
struct table {
	long id;
	int slots[126];
	int others[400];
	struct point inner[50];
	struct point outer[60];
};
struct cell {
	short x, y;
	int w;
};

struct point points[100];
struct range ranges[100];
struct row rows[100];
struct table table;
struct cell grid[40][30];
long squares[26], after[400];

long sum_points(void)
{
	long sum = 0;

	for (int i = 0; i < 100; i++)
		sum += points[i].y; // EXPECT: struct point +4 (y)
	return sum;
}

long sum_ranges(void)
{
	long sum = 0;

	for (int i = 0; i < 100; i++)
		sum += ranges[i].last; // EXPECT: struct range +8 (last)
	return sum;
}

double sum_rows(void)
{
	double sum = 0;

	for (int i = 0; i < 100; i++)
		sum += rows[i].sum; // EXPECT: struct row +0 (sum)
	return sum;
}

long sum_slots(void)
{
	long sum = 0;

	for (int i = 0; i < 126; i++)
		sum += table.slots[i]; // EXPECT: struct table +12 (slots) EXPECT unrolled: struct table...
	return sum;
}

long sum_inner(void)
{
	long sum = 0;

	for (int i = 0; i < 50; i++)
		sum += table.inner[i].y; // EXPECT: struct table +2124 (inner.y) EXPECT unrolled: struct table...
	return sum;
}

long sum_grid(void)
{
	long sum = 0;

	for (int i = 0; i < 40; i++)
		for (int j = 0; j < 30; j++)
			sum += grid[i][j].w; // EXPECT: struct cell +4 (w)
	return sum;
}

// An index of which nothing is known is no such count: the constant is where the array begins.
long square(unsigned letter)
{
	return squares[letter - 'a']; // EXPECT: long...
}
