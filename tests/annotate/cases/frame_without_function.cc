// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Code in assembler, of no function: a word of its frame as an index is no offset of a virtual base.
// RUN: g++ clang++

struct item {
	long key;
	long count;
};

extern "C" void store_at(item *p, long a, long b, long c);

asm(".text\n.type store_at, @function\nstore_at:\n\tpush %rbp\n\tmov %rsp, %rbp\n"
    "\tmov -0x18(%rbp), %rax\n\tmov %rcx, (%rdx, %rax)\n\tpop %rbp\n\tret\n.size store_at, . - store_at\n");

long user(item *p)
{
	store_at(p, 1, 2, 3);
	return p->count; // EXPECT: item +8 (count)
}
