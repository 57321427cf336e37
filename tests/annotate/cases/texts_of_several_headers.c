// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The byte that tells the headers of a text apart is an element of the text; the low half of a length is the length.

struct __attribute__((packed)) small {
	unsigned char length, kind;
	char text[];
};

struct __attribute__((packed)) large {
	long length;
	unsigned char kind;
	char text[];
};

struct small a;
struct large b;

int length(const char *s)
{
	if (s[-1]) // EXPECT: char +0
		return (int)((struct large *)(s - sizeof(struct large)))->length;
		// EXPECT: struct large +0 (length) [inferred]
	return ((struct small *)(s - sizeof(struct small)))->length;
	// EXPECT: struct small +0 (length) [inferred]
}
