// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: An object is cleared, and a record copied, by pieces of all sizes, which say nothing of a union's member. Two numbers that are stored as one constant are two members.
// RUN: gcc clang

#include <stdlib.h>
#include <string.h>

enum type { NODE_WORD, NODE_GUARD, NODE_BAG, NODE_CONS };

struct node {
	enum type type;
	int status;
	struct node *parent;
	union {
		struct {
			struct node *body;
			int low, high, mode, count;
			int from, to, least;
			int last;
		} bag;
		struct {
			struct node *first, *rest;
		} cons;
		struct {
			int what, details, number, id;
		} guard;
		struct {
			char *text, *end;
			int flag;
			char buffer[20];
		} word;
	} u;
};

struct node *new_cons(struct node *first, struct node *rest)
{
	struct node *n = malloc(sizeof(*n));

	if (!n)
		return 0;
	memset(n, 0, sizeof(*n)); // MAY: struct node +4 (status); struct node +20 (u.cons.first) MAY: struct node +36 (u.word.buffer); struct node +52 (u.bag.last)
	n->type = NODE_CONS; // MAY: struct node +0 (type)
	n->u.cons.first = first; // EXPECT: struct node +16 (u.cons.first)
	n->u.cons.rest = rest; // EXPECT: struct node +24 (u.cons.rest)
	return n;
}

struct node *new_guard(int id)
{
	struct node *n = malloc(sizeof(*n));

	if (!n)
		return 0;
	n->type = NODE_GUARD; // MAY: struct node +0 (type)
	n->u.guard.what = 1; // MAY: struct node +16 (u.guard.what); struct node +16 (u.bag.body)
	n->u.guard.details = 2; // MAY: struct node +20 (u.guard.details); struct node +16 (u.guard.what)
	n->u.guard.id = id; // EXPECT: struct node +28 (u.guard.id)
	return n;
}
