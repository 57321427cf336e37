// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The memory to which a register points has a variable, and nothing else is known of the register: beside the variable is something else.
// RUN: gcc -O2
// RUN off: gcc -O2 --no-rule=far-scalar
struct array { void *elements; unsigned long count; };
struct link { struct link *next; };
struct block { long first, second; struct link *links; };
struct module { long unused; struct array *blocks; };

struct link **last(void **modules, long n)
{
	struct block *block = ((struct module *)modules[n])->blocks->elements; // EXPECT: void* +0; none
	struct link **link = &block[((struct module *)modules[n])->blocks->count - 1].links;
	// EXPECT: none (the offset is outside the type) [rule far-scalar]; struct block* +0; struct link* +0
	// EXPECT off: struct block* +0; struct block* +0; struct link* +0

	while (*link)
		link = &(*link)->next; // EXPECT: struct link +0 (next)
	return link;
}
