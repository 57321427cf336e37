// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The location of a scalar variable is memory at a register, or far from it, and nothing else tells what the register points to: an access beside the scalar is to something else.
// RULES: far-scalar
// RUN: gcc -O2
// RUN off: gcc -O2 --no-rule=far-scalar
struct array { void *elements; unsigned long count; };
struct link { struct link *next; };
struct block { long first, second; struct link *links; };
struct module { long unused; struct array *blocks; };

struct link **last(void **modules, long n)
{
	struct block *block = ((struct module *)modules[n])->blocks->elements; // EXPECT: void* +0; none
	struct link **link = &block[((struct module *)modules[n])->blocks->count - 1].links; // EXPECT: none; struct link* +0

	while (*link)
		link = &(*link)->next; // EXPECT: struct link +0 (next)
	return link;
}

struct check {
	long id;
	struct block *rules;
	char name[600];
	unsigned long lock;
};

static inline void unlock(unsigned long *lock)
{
	*lock -= 1; // EXPECT: long unsigned int +0
}

void finish(void **checks, long n)
{
	void *check = checks[n]; // EXPECT: void* +0

	unlock(&((struct check *)check)->lock);
	((struct check *)check)->rules = 0; // EXPECT: none EXPECT off: long unsigned int +0
	last(checks, 0);
	((struct check *)check)->id = 0; // EXPECT: none EXPECT off: long unsigned int +0
}
