// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The variable of a loop follows the node that the register points to: memory before it belongs to the node.

#include <list>
#include <unordered_map>

struct item {
	long price;
	int count;
};

// EXPECT-IN hash_total: std::__detail::_Hash_node...
extern "C" long hash_total(const std::unordered_map<long, item> &items)
{
	long sum = 0;

	for (const auto &i : items) // MAY: std::unordered_map<...
		sum += i.second.price; // MAY: std::pair<...; std::__detail::_Hash_node...
	return sum;
}

// EXPECT-IN list_total: std::__detail::_List_node_base +0 (_M_next) or std::_List_node<item> +0 (_M_next)
extern "C" long list_total(const std::list<item> &items)
{
	long sum = 0;

	for (const item &i : items) // MAY: std::...
		sum += i.price * i.count; // EXPECT: item +8 (count); item +0 (price)
	return sum;
}
