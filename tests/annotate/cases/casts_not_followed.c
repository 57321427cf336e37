// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Where the compiler did not follow the variables, nothing says to what a pointer was cast: a part of an integer is the member of the record that a variable in scope is or points to.
// RULES: lost-cast
// RUN: gcc -fno-var-tracking

typedef unsigned int word;
struct cell {
	unsigned short next;
	unsigned char symbol, bits;
};
struct pair {
	unsigned char bits, byte;
};
struct stream {
	unsigned long bits;
	unsigned used;
};

/* The table is declared as words, the first of which is a header. */
static inline unsigned char decode(struct stream *stream, const struct pair *table, unsigned log)
{
	unsigned long i = stream->bits >> log; // EXPECT: struct stream +0 (bits)
	unsigned char byte = table[i].byte; // EXPECT: struct pair +1 (byte)

	stream->used += table[i].bits; // EXPECT: struct pair +0 (bits); struct stream +8 (used)
	return byte;
}

void decode_all(struct stream *stream, unsigned char *to, unsigned char *end, const word *words)
{
	const void *start = words + 1;
	const struct pair *table = start;

	while (to < end)
		*to++ = decode(stream, table, 3); // EXPECT: unsigned char +0
}

/* A record is copied out of the words. */
unsigned char step(unsigned long *state, const word *words, unsigned *used)
{
	const struct cell cell = ((const struct cell *)words)[*state];
	// EXPECT: long unsigned int +0; struct cell +0 (next); struct cell +2 (symbol)

	*used += cell.bits; // EXPECT: struct cell +3 (bits); unsigned int +0
	*state = cell.next; // EXPECT: long unsigned int +0
	return cell.symbol;
}

/* Without such a variable a part of an integer is a part of an integer. */
unsigned char low(const word *words, long i)
{
	return words[i]; // EXPECT: word +0
}

struct short_entry {
	unsigned char name[11], attributes, case_, ms;
	unsigned short time, start;
};
struct long_entry {
	unsigned char id, name[10], attributes, kind, checksum;
	unsigned short rest, start;
};
extern int note(int id, int checksum);

/* A pointer that is kept as one to another record of the same size is there to be used. */
int add_slot(struct short_entry *entry)
{
	struct long_entry *slot = (struct long_entry *)entry;

	if (!note(slot->id & 31, slot->checksum))
	// EXPECT: struct long_entry +0 (id); struct long_entry +13 (checksum)
		return 0;
	slot->kind = 0; // EXPECT: struct long_entry +12 (kind)
	return note(slot->id, 0); // EXPECT: struct long_entry +0 (id)
}
