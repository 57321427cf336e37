// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A function that returns nothing, and has the name of a member, does not fetch that member.
// RUN: gcc clang -O2

union node {
	struct {
		int type, line;
		struct list *list;
	} pipe;
	struct {
		int type, line;
		union node *next;
	} word;
	struct {
		int type, line;
		union node *test;
	} branch;
};

void print(const char *text);
void print_node(union node *node);

/* a list of words */
void list(union node *node, int separated)
{
	print_node(node);
	if (separated && node->word.next) // EXPECT: union node +8
		print(" ");
}

/* this one fetches it */
struct list *get_list(union node *node)
{
	return node->pipe.list; // EXPECT: union node +8 (pipe.list)
}
