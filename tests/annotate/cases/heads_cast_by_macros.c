// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A macro casts a head to a record that begins with it, and that only the cast names: the access is to that record.
// RUN: gcc clang

struct head {
	struct head *next;
	unsigned char kind, mark;
};

struct text {
	struct head *next;
	unsigned char kind, mark, extra;
	unsigned int length;
	char *bytes;
};

struct closure {
	struct head *next;
	unsigned char kind, mark;
	void (*code)(void);
	long count;
};

union any {
	struct head head;
	struct text text;
	struct closure closure;
};

struct list {
	union {
		struct head *object;
		void *user;
		long number;
	};
	int kind;
};

#define as_text(o)    (&((union any *)(o))->text)
#define as_closure(o) (&((union any *)(o))->closure)

long length(struct head *o)
{
	return as_text(o)->length; // EXPECT: union any +12 (text.length) [inferred]
}

int mark(struct head *o)
{
	return o->mark; // EXPECT: struct head +9 (mark)
}

/* A union of pointers has one to the head. */
long count(struct list *l)
{
	return as_closure(l->object)->count;
	// EXPECT: struct list +0 (object); union any +24 (closure.count) [inferred]
}

/* A declared type goes before a cast. */
int mark_of(struct list *l)
{
	return l->object->mark; // EXPECT: struct list +0 (object); struct head +9 (mark)
}

/* Nothing that begins with the head has a member there. */
short beyond(struct head *o)
{
	return *(short *)((char *)o + 26); // EXPECT: none
}
