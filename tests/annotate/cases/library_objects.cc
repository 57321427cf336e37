// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Control blocks of shared pointers, a string's local buffer, pointers to members, an optional.
// RUN: g++ -std=c++17

#include <memory>
#include <optional>
#include <string>

struct node {
	node *next;
	long key;
	int value;
	std::string name;
	std::optional<long> rank;
};

/* Which member it is, only the caller knows. */
long by_member(const node *n, long node::*member)
{
	return n->*member; // EXPECT: none (the offset is outside the type)
}

long shared(const std::shared_ptr<node> &p)
{
	return p->key + p.use_count();
	// EXPECT: std::shared_ptr<node> +0 (_M_ptr); node +8 (key)
	// EXPECT: std::shared_ptr<node> +8 (_M_refcount._M_pi)
	// EXPECT: std::_Sp_counted_base<(__gnu_cxx::_Lock_policy)2> +8 (_M_use_count)
}

char in_buffer(const node *n)
{
	return n->name[1]; // EXPECT: node +24 (name._M_dataplus._M_p); char +0
}

long optional(const node *n)
{
	return n->rank.value_or(1);
	// EXPECT: node +64 (rank._M_payload._M_engaged)
	// EXPECT: node +56 (rank._M_payload._M_payload._M_value)
}
