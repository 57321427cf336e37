// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The `this` of an inlined method tells the member of a union that the record begins with.
// RUN: g++
struct range {
	unsigned short first, last, start;
};

struct listed {
	unsigned short format, count;
	unsigned short items[1];

	unsigned find(unsigned key) const
	{
		unsigned low = 0, high = count; // EXPECT: table +2 (u.list.count)

		while (low < high) {
			unsigned middle = (low + high) / 2;
			unsigned found = items[middle]; // EXPECT: listed +4 (items)...

			if (key == found)
				return middle;
			if (key < found)
				high = middle;
			else
				low = middle + 1;
		}
		return 0;
	}
};

struct ranged {
	unsigned short format, count;
	range items[1];

	unsigned find(unsigned key) const
	{
		unsigned low = 0, high = count; // EXPECT: table +2 (u.ranges.count)

		while (low < high) {
			unsigned middle = (low + high) / 2;

			if (key < items[middle].first) // EXPECT: ranged +4 (items.first)...
				high = middle;
			else if (key > items[middle].last) // EXPECT: ranged +6 (items.last)...
				low = middle + 1;
			else
				return items[middle].start + key; // EXPECT: ranged +8 (items.start)...
		}
		return 0;
	}
};

struct table {
	union {
		unsigned short format;
		listed list;
		ranged ranges;
	} u;

	unsigned find(unsigned key) const
	{
		switch (u.format) { // EXPECT: table +0 (u.format)
		case 1: return u.list.find(key);
		case 2: return u.ranges.find(key);
		default: return 0;
		}
	}
};

unsigned look(const table *tables, unsigned number, unsigned key)
{
	return tables[0].find(key) + number;
}
