// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A bitfield that crosses bytes, beside a plain member.

struct bits {
	unsigned a : 3, b : 7, c : 6;
	unsigned short d;
};

// EXPECT-IN get_both: struct bits +0 (b); struct bits +2 (d)
int get_both(struct bits *b)
{
	return b->b + b->d;
}

// A signed bitfield is shifted up before it is shifted down: gcc adds it to itself to shift by one.
struct tuned {
	char mode;
	int gain : 7, bias : 9;
};
int gain(const struct tuned *tuned)
{
	return tuned->gain; // EXPECT: struct tuned +1 (gain)
}
