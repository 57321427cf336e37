// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: The code continues after WARN(), which is a ud2; control reaches it only from there.
// RUN: gcc clang -O1 -fno-inline -fno-var-tracking
// LINK: kernel

#include "kernel.h"

void note(long *);
struct task *find(struct task *);

long get(struct task *t)
{
	long room[4];
	struct task *p = find(t);

	note(room);
	if (__builtin_expect(p->pid < 0, 0)) { // EXPECT: struct task +8 (pid)
		asm volatile("ud2");
		p->parent->pid = other;
		// EXPECT: struct task +16 (parent); int +0 [global]; struct task +8 (pid)
	}
	note(room);
	return p->parent->pid + room[2];
	// EXPECT: struct task +16 (parent); struct task +8 (pid) MAY: long int[] +16; long[] +16
}

void note(long *p)
{
	p[other] = 1; // EXPECT: int +0 MAY: long int +0; long +0
}

struct task *find(struct task *t)
{
	return t;
}
