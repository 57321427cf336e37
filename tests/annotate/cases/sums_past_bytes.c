// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A number of bytes that a file's header tells is added to the address of the header, which begins with bytes: what is there is none of them.
// RUN: clang
// RUN off: clang --no-rule=sum-past-bytes
// RULES: sum-past-bytes

struct header {
	unsigned char magic[16];
	unsigned long sections, entries;
	unsigned short count;
};
struct section {
	unsigned int name, kind;
	unsigned long flags, address, offset, size;
	unsigned long more[3];
};
struct symbol {
	unsigned int name;
	unsigned char info, other;
	unsigned short section;
	unsigned long value, size;
};
struct entry {
	long tag;
	unsigned long value;
};
struct stream {
	unsigned char bytes[64];
	int at;
};

unsigned long sum_of_symbols(const struct header *h)
{ // MAY: struct header +32 (count)
	const struct section *s = (const void *)((const char *)h + h->sections); // MAY: struct header +16 (sections)
	unsigned long sum = 0;

	for (int i = 0; i < h->count; i++) { // MAY: struct header...
		if (s[i].kind != 2 && s[i].kind != 11) // EXPECT: struct section +4 (kind)
			continue;
		const struct symbol *y = (const void *)((const char *)h + s[i].offset); // MAY: struct section +24 (offset)

		for (unsigned long k = 0; k < s[i].size / sizeof(*y); k++) // MAY: struct section +32 (size)
			if ((y[k].info & 15) == 2) // EXPECT: none; struct symbol +4 (info)
				// EXPECT off: struct header +4 (magic); struct symbol +4 (info); none
				sum += y[k].value + y[k].size; // EXPECT: none; struct symbol +8 (value)
				// MAY: struct symbol +16 (size); struct section +32 (size); struct header +8 (magic)
	}
	return sum;
}

// LLVM says which sum the variable is.
unsigned long sum_of_entries(const struct header *h)
{
	unsigned long sum = 0;

	for (const struct entry *e = (const void *)((const char *)h + h->entries); e->tag; e++)
		// EXPECT: struct header +24 (entries); struct entry +0 (tag)
		if (e->tag == 5 || e->tag == 1)
			sum += e->value; // EXPECT: struct entry +8 (value)
	return sum;
}

/* Words of bytes, without anything beyond them. */
int word(struct stream *s, unsigned long at)
{
	return *(int *)&s->bytes[at] + *(int *)&s->bytes[at + 4]; // EXPECT: struct stream +0 (bytes); struct stream +4 (bytes)
}
