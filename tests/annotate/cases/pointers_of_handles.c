// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A handle is a pointer to void, and variables have records to which it is cast: the one record of the unit that has the pointer which the code moves there is meant.
// RUN: gcc clang
// RUN off: gcc clang --no-rule=shown-record
// RULES: shown-record

typedef void *handle;

struct kind {
	const char *name;
	long flags;
};

struct head {
	const struct kind *kind;
};

struct text {
	struct head head;
	long hash;
	long length;
	const unsigned char *data;
};

struct list {
	struct head head;
	long allocated;
	long length;
	handle *items;
};

struct cell {
	struct head head;
	handle value;
};

static const struct kind text_kind = { "text", 1 };
const struct kind *last_kind = &text_kind;
struct text *last_text;
struct list *last_list;
struct cell *last_cell;

void print(const unsigned char *data, long length);

/* Its record is told by the pointer to the bytes, and so is the number beside it. */
void print_text(handle h)
{
	print(((struct text *)h)->data, ((struct text *)h)->length);
	// EXPECT: struct text +16 (length) [inferred]; struct text +24 (data) [inferred]
	// EXPECT off: none; none
}

/* All records that have a pointer to a kind at their start begin with the head. */
int is_text(handle h)
{
	return ((struct head *)h)->kind == &text_kind;
	// EXPECT: struct head +0 (kind) [inferred] EXPECT off: none
}

/* A number tells nothing. */
long length(handle h)
{
	return ((struct list *)h)->length;
	// EXPECT: none EXPECT off: none
}

/* It may be the pointer alone: no other record begins with this one. */
struct single {
	struct text *text;
	long count;
};
struct single *last_single;

int is_last(handle h)
{
	return *(struct text **)h == last_text;
	// EXPECT: struct text** +0; none EXPECT off: struct text** +0; none
	// MAY: struct text* +0
}
