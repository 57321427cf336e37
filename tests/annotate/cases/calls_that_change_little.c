// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Calls that the compiler or inline assembly makes keep the types of registers that they do not change.
// RUN: gcc clang -fno-var-tracking
// LINK: kernel

#include "kernel.h"

asm(".globl __fentry__, __get_user_8\n"
    "__fentry__: ret\n"
    "__get_user_8: mov (%rax), %rdx\n"
    "xor %eax, %eax\n"
    "ret");

struct request {
	long *where;
	struct task *task;
	long value;
};
struct request *queue;

long get(void)
{
	struct request *r = *(struct request *volatile *)&queue; // EXPECT: struct request* +0
	long value;
	int error;

	asm volatile("call __fentry__");
	asm volatile("call __get_user_8" : "=a"(error), "=d"(value) : "0"(r->where));
	// EXPECT: struct request +0 (where)
	r->value = value; // EXPECT: struct request +16 (value)
	return r->task->pid + error; // EXPECT: struct request +8 (task); struct task +8 (pid)
}
