// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A tag's member is known if all but an error of the evidence agrees: one function writes before it sets the tag.
// RUN: gcc clang

enum kind { KIND_NUMBER, KIND_TEXT, KIND_LIST };

struct text {
	long length, hash;
	char *bytes;
};

struct list {
	struct list *next;
	int count;
};

struct value {
	enum kind kind;
	union {
		struct text *text;
		struct list *list;
		long number;
	} as;
};

extern long text_length(struct text *text);
extern long list_length(struct list *list);
extern void list_drop(struct list *list);

#define USE(number)                                                         \
	long use_##number(struct value *value)                             \
	{                                                                  \
		if (value->kind == KIND_TEXT)                              \
			return text_length(value->as.text) + number;       \
		if (value->kind == KIND_LIST)                              \
			return list_length(value->as.list) * number;       \
		return 0;                                                  \
	}

USE(2) // MAY: struct value +0 (kind); struct value +8 (as.text); struct value +8 (as.list)
USE(3) // MAY: struct value +0 (kind); struct value +8 (as.text); struct value +8 (as.list)
USE(4) // MAY: struct value +0 (kind); struct value +8 (as.text); struct value +8 (as.list)
USE(5) // MAY: struct value +0 (kind); struct value +8 (as.text); struct value +8 (as.list)
USE(6) // MAY: struct value +0 (kind); struct value +8 (as.text); struct value +8 (as.list)
USE(7) // MAY: struct value +0 (kind); struct value +8 (as.text); struct value +8 (as.list)
USE(8) // MAY: struct value +0 (kind); struct value +8 (as.text); struct value +8 (as.list)
USE(9) // MAY: struct value +0 (kind); struct value +8 (as.text); struct value +8 (as.list)
USE(10) // MAY: struct value +0 (kind); struct value +8 (as.text); struct value +8 (as.list)
USE(11) // MAY: struct value +0 (kind); struct value +8 (as.text); struct value +8 (as.list)
USE(12) // MAY: struct value +0 (kind); struct value +8 (as.text); struct value +8 (as.list)
USE(13) // MAY: struct value +0 (kind); struct value +8 (as.text); struct value +8 (as.list)
USE(14) // MAY: struct value +0 (kind); struct value +8 (as.text); struct value +8 (as.list)
USE(15) // MAY: struct value +0 (kind); struct value +8 (as.text); struct value +8 (as.list)
USE(16) // MAY: struct value +0 (kind); struct value +8 (as.text); struct value +8 (as.list)
USE(17) // MAY: struct value +0 (kind); struct value +8 (as.text); struct value +8 (as.list)
USE(18) // MAY: struct value +0 (kind); struct value +8 (as.text); struct value +8 (as.list)

/* The callers know that the text has just become a list. */
void late(struct value *value, struct list *list)
{
	if (value->kind == KIND_TEXT) // EXPECT: struct value +0 (kind)
		list_drop(value->as.list); // EXPECT: struct value +8 (as.list)
}

void *any(struct value *value)
{
	if (value->kind == KIND_TEXT) // EXPECT: struct value +0 (kind)
		return value->as.text; // EXPECT: struct value +8 (as.text)
	return 0;
}
