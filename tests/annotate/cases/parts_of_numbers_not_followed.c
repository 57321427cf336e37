// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Without locations, an access to a part of a number is to a record to which its pointer was cast: the one that a variable or parameter of the inlined function points to, and else an unknown one.
// RULES: unfollowed-cast, unfollowed-part
// RUN: gcc -fno-var-tracking

typedef unsigned int number;
struct entry {
	unsigned short sequence;
	unsigned char bits, length;
};
struct stream {
	unsigned long container;
	const char *position;
};

static inline long length_of(const struct stream *stream, const struct entry *entries)
{
	return entries[stream->container].length; // EXPECT: struct stream +0 (container); struct entry +3 (length)
}

long decode(const struct stream *stream, const number *table)
{
	const void *entries = table;

	return length_of(stream, entries);
}

/* A macro leaves no variable. */
#define BITS(table, i) (((const struct entry *)(table))[i].bits)

long bits_at(const number *table, long i)
{
	return BITS(table, i) + table[0]; // EXPECT: none (the offset is outside the type); number +0
}
