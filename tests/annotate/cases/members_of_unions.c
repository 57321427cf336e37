// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The member of a union is the one that fits what the access shows; if several do, the name ends at the union.

struct object {
	struct object *next;
	unsigned char tag;
};

struct text {
	struct object *next;
	unsigned char tag;
	int length;
	long hash;
};

struct value {
	union {
		struct object *object;
		void *any;
		int (*call)(int);
		long number;
		double real;
	} u;

	int tag;
};

double of_real(struct value *v)
{
	return v->u.real; // EXPECT: struct value +0 (u.real)
}

void set_real(struct value *v, double real)
{
	v->u.real = real * 2; // EXPECT: struct value +0 (u.real)
}

long of_number(struct value *v)
{
	return v->u.number * 3; // EXPECT: struct value +0 (u.number)
}

void add_number(struct value *v)
{
	v->u.number += 7; // EXPECT: struct value +0 (u.number)
}

int of_object(struct value *v)
{
	return v->u.object->tag; // EXPECT: struct value +0 (u.object) MAY: struct object +8 (tag); none
}

/* The object is cast down. */
int of_text(struct value *v)
{
	struct text *text = (struct text *)v->u.object; // MAY: struct value +0 (u.object)

	return text->length; // MAY: struct value +0 (u.object) EXPECT: struct text +12 (length)
}

void set_text(struct value *v, struct text *text)
{
	v->u.object = (struct object *)text; // EXPECT: struct value +0 (u.object)
}

int called(struct value *v)
{
	return v->u.call(1) + 1; // EXPECT: struct value +0 (u.call) MAY: (stack operation)
}

void take(struct object *object);

void of_argument(struct value *v)
{
	take(v->u.object); // EXPECT: struct value +0 (u.object)
}

/* All of them may be 0. */
void clear(struct value *v)
{
	v->u.any = 0; // EXPECT: struct value +0 (u)
}

int is_set(struct value *v)
{
	return v->u.any != 0; // EXPECT: struct value +0 (u)
}

struct item {
	int kind;

	union {
		struct {
			struct item *length;
			short places;
		} fixed;

		struct {
			struct item *left, *right;
		} pair;

		struct {
			char *text;
			int length;
		} name;
	} u;
};

/* Only one member has all that is accessed. */
int balanced(struct item *i)
{
	return i->u.pair.left == i->u.pair.right;
	// EXPECT: struct item +8 (u.pair.left); struct item +16 (u.pair.right)
}

int of_left(struct item *i)
{
	return i->u.pair.left->kind; // EXPECT: struct item +8 (u) MAY: struct item +0 (kind); none
}

int named(struct item *i)
{
	return *i->u.name.text; // EXPECT: struct item +8 (u.name.text) MAY: char +0; none
}

struct chain {
	struct chain *next, *previous;
};

struct buffer {
	union {
		struct chain chain;
		unsigned long target;
	} u;
};

/* Integers hold addresses. A pointer to one record is not stored as one to another. */
void set_target(struct buffer *b, struct object *object)
{
	b->u.target = (unsigned long)object; // EXPECT: struct buffer +0 (u.target)
}

void set_chain(struct buffer *b, struct chain *chain)
{
	b->u.chain.next = chain; // EXPECT: struct buffer +0 (u.chain.next)
}

/* ---- a value that is copied to another union may be of any member, whatever a test chooses later */

struct counted {
	int references;
};

struct reference {
	int references;
	long tag;
	struct counted *to;
};

struct held {
	long kind;
	union {
		struct counted *counted;
		struct reference *reference;
		void *any;
	} u;
};

void copy_held(struct held *to, const struct held *from)
{
	void *any = from->u.any; // EXPECT: struct held +8 (u)

	if (from->kind == 7) // MAY: struct held +0 (kind)
		to->kind = ((struct reference *)any)->tag; // MAY: struct reference +8 (tag); struct held +0 (kind)
	to->u.any = any; // EXPECT: struct held +8 (u)
}
