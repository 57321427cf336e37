// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A function of the same unit changes few registers, and gcc keeps its caller's values in the others: they keep their types during the call.
// RUN: gcc -O2
struct item {
	long weight, price;
	struct item *next;
};
long tax;

static __attribute__((noinline)) long priced(long price)
{
	return price * 7 + tax / (price | 1);
}

/* The pointer that walks through the array is no variable. */
long total(struct item **items, int count)
{
	long sum = 0;

	for (int i = 0; i < count; i++) {
		struct item *item = items[i]; // EXPECT: struct item* +0

		sum += priced(item->weight); // EXPECT: struct item +0 (weight)
		item->price = sum; // EXPECT: struct item +8 (price)
	}
	return sum;
}

/* An index keeps its factors: the records have 28 bytes. Without the rule its factor seems to be 4. */
struct choice {
	int price, offset, length, literals;
	unsigned int last[3];
};

static __attribute__((noinline)) int priced_length(int length)
{
	return length < 16 ? length * 3 : length / 9 + 40;
}

int best(struct choice *choices, unsigned int at, int price)
{
	return price + priced_length((int)at) + choices[at].price; // EXPECT: struct choice +0 (price)
}

/* A function of another unit may change all that the convention allows: its result is not the argument. */
struct item *other(struct item *item);

long second(struct item *item)
{
	item = other(item);
	return item->price; // EXPECT: struct item +8 (price)
}
