// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A call that returns an iterator leads to a node of its container; so does one from node to node.
// RUN: g++ -std=c++17

#include <map>
#include <string>

struct item {
	long price;
	int count;
};

using items = std::map<std::string, item>;

__attribute__((noinline)) items::const_iterator first_of(const items &all, const std::string &name)
{
	return all.lower_bound(name);
}

int count_of(const items &all, const std::string &name)
{
	return first_of(all, name)->second.count; // EXPECT: std::_Rb_tree_node<std::pair<...
}

int next_count(const items &all, const std::string &name)
{
	return (++first_of(all, name))->second.count; // EXPECT: std::_Rb_tree_node<std::pair<...
}
