// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An inlined function gets another pointer to void: what it accesses is not the pointee of a variable without a place.
// RULES: unlocated-variable
// RUN: gcc -fno-var-tracking

struct own {
	long count, limit;
	short kind;
};

void keep(long);

static inline void get(void *p, long n)
{
	keep(n);
	keep(*(long *)((char *)p + 8)); // EXPECT: none (a pointer to void or to an undefined type)
	keep(n + 1);
}

void direct(void *place, long n)
{
	struct own *o = place;

	keep(n);
	keep(o->limit); // EXPECT: struct own +8 (limit)
}

void passed(void *place, void *other, long n)
{
	struct own *o = place;

	keep(o->kind); // EXPECT: struct own +16 (kind)
	get(other, n);
}
