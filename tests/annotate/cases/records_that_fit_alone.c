// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A word, or a pointer to void, is cast in a macro to the only record of the unit that all accesses through it fit.
// RULES: only-record
// RUN: gcc clang
// RUN off: gcc clang --no-rule=only-record

typedef unsigned long word;

struct head {
	word kind;
};

struct real {
	struct head head;
	double number;
};

struct text {
	struct head head;
	int length, room;
	char *bytes;
};

struct pair {
	struct head head;
	word first, second;
};

struct list {
	struct head head;
	word first;
	int length;
};

/* The lowest bit of a word that is an address is set. */
#define HEAD(w) ((struct head *)((w) - 1))
#define REAL(w) ((struct real *)((w) - 1))
#define TEXT(w) ((struct text *)((w) - 1))
#define PAIR(w) ((struct pair *)((w) - 1))
#define LIST(w) ((struct list *)((w) - 1))

double real(word w)
{
	return REAL(w)->number;
	// EXPECT: struct real +8 (number) [inferred] EXPECT off: none (an integer as the base)
}

/* Whatever the record, it begins with the head. */
int room(word w)
{
	if (HEAD(w)->kind != 3) // EXPECT: struct head +0 (kind) [inferred] EXPECT off: none
		return 0;
	TEXT(w)->length = 0; // EXPECT: struct text +8 (length) [inferred] EXPECT off: none
	return TEXT(w)->room; // EXPECT: struct text +12 (room) [inferred] EXPECT off: none
}

/* The result is no pointer, as a text has there. */
word second(word w)
{
	return PAIR(w)->second; // EXPECT: struct pair +16 (second) [inferred] EXPECT off: none
}

/* Several have a word there. */
word first(word *to, word w)
{
	return to[1] = PAIR(w)->first;
	// EXPECT: none; word +0 EXPECT off: none; word +0
}

/* Nothing tells how large the tag is. */
int length(word w)
{
	return LIST(w)->length; // EXPECT: none EXPECT off: none
}
