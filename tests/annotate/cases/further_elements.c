// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer is to the first of several records, and a constant index leads to a further one.
// RULES: further-element
// RUN: gcc clang
// RUN off: gcc clang --no-rule=further-element

struct argument {
	int type;
	union {
		long number;
		struct {
			char *area;
			unsigned long size;
		} text;
	} data;
};

/* The unit has such arrays. */
struct argument defaults[3] = { { 1, { 0 } } };

struct single {
	long a, b;
	int c;
};

struct header {
	long kind, size;
};
struct header headers[2] = { { 1, 2 } };
struct message {
	struct header header;
	long sender;
};
#define MESSAGE(h) ((struct message *)(h))

long number(const struct argument *arguments)
{
	return arguments[1].data.number; // EXPECT: struct argument +8 (data.number) [inferred]
	// EXPECT off: none (the offset is outside the type)
}

int type(const struct argument *arguments)
{
	return arguments[2].type; // EXPECT: struct argument +0 (type) [inferred]
	// EXPECT off: none (the offset is outside the type)
}

unsigned long size(const struct argument *arguments)
{
	return arguments[1].data.text.size; // EXPECT: struct argument +16 (data.text.size) [inferred]
	// EXPECT off: none (the offset is outside the type)
}

/* No member has this place and size. */
short between(const struct argument *arguments)
{
	return *(const short *)((const char *)&arguments[1] + 4); // EXPECT: none (the offset is outside the type)
}

/* The unit has no arrays of this one. */
long next(const struct single *s)
{
	return s[1].b; // EXPECT: none (the offset is outside the type)
}

/* It may as well be a message, which begins with a header. */
long sender(const struct header *h)
{
	return MESSAGE(h)->sender; // EXPECT: none (the offset is outside the type)
}

/* Passed by value, so that no larger record begins with it, or is found from its members. */
struct boxed {
	long kind;
	long word;
};
struct upvalue {
	long count;
	struct boxed closed;
	long line, column;
};
long upvalue_line(const struct upvalue *u)
{
	return u->line; // EXPECT: struct upvalue +24 (line)
}
long word_of(struct boxed b)
{
	return b.word; // MAY: struct boxed +8 (word)
}
long second_word(const struct boxed *arguments)
{
	return arguments[1].word; // EXPECT: struct boxed +8 (word) [inferred]
	// EXPECT off: none (the offset is outside the type)
}
long word_before(const struct boxed *top)
{
	return top[-1].word; // EXPECT: struct boxed +8 (word) [inferred]
	// EXPECT off: none (the offset is outside the type)
}

/* A number with a point, and a pointer that a macro casts, in a union of the element. */
struct shape {
	long edges;
};
struct circle {
	long radius;
};
struct number {
	long kind;
	union {
		long whole;
		double fraction;
		struct shape *shape;
	} v;
};
#define CIRCLE(n) ((struct circle *)(n).v.shape)
struct number number_of(struct number n)
{
	return n; // MAY: struct number +0; struct number +8 (v)
}
double fraction(const struct number *arguments)
{
	return arguments[1].v.fraction; // EXPECT: struct number +8 (v.fraction) [inferred]
	// EXPECT off: none (the offset is outside the type)
}
long radius(const struct number *arguments)
{
	struct circle *c = CIRCLE(arguments[2]); // MAY: struct number +8 (v); none

	return c->radius; // EXPECT: struct circle +0 (radius) MAY: struct number +8 (v); none
}

/* A copy of the head alone: what follows it may as well be a member of the larger record. */
struct place {
	long line, column;
};
struct token {
	struct place place;
	long kind;
};
#define TOKEN(p) ((struct token *)(p))
long column_of(struct place p)
{
	return p.column; // MAY: struct place +8 (column)
}
long kind(const struct place *p)
{
	return TOKEN(p)->kind; // EXPECT: none (the offset is outside the type)
}
