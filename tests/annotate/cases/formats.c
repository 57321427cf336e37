// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The format of a message tells what the arguments after it are: a text, or a number.

struct node;

union word {
	char *name;
	int *wide;
	long number;
	struct node *node;
};

struct entry {
	long kind;
	union word word;
};

extern void message(int level, const char *format, ...);
extern void keep(long count, ...);

void print_name(const struct entry *entry)
{
	message(1, "no such name: `%s'", entry->word.name); // EXPECT: struct entry +8 (word.name)
}

void print_number(const struct entry *entry)
{
	message(1, "%-*s%% %#lx\n", 20, "number", entry->word.number); // EXPECT: struct entry +8 (word.number)
}

void print_wide(const struct entry *entry)
{
	message(1, "%g: %.20ls", 1.5, entry->word.wide); // EXPECT: struct entry +8 (word.wide)
}

/* a conversion that printf() does not have, or no format */
void print_node(const struct entry *entry)
{
	message(1, "%N %s", entry->word.node, "x"); // EXPECT: struct entry +8 (word)
}

void keep_node(const struct entry *entry)
{
	keep(1, entry->word.node); // EXPECT: struct entry +8 (word)
}
