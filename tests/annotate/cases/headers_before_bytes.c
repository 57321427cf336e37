// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Before the bytes that an allocator gives is the header to which macros cast: the unit's one record that ends there and has such a member.
// RUN: gcc clang
// RULES: word-of-bytes

struct chunk {
	void *block;
	unsigned long used, size;
	char *next;
};

#define HEAD(bytes) (((struct chunk *)(bytes)) - 1)

struct other {
	int kind, count;
};

#define OTHER(bytes) ((struct other *)(bytes))

// EXPECT-IN size_of_all: struct chunk +24 (next); struct chunk +16 (size)
unsigned long size_of_all(char *c)
{
	unsigned long sum = 0;

	for (; c; c = HEAD(c)->next) // MAY: struct chunk +24 (next)
		sum += HEAD(c)->size; // MAY: struct chunk +16 (size); struct chunk +24 (next)
	return sum;
}

void use_chunk(char *chunk, unsigned long used)
{
	HEAD(chunk)->used = used; // EXPECT: struct chunk +8 (used)
}

int count_of(char *bytes)
{
	return OTHER(bytes)->count;
}

/* two members at once */
void clear(char *chunk)
{
	*(int *)(chunk - 20) = 0; // EXPECT: none
}
