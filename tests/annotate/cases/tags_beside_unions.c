// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A tag beside a union tells its member: other functions show which values of the tag belong to which member. That a member is named as the constant says nothing.
// RUN: gcc -fno-caller-saves
// RUN: clang

enum kind { KIND_NONE, KIND_SUM, KIND_PRODUCT, KIND_MINUS, KIND_CALL, KIND_WORD, KIND_LABEL, KIND_JUMP };

struct node {
	enum kind kind;
	int line;
	union {
		struct {
			struct node *left, *right;
		} two;
		struct {
			struct node *operand;
			double level;
		} one;
		struct {
			struct node *function;
			int count;
		} invoked;
		struct {
			const char *bytes;
			long hash;
		} word;
		struct {
			const char *text;
			long place;
		} label;
	} u;
};

extern void take(struct node *node);
extern void take_bytes(const char *bytes);
extern struct node *make(void);

/* ---- functions that show which member belongs to a value */

/* the argument that is stored to the tag has one of two values */
struct node *make_two(enum kind kind, struct node *first, struct node *second)
{
	struct node *node;

	if (kind != KIND_SUM && kind != KIND_PRODUCT)
		return 0;
	node = make();
	node->kind = kind; // MAY: struct node +0 (kind)
	node->u.two.left = first; // EXPECT: struct node +8 (u.two.left)
	node->u.two.right = second; // EXPECT: struct node +16 (u.two.right)
	return node;
}

struct node *make_minus(struct node *of, struct node *node)
{
	node->kind = KIND_MINUS; // MAY: struct node +0 (kind)
	node->u.one.operand = of; // MAY: struct node +8 (u.one.operand)
	node->u.one.level *= 3; // EXPECT: struct node +16 (u.one.level)
	return node;
}

long count_of(const struct node *node)
{
	return node->kind == KIND_CALL ? node->u.invoked.count : 0;
}

/* ---- functions that only the tag tells */

struct node *second_of(const struct node *node)
{
	switch (node->kind) { // MAY: struct node +0 (kind)
	case KIND_SUM:
	case KIND_PRODUCT:
		return node->u.two.left; // EXPECT: struct node +8 (u.two.left)
	default:
		return 0;
	}
}

struct node *operand_of(const struct node *node)
{
	if (node->kind != KIND_MINUS) // MAY: struct node +0 (kind)
		return 0;
	return node->u.one.operand; // EXPECT: struct node +8 (u.one.operand)
}

struct node *function_of(const struct node *node)
{
	if (node->kind != KIND_CALL) // MAY: struct node +0 (kind)
		return 0;
	return node->u.invoked.function; // EXPECT: struct node +8 (u.invoked.function)
}

/* the constants KIND_WORD and KIND_LABEL have the names of members */
const char *word_of(const struct node *node)
{
	if (node->kind != KIND_WORD) // MAY: struct node +0 (kind)
		return 0;
	return node->u.word.bytes; // EXPECT: struct node +8 (u)
}

const char *label_of(const struct node *node)
{
	if (node->kind != KIND_LABEL) // MAY: struct node +0 (kind)
		return 0;
	return node->u.label.text; // EXPECT: struct node +8 (u)
}

/* nothing is known of this one */
struct node *target_of(const struct node *node)
{
	if (node->kind != KIND_JUMP) // MAY: struct node +0 (kind)
		return 0;
	return node->u.one.operand; // EXPECT: struct node +8 (u)
}

/* ---- a tag whose values are used for several members */

struct cell {
	int kind;
	union {
		struct node *node;
		struct cell *next;
		void (*call)(void);
	} u;
};

void call_it(struct cell *cell)
{
	if (cell->kind == 4) // MAY: struct cell +0 (kind)
		cell->u.call(); // EXPECT: struct cell +8 (u.call)
}

int line_of(struct cell *cell)
{
	return cell->kind == 4 ? cell->u.node->line : 0; // EXPECT: struct cell +8 (u.node) MAY: struct cell +0 (kind); struct node +4 (line)
}

void *either_of(struct cell *cell)
{
	return cell->kind == 4 ? cell->u.node : 0; // EXPECT: struct cell +8 (u) MAY: struct cell +0 (kind)
}

/* ---- constants that are named after members, with a common end */

enum form_kind { Add_kind = 1, Call_kind, Load_kind };

struct form {
	enum form_kind kind;
	union {
		struct {
			struct form *first, *second;
		} Add;
		struct {
			struct form *function, *arguments;
		} Call;
		struct {
			struct form *place, *index;
		} Load;
	} v;
};

