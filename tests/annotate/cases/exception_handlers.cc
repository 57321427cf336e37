// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A handler enters the loop again: the values that the loop keeps in registers are known there.

#include <stdexcept>
#include <vector>

struct tag {
	int hidden;
};

struct item {
	int price;
	tag *first;
};

int check(item *, int);

struct store {
	std::vector<item *> shelf;
	int served, failures;
};

extern "C" int all(store &in, int limit)
{
	int sum = 0;

	for (item *i : in.shelf) { // EXPECT: item* +0 MAY: store +0...; store +8...; item** +0
		try {
			sum += check(i, limit);
			in.served++; // EXPECT: store +24 (served)
		} catch (const std::out_of_range &) {
			in.failures++; // EXPECT: store +28 (failures)
			sum -= i->price; // EXPECT: item +0 (price)
			if (i->first) // EXPECT: item +8 (first)
				i->first->hidden = 1; // EXPECT: tag +0 (hidden)
		}
	}
	return sum;
}
