// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: One load serves both sides of a test of the tag, on which the object has two members: neither is named. A pointer may have
// been cast at the call to the number that an inlined function takes.
// RUN: gcc

struct counted {
	unsigned references;
	unsigned flags;
};

struct text {
	struct counted head;
	long hash;
	long length;
};

struct reference {
	struct counted head;
	long target;
	int kind;
};

struct value {
	union {
		long number;
		double real;
		struct counted *counted;
		struct text *text;
		struct reference *reference;
	} u;

	unsigned type;
};

void seen(long target, int kind);

// EXPECT-IN keep_value: struct value +0 (u)
void keep_value(const struct value *v)
{
	unsigned type = v->type; // EXPECT: struct value +8 (type)

	if (type <= 5)
		return;
	if (type == 10) {
		struct reference *r = v->u.reference;

		seen(r->target, r->kind); // MAY: struct reference +8 (target); struct reference +16 (kind); none
	} else {
		v->u.counted->references++; // MAY: struct counted +0 (references); none
	}
}

// Both sides of this test are of one member.
void seen_of(const struct value *v, int deep)
{
	if (deep)
		seen(v->u.reference->target, v->u.reference->kind);
	// EXPECT: struct value +0 (u.reference)
	// MAY: struct reference +8 (target); struct reference +16 (kind); none
	else
		seen(0, v->u.reference->kind); // MAY: struct reference +16 (kind); none
}

struct node {
	unsigned long first, second;
};

union semantic {
	struct node *node;
	unsigned long value;
	double real;
	int number;
};

struct node *allocate(int type);

static inline struct node *make(int type, unsigned long first, unsigned long second)
{
	struct node *n = allocate(type);

	n->first = first; // MAY: struct node +0 (first)
	n->second = second; // MAY: struct node +8 (second)
	return n;
}

struct node *reduce(union semantic *top)
{
	return make(7, (unsigned long)top->node, 0); // EXPECT: union semantic +0
}

/* the word that the inlined function gets is called by another name than the member's type */
struct constant {
	long tag;
	union {
		const void *data;
		unsigned long i;
	} c;
};

void grow(struct constant *top);

static inline void push_word(struct constant *top, unsigned long long v)
{
	grow(top);
	top->c.i = v; // EXPECT: struct constant +8 (c)
}

void push_sum(struct constant *top, unsigned long long a, unsigned long long b)
{
	push_word(top, a * 3 + b);
}
