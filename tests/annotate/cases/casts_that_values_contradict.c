// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: One record of the types in scope has the head and a member where the access goes, but the value is no such member: the record is another one of the unit.
// RUN: gcc clang
// RUN off: gcc clang --no-rule=shown-record
// RULES: shown-record

struct object {
	long references;
	struct kind *kind;
};

struct kind {
	struct object head;
	long (*call)(struct object *);
	long (*hash)(struct object *);
};

struct cursor {
	struct object head;
	struct object *caster;
	struct object *factory;
};

struct cursor *last_cursor;

/* Nothing but its inlined function mentions a kind. */
static inline struct kind *kind_of(struct object *o)
{
	return o->kind; // MAY: struct object +8 (kind)
}

void use(struct object *o);

void run(struct object *o)
{
	if (kind_of(o)) // EXPECT: struct object +8 (kind)
		use(((struct cursor *)o)->factory);
	// EXPECT: struct cursor +24 (factory) [inferred]
	// EXPECT off: struct kind +24 (hash) [inferred]
}

/* The member of the kind is called. */
long call(struct object *o)
{
	return ((struct kind *)o)->call(kind_of(o) ? o : 0);
	// EXPECT: struct kind +16 (call) [inferred]
	// MAY: struct object +8 (kind)
}
