// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The last element of a queue of <sys/queue.h>: a link's second word is read as that of the queue's head.
// RUN: gcc clang
// RUN: gcc -O1
// RULES: tail-queue
#include <sys/queue.h>

struct session {
	int id;
	short kind, flags;
	long expires;
	TAILQ_ENTRY(session) entry;
};
TAILQ_HEAD(queue, session);
struct table {
	unsigned int count;
	struct queue all;
};
int last(struct table *t)
{
	struct session *s = TAILQ_LAST(&t->all, queue); // EXPECT: struct table +16 (all.tqh_last); struct queue +8 (tqh_last); struct session* +0

	return s ? s->flags : -1; // EXPECT: struct session +6 (flags)
}
long before(struct session *s)
{
	struct session *p = TAILQ_PREV(s, queue, entry); // EXPECT: struct session +24 (entry.tqe_prev); struct queue +8 (tqh_last); struct session* +0

	return p ? p->expires : 0; // EXPECT: struct session +8 (expires)
}

// The same members of a record that is no such queue.
struct list {
	struct session *first;
	struct session **rest;
};
int second(struct list *l)
{
	return l->rest[1]->id + l->first->id; // EXPECT: struct list +8 (rest); struct session* +0; struct list +0 (first); struct session +0 (id)
}
