// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: gcc says that a variable is in memory up to the next store: the address of bytes that is loaded from there after it is the variable's, too.
// RUN: gcc
// BEFORE: gcc 16
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
struct file {
	const unsigned char *base;
	unsigned long size;
	unsigned int sections;
};

int find(const char *name);

static int is_valid(const struct file *file)
{
	const struct header *h = (const struct header *)file->base;

	return file->size >= sizeof(*h) && h->magic[0] == 0x7f && h->magic[1] == 'E';
	// EXPECT: struct file +8 (size)
	// MAY: struct header +0 (magic)
}

unsigned long sum_of_sections(struct file *file)
{
	const struct header *h = (const void *)file->base; // EXPECT: struct file +0 (base)
	unsigned long sum = 0;

	if (!is_valid(file)) // MAY: struct header +0 (magic)
		return 0;
	const struct section *s = (const void *)(file->base + h->sections); // EXPECT: struct header +16 (sections)
	const char *names = (const char *)file->base + s[h->names].offset;
	// EXPECT: struct header +26 (names); struct section +16 (offset)

	for (int i = 0; i < h->count; i++) { // EXPECT: struct header +24 (count)
		if (find(names + s[i].name)) // EXPECT: struct section +0 (name)
			sum += s[i].size; // EXPECT: struct section +8 (size)
		file->sections++; // EXPECT: struct file +16 (sections)
	}
	return sum;
}
