// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Where most members of a union have the names of constants of an enum, the constant that a tag was compared with tells the member, also if the tag is an integer. Two members that have such names are chance.
// RUN: gcc clang

enum kind { KIND_NUMBER = 1, KIND_PAIR, KIND_TEXT, KIND_BIG_BOX, KIND_COUNT };

struct value {
	unsigned int kind;
	char marked;
	union {
		struct {
			struct value *car, *cdr;
		} pair;
		struct {
			char *bytes;
			struct value *end;
		} text;
		struct {
			struct value *inner, *outer;
		} big_box;
		struct {
			double low, high;
		} number;
	} u;
};

enum kind first_kind(void)
{
	return KIND_NUMBER;
}

double sum(const struct value *v)
{
	if (v->kind == KIND_NUMBER) // EXPECT: struct value +0 (kind)
		return v->u.number.low; // EXPECT: struct value +8 (u.number.low)
	if (v->kind == KIND_TEXT) // MAY: struct value +0 (kind)
		return *v->u.text.bytes; // EXPECT: struct value +8 (u.text.bytes); none
	return 0;
}

struct value *second(struct value *v)
{
	if (v->kind != KIND_PAIR) // EXPECT: struct value +0 (kind)
		return 0;
	return v->u.pair.cdr; // EXPECT: struct value +16 (u.pair.cdr)
}

struct value *unwrap(struct value *v)
{
	if (v->kind != KIND_BIG_BOX) // EXPECT: struct value +0 (kind)
		return 0;
	return v->u.big_box.inner; // EXPECT: struct value +8 (u.big_box.inner)
}

/* several constants, and one without a member */
struct value *either(struct value *v)
{
	if (v->kind == KIND_PAIR || v->kind == KIND_TEXT) // MAY: struct value +0 (kind)
		return v->u.pair.cdr; // EXPECT: struct value +16 (u)
	return 0;
}

/* another number than the tag has the value of a constant */
struct value *marked(struct value *v)
{
	if (v->marked != KIND_PAIR) // EXPECT: struct value +4 (marked)
		return 0;
	return v->u.pair.cdr; // EXPECT: struct value +16 (u)
}

struct value *counted(struct value *v)
{
	if (v->kind != KIND_COUNT) // EXPECT: struct value +0 (kind)
		return 0;
	return v->u.text.end; // EXPECT: struct value +16 (u)
}

enum shape { SHAPE_CIRCLE, SHAPE_SQUARE, SHAPE_LINE };

struct shape_value {
	enum shape shape;
	union {
		struct {
			struct value *center, *edge;
		} circle;
		struct {
			struct value *corner, *side;
		} square;
		struct {
			struct value *from, *to;
		} s_line;
	} u;
};

struct value *edge_of(struct shape_value *s)
{
	if (s->shape != SHAPE_SQUARE) // EXPECT: struct shape_value +0 (shape)
		return 0;
	return s->u.square.side; // EXPECT: struct shape_value +16 (u)
}

enum operation { OP_ADD, OP_NOT, OP_CALL };

struct operation_node {
	enum operation op;
	union {
		struct {
			struct value *left, *right;
		} n_add;
		struct {
			struct value *of, *after;
		} n_not;
		struct {
			struct value *function, *arguments;
		} n_call;
	} u;
};

struct value *arguments_of(struct operation_node *n)
{
	if (n->op != OP_CALL) // EXPECT: struct operation_node +0 (op)
		return 0;
	return n->u.n_call.arguments; // EXPECT: struct operation_node +16 (u.n_call.arguments)
}
