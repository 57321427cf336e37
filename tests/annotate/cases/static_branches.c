// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Static branches of a linked kernel, whose list is between two labels: both ways are followed.
// RUN: gcc
// LINK: kernel
// TYPES: BTF

#define KEEP __attribute__((noinline, noclone, used))

struct queue {
	struct queue *next;
	long length;
	long spare;
};

__attribute__((section(".data..percpu"))) struct queue *current_queue = (void *)1;

/* include/asm-generic/vmlinux.lds.h: the labels are in a section of other data */
asm(".pushsection .data.jumps, 0, \"aw\"\n.globl __start___jump_table\n.balign 8\n"
    "__start___jump_table:\n.popsection\n"
    ".pushsection .data.jumps, 2, \"aw\"\n.globl __stop___jump_table\n"
    "__stop___jump_table:\n.popsection\n");

/* arch/x86/include/asm/jump_label.h */
#define STATIC_BRANCH(code, label)                                                       \
	asm goto("1: " code "\n.pushsection .data.jumps, 1, \"aw\"\n"                    \
		 ".balign 8\n.long 1b - ., %l[" #label "] - .\n.quad 0\n.popsection"     \
		 :                                                                       \
		 :                                                                       \
		 :                                                                       \
		 : label)

KEEP long switched_off(struct queue *q)
{
	STATIC_BRANCH(".byte 0x0f, 0x1f, 0x44, 0, 0", yes);
	return q->length; // EXPECT: struct queue +8 (length) [btf]
yes:
	return q->spare; // EXPECT: struct queue +16 (spare) [btf]
}

KEEP long switched_on(struct queue *q)
{
	STATIC_BRANCH("jmp %l[yes]", yes);
	return q->length; // EXPECT: struct queue +8 (length) [btf]
yes:
	return q->spare; // EXPECT: struct queue +16 (spare) [btf]
}

int main(void)
{
	return 0;
}

void _start(void)
{
}
