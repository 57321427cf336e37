// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A header before a text, reached by a negative offset from the text.
// CODE: -3(%rdi)

#include <stdint.h>

struct __attribute__((packed)) header {
	unsigned char len, alloc, flags;
	char buf[];
};

/* A variable whose value is a register minus a constant. */
int header_length(const char *s)
{
	const struct header *h = (const void *)(s - 3);

	return h->len + h->alloc; // EXPECT: struct header +0 (len); struct header +1 (alloc)
}

struct name {
	unsigned char length;
	char text[];
};

/* A byte before a text is no header if nothing else says so. */
int ends(const char *s, struct name *n)
{
	return s[-1] == '/' && n->length;
	// EXPECT: char +0; struct name +0 (length)
}
