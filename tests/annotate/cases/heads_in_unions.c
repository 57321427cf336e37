// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A loaded pointer of which the first member's address is taken first is one to the object for which it is used later.
// RUN: gcc

struct head {
	unsigned references, flags;
};

struct counted {
	struct head head;
};

struct text {
	struct head head;
	unsigned long length;
	char bytes[];
};

struct list {
	struct head head;
	struct text *first;
};

struct value {
	union {
		long number;
		double real;
		struct counted *counted;
		struct text *text;
		struct list *list;
	} u;
	unsigned kind;
};

#define COUNTED_OF(v) ((v)->u.counted)

extern void destroy(struct counted *counted);
extern void print(const char *format, ...);

static inline unsigned release(struct head *head)
{
	return --head->references; // EXPECT: struct head +0 (references)
}

void drop(struct value *v)
{
	if (!release(&COUNTED_OF(v)->head)) // EXPECT: struct value +0 (u.counted)
		destroy(COUNTED_OF(v));
}

/* an address that is passed on may be that of the bytes of a text: the sum is not surely a number */
void print_text(struct value *v, long wide)
{
	if (v->kind == 7) // EXPECT: struct value +8 (kind)
		print("%ld %s", wide, v->u.text->bytes); // EXPECT: struct value +0 (u)
}
