// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The alternative of a std::variant is the one whose member functions the code is from, or that its variable points to.
// RUN: g++ -std=c++17
#include <memory>
#include <string>
#include <variant>

struct number {
	double value;
};

struct name {
	std::string text;
};

struct pair;
using tree = std::variant<number, name, std::unique_ptr<pair>>;

struct pair {
	char kind;
	tree left, right;
};

extern "C" double value_of(pair *p)
{
	if (auto *n = std::get_if<number>(&p->left)) // EXPECT: pair +40 (left._M_index)
		return n->value * 2; // EXPECT: pair +8 (left._M_u._M_first...
	return p->kind; // EXPECT: pair +0 (kind)
}

extern "C" unsigned long length_of(pair *p)
{
	if (auto *n = std::get_if<name>(&p->right)) // EXPECT: pair +80 (right._M_index)
		return n->text.size() + n->text[2];
	// EXPECT: pair +56 (right._M_u._M_rest._M_first...
	// EXPECT: pair +48 (right._M_u._M_rest._M_first...
	// MAY: none
	return 0;
}
