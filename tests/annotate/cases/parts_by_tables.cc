// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The parts of a variable whose class is only declared, by `this` of inlined functions and by their virtual tables.
// RUN: g++ -fno-tree-slp-vectorize
// RUN fixed: g++ -fno-tree-slp-vectorize -fno-pic -no-pie -nostdlib -fno-exceptions
struct __attribute__((visibility("hidden"))) part {
	virtual ~part();
	part() : first(3) {} // EXPECT: part +0; part +8
	void add(long n) { first += n; } // EXPECT: part +8
	long first;
};

// The members of the variable's own class, and the beginning of the variable, stay its own.
struct __attribute__((visibility("hidden"))) whole {
	virtual ~whole();
	whole() : number(2) {} // EXPECT: whole +0; whole +8
	void count(long n) { number += n; } // EXPECT: whole +8
	long number;
	part one;
	part two;
};

extern "C" long build(long (*use)(whole *), long n)
{
	whole w;
	long result = use(&w);

	w.one.add(n);
	w.count(n);
	return result + use(&w);
}

// The tables are in the unit that has the destructors. Here both only need to exist.
asm(".section .data.rel.ro,\"aw\"\n"
    ".globl _ZTV4part, _ZTV5whole\n"
    ".type _ZTV4part, @object\n.size _ZTV4part, 32\n_ZTV4part: .zero 32\n"
    ".type _ZTV5whole, @object\n.size _ZTV5whole, 32\n_ZTV5whole: .zero 32\n"
    ".text\n.globl _ZN4partD1Ev, _ZN4partD2Ev, _ZN5wholeD1Ev\n"
    "_ZN4partD1Ev: _ZN4partD2Ev: _ZN5wholeD1Ev: ret\n");