struct form *arguments_of(const struct form *form)
{
	if (form->kind != Call_kind) // MAY: struct form +0 (kind)
		return 0;
	return form->v.Call.arguments; // EXPECT: struct form +16 (v)
}

/* ---- a tag in a bit-field, in a struct beside the union */

enum word_kind { WORD_COUNT, WORD_NUMBER, WORD_NODE, WORD_TEXT };

struct place {
	enum word_kind kind : 6;
	unsigned line : 26;
};

struct word {
	struct place at;
	struct word *next;
	union {
		int count;
		unsigned number;
		struct node *of;
		struct word *other;
	} u;
};

extern void take_int(int number);

int line_of_node(struct word *word)
{
	return word->at.kind == WORD_NODE ? word->u.of->line : 0; // EXPECT: struct word +16 (u.of) MAY: struct word +0 (at.kind); struct node +4 (line)
}

void *of_word(struct word *word)
{
	if (word->at.kind != WORD_NODE) // MAY: struct word +0 (at.kind)
		return 0;
	return word->u.of; // EXPECT: struct word +16 (u.of)
}

/* more of the word than the tag is loaded */
void *of_line(struct word *word)
{
	if (word->at.kind != WORD_NODE) // MAY: struct word +0 (at.kind); struct word +0 (at.kind, line)
		return 0;
	return (char *)word->u.of + word->at.line; // EXPECT: struct word +16 (u.of) MAY: struct word +0 (at.line); struct word +0 (at.kind, line)
}

void *of_made(struct word *word)
{
	word->at.kind = WORD_NODE; // MAY: struct word +0 (at.kind)
	take_int(1);
	return word->u.of; // EXPECT: struct word +16 (u.of)
}

/* the parameter's type is only a hint, and the tag's name is more */
void take_number(struct word *word)
{
	if (word->at.kind == WORD_NUMBER) // MAY: struct word +0 (at.kind)
		take_int((int)word->u.number); // EXPECT: struct word +16 (u)
}

/* without a tag, an int does not tell numbers with a sign from those without */
void take_either(struct word *word)
{
	take_int(word->u.count); // EXPECT: struct word +16 (u)
}

/* ---- a tag in a union beside the union, and a union in a struct in a union, whose tag is there */

struct value {
	union {
		long number;
		double real;
		struct node *node;
		struct value *next;
	} u;
	union {
		unsigned info;
		struct {
			unsigned char type, flags;
		} one;
	} of;
	union {
		unsigned first, second, third, fourth, fifth, sixth, seventh, eighth;
	} extra;
};

int line_of_value(struct value *value)
{
	return value->of.one.type == 3 ? value->u.node->line : 0; // EXPECT: struct value +0 (u.node) MAY: struct value +8 (of.one.type); struct node +4 (line)
}

long twice(struct value *value)
{
	return value->of.one.type == 1 ? value->u.number * 3 : 0; // EXPECT: struct value +0 (u.number) MAY: struct value +8 (of.one.type)
}

void copy_number(struct value *to, const struct value *from)
{
	if (from->of.one.type == 1) // MAY: struct value +8 (of.one.type)
		to->u.number = from->u.number; // EXPECT: struct value +0 (u.number) MAY: struct value +0 (u)
}

void *node_of_value(struct value *value)
{
	value->of.info = 3; // MAY: struct value +8 (of.info)
	return value->u.node; // EXPECT: struct value +0 (u.node)
}

struct context {
	union {
		struct {
			unsigned char type, flags;
			int depth;
			union {
				struct {
					struct node *code;
					struct value *arguments;
				} sub;
				struct {
					struct value *item;
					struct node *label;
				} loop;
			} u;
		} block;
		struct {
			long matched;
			long count;
			double rate;
		} match;
	} u;
};

int code_of(struct context *context)
{
	return context->u.block.type == 2 ? context->u.block.u.sub.code->line : 0; // EXPECT: struct context +8 (u.block.u.sub.code) MAY: struct context +0 (u.block.type); struct node +4 (line)
}

int label_line_of(struct context *context)
{
	return context->u.block.type == 3 ? context->u.block.u.loop.label->line : 0; // EXPECT: struct context +16 (u.block.u.loop.label) MAY: struct context +0 (u.block.type); struct node +4 (line)
}

int depth_of(struct context *context)
{
	return context->u.block.depth; // EXPECT: struct context +4 (u.block.depth)
}

void *sub_of(struct context *context)
{
	if (context->u.block.type != 2) // MAY: struct context +0 (u.block.type)
		return 0;
	return context->u.block.u.sub.arguments; // EXPECT: struct context +16 (u.block.u.sub.arguments)
}
