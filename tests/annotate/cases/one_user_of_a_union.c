// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: One function uses one of a union's pointers: that is no fact about the other loads of the union, which may be of another one.

struct operand {
	union {
		struct operand *left;
		double number;
	} l;

	long count;
};

struct step {
	struct step *next;

	union {
		struct operand *operand;
		struct step *step;
		long number;
	} d;
};

void visit(struct operand *o);

long count_of(struct step *s)
{
	visit(s->d.operand);
	struct operand *o = s->d.operand;

	return o->count;
}

struct step *follow(struct step *list)
{
	return list->d.step->next;
	// EXPECT: struct step +8 (d.step)
	// MAY: struct step +0 (next); none
}

void append(struct step *list, struct step *other)
{
	list->d.step->next = other;
	// EXPECT: struct step +8 (d.step)
	// MAY: struct step +0 (next); none
}
