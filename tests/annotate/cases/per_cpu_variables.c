// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Per-cpu variables: by %gs:, by the base of this processor, and by that of another one.
// LINK: kernel

#include "kernel.h"

int current_pid(void)
{
	struct task *t;

	asm("mov %%gs:%1, %0" : "=r"(t) : "m"(current_task)); // EXPECT: struct task* +0 [per-cpu]
	return t->parent->pid; // EXPECT: struct task +16 (parent); struct task +8 (pid)
}

/* The address is in a register. */
long in_register(struct counters *p, long i)
{
	long sum;
	struct counters *c = &counters;

	asm("mov %%gs:8(%1), %0" : "=r"(sum) : "r"(c)); // EXPECT: struct counters +8 (misses)
	long more;

	asm("mov %%gs:(%1), %0" : "=r"(more) : "r"(&table[i])); // EXPECT: long...
	long his;

	asm("mov %%gs:16(%1), %0" : "=r"(his) : "r"(p));
	// EXPECT: struct counters +16 (last) [variable]
	return sum + more + his;
}

struct holder {
	struct counters *statistics;
};

long this_base(struct holder *h)
{
	struct counters *c = this_cpu(&counters), *d = this_cpu(h->statistics);
	// EXPECT: struct holder +0 (statistics) MAY: long unsigned int +0; unsigned long +0

	asm volatile("" : : : "memory");
	c->hits++; // EXPECT: struct counters +0 (hits)
	return c->owner->pid + d->last;
	// EXPECT: struct counters +24 (owner); struct counters +16 (last); struct task +8 (pid)
}

#define per_cpu(v, cpu)                                                                  \
	(*(__typeof__(v) *)({                                                            \
		unsigned long at;                                                        \
		asm("" : "=r"(at) : "0"(&(v)));                                          \
		at + __per_cpu_offset[cpu];                                              \
	}))

long any_base(int cpu)
{
	return per_cpu(counters, cpu).misses + per_cpu(current_task, cpu)->parent->pid;
	// EXPECT: struct task* +0; struct task +16 (parent); struct task +8 (pid)
	// EXPECT: struct counters +8 (misses) MAY: long unsigned int[] +0; unsigned long[] +0
}
