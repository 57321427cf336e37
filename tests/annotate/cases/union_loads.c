// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer out of a union points to what the member declares that the load shows.
// RULES: union-pointer
// RUN: gcc

struct text { struct text *next; char mark; char bytes[7]; };
struct object { int kind, mark; long count; struct object *proto; };

struct value {
	union { double number; const char *literal; struct text *text; struct object *object; } u;
	long tag;
};

/* A text begins with a pointer, and a literal has no numbers. */
int is_array(const struct value *v)
{
	return v->tag == 6 && v->u.object->kind == 1;
	// EXPECT: struct value +8 (tag); struct value +0 (u.object); struct object +0 (kind)
}
