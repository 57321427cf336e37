// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The base class of a list's node leads to the node with the element.

#include <list>

struct item {
	int price;
	int count;
};

extern "C" long trim(std::list<item> &items)
{
	items.remove_if([](const item &i) { return i.count % 7 == 0; });
	// EXPECT: std::...; std::__detail::_List_node_base +0 (_M_next)
	// EXPECT gcc: std::_List_node<item> +20 (_M_storage._M_storage.count)
	// MAY: std::_List_node<item> +20 (_M_storage._M_storage.count); item +4 (count)
	// EXPECT: std::_List_node<item> +0 (_M_next)
	return 0;
}
