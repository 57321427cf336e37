// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A table of words begins with a header; its other elements are of the record that they are copied to.
// RUN: gcc

struct header {
	unsigned short log;
	unsigned short fast;
};

struct entry {
	unsigned short next;
	unsigned char symbol;
	unsigned char bits;
};

struct walk {
	unsigned long state;
	const void *table;
};

static inline __attribute__((always_inline)) void begin(struct walk *walk, const unsigned *table)
{
	const void *start = table;
	const struct header *header = (const struct header *)start;

	walk->state = header->log; // EXPECT: struct header +0 (log)
	walk->table = table + 1;
}

static inline __attribute__((always_inline)) unsigned char step(struct walk *walk, unsigned long in)
{
	const struct entry entry = ((const struct entry *)walk->table)[walk->state];
	// EXPECT: struct entry +2 (symbol) MAY: struct entry +0 (next); struct entry +3 (bits)

	walk->state = entry.next + (in >> entry.bits);
	// MAY: struct entry +0 (next); struct entry +3 (bits); unsigned long +0; long unsigned int +0
	return entry.symbol;
}

void decode(unsigned char *to, const unsigned char *end, const unsigned *table,
	    const unsigned long *in)
{
	struct walk walk;

	begin(&walk, table);
	while (to < end)
		*to++ = step(&walk, *in++); // MAY: long unsigned int +0; unsigned char +0
	// MAY: unsigned long +0; unsigned char +0; struct entry +0 (next); struct entry +3 (bits)
}
