// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer that moves over an array has elements on both sides.

struct value {
	long number;
	int kind, pad;
};
struct stack {
	struct value *top;
};

void push(struct stack *s, long n)
{
	s->top->number = n; // EXPECT: struct stack +0 (top); struct value +0 (number)
	s->top->kind = 1; // EXPECT: struct value +8 (kind)
	s->top++; // EXPECT: struct stack +0 (top)
	s->top[-1].pad = 2; // EXPECT: struct value +12 (pad)
	s->top[1].kind = 3; // EXPECT: struct value +8 (kind)
}

typedef unsigned char u8;
struct page {
	u8 *data, *end;
	int leaf;
};

/* *p++ tests p[-1] after the increment. */
u8 *skip(struct page *g, long at)
{
	u8 *p = g->data + at; // EXPECT: struct page +0 (data)

	if (g->leaf) // EXPECT: struct page +16 (leaf)
		while (*p++ >= 0x80) // EXPECT: u8 +0
			if (p >= g->end) // EXPECT: struct page +8 (end)
				return 0;
	return p;
}

typedef unsigned long __attribute__((may_alias, aligned(1))) word;

/* Bytes that are read in words. */
unsigned long read8(const unsigned char *p, long i)
{
	return *(const word *)(p + i); // EXPECT: unsigned char +0
}

/* A parser's stack of values. One kind of value ends in an array without a size. */
struct address {
	unsigned char kind, length;
	unsigned short size;
	unsigned int part;
	unsigned long align[0];
};

union semantic {
	struct {
		long from, to, step;
	} range;
	struct address address;
};

extern long look_up(long state);
extern void take(long number);

void reduce(union semantic *top, long state)
{
	do {
		top++;
		if (state & 1)
			take(top[-2].range.from); // EXPECT: union semantic +0 (range.from)
		state = look_up(state);
	} while (state);
}
