// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: A call through a thunk is a call through the register.
// LINK: kernel

#include "kernel.h"

asm(".globl __x86_return_thunk, __x86_indirect_thunk_rax, __x86_indirect_thunk_r11\n"
    ".pushsection .text.thunks,\"ax\"\n"
    ".type __x86_return_thunk,@function\n"
    ".type __x86_indirect_thunk_rax,@function\n"
    ".type __x86_indirect_thunk_r11,@function\n"
    "__x86_return_thunk: ret\n"
    "int3\n"
    "__x86_indirect_thunk_rax: jmp *%rax\n"
    "__x86_indirect_thunk_r11: jmp *%r11\n"
    ".popsection");

struct ops {
	struct counters *(*get)(struct task *t);
};
struct ops *ops;

// EXPECT-IN call: struct ops +0 (get)
int call(struct ops *o, struct task *t)
{
	struct counters *c;
	struct counters *(*f)(struct task *) = o->get; // MAY: struct ops +0 (get)

	asm volatile("call __x86_indirect_thunk_rax" // MAY: struct ops +0 (get)
		     : "=a"(c)
		     : "0"(f), "D"(t)
		     : "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "memory");
	return c->last; // EXPECT: struct counters +16 (last)
}
