// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A bitfield that is counted up or down within its word: a sum changes no bit below the lowest one of the number that is added.
// RUN: clang
// RUN: clang -O3 -march=x86-64-v3

struct packet {
	unsigned length : 20, hops : 8, last : 1, more : 1, unused : 2;
	unsigned long sequence : 40, window : 24;
};

void pass(struct packet *p)
{
	p->hops--; // EXPECT: struct packet +0 (hops)
}

void widen(struct packet *p)
{
	p->window += 4; // EXPECT: struct packet +8 (window) MAY: struct packet +13 (window)
}

void advance(struct packet *p, unsigned long by)
{
	p->sequence += by; // EXPECT: struct packet +8 (sequence)
}

void grow(struct packet *p, unsigned by)
{
	p->length += by; // EXPECT: struct packet +0 (length)
}
