// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Bitfields in one byte are told apart by the bits that the code uses or changes.
// RUN: gcc

struct flags {
	unsigned a : 3, b : 5, c : 1, d : 7;
	int tail;
};

int get_a(struct flags *p)
{
	return p->a; // EXPECT: struct flags +0 (a)
}
int get_b(struct flags *p)
{
	return p->b; // EXPECT: struct flags +0 (b)
}
int get_c(struct flags *p)
{
	return p->c; // EXPECT: struct flags +1 (c)
}
int get_d(struct flags *p)
{
	return p->d; // EXPECT: struct flags +1 (d)
}
void set_a(struct flags *p, int v)
{
	p->a = v; // EXPECT: struct flags +0 (a)
}
void set_b(struct flags *p, int v)
{
	p->b = v; // EXPECT: struct flags +0 (b)
}
void set_c(struct flags *p, int v)
{
	p->c = v; // EXPECT: struct flags +1 (c)
}
void set_d(struct flags *p, int v)
{
	p->d = v; // EXPECT: struct flags +1 (d)
}

/* a number that is small anyway is not masked, wherever it comes from */
void set_small(struct flags *p, const unsigned char *v)
{
	unsigned char small = *v; // MAY: char[] +0; unsigned char +0; (unsigned char) +0

	if (small < 8)
		p->a = small; // EXPECT: struct flags +0 (a)
}

/* and it may be kept on the stack until then */
extern void call_with(struct flags *p);

void set_later(struct flags *p, struct flags *q)
{ // MAY: struct flags* +0; unsigned char +0
	unsigned char first = p->a, second = q->a; // MAY: struct flags +0 (a); struct flags* +0; unsigned char +0

	call_with(p); // MAY: struct flags* +0; unsigned char +0
	asm volatile("" ::: "rbx", "rbp", "r12", "r13", "r14", "r15");
	call_with(q); // MAY: struct flags* +0; unsigned char +0
	p->a = second; // EXPECT: struct flags +0 (a) MAY: struct flags* +0; unsigned char +0
	q->a = first; // EXPECT: struct flags +0 (a) MAY: struct flags* +0; unsigned char +0
}

/* A bitfield that is loaded to be put into another one is not loaded for the latter. */
struct window {
	unsigned long first : 12, used : 20, second : 10, others : 22;
};

void double_window(struct window *w)
{
	w->second = w->first; // EXPECT: struct window +0 (first) EXPECT: struct window +4 (second)
}
