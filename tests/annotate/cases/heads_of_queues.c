// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The head of a list is cast to the list's element, whose first members are the same; the other members are its own.
// RULES: head-cast
// RUN: gcc clang -fno-inline
// LINK: kernel

#include "kernel.h"

struct node {
	long color;
	struct node *right, *left;
};

struct packet {
	union {
		struct {
			struct packet *next, *previous;

			union {
				struct task *owner;
				long scratch;
			};
		};
		struct node node;
	};

	long data[4];
};

struct queue {
	struct packet *next, *previous;
	unsigned int length;
	int lock;
};

void lock(int *lock);
int unlock(int *lock);

static inline __attribute__((always_inline)) void insert(struct packet *new,
							 struct packet *previous,
							 struct packet *next,
							 struct queue *list)
{
	new->next = next; // EXPECT: struct packet +0 (next)
	new->previous = previous; // EXPECT: struct packet +8 (previous)
	next->previous = new; // MAY: struct packet +8 (previous); struct queue +8 (previous)
	previous->next = new; // EXPECT: struct packet +0 (next)
	list->length++; // EXPECT: struct queue +16 (length)
}

static inline __attribute__((always_inline)) void before(struct queue *list,
							 struct packet *next,
							 struct packet *new)
{
	insert(new, next->previous, next, list); // EXPECT: struct queue +8 (previous)
}

void get(struct queue *list, struct packet *new)
{
	lock(&list->lock);
	before(list, (struct packet *)list, new);
	unlock(&list->lock);
}

/* Here a variable has the cast. */
void count(struct queue *list, struct packet *new)
{
	lock(&list->lock);

	struct packet *first = (struct packet *)list;

	first->next = new; // EXPECT: struct packet +0 (next)
	list->length++; // EXPECT: struct queue +16 (length)
	first->previous = new; // MAY: struct packet +8 (previous); struct queue +8 (previous)
	unlock(&list->lock);
}

void lock(int *lock)
{
	++*(volatile int *)lock; // EXPECT: int +0
	asm volatile("");
}

int unlock(int *lock)
{
	asm volatile("");
	return *(volatile int *)lock; // EXPECT: int +0
}
