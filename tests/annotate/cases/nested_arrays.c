// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An address has an index for each array on its way; none of the sizes divides another.
// RUN: gcc clang -fno-tree-vectorize -fno-unroll-loops
// RUN: gcc clang -O1
// RUN: gcc clang -Os

struct leg {
	short paw;
	long length;
};
struct cat {
	long weight;
	struct leg legs[4]; /* 72 bytes: no multiple of 16 */
};
struct house {
	long rooms[3];
	struct cat cats[5];
	long doors; /* 392 bytes */
};

long one_leg(struct cat *c, long i, long j)
{
	return c[i].legs[j].length; // EXPECT: struct cat +16 (legs.length)
}
long rest_of(struct cat *c, long n, long k)
{
	long sum = 0;

	for (long i = 0; i < n; i++) {
		sum += c[i].legs[(unsigned long)(i + k) % 3].paw; // EXPECT: struct cat +8 (legs.paw)
		__asm__ volatile("" : "+r"(sum));
	}
	return sum;
}
long all_legs(struct house *h, long n, long m, long o)
{
	long sum = 0;

	for (long i = 0; i < n; i++)
		for (long j = 0; j < m; j++)
			for (long k = 0; k < o; k++) {
				sum += h[i].cats[j].legs[k].length; // EXPECT: struct house +40 (cats.legs.length)
				__asm__ volatile("" : "+r"(sum));
			}
	return sum;
}

// The row before: LLVM takes a whole row from the offset.
struct cell {
	unsigned char kind, points;
	short x, y;
	void *unit;
};
struct board {
	int width, height;
	struct cell cells[20][30];
	int counts[2];
};
int neighbours(struct board *b, int y, int x)
{
	return b->cells[y - 1][x].points + b->cells[y + 1][x].points; // EXPECT: struct board +9 (cells.points) or struct board +489 (cells.points)
}
int before(struct board *b, int y, int x)
{
	return b->cells[y - 1][x - 1].kind; // EXPECT: struct board +8 (cells.kind)
}

// Five loops, each over the elements of another array: more strides than a value keeps.
struct dot {
	char red, green, blue;
};
struct tile {
	int number;
	struct dot dots[5][7];
	short end;
};
struct map {
	long width, height;
	struct tile tiles[3][11];
	double scale;
};
long all_dots(struct map *m, int n)
{
	long sum = 0;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < 11; j++)
			for (int y = 0; y < 5; y++)
				for (int x = 0; x < 7; x++) {
					sum += m[i].tiles[i % 3][j].dots[y][x].red;
					// EXPECT gcc: struct map +20 (tiles.dots.red)
					// MAY: struct map +20 (tiles.dots.red); none
					__asm__ volatile("" : "+r"(sum));
				}
	return sum;
}
// An index that is the remainder of another number.
long one_dot(struct map *m, int i, int j, int y, int x)
{
	return m->tiles[j % 3][i].dots[x % 5][y].blue; // EXPECT: struct map +22 (tiles.dots.blue)
}
// An index that is subtracted: gcc multiplies it by less than nothing.
long before_the_end(struct cat *c, long n, long i)
{
	struct cat *end = c + n;

	return end[-i].weight; // EXPECT: struct cat +0 (weight)
}
