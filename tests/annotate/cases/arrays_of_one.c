// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Elements after the one of an array at the end, by a constant index, are outside the record; no other record has them.
// RUN: gcc clang -fno-strict-aliasing

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
	struct owner *db = p->db; // EXPECT clang: struct parse +0 (db)

	if (l->n > 1 && (l->a[1].type & 0x22))
	// EXPECT: struct list +0 (n); none (the offset is outside the type)
		return l->a[2].flags; // EXPECT: none (the offset is outside the type)
	return (int)db->rows; // EXPECT: struct owner +8 (rows) EXPECT gcc: struct parse +0 (db)
}

struct two {
	long n;
	struct item a[2];
};

struct words {
	long n;
	long a[1];
};

/* No array of several elements or of scalars, and no access that is to no member of an element. */
long others(struct list *l, struct two *t, struct words *w)
{
	return ((struct two *)t)->a[3].flags + w->a[3] + ((long *)l)[6];
	// EXPECT: none (the offset is outside the type)
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
