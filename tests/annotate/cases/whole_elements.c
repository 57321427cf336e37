// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Of an index only the shift is known: it chooses a whole record if the record's size has that power of two.
// RUN: gcc clang -fno-strict-aliasing

struct account {
	char owner[40];
	long number;
	long balance;
	char note[40];
};

/* 96 bytes: gcc computes ((low + high & ~1) + middle) << 5. */
long bisect(struct account *all, long high, long number)
{
	long low = 0;

	while (low < high) {
		long middle = (low + high) / 2;

		if (all[middle].number < number) // EXPECT: struct account +40 (number)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

struct slot {
	long key;
	long value;
};

struct closure {
	long header[3];
	int (*function)(void);
	struct slot slots[1];
};

/* 48 bytes, whose power of two is that of the elements at the end: the place of the element before
 * the first, but no member of it. */
long before(struct closure *closure, long i)
{
	return *(long *)((char *)closure + (i << 4) + 20); // EXPECT: none (the offset is outside the type)
}

/* 96 bytes, whose power of two is 32: a step of 16 is none of it. */
long beyond(struct account *account, long i)
{
	return *(long *)((char *)account + (i << 4) + 40); // EXPECT: none (the offset is outside the type)
}
