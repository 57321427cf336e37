// SPDX-License-Identifier: GPL-2.0-or-later
/* A string instruction that is repeated. */
#include "node.h"

struct page {
	long count;
	unsigned char bytes[4000];
};

long f(struct page *p)
{
	unsigned char *to = p->bytes;
	long left = sizeof(p->bytes);
	asm volatile("movq %2, %%rdx\n\trep stosb"
		     : "+D"(to), "+c"(left)
		     : "m"(p->count), "a"(0)
		     : "rdx", "memory");
	return left;
}
