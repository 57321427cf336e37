// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A part of a variable whose class is only declared begins where the address of the part's virtual table is stored.
// RULES: stored-table
// RUN: g++ -fno-tree-slp-vectorize --no-rule=own-object,part-by-table
// RUN without: g++ -fno-tree-slp-vectorize --no-rule=own-object,part-by-table,stored-table
struct __attribute__((visibility("hidden"))) part {
	virtual ~part();
	part() : first(3) {} // EXPECT: part +0 [rule stored-table]; whole +24; whole +40
	// EXPECT without: whole +16; whole +32; whole +24; whole +40
	long first;
};

struct __attribute__((visibility("hidden"))) whole {
	virtual ~whole();
	whole() : number(2) {} // EXPECT: whole +0; whole +8
	long number;
	part one;
	part two;
};

extern "C" long build(long (*use)(whole *))
{
	whole w;
	return use(&w);
}

// The unit that has the destructors has the tables. Here both only need to be there.
asm(".section .data.rel.ro,\"aw\"\n"
    ".globl _ZTV4part, _ZTV5whole\n"
    ".type _ZTV4part, @object\n.size _ZTV4part, 32\n_ZTV4part: .zero 32\n"
    ".type _ZTV5whole, @object\n.size _ZTV5whole, 32\n_ZTV5whole: .zero 32\n"
    ".text\n.globl _ZN4partD1Ev, _ZN4partD2Ev, _ZN5wholeD1Ev\n"
    "_ZN4partD1Ev: _ZN4partD2Ev: _ZN5wholeD1Ev: ret\n");
