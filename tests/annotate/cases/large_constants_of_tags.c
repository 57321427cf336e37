// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The constants of an enum that is a tag may be large numbers that have bits of their own. A test of such a bit tells no member: several constants have it.
// RUN: gcc clang

enum type { NOTHING = 0x1000001, NUMBER = 0x5000002, TEXT = 0x8000010, LIST = 0x8000020, TABLE = 0x8000040 };

struct counted {
	long references;
};

struct text;
struct list;
struct table;

struct value {
	enum type type;
	union {
		long number;
		struct text *text;
		struct list *list;
		struct table *table;
		struct counted *counted;
	} u;
};

void take_text(struct text *text);
void take_list(struct list *list);
void take_table(struct table *table);
void take_counted(struct counted *counted);

void take(struct value *v)
{
	switch (v->type) { // MAY: struct value +0 (type)
	case TEXT:
		take_text(v->u.text); // MAY: struct value +8 (u.text)
		break;
	case LIST:
		take_list(v->u.list); // MAY: struct value +8 (u.list)
		break;
	default:
		break;
	}
}

void *text_of(struct value *v)
{
	if (v->type == TEXT) // EXPECT: struct value +0 (type)
		return v->u.text; // EXPECT: struct value +8 (u.text)
	return 0;
}

void *list_of(struct value *v)
{
	if (v->type != LIST) // EXPECT: struct value +0 (type)
		return 0;
	return v->u.list; // EXPECT: struct value +8 (u.list)
}

void *counted_of(struct value *v)
{
	if (v->type & 0x8000000) // MAY: struct value +0 (type); struct value +3 (type)
		return v->u.counted; // EXPECT: struct value +8 (u)
	return 0;
}
