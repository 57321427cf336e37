// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A struct that only has a word, and that the unit only casts to, is how it accesses words that are not aligned.
// RULES: word-of-bytes

struct __attribute__((packed)) packed_int {
	unsigned int value;
};

struct __attribute__((packed)) packed_short {
	unsigned short value;
};

struct writer {
	unsigned char *bytes;
	unsigned long length;
};

static inline void put_int(unsigned char *bytes, unsigned int value)
{
	((struct packed_int *)bytes)->value = value;
}

static inline unsigned short get_short(const unsigned char *bytes)
{
	return ((const struct packed_short *)bytes)->value;
}

void write_length(struct writer *w, unsigned int length)
{
	put_int(w->bytes + w->length, length);
	// EXPECT-IN write_length: struct writer +0 (bytes); struct writer +8 (length); struct packed_int +0 (value)
}

unsigned int length_after(const unsigned char *text, unsigned long index)
{
	return get_short(text + index + 1); // EXPECT-IN length_after: struct packed_short +0 (value)
}

int is_end(const unsigned char *text, unsigned long index)
{
	return text[index] == 0; // EXPECT: unsigned char +0
}
