// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kernel of a few functions, for tests/whole/test_whole_kernel.c: linked to where a kernel lies, with
 * per-cpu variables in a section of their own at 0, as Linux has them. Nobody runs it.
 */
#include "kernel.h"

#define PER_CPU __attribute__((section(".data..percpu")))

PER_CPU struct task *current_task;
PER_CPU unsigned long ticks;
struct queue run_queue;

static inline struct task *get_current(void)
{
	struct task *task;

	asm("movq %%gs:%1, %0" : "=r"(task) : "m"(current_task));
	return task;
}

void native_enable(void)
{
	asm volatile("sti");
}

struct operations {
	void (*enable)(void);
} pv_ops = { native_enable };

__attribute__((noinline)) void queue_add(struct queue *queue, struct task *task)
{
	task->next = queue->head;
	queue->head = task;
	queue->length++;
	/* Linux makes it a direct call when it boots */
	asm volatile("1: call *pv_ops(%%rip)\n2:\n"
		     ".pushsection .parainstructions, \"a\"\n"
		     ".quad 1b\n.byte 0, 2b - 1b, 0, 0, 0, 0, 0, 0\n"
		     ".popsection" ::: "memory");
}

__attribute__((noinline)) long task_charge(long amount)
{
	struct task *task = get_current();

	task->runtime += amount;
	if (task->runtime > task->limit)
		task->flags |= 1;
	return task->runtime;
}

__attribute__((noinline)) struct task *queue_next(void)
{
	struct task *task = run_queue.head;

	if (!task)
		return 0;
	run_queue.head = task->next;
	run_queue.length--;
	return task;
}

void _start(void)
{
	struct task *task = queue_next();

	queue_add(&run_queue, task);
	task_charge(run_queue.length);
}
