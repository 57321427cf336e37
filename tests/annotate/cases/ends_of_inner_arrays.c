// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A loop over the arrays of an array: where the one over the inner array ends, its pointer is the end that it was compared with.
// RUN: gcc -fno-tree-vectorize
// RUN: gcc -O1
// RUN: clang -fno-vectorize -fno-unroll-loops

struct cell {
	long id;
	char name[40];
	double heat;
	int kind;
	char pad[52];
	double flow;
};
struct shelf {
	long total;
	struct cell cells[16];
	int used;
};
struct room {
	struct shelf shelves[8];
	char label[24];
};

double warm(struct room *r)
{
	double sum = 0;

	for (int i = 0; i < 8; i++)
		for (int j = 0; j < 16; j++) {
			struct cell *c = &r->shelves[i].cells[j];

			if (c->kind & 1) // EXPECT: struct room +64 (shelves.cells.kind)
				sum += c->heat; // EXPECT: struct room +56 (shelves.cells.heat)
		}
	return sum;
}

double flows(struct room *r, int k)
{ // MAY: double +0
	double sum = 0;

	for (int i = 0; i < 8; i++) // MAY: double +0
		for (int j = 0; j < 16; j++) {
			sum += r->shelves[i].cells[j].flow; // EXPECT: struct room +120 (shelves.cells.flow)
			// MAY: double +0
			r->shelves[i].cells[(j * k) & 15].heat += 1; // EXPECT: struct room +56 (shelves.cells.heat)
			// MAY: double +0
		}
	return sum;
}
