// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A head is cast to a record that the unit shows, and to another one that it does not: neither is the only one.
// RUN: gcc clang

struct head {
	long tag;
	long length;
};

struct text {
	long tag;
	long length;
	char *bytes;
};

struct list {
	long tag;
	long length;
	struct head **items;
};

void note(void *);

char *of_text(struct head *head)
{
	struct text *text = (struct text *)head;

	note(text);
	return text->bytes; // EXPECT: struct text +16 (bytes)
}

struct head **of_list(struct head *head)
{
	struct list *list = (struct list *)head;

	note(list);
	return list->items; // EXPECT: struct list +16 (items)
}

void *either(struct head *head)
{
	return ((struct text *)head)->bytes; // EXPECT: none (the offset is outside the type)
}
