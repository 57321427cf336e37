// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions that only copy objects, each in another way. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

struct price {
	long whole, part;
	char unit[8];
};

struct order {
	long id;
	struct price price;
	char customer[40];
	long count;
};

struct book {
	long count;
	struct price last;
	struct order orders[64];
};

struct state {
	double cells[600];
};

/* C++ copies an object without the padding of its last member, in which a class may have more */
struct stamp {
	long day, second;
	char zone;
};
struct event {
	struct stamp stamp;
};

struct price best;
struct state now, before;
struct event events[8];

#define OWN __attribute__((noinline))

OWN void take_order(struct order *to, const struct order *from)
{
	*to = *from;
}

OWN void note_price(struct book *book, const struct order *order)
{
	book->last = order->price;
}

OWN void copy_unpadded(struct event *to, const struct event *from)
{
	memcpy(to, from, offsetof(struct stamp, zone) + 1);
}

OWN void keep_best(const struct book *book)
{
	best = book->last;
}

OWN void copy_parts(struct order *to, const struct order *from)
{
	to->price.part = from->price.part;
	memcpy(to->price.unit, from->price.unit, sizeof(to->price.unit));
	memcpy(to->customer, from->customer, 8);
}

OWN long by_value(struct order order)
{
	return order.id + order.count;
}

OWN long pass_order(const struct book *book, long i)
{
	return by_value(book->orders[i]) + 1;
}

/* Changes the object before it reads its copy, so that a compiler must copy. */
OWN long keep_local(struct order *order)
{
	volatile struct order copy;

	copy = *order;
	order->id = 0;
	return copy.id + copy.price.whole;
}

/* Copies a record piece by piece, as Go's compiler does with large ones. */
OWN void copy_pieces(struct order *to, const struct order *from)
{
#ifdef __x86_64__
	long left = sizeof(*to) / 16;

	__asm__ volatile("1: movups (%0), %%xmm0; movups %%xmm0, (%1); add $16, %0; add $16, %1\n"
			 "dec %2; jnz 1b"
			 : "+r"(from), "+r"(to), "+r"(left)
			 :
			 : "xmm0", "memory");
#else
	*to = *from;
#endif
}

/* a call, where compilers would copy by themselves */
void *copy_by_call(void *to, const void *from, size_t size) __asm__("memcpy");

OWN void keep_state(void)
{
	copy_by_call(&before, &now, sizeof(now));
	__asm__ volatile("" ::: "memory");
}

OWN long no_copy(const struct book *book)
{
	return book->count + book->last.whole;
}

OWN long run(struct book *book, long rounds)
{
	long sum = 0;

	for (long i = 0; i < rounds; i++) {
		take_order(&book->orders[i & 63], &book->orders[i * 3 & 63]);
		note_price(book, &book->orders[i & 63]);
		keep_best(book);
		copy_parts(&book->orders[i & 63], &book->orders[i * 3 & 63]);
		copy_unpadded(&events[i & 7], &events[i * 3 & 7]);
		sum += pass_order(book, i & 63) + no_copy(book);
		sum += keep_local(&book->orders[i & 63]);
		copy_pieces(&book->orders[i & 63], &book->orders[i * 5 & 63]);
		keep_state();
	}
	return sum;
}

int main(int argc, char **argv)
{
	struct book *book = calloc(1, sizeof(*book));

	return run(book, argc > 1 ? atol(argv[1]) : 10) == 1;
}
