// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Arrays without a size in a union (DECLARE_FLEX_ARRAY) and at the end of a record.

struct item {
	long key;
	int value;
};

struct table {
	union {
		struct {
			unsigned int count;
			long other[2];
		};

		struct {
			struct {
			} empty;
			struct item *items[0];
		};
	};
};

long in_union(struct table *t, unsigned int i)
{
	return t->items[i]->value; // EXPECT: struct table +0 (items); struct item +8 (value)
}

struct device {
	long number;
	char private[];
};

/* Bytes at an offset that the instruction names: something is laid out there by
 * hand. */
int fixed(struct device *d)
{
	return d->private[26]; // EXPECT: struct device +34 (private)
}
