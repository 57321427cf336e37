/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The types that the kernel of the tests and its module have in common. */
#pragma once

struct task {
	struct task *next;
	unsigned int id;
	unsigned int flags;
	long runtime;
	long limit;
};

struct queue {
	struct task *head;
	unsigned long length;
};

extern struct queue run_queue;
void queue_add(struct queue *queue, struct task *task);
