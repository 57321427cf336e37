/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel's per-cpu variables and their accessors, in short, for the cases that are linked as a kernel. */

#define PER_CPU __attribute__((section(".data..percpu")))

struct task {
	long state;
	int pid;
	struct task *parent;
};

struct counters {
	long hits;
	long misses;
	int last;
	struct task *owner;
};

PER_CPU struct {
	long guard[5];
	unsigned long canary;
} fixed = { { 1 }, 1 };
PER_CPU struct task *current_task = (void *)1;
PER_CPU struct counters counters = { 1 };
PER_CPU unsigned long this_cpu_off = 1;
PER_CPU long table[64] = { 1 };

unsigned long __per_cpu_offset[64] = { 1 };
int other = 1;

static inline __attribute__((always_inline)) void *this_cpu(void *p)
{
	asm("add %%gs:%1, %0" : "+r"(p) : "m"(this_cpu_off));
	return p;
}
