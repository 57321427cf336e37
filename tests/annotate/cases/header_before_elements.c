// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Before the elements of a flexible array is its header, where no member of an element fits.
// RULES: text-header

union value { unsigned long word; double number; void *pointer; };
struct pair { union value key, value; };

struct tuple { unsigned int flags; int length; long hash; const union value data[]; };
struct table { unsigned int flags; int length; long hash; struct pair data[]; };

int tuple_length(const union value *tuple)
{
	return ((struct tuple *)((char *)tuple - 16))->length;
	// EXPECT: struct tuple +4 (length)
}

unsigned int table_flags(const struct pair *table)
{
	return ((struct table *)((char *)table - 16))->flags;
	// EXPECT: struct table +0 (flags)
}

/* The elements before the last one: a member of them fits. */
double products(const struct pair *at, const struct pair *end)
{
	double sum = 0;

	for (; at < end; at++) // MAY: struct pair +8 (value.number)
		sum += at[-1].value.number * at->value.number;
	// EXPECT: struct pair +8 (value.number)
	return sum;
}
