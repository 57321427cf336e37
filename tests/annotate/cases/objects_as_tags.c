// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer to a static object is a tag, too: what code does behind a comparison with an object's address shows the member of the union beside it.
// RUN: gcc
// RUN: clang

struct value;

struct kind {
	const char *name;
	void (*destroy)(struct value *value);
};

struct value {
	char *text;
	const struct kind *kind;
	int references;
	union {
		long number;
		double real;
		struct value *inner;
		void *body;
		struct {
			struct value **items;
			int count;
			int room;
		} list;
		struct {
			int first, last;
		} range;
	} u;
};

extern struct value *make(void);
extern void *room_for(unsigned long bytes);

static void nothing(struct value *value)
{
	(void)value;
}

static const struct kind number_kind = { "number", nothing };
static const struct kind list_kind = { "list", nothing };
static const struct kind range_kind = { "range", nothing };
static const struct kind more_kinds[] = { { "real", nothing }, { "alias", nothing } };
static const struct kind other_kind = { "other", nothing };

/* ---- functions that show which member belongs to an object */

long twice(struct value *value)
{
	if (value->kind != &number_kind) // MAY: struct value +8 (kind)
		return 0;
	return value->u.number * 6; // EXPECT: struct value +24 (u.number)
}

struct value *nth(struct value *value, int n)
{
	return value->kind == &list_kind ? value->u.list.items[n] : 0; // EXPECT: struct value +24 (u.list.items) MAY: none; struct value*[] +0; struct value* +0; struct value +8 (kind)
}

int width(struct value *value)
{
	if (value->kind == &range_kind) // MAY: struct value +8 (kind)
		return value->u.range.last - value->u.range.first; // EXPECT: struct value +28 (u.range.last); struct value +24 (u.range.first)
	return 0;
}

double half(struct value *value)
{
	return value->kind == &more_kinds[0] ? value->u.real / 2 : 0; // EXPECT: struct value +24 (u.real) MAY: struct value +8 (kind)
}

char *name_of(struct value *value)
{
	return value->kind == &more_kinds[1] ? value->u.inner->text : 0; // EXPECT: struct value +24 (u.inner) MAY: struct value +0 (text); struct value +8 (kind)
}

/* ---- functions that only the object tells */

long number_of(struct value *value)
{
	if (value->kind != &number_kind) // MAY: struct value +8 (kind)
		return 0;
	return value->u.number; // EXPECT: struct value +24 (u.number)
}

int last_of(struct value *value)
{
	switch (value->references) { // MAY: struct value +16 (references)
	case 7:
		return 0;
	}
	return value->kind == &list_kind ? value->u.list.count : 0; // EXPECT: struct value +32 (u.list.count) MAY: struct value +8 (kind)
}

struct value *make_number(void)
{
	struct value *value = make();

	value->kind = &number_kind; // MAY: struct value +8 (kind)
	value->u.number = 0; // EXPECT: struct value +24 (u.number)
	return value;
}

void *inner_of(struct value *value)
{
	if (value->kind == &more_kinds[1]) // MAY: struct value +8 (kind)
		return value->u.inner; // EXPECT: struct value +24 (u.inner)
	return 0;
}

/* of two objects, either may be there */
void *either_of(struct value *value)
{
	if (value->kind != &more_kinds[1] && value->kind != &number_kind) // MAY: struct value +8 (kind)
		return 0;
	return value->u.body; // EXPECT: struct value +24 (u)
}

/* nothing is known of this one */
void *other_of(struct value *value)
{
	return value->kind == &other_kind ? value->u.body : 0; // EXPECT: struct value +24 (u) MAY: struct value +8 (kind)
}

/* ---- objects that a function makes to what the code is for */

extern int to_number(struct value *value);
extern void log_value(struct value *value);

long as_number(struct value *value)
{
	if (value->kind != &number_kind && to_number(value)) // MAY: struct value +8 (kind); struct value* +0
		return 0;
	return value->u.number; // EXPECT: struct value +24 (u.number)
}

/* of two objects, one is only seen by a function */
void *seen_by(struct value *value)
{
	if (value->kind == &other_kind) // MAY: struct value +8 (kind)
		log_value(value); // MAY: struct value* +0
	return value->u.body; // EXPECT: struct value +24 (u)
}
