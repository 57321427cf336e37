// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Per-cpu variables relative to the instruction (Linux 6.2), in a section that has addresses like any other (Linux 6.15).
// LINK: kernel, per-cpu at 0xffffffff82000000

#include "kernel.h"

int current_pid(void)
{
	struct task *t;

	asm("mov %%gs:current_task(%%rip), %0" : "=r"(t)); // EXPECT: struct task* +0 [per-cpu]
	return t->parent->pid; // EXPECT: struct task +16 (parent); struct task +8 (pid)
}

long own(void)
{
	struct counters *c = this_cpu(&counters); // MAY: long unsigned int +0; unsigned long +0

	return c->misses + c->owner->pid;
	// EXPECT: struct counters +24 (owner); struct task +8 (pid); struct counters +8 (misses)
}
