// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer is stored to memory, or loaded from memory, whose type has no pointer there: the type is refused.
// RULES: stored-pointer, loaded-pointer
// RUN: gcc clang
// RUN off: gcc clang --no-rule=stored-pointer,loaded-pointer

struct object {
	int count;
	char *bytes;
	int length;
	long value;
	struct object *next;
};

struct owner {
	long id;
};

struct object *take_object(void);

/* The memory of an object is used for something else: the owner goes where an object has a
 * number. */
void start(struct owner *owner)
{
	struct object *o = take_object();

	*(struct owner **)((char *)o + 16) = owner;
	// EXPECT: none (the access is not to what is declared there) [rule stored-pointer]
	// EXPECT off: struct object +16 (length)
	o->bytes = 0; // EXPECT: struct object +8 (bytes)
}

/* A number that is as wide as a pointer may hold one. */
void keep(struct object *o, struct owner *owner)
{
	o->value = (long)owner; // EXPECT: struct object +24 (value)
}

/* A pointer to bytes may point to any record. */
void point(struct object *o, struct owner *owner)
{
	o->bytes = (char *)owner; // EXPECT: struct object +8 (bytes)
}

char *take(unsigned long size);

/* A pointer is not kept in single bytes, to which no variable points. */
void make(struct owner *owner)
{
	*(struct owner **)take(8) = owner; // EXPECT: none
}

struct code {
	long lines, columns;
};

struct frame {
	struct code *code;
	long depth;
};

/* The word that is loaded is used as an address. */
long columns(char *top, long at)
{
	return ((struct frame *)(top - at))->code->columns;
	// EXPECT: none (the access is not to what is declared there) [rule loaded-pointer]; none (nothing known of the base register)
	// EXPECT off: char +0; none (nothing known of the base register)
}

/* A word of text is used as a number. */
unsigned long word(const char *text)
{
	unsigned long word;

	__builtin_memcpy(&word, text, sizeof(word));
	return word * 0x9e3779b97f4a7c15; // EXPECT: char +0
}

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
