// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Without calls each variable stays in the register in which it was passed, and the location is right.
// RUN: gcc clang -O1

struct text {
	long length;
	int references;
	char bytes[4];
};
struct cell {
	short type, count;
	struct text *text;
	double number;
};
int scan(const char *, ...);
double number(struct text *);

double get(void *v)
{
	struct cell *cell = v;

	return cell->number + cell->type; // EXPECT: struct cell +0 (type); struct cell +16 (number)
}
