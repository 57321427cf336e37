// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A container leads to the base class of its nodes; the name of the container's type tells what the node is.
// RULES: container-node
// RUN: g++

#include <unordered_map>

struct shop {
	std::unordered_map<unsigned, long> prices;
	std::unordered_map<unsigned, double> weights;
};

extern "C" long nodes_of_containers(const shop *s)
{
	return s->prices.begin()->second + (long)s->weights.begin()->second;
	// EXPECT: std::__detail::_Hash_node<std::pair<unsigned int const, long int>, false> +16...
	// EXPECT: std::__detail::_Hash_node<std::pair<unsigned int const, double>, false> +16...
	// MAY: shop...
}
