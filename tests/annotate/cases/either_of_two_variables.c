// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The addresses of two variables of one type meet: the access is to one of the two. If the types differ, nothing is known.
// RULES: either-variable
// RUN: gcc
// RUN off: gcc --no-rule=either-variable

struct clock {
	double left;
	long stones;
	int moves, flags;
	long pad[3];
};

static struct clock black, white;
static struct clock clocks[4];
static struct { long count, sum; } counts;
static struct { double sum; long more; } sums;

void set(struct clock *, void *);

void init(void)
{
	set(&black, &counts);
	set(&white, &sums);
	set(clocks, clocks);
}

long stones(int is_white)
{
	return (is_white ? &white : &black)->stones; // EXPECT: struct clock +8 (stones) EXPECT off: none
}

/* A variable names the pointer. */
long print(int is_white)
{
	struct clock *c = is_white ? &white : &black;

	set(c, 0);
	return c->moves + c->left; // EXPECT: struct clock +16 (moves); struct clock +0 (left)
}

long indexed(long i)
{
	return clocks[i].stones; // EXPECT: struct clock +8 (stones)
}

long differ(int is_count)
{
	void *p = is_count ? (void *)&counts : (void *)&sums;

	set(0, p);
	return *(long *)((char *)p + 8); // EXPECT: none
}
