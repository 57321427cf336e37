// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An index into a buffer of bytes counts elements larger than the word that is accessed: the buffer has records that nothing names, and there is no answer.
// RULES: scaled-bytes
// RUN: gcc clang
// RUN off: gcc clang --no-rule=scaled-bytes

struct step {
	unsigned int code, line;
};

struct buffer {
	unsigned char *bytes;
	long size;
};

void set_line(struct buffer *b, long i, unsigned int line)
{
	((struct step *)b->bytes)[i].line = line;
	// EXPECT: struct buffer +0 (bytes); none
	// EXPECT off: struct buffer +0 (bytes); unsigned char +0
}

/* Words of a text. */
unsigned int word(struct buffer *b, long i)
{
	return ((unsigned int *)b->bytes)[i];
	// EXPECT: struct buffer +0 (bytes); unsigned char +0
	// EXPECT off: struct buffer +0 (bytes); unsigned char +0
}

/* A single byte of each eight. */
unsigned char byte(struct buffer *b, long i)
{
	return b->bytes[i * 8];
	// EXPECT: struct buffer +0 (bytes); unsigned char +0
	// EXPECT off: struct buffer +0 (bytes); unsigned char +0
}
