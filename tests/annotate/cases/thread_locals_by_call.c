// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Code of a library asks the dynamic linker for the address of a thread-local variable: the call's result has the variable's type.
// RUN: gcc clang -fPIC -ftls-model=global-dynamic
// RUN noplt: gcc -fPIC -ftls-model=global-dynamic -fno-plt
// RUN descriptor: gcc -fPIC -ftls-model=global-dynamic -mtls-dialect=gnu2
// CODE: call

struct node {
	struct node *next;
	long key;
};

extern __thread struct node *current_node;
__thread struct { long count; } steps;
static __thread struct node last;

void visit(struct node *node);

void walk(struct node *first)
{
	for (struct node *node = first; node; node = node->next) { // EXPECT: struct node +0 (next) MAY noplt: void* +0; struct node... MAY descriptor: none
		current_node = node; // EXPECT gcc: struct node* +0 EXPECT clang: none EXPECT noplt: struct node* +0 MAY noplt: void* +0; none MAY descriptor: none
		visit(node);	     // MAY noplt: void* +0 MAY descriptor: none
		steps.count++;	     // EXPECT: struct {count} +0 (count) MAY noplt: void* +0 MAY descriptor: none
	}
} // MAY noplt: void* +0 MAY descriptor: none

void keep(long key)
{
	last.key = key; // EXPECT: struct node +8 (key) MAY noplt: void* +0 MAY descriptor: none
	visit(&last);	// MAY noplt: void* +0 MAY descriptor: none
} // MAY noplt: void* +0 MAY descriptor: none
