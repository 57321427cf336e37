// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A record is copied out of words member by member. Its variable has no location, or one in pieces, of which one is still the memory: the record is known by the name of its typedef.
// RULES: lost-cast
// RUN: gcc -fno-var-tracking
// RUN sanitized: gcc -fsanitize=address

typedef unsigned int word;
typedef struct {
	unsigned short next;
	unsigned char symbol, bits;
} entry;
struct stream {
	unsigned long bits;
	unsigned used;
};
unsigned char step(unsigned long *state, struct stream *stream, const word *words)
{
	const entry cell = ((const entry *)words)[*state]; // EXPECT: long unsigned int +0; entry +0 (next); entry +2 (symbol)
	// EXPECT sanitized: long unsigned int +0; word +0
	// MAY: (sanitizer); word +2; entry +3 (bits)
	const unsigned bits = cell.bits; // EXPECT sanitized: entry +3 (bits)
	// MAY: entry +3 (bits); (sanitizer)

	stream->used += bits; // EXPECT: struct stream +8 (used)
	// MAY: (sanitizer)
	*state = cell.next + (stream->bits >> bits); // EXPECT: struct stream +0 (bits); long unsigned int +0
	// MAY: (sanitizer)
	return cell.symbol;
}
