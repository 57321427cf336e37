// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Nameless structs of a union describe a list's head twice: by its own pointers, and by links that are pointed to.
// RUN: gcc clang

struct link {
	struct link *next, *previous;
};

union list {
	struct {
		struct link head_link;
		void *head_padding;
	};
	struct {
		void *tail_padding;
		struct link tail_link;
	};
	struct {
		struct link *head, *null, *tail;
	};
};

struct owner {
	long count;
	union list members;
};

long count(struct owner *owner)
{
	long sum = 0;

	for (struct link *at = owner->members.head; at->next; at = at->next) // EXPECT: struct owner +8 (members.head); struct link +0 (next)
		sum++;
	return sum;
}

void append(union list *list, struct link *link)
{
	struct link *last = list->tail; // EXPECT: union list +16 (tail)

	link->next = &list->tail_link; // MAY: struct link +0 (next)
	link->previous = last; // MAY: struct link +8 (previous); struct link +0 (next)
	last->next = link; // EXPECT: struct link +0 (next)
	list->tail = link; // EXPECT: union list +16 (tail)
}
