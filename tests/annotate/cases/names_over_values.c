// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A constant's name tells a union's member also where the value looks like one of other members: a pointer that is compared with a number, because this is an object of its own.
// RUN: gcc clang

enum kind { KIND_PAIR = 1, KIND_TEXT, KIND_VECTOR, KIND_BOX };

struct value {
	enum kind kind;
	union {
		struct {
			struct value *car, *cdr;
		} pair;
		struct {
			struct value *bytes;
			unsigned long offset;
		} text;
		struct {
			struct value **items;
			unsigned long length;
		} vector;
		struct {
			struct value *inner, *outer;
		} box;
	} u;
};

#define NIL ((struct value *)0x23e)

int is_last(const struct value *v)
{
	return v->kind == KIND_PAIR && v->u.pair.cdr == NIL; // EXPECT: struct value +0 (kind); struct value +16 (u.pair.cdr)
}

/* no constant says that it is no number */
int is_long(const struct value *v)
{
	return v->kind != KIND_PAIR && v->u.vector.length == 0x23e; // EXPECT: struct value +0 (kind); struct value +16 (u)
}
