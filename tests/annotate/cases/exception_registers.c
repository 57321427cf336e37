// SPDX-License-Identifier: GPL-2.0-or-later
// CASE: Assembly without debug information: ORC tells where the registers of the interrupted task are.
// LINK: kernel

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx, r11, r10, r9, r8, ax, cx, dx, si, di,
		orig_ax, ip, cs, flags, sp, ss;
};
struct pt_regs *saved;
__attribute__((section(".data..percpu"))) long some = 1;

// EXPECT-IN entry: struct pt_regs +136 (cs); struct pt_regs +88 (cx); struct pt_regs +112 (di)
asm(".text\n"
    ".type entry,@function\n"
    "entry: push %rax\n"
    "1: testb $3, 0x10(%rsp)\n"
    "2: mov 0x58(%rsp), %rcx\n"
    "mov %rsp, %rdi\n"
    "push 0x70(%rdi)\n"
    "3: testb $3, 0x90(%rsp)\n"
    "4: ret\n"
    ".size entry, . - entry\n"
    ".section .orc_unwind_ip,\"a\"\n"
    ".long entry - ., 1b - ., 2b - ., 3b - ., 4b - .\n"
    ".section .orc_unwind,\"a\"\n"
    ".short 8, 0, 5\n"     /* a call */
    ".short 8, 0, 0x205\n" /* the registers that the processor pushed, and a word */
    ".short 0, 0, 0x105\n" /* all registers */
    ".short 8, 0, 0x105\n" /* and another word */
    ".short 8, 0, 5\n"     /* a call */
    ".text\n");
