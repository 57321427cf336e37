// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Members of standard containers that are members.

#include <memory>
#include <vector>

struct item {
	int price;
	std::unique_ptr<item> next;
	std::vector<int> sizes;
};

extern "C" long total(const std::vector<item> &items)
{
	long sum = 0;

	for (const item &i : items) { // MAY: std::vector<item...; item* +0
		sum += i.price + i.sizes.size();
		// EXPECT: item +0 (price)
		// EXPECT gcc: item +16...; item +24...
		// EXPECT clang: item +16 (sizes); item +24 (sizes) MAY: item +24...; item +16...
		if (i.next)
		// EXPECT: item +8... EXPECT gcc: item +8... EXPECT gcc: item +8... EXPECT clang: item +8... EXPECT gcc: item +8 (next._M_t._M_t._M_head_impl) EXPECT clang: item +8 (next._M_t._M_t._M_head_impl)
		// EXPECT clang: item +8...
			sum += i.next->price; // EXPECT: item +0 (price)
	}
	return sum;
}
