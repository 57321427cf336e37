// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A pointer to a union's member, and one to an object that begins with the union, are together a pointer to such an object: it may have another member.
// RUN: gcc -O2

struct text {
	int kind, flags;
	char *start, *end;
};
struct group {
	int kind, state;
	struct node *target;
	long least;
};
struct node {
	union {
		struct text text;
		struct group group;
	} u;
};

struct group *group_of(long number);
struct node *node_of(long number);
void use(void *anything, long more);

long end_of(long number, long grouped)
{ // MAY: long int +0; long +0
	void *found = grouped ? (void *)group_of(number) : (void *)node_of(number); // MAY: long int +0; long +0

	use(found, grouped); // MAY: long int +0; long +0
	return *((struct node *)found)->u.text.end; // EXPECT: struct node +16 (u.text.end); char +0 MAY: long int +0; long +0
}
