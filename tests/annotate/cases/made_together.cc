// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A constructor makes an object in a variable whose class is only declared: it is a part of the variable.
// RUN: g++ -fno-tree-slp-vectorize
static inline void put(char &to, char c)
{
	to = c; // EXPECT: whole +40
}

struct text {
	char *start;
	char small[16];
	text() { start = small; put(small[0], 0); } // EXPECT: text +0 (start)
};

struct __attribute__((visibility("hidden"))) part {
	virtual ~part();
	part() : first(true), second(false) {}
	// EXPECT: whole +24; part +0
	bool first, second;
};

struct __attribute__((visibility("hidden"))) whole {
	virtual ~whole();
	whole() : number(2) {} // EXPECT: whole +0; whole +8
	long number;
	part one;
	text name;
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
