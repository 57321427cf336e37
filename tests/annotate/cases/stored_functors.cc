// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A std::function's bytes are the lambda's captures, or point to them.
// RULES: stored-functor
// RUN: g++ -std=c++17
// RUN without: g++ -std=c++17 --no-rule=stored-functor

#include <functional>

struct node {
	node *next;
	long key;
	int value;
};

/* Two references have room in the std::function. */
std::function<long(long)> few(node &first, node &second)
{
	return [&](long n) {
		return n + first.key + second.value;
		// EXPECT: node +8 (key); node +16 (value)
		// MAY: std::_Any_data...; long int +0
		// EXPECT without: none; std::_Any_data...; long int +0; node +16 (value) [rule distant-member]
	}; // MAY: std::...
	// MAY: std::...
}
