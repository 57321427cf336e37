// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A record that is passed by value is copied to the stack by a repeated instruction, which leaves the address behind the copy in a register. It is no argument, so the call does not change what lies there.
// RUN: gcc -fno-var-tracking

struct node {
	struct node *next;
	long key;
};
struct big {
	long words[90];
};
int use(struct big big);

/* A pointer is kept in memory over the call. */
#define NO_REGISTERS asm volatile("" ::: "rbx", "rbp", "r12", "r13", "r14", "r15", "memory")

long key_of(struct node *node, const struct big *big)
{
	struct node *next = node->next; // EXPECT: struct node +0 (next)

	NO_REGISTERS;
	if (use(*big)) // MAY: struct big +0 (words)
		return 0;
	NO_REGISTERS;
	return next->key; // EXPECT: struct node +8 (key)
}
