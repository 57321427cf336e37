// SPDX-License-Identifier: GPL-2.0-or-later
/* An order book: orders are moved within an array, and read by value. */
#include <stdlib.h>

struct price {
	long whole, part;
	char unit[8];
};
struct order {
	long id;
	struct price price;
	char customer[40];
	long count;
	long flags[4];
};
struct book {
	int count;
	struct price last;
	struct order orders[256];
};

#define OWN __attribute__((noinline))

// COPY: struct order
OWN void take_order(struct order *to, const struct order *from)
{
	*to = *from;
}
// COPY: struct price
OWN void note_price(struct book *book, const struct order *order)
{
	book->last = order->price;
}
// COPY: struct order
OWN void move_up(struct order *order)
{
	order[1] = order[0];
}

OWN long work(struct book *book, long rounds)
{
	long sum = 0;

	for (long i = 0; i < rounds; i++) {
		long at = i * 7 & 127;

		take_order(&book->orders[at], &book->orders[at + 64]);
		note_price(book, &book->orders[at]);
		move_up(&book->orders[at]);
		for (int k = 0; k < 24; k++)
			sum += book->orders[(at + k) & 255].count ^ sum << 1;
	}
	return sum;
}

int main(int argc, char **argv)
{
	struct book *book = calloc(1, sizeof(*book));

	return work(book, argc > 1 ? atol(argv[1]) : 12000000) == 1;
}
