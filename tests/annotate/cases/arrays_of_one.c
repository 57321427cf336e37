// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A record ends in an array of one element, as flexible arrays were written before C99: a constant index leads to a further element.
// RULES: one-element
// RUN: gcc clang -fno-strict-aliasing
// RUN off: gcc clang -fno-strict-aliasing --no-rule=one-element

struct owner {
	long conn;
	long rows;
	int flags;
	int state;
};

struct item {
	char *name;
	int type;
	int flags;
};

struct list {
	int n;
	int alloc;
	struct item a[1];
};

struct parse {
	struct owner *db;
	struct list *src;
};

/* None of these accesses goes to the record that the next variable points to. */
int more(struct parse *p)
{
	struct list *l = p->src; // EXPECT: struct parse +8 (src)
	struct owner *db = p->db; // MAY: struct parse +0 (db)

	if (l->n > 1 && (l->a[1].type & 0x22))
	// EXPECT: struct list +0 (n); struct list +16 (a.type)
	// EXPECT off: struct list +0 (n); none (the offset is outside the type)
		return l->a[2].flags; // EXPECT: struct list +20 (a.flags) EXPECT off: none
	return (int)db->rows; // EXPECT: struct owner +8 (rows) MAY: struct parse +0 (db)
}

struct two {
	long n;
	struct item a[2];
};

struct words {
	long n;
	long a[1];
};

void set_third(struct words *w, long n)
{
	w->a[2] = n;
	// EXPECT: struct words +8 (a)
	// EXPECT off: none (the offset is outside the type)
}

struct text {
	long n;
	char a[1];
};

/* No array of several elements, no access that is to no member of an element, and no bytes. */
long others(struct list *l, struct two *t, struct text *s)
{
	return ((struct two *)t)->a[3].flags + ((long *)l)[6] + s->a[9];
	// EXPECT: none (the offset is outside the type)
	// EXPECT off: none (the offset is outside the type)
}

struct none {
};

struct empty_list {
	long n;
	struct none a[1];
};

/* Elements without a size (GNU C) do not count. */
long empty(struct empty_list *l)
{
	return ((long *)l)[3]; // EXPECT: none (the offset is outside the type)
}

struct object {
	long count;
};

struct frame {
	struct frame *up;
	long depth;
	struct object *locals[1];
};

/* The address starts after the only element that the type has. */
long after_the_top(struct frame *f, long n)
{
	return f->locals[f->depth + n + 2]->count;
	// EXPECT: struct frame +8 (depth); struct frame +16 (locals); struct object +0 (count)
}
