// SPDX-License-Identifier: GPL-2.0-or-later
/* Structs that functions return by value through a hidden pointer, in chains, and that are
 * arguments by value. */
#include <stdlib.h>

#define OWN __attribute__((noinline))

struct matrix {
	double at[12];
};
struct ticket {
	long id;
	int kind, state;
	char code[24];
};
struct batch {
	struct ticket tickets[8];
	struct matrix matrix;
};

// COPY: struct matrix
OWN struct matrix matrix_of(const struct batch *batch)
{
	return batch->matrix;
}
// COPY: struct ticket
OWN struct ticket ticket_of(const struct batch *batch, long i)
{
	return batch->tickets[i & 7];
}
// COPY: struct ticket
OWN void put(struct batch *batch, long i, struct ticket ticket)
{
	batch->tickets[i & 7] = ticket;
}
static struct matrix inner(const struct batch *batch, long i)
{
	return i & 1 ? batch[1].matrix : batch[0].matrix;
}
// COPY: struct matrix
OWN struct matrix outer(const struct batch *batch, long i)
{
	return inner(batch, i);
}

OWN static double work(struct batch *batches, long rounds)
{
	double sum = 0;

	for (long i = 0; i < rounds; i++) {
		struct batch *batch = &batches[i & 15];
		struct matrix matrix = matrix_of(batch);
		struct ticket ticket = ticket_of(&batches[(i * 5) & 15], i);
		struct matrix other = outer(&batches[i & 7], i);

		sum += matrix.at[i & 7] + other.at[i & 3] + ticket.kind;
		put(&batches[(i * 3) & 15], i + 1, ticket);
	}
	return sum;
}

int main(int argc, char **argv)
{
	static struct batch batches[17];

	return work(batches, argc > 1 ? atol(argv[1]) : 10000000) == 1;
}
