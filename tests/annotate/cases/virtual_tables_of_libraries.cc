// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A class's table of tables is in a library, and its address is in a slot that the dynamic linker fills: what is loaded from the slot points to an array of addresses.
// RUN: g++ -fPIC

#include <new>

struct top { // MAY: outer +24
	virtual ~top();
	long uses = 1;
};

struct left : virtual top {
	left() {} // EXPECT: void*[]* +0; void*[] +8; void*[] +16
		  // MAY: none
	virtual long sides();
};

struct outer : left {
	outer() {} // MAY: void*[]* +0; void* +0; outer +0; outer +16
	~outer() override;
	long last;
};

extern "C" outer *made(outer *at)
{
	return new (at) outer;
}
