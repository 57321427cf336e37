// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer of a union is the member to whose pointee all fits that the code does with it: what it calls, stores, loads and
// indexes there. Other accesses to the object show the member, too.

struct item {
	struct item *next;
	long number;
	long count;
};

struct operations {
	long (*open)(void *);
	long (*close)(void *);
	void (*clear)(void *);
};

struct value {
	union {
		struct item *last;
		const struct operations *operations;
		char *text;
		struct value **array;
		struct value *inner;
	} u;

	double weight;
	int tag;
};

long closed(struct value *v)
{
	return v->u.operations->close(v);
	// EXPECT: struct value +0 (u.operations) MAY: struct operations +8 (close); none
}

void append(struct value *v, struct item *item)
{
	v->u.last->next = item; // EXPECT: struct value +0 (u.last) MAY: struct item +0 (next); none
}

void take(struct item *item);

void take_next(struct value *v)
{
	take(v->u.last->next); // EXPECT: struct value +0 (u.last) MAY: struct item +0 (next); none
}

void cut_text(struct value *v, unsigned long length)
{
	v->u.text[length] = 0; // EXPECT: struct value +0 (u.text) MAY: char +0; none
}

double heavy(struct value *v)
{
	return v->u.inner->weight; // EXPECT: struct value +0 (u.inner) MAY: struct value +8 (weight); none
}

struct key {
	union {
		struct {
			const char *start;
			unsigned long length;
		} text;

		struct {
			struct item *left;
			struct item *right;
		} pair;
	} u;
};

int compare_bytes(const void *a, const void *b, unsigned long length);

int compare_keys(struct key *k, const void *other)
{
	return compare_bytes(k->u.text.start, other, k->u.text.length);
	// EXPECT: struct key +0 (u.text.start); struct key +8 (u.text.length)
}

// A member that counts what is reserved is as good as any other one.
struct space {
	union {
		struct {
			char *name;
			unsigned long reserved;
		} range;

		struct {
			int *first;
			unsigned long length;
		} list;
	} u;
};

long room(struct space *s)
{
	if (s->u.range.name[0] != '.') // EXPECT: struct space +0 (u.range.name) MAY: char +0; none
		return 0;
	return s->u.range.reserved; // EXPECT: struct space +8 (u.range.reserved)
}

// A tag that is stored makes another member of the object: what was loaded there before is no evidence.
struct named {
	char *name;
	long length;
};

struct argument {
	int tag;

	union {
		char *name;
		struct named *named;
		long number;
	} u;
};

long rename(struct argument *a, void *name)
{
	long length = a->u.named->length; // EXPECT: struct argument +8 (u.named) MAY: struct named +8 (length); none

	a->tag = 2;       // EXPECT: struct argument +0 (tag)
	a->u.name = name; // EXPECT: struct argument +8 (u)
	return length;
}

// The sum of what is loaded and something else is an address, if either of them is.
struct string {
	char *start;
	long length;
};

struct capture {
	union {
		struct string *name;
		void *words[2];
	} u;
};

void take_words(char *from, char *to);

void take_name(struct capture *c)
{
	take_words(c->u.name->start, c->u.name->start + c->u.name->length);
	// EXPECT: struct capture +0 (u.name) MAY: struct string +0 (start); struct string +8 (length)
}

// A pointer is cast to that of another type more often than a number is.
struct items {
	struct items *next;
	struct item *first;
};

struct list {
	struct list *next;
	void *first;
};

struct expression {
	union {
		unsigned long long number;
		struct items *arguments;
	} u;
};

void take_list(struct list *list);

void take_arguments(struct expression *e)
{
	take_list((struct list *)e->u.arguments); // EXPECT: struct expression +0 (u)
}

// A function that fetches a pointer to void shows nothing of what the pointer is cast to.
struct object {
	union {
		void *opaque;
		struct item *item;
	} u;
};

static inline void *opaque_of(struct object *o)
{
	return o->u.opaque; // MAY: struct object +0 (u.opaque)
}

void count_item(struct object *o)
{
	struct item *item = opaque_of(o); // EXPECT-IN count_item: struct object +0 (u.opaque)

	item->count++; // MAY: struct item +16 (count)
}

// A pointer that is called, or that memory is accessed through, is no two numbers side by side.
struct entry {
	union {
		struct {
			struct entry *next;
			int flags, kind;
		} node;

		struct {
			char *text;
			long length;
		} value;
	} u;
	int tag;
};

struct table {
	union {
		struct entry *entry;
		const struct operations *operations;
		long count;
	} u;
};

long closed_table(struct table *t)
{
	return t->u.operations->close(t);
	// EXPECT: struct table +0 (u.operations) MAY: struct operations +8 (close); none
}

// Another member of the union has the number where this one has the pointer, so that a sum alone does not tell them.
struct symbol {
	union {
		struct {
			char *start;
			unsigned long length;
		} text;

		struct {
			unsigned long weight;
			struct item *item;
		} node;
	} u;
};

void take_saved(int saved);

void cut_symbol(struct symbol *s)
{
	char *end = s->u.text.start + s->u.text.length;
	// MAY: struct symbol +0 (u); struct symbol +8 (u); struct symbol +0 (u.text.start); struct symbol +8 (u.text.length)
	int saved = *end; // MAY: char +0; none

	*end = 0; // MAY: char +0; none
	take_saved(saved);
	*end = (char)saved; // MAY: char +0; none
}
