// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Only the shift of an index is known: the access is to a whole record of the array if the record's size has that power of two as a factor.
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

/* 48 bytes have the same power of two, 16, as the elements at the end. The address is in the
 * element before the first, but at no member of it. */
long before(struct closure *closure, long i)
{
	return *(long *)((char *)closure + (i << 4) + 20); // EXPECT: none (the offset is outside the type)
}

/* The power of two in 96 bytes is 32: a step of 16 does not choose whole records. */
long beyond(struct account *account, long i)
{
	return *(long *)((char *)account + (i << 4) + 40); // EXPECT: none (the offset is outside the type)
}
