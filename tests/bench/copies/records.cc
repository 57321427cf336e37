// SPDX-License-Identifier: GPL-2.0-or-later
// Vectors of records: growth moves all of them, and elements are returned by value.
#include <cstdlib>
#include <utility>
#include <vector>

struct point {
	double x, y;
};
struct record {
	long key;
	point at, to;
	long uses;
};
struct shape {
	record records[12];
	long color;
};

#define OWN __attribute__((noinline))

// COPY: record
OWN record first(const std::vector<record> &all)
{
	return all.front();
}
// COPY: shape CALL
OWN void draw(shape &to, const shape &from)
{
	to = from;
}
// COPY: record
OWN void exchange(record &a, record &b)
{
	std::swap(a, b);
}

OWN double work(std::vector<record> &all, shape *shapes, long rounds)
{
	double sum = 0;

	for (long i = 0; i < rounds; i++) {
		sum += first(all).at.x;
		draw(shapes[i & 7], shapes[i * 3 & 7]);
		exchange(all[i & 63], all[(i + 9) & 63]);
		for (int k = 0; k < 30; k++)
			sum += all[(i + k) & 63].to.y;
	}
	return sum;
}

int main(int argc, char **argv)
{
	std::vector<record> all(64);
	static shape shapes[8];

	return work(all, shapes, argc > 1 ? atol(argv[1]) : 8000000) == 1;
}
