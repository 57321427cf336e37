// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A record at a number of bytes from a pointer, in the instruction itself: LLVM has no location for the variable that points there.
// RUN: clang
// BEFORE: clang 21
// RULES: folded-address

struct entry {
	unsigned int next, key;
	unsigned long value;
};
struct heap {
	char *base;
	unsigned int first, used;
};
void push(struct heap *h, unsigned int key, unsigned long value)
{
	unsigned int at = h->used; // EXPECT: struct heap +12 (used)
	struct entry *e = (struct entry *)(h->base + at); // EXPECT: struct heap +0 (base)

	e->key = key; // EXPECT: struct entry +4 (key)
	e->value = value; // EXPECT: struct entry +8 (value)
	e->next = h->first; // EXPECT: struct entry +0 (next); struct heap +8 (first)
	h->first = at; // EXPECT: struct heap +8 (first)
}

// The header of a file says where in it its sections are.
struct header {
	unsigned char magic[16];
	unsigned long start;
	unsigned short count;
};
struct section {
	unsigned int name, kind;
	unsigned long at, size;
};
// EXPECT-IN name: struct header +16 (start)
const char *name(const char *file, unsigned long i, unsigned long j)
{
	const struct header *h = (const void *)file;
	const struct section *s = (const void *)(file + h->start); // MAY: struct header +16 (start)

	return file + s[i].name + s[j].at; // EXPECT: struct section +0 (name); struct section +8 (at) MAY: struct header +16 (start)
}

// Words of an array of bytes between other members.
struct stream {
	long done;
	unsigned char bytes[64];
	int at;
};
int word(struct stream *s, unsigned long at)
{
	return *(int *)&s->bytes[at]; // EXPECT: struct stream +8 (bytes)
}
