// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The class of an object is compared with the address of a variable, or that is stored there, or a flag of the class is tested: this tells what the object is, as a tag does.
// RULES: tag-value
// RUN: gcc clang
// RUN off: gcc --no-rule=tag-value,shown-record

struct class {
	const char *name;
	unsigned int flags;
};

struct object {
	long uses;
	struct class *class;
};

struct list {
	struct object object;
	long count;
	struct object **items;
};

struct text {
	struct object object;
	long length;
	char *bytes;
};

struct real {
	struct object object;
	double value;
};

#define IS_TEXT 0x40

struct class list_class __attribute__((visibility("hidden")));
struct class text_class __attribute__((visibility("hidden")));
struct class real_class __attribute__((visibility("hidden")));

/* ---- functions that declare what the object is */

long count_of(struct object *o)
{
	if (o->class == &list_class) { // EXPECT: struct object +8 (class) MAY: struct class +0 (name)
		struct list *list = (struct list *)o;

		return list->count; // EXPECT: struct list +16 (count)
	}
	return 0;
}

void make_text(struct text *text, char *bytes)
{
	text->object.class = &text_class; // EXPECT: struct text +8 (object.class)
	text->bytes = bytes; // EXPECT: struct text +24 (bytes)
}

long length_of(struct object *o)
{
	if (o->class->flags & IS_TEXT) { // EXPECT: struct object +8 (class); struct class +8 (flags)
		struct text *text = (struct text *)o;

		return text->length + 1; // EXPECT: struct text +16 (length)
	}
	return 0;
}

/* ---- functions that only test the class */

long counted(struct object *o)
{
	if (o->class != &list_class) // EXPECT: struct object +8 (class) EXPECT off: struct object +8 (class)
		return 0;
	return ((struct list *)o)->count + 1;
	// EXPECT: struct list +16 (count) [inferred]
	// EXPECT off: none
}

char *bytes_of(struct object *o)
{
	if (o->class == &text_class) // EXPECT: struct object +8 (class) EXPECT off: struct object +8 (class)
		return ((struct text *)o)->bytes;
	// EXPECT: struct text +24 (bytes) [inferred]
	// EXPECT off: none
	return 0;
}
