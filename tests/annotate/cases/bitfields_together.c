// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An access that uses the bits of several bitfields names just these.
// RUN: gcc

struct rights {
	unsigned read : 1, write : 1, run : 1, sticky : 1, owner : 1, group : 1, others : 1, old : 1;
	unsigned mode : 3, level : 5;
	int tail;
};

int may_read_or_run(const struct rights *p)
{
	return p->read || p->run; // EXPECT: struct rights +0 (read, run)
}

int is_for_all(const struct rights *p)
{
	return p->owner && p->group && p->others; // EXPECT: struct rights +0 (owner, group, others)
}

int is_fourth_mode_of_old(const struct rights *p)
{
	return p->mode == 4 && p->old; // EXPECT: struct rights +0 (old, mode) or struct rights +0 (old)
	// MAY: struct rights +1 (mode)
}

void forbid(struct rights *p)
{
	p->write = 0;
	p->read = p->run = 0; // EXPECT: struct rights +0 (read, write, run)
}

void allow(struct rights *p)
{
	p->sticky = 1; // EXPECT: struct rights +0 (sticky, old)
	p->old = 1;
}

/* a register has the word where ways meet */
struct limits {
	int first, second, third;
};

int meet(struct rights *p, const struct limits *q)
{
	p->group = 0; // EXPECT: struct rights +0 (group, others); struct rights +0 (group)
	if (q->first == 1 || q->second) // EXPECT: struct limits +0 (first); struct limits +4 (second)
		p->group = 1; // EXPECT: struct rights +0 (group)
	else if (q->third > 1) // EXPECT: struct limits +8 (third)
		p->others = 1; // EXPECT: struct rights +0 (others)
	return 1;
}

/* a register has some bits as they were stored */
void merge(struct rights *p, const struct rights *q)
{
	p->run = 1; // EXPECT: struct rights +0 (write, run, old); struct rights +0 (run)
	if (!p->write && q->write) { // EXPECT: struct rights +0 (read, write)
		p->tail = q->tail; // EXPECT: struct rights +4 (tail)
		p->old = q->old;
		p->write = 1; // EXPECT: struct rights +0 (old); struct rights +0 (write, old); struct rights +0 (read)
	}
	p->read |= q->read; // EXPECT: struct rights +0 (read, run)
	p->run = 0; // EXPECT: struct rights +0 (read, run)
}

/* a register that is not read any more was loaded for these bits alone, however long the code is */
extern struct rights *copy_of(struct rights *p);

void copy(struct rights *p, int count)
{
	unsigned kept = p->old; // EXPECT: struct rights +0 (old)
	struct rights *q;

	p->old = 0; // EXPECT: struct rights +0 (old)
	q = copy_of(p);
	if (count > 3)
		q->old = kept; // EXPECT: struct rights +0 (old)
	while (count--) {
		asm volatile(".rept 700\n\tnop\n\t.endr");
		q[count].tail = 1; // EXPECT: struct rights +4 (tail)
	}
}
