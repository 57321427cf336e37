// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A lambda accesses its captures.

struct item {
	long price;
	item *next;
};

template <typename F> static void each(item *i, F f)
{
	for (; i; i = i->next) // EXPECT: item +8 (next)
		f(*i);
}

extern "C" long total(item *first, long *most)
{
	long sum = 0;

	each(first, [&sum, most](item &i) {
		sum += i.price; // EXPECT: item +0 (price)
		*most = sum; // EXPECT gcc: long int +0 EXPECT clang: long +0
	});
	return sum;
}
