// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A variable whose address is passed on has one place on the stack, although its location ends when the address leaves its register.
// RUN: gcc -O2
struct reader;

int skip(struct reader *r, const char **text);
int set(int socket, const void *value, unsigned int size);

/* The location of `text` is at (%rsi) up to the call, or nowhere. */
const char *word(struct reader *r, const char *text, const char *end)
{ // EXPECT: char* +0
	const char *start = text;

	if (!skip(r, &text))
		return end;
	return text == end ? start : text; // EXPECT: char* +0
}

int enable(int socket, int on)
{ // EXPECT: int +0
	if (set(socket, &on, sizeof(on)))
		return -1;
	return on; // EXPECT: int +0
}

/* The slot of a spilled value has no address. */
long twice(struct reader *r, long (*call)(struct reader *), long first, long second, long third, long fourth)
{
	long sum = call(r) + first; // EXPECT: nothing

	sum += call(r) + second; // EXPECT: nothing
	sum += call(r) + third; // EXPECT: nothing
	return sum + fourth; // EXPECT: nothing
}

/* A parameter is stored as the first member of a record: the record has the place. */
struct search {
	long key;
	long found;
};

long walk(struct reader *r, long (*each)(struct search *), struct search *search);

long find(struct reader *r, long (*each)(struct search *), long key)
{
	struct search search = { key, 0 }; // EXPECT: struct search +0 (key); struct search +8 (found)

	walk(r, each, &search);
	return search.key + search.found; // EXPECT: struct search +0 (key); struct search +8 (found)
}
