// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Bytes at the start of a record are no part of a number of another record, to which a variable without a place points.
// RUN: gcc clang
// RUN: gcc -O1

struct header {
	unsigned char magic[16];
	unsigned long sections;
	unsigned short count, names;
};
struct section {
	unsigned int name, kind;
	unsigned long size, offset;
};
int find(const char *name);

unsigned long sum_of_sections(const struct header *h)
{ // MAY: struct header...; (stack spill)...
	unsigned long sum = 0;

	if (h->magic[0] != 0x7f || h->magic[1] != 'E') // EXPECT: struct header +0 (magic) MAY: struct header +1 (magic)
		return 0;
	const struct section *s = (const void *)((const char *)h + h->sections); // MAY: struct header +16 (sections)

	for (int i = 0; i < h->count; i++) // EXPECT: struct header +24 (count)
		if (find((const char *)h + s[i].name + s[h->names].offset))
			// EXPECT: struct header +26 (names)
			// MAY: struct section +16 (offset); struct section +0 (name); none; (stack spill)...
			sum += s[i].size; // MAY: struct section +8 (size); none
	return sum;
}
