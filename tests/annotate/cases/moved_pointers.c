// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer is loaded from memory whose inferred type has a number there: the type is refused.
// RULES: loaded-pointer
// RUN: gcc clang
// RUN off: gcc clang --no-rule=loaded-pointer

struct arena {
	unsigned long number;
	long size;
};

struct container {
	struct arena *arena;
	long fields;
};

void use(struct arena *arena);

/* A bit of the word tells what it points to. It is used as an arena in one case only. */
void find(unsigned long word)
{
	void *p = (void *)(word & ~3ul);

	use(word & 1 ? ((struct container *)p)->arena : p);
	// EXPECT: none (the access is not to what is declared there) [rule loaded-pointer]
	// EXPECT off: struct arena +0 (number)
}
