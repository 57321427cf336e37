// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An arena gives out bytes, of the block at hand or of a new one: the object made there is
// the one that a member or a list gets the address of. An index from 1 into an array of pointers
// begins in the array of bytes before it, and is no access to that.
// RUN: gcc

#include <stdlib.h>

struct block {
	struct block *next;
	unsigned long size;
	char data[];
};

struct arena {
	char *at, *end;
	struct block *blocks;
};

struct name {
	unsigned int hash, length;
	struct name *next;
	char text[];
};

struct names {
	struct name **buckets;
	unsigned int mask, count;
	struct arena arena;
};

static void *arena_get(struct arena *arena, unsigned long size)
{
	size = (size + 7) & ~7ul;
	if ((unsigned long)(arena->end - arena->at) < size) {
	// EXPECT: struct names +16 (arena.at); struct names +24 (arena.end)
		// the variables may wait on the stack for the end of malloc()
		unsigned long room = size > 4000 ? size : 4000; // MAY: long unsigned int +0 [variable]; unsigned int +0 [variable]; struct names* +0 [variable]
		struct block *block = malloc(sizeof(*block) + room); // MAY: long unsigned int +0 [variable]; unsigned int +0 [variable]; struct names* +0 [variable]

		block->next = arena->blocks; // MAY: long unsigned int +0 [variable]; unsigned int +0 [variable]; struct names* +0 [variable]
		// EXPECT: struct names +32 (arena.blocks); struct block +0 (next)
		block->size = room; // EXPECT: struct block +8 (size)
		// MAY: long unsigned int +0 [variable]; unsigned int +0 [variable]; struct names* +0 [variable]
		arena->blocks = block; // EXPECT: struct names +32 (arena.blocks)
		arena->at = block->data; // MAY: long unsigned int +0 [variable]; unsigned int +0 [variable]; struct names* +0 [variable]
		arena->end = block->data + room; // EXPECT: struct names +24 (arena.end)
		// MAY: long unsigned int +0 [variable]; unsigned int +0 [variable]; struct names* +0 [variable]
	}
	void *result = arena->at;

	arena->at += size; // EXPECT: struct names +16 (arena.at)
	return result;
}

__attribute__((noinline)) struct name *add_name(struct names *names, unsigned int hash,
						unsigned int length)
{
	struct name *name = arena_get(&names->arena, sizeof(*name) + length + 1);

	name->hash = hash; // EXPECT: struct name +0 (hash)
	name->length = length; // EXPECT: struct name +4 (length)
	struct name **bucket = &names->buckets[hash & names->mask];
	// EXPECT: struct names +0 (buckets); struct names +8 (mask)

	name->next = *bucket; // EXPECT: struct name* +0; struct name +8 (next)
	*bucket = name; // EXPECT: struct name* +0
	names->count++; // EXPECT: struct names +12 (count)
	return name;
}

struct inner {
	unsigned char kind, index[256];
	struct inner *children[48];
};

__attribute__((noinline)) struct inner *child(struct inner *inner, unsigned char key)
{
	return inner->index[key] ? inner->children[inner->index[key] - 1] : NULL;
	// EXPECT: struct inner +1 (index); struct inner +264 (children)
}

int main(void)
{
	return 0;
}
