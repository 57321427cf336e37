// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A thread-local variable of a library has the type that the program declares.
// RUN: gcc
// CODE: %fs:(

struct node {
	struct node *next;
	long key;
};

#define INITIAL __attribute__((tls_model("initial-exec")))

extern __thread struct node *current_node INITIAL;
extern __thread long steps INITIAL;
void visit(struct node *node);

void walk(struct node *first)
{ // MAY: none (no variable at the address)
	for (struct node *node = first; node; node = node->next) { // EXPECT: struct node +0 (next)
		current_node = node; // EXPECT: struct node* +0
		steps++; // EXPECT: long int +0
		visit(node);
	}
}
