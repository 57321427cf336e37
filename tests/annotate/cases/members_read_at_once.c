// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer out of a union leads to a record of which two members are compared at once: gcc
// makes one comparison of 8 bytes of the two of 4.

#include <string.h>

struct text {
	unsigned long references[2];
	unsigned int length, hash;
	char bytes[];
};

struct variant {
	int tag;
	union {
		long number;
		double real;
		struct text *text;
	} u;
};

__attribute__((noinline)) int same_text(const struct variant *a, const struct variant *b)
{
	return a->u.text == b->u.text || (a->u.text->hash == b->u.text->hash &&
	// EXPECT: struct variant +8 (u.text)
	// MAY: struct text +16 (length); struct text +20 (hash)
					  a->u.text->length == b->u.text->length);
	// MAY: struct text +16 (length)
}

/* Options of packets are a kind, a length and bytes: the third byte is no kind of another one. */
struct option {
	unsigned char kind, length, data[];
};

__attribute__((noinline)) int scale_of(const struct option *option)
{
	return option->kind == 3 ? option->data[0] : 0;
	// EXPECT: struct option +0 (kind); struct option +2 (data)
}

int main(void)
{
	return 0;
}
