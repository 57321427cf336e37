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
