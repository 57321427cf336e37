// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Variable arguments, and calls with them.

#include <stdarg.h>

struct node {
	struct node *next;
	long key;
	int value;
	int flags;
};

long sum(struct node *n, ...)
{
	va_list l;

	va_start(l, n);
	// EXPECT: struct __va_list_tag[] +8 (overflow_arg_area)
	// EXPECT: struct __va_list_tag[] +16 (reg_save_area); struct __va_list_tag[] +0 (gp_offset)

	struct node *m = va_arg(l, struct node *);
	// MAY: struct __va_list_tag[] +16 (reg_save_area); struct __va_list_tag[] +0 (gp_offset)
	// MAY: struct __va_list_tag[] +8 (overflow_arg_area)
	// MAY: none (stack memory of no known variable)

	va_end(l);
	return n->key + m->value;
	// EXPECT: struct node +8 (key)
	// MAY: none (nothing known of the base register); struct node +16 (value)
}

int printf(const char *, ...);

long say(struct node *n)
{
	printf("%ld %d", n->key, n->value); // EXPECT: struct node +16 (value); struct node +8 (key)
	return n->flags; // EXPECT: struct node +20 (flags)
}
