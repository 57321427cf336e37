// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The tables of a class with a virtual base are no variables: they are arrays of addresses that the compiler made.
// RUN: g++

#include <new>

struct top { // MAY: outer +24
	virtual ~top();
	long uses = 1;
};

struct left : virtual top {
	left() {} // EXPECT: void*[] +8; void*[] +16
		  // MAY: none
	virtual long sides();
};

struct __attribute__((visibility("hidden"))) outer : left {
	outer() {} // MAY: outer +0; outer +16
	~outer() override;
	long last;
};

// The unit that has the destructor has the tables. Here they only need to be there.
asm(".section .data.rel.ro,\"aw\"\n"
    ".globl _ZTT5outer, _ZTV5outer\n"
    ".type _ZTT5outer, @object\n.size _ZTT5outer, 32\n_ZTT5outer: .zero 32\n"
    ".type _ZTV5outer, @object\n.size _ZTV5outer, 96\n_ZTV5outer: .zero 96\n"
    ".text\n");

extern "C" outer *made(outer *at)
{
	return new (at) outer;
}
