// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A record of bytes with a flexible array at its end is cast to other records: without strict aliasing, its bytes and words are members of the records that the unit casts it to.
// RULES: word-of-bytes, byte-of-place
// RUN: gcc -fno-strict-aliasing
// RUN strict: gcc

struct value {
	char length[4];
	char data[];
};

typedef union {
	struct {
		unsigned int header;
		char data[];
	} words;
} long_value;

typedef struct {
	unsigned char header;
	char data[];
} short_value;

typedef struct {
	unsigned char header, tag;
	char data[];
} outside_value;

/* The unit does not cast this record. */
struct name {
	char text[16];
	long hash;
};

unsigned int length(struct value *v)
{
	return ((long_value *)v)->words.header;
	// EXPECT: long_value +0 (words.header) [inferred] EXPECT strict: struct value +0 (length)
}

/* Two of the records begin with the same byte: the smaller one is meant. */
int is_short(struct value *v)
{
	return ((short_value *)v)->header & 1;
	// EXPECT: short_value +0 (header) [inferred] EXPECT strict: struct value +0 (length)
}

int tag(struct value *v)
{
	return ((outside_value *)v)->tag;
	// EXPECT: outside_value +1 (tag) [inferred] EXPECT strict: struct value +1 (length)
}

/* No record has a byte of its own there. */
int third(struct value *v)
{
	return v->length[2]; // EXPECT: struct value +2 (length) EXPECT strict: struct value +2 (length)
}

int text(struct name *n)
{
	return n->text[1]; // EXPECT: struct name +1 (text) EXPECT strict: struct name +1 (text)
}
