// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Rule old-flexible-array: an array of one at the end of a record may have more elements.
// RUN: gcc clang
// RUN without: gcc clang --no-rule=old-flexible-array

struct item {
	long key, value;
};
struct list {
	long count;
	struct item items[1];
};

long third(struct list *l)
{
	return l->items[2].value;
	// EXPECT: struct list +16 (items.value)
	// EXPECT without: none (the offset is outside the type)
}
