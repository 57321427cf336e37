// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The nodes of LLVM's containers are known by the container, and members of its classes have their types.
// RUN: clang++ -stdlib=libc++ -std=c++17

#include <list>
#include <map>
#include <memory>
#include <vector>

struct item {
	long price, weight;
};

extern "C" long weight_of_list(const std::list<item> &items)
{
	long sum = 0;

	for (const item &i : items) // MAY: std::...
		sum += i.weight; // EXPECT: item +8 (weight)
	return sum;
}

extern "C" long weight_of_map(const std::map<long, item> &items)
{
	auto found = items.find(7); // EXPECT: std::... MAY: none

	return found == items.end() ? 0 : found->second.weight; // EXPECT: std::... MAY: std::...
}

extern "C" long weight_of_vector(const std::vector<item> &items)
{
	long sum = 0;

	for (const item &i : items) // MAY: std::...
		sum += i.weight; // EXPECT: item +8 (weight)
	return sum;
}

extern "C" long weight_of_owned(const std::unique_ptr<item> &owned)
{
	return owned->weight; // EXPECT: item +8 (weight) MAY: std::...
}
