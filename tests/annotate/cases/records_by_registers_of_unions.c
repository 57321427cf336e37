// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A record that is passed or returned in two registers is the member of its type, whole.
// RUN: gcc clang -O2

struct value {
	unsigned char kind, pad;
	unsigned short offset;
	int size;
	union {
		void *object;
		double number;
	} u;
};
struct block {
	struct node *first, *last;
};
struct flags {
	unsigned char wide, deep, late, slow;
};
union semantic {
	struct block block;
	struct value literal;
	int number;
	struct flags flags;
};

void use_value(struct value v);
void use_block(struct block b);
void use_flags(long a, struct flags f);
struct flags make_flags(void);
struct value make_value(void);
struct block make_block(void);
void seen(long sum);

void pass_value(union semantic *s)
{
	use_value(s[0].literal); // EXPECT: union semantic +0 (literal.kind); union semantic +8 (literal.u)
}

void pass_block(union semantic *s)
{
	use_block(s[0].block); // EXPECT: union semantic +0 (block.first); union semantic +8 (block.last)
}

void keep_value(union semantic *s)
{
	s->literal = make_value(); // EXPECT: union semantic +0 (literal.kind); union semantic +8 (literal.u...
}

void keep_block(union semantic *s)
{
	s->block = make_block(); // EXPECT: union semantic +0 (block.first); union semantic +8 (block.last)
}

struct value get_value(union semantic *s)
{
	return s->literal; // EXPECT: union semantic +0 (literal.kind); union semantic +8 (literal.u)
}

void call_value(union semantic *s, long a, long b, void (*use)(struct value v))
{
	use(s->literal); // EXPECT: union semantic +0 (literal.kind); union semantic +8 (literal.u)
	seen(a + b);
}

void pass_flags(union semantic *s)
{
	use_flags(0, s->flags); // EXPECT: union semantic +0 (flags.wide)
}

void keep_flags(union semantic *s)
{
	s->flags = make_flags(); // EXPECT: union semantic +0 (flags.wide)
}

void pass_half(union semantic *s, struct node *last)
{
	use_block((struct block){ s->block.first, last }); // EXPECT: union semantic +0 (block.first)
}
