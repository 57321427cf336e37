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
	return p->mode == 4 && p->old; // EXPECT: struct rights +0 (old, mode)
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
