// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A void pointer has the type that it was cast to: the variable has a place before it is loaded.
// LINK: kernel

#include "kernel.h"

struct file {
	long position;
	void *private;
};

struct open {
	struct task *owner;
	long count;
};

static inline __attribute__((always_inline)) struct task *task_of(struct open *o)
{
	struct task *t = o->owner; // EXPECT: struct open +0 (owner) MAY: struct file +8 (private)

	return t->pid ? t : t->parent; // EXPECT: struct task +8 (pid); struct task +16 (parent)
}

static inline __attribute__((always_inline)) struct task *owner(struct file *f)
{
	return task_of(f->private); // MAY: struct file +8 (private)
}

// EXPECT-IN get: struct file +8 (private)
int get(struct file *f, void *v)
{
	return owner(f)->parent->pid; // EXPECT: struct task +16 (parent); struct task +8 (pid)
}
