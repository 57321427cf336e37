// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer to void is cast to records that begin with the same members, made by a macro: an access to one of these is to the first of the records.
// RUN: gcc clang
// RUN off: gcc --no-rule=shown-record
// RULES: shown-record

/* Each use makes another union. */
#define BODY                                                                                       \
	struct object *owner;                                                                      \
	union {                                                                                    \
		struct object *weak;                                                               \
		long hash;                                                                         \
	} u;                                                                                       \
	long used

struct text_body {
	BODY;
};

struct list_body {
	BODY;
	long first;
	double last;
};

struct real_body {
	BODY;
	double value;
};

struct object {
	void *body;
	int kind;
};

/* Begins with a record: a pointer to that is cast to it, and not one to void. */
struct derived {
	struct object object;
	long extra;
};

long used(struct object *o)
{
	return ((struct text_body *)o->body)->used;
	// EXPECT: struct object +0 (body); struct text_body +16 (used) [inferred]
	// EXPECT off: struct object +0 (body); none
}

/* Members that differ are not told apart by numbers. */
long first(struct object *o)
{
	return ((struct list_body *)o->body)->first;
	// EXPECT: struct object +0 (body); none EXPECT off: struct object +0 (body); none
}

double last(struct object *o)
{
	return ((struct list_body *)o->body)->last + ((struct real_body *)o->body)->value;
	// EXPECT: struct object +0 (body)
	// EXPECT: struct list_body +32 (last) [inferred]; struct real_body +24 (value) [inferred]
	// EXPECT off: struct object +0 (body); none
}

/* The start of a record is alike in most. */
long owner(struct object *o)
{
	return (long)((struct text_body *)o->body)->owner;
	// EXPECT: struct object +0 (body); none EXPECT off: struct object +0 (body); none
}

/* It may be a further object. */
long extra(struct object *o)
{
	return ((struct derived *)o)->extra; // EXPECT: none EXPECT off: none
}
