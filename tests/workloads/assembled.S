/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that C declares, without types of symbols: the assembler does not describe them. One is the end of the other,
 * as in a kernel's entry code. */
	.text
	.globl pair_turn
pair_turn:
#ifdef __x86_64__
	negq	(%rdi)
#else
	ldr	x1, [x0]
#endif
	.globl pair_second
pair_second:
#ifdef __x86_64__
	movq	8(%rdi), %rax
#else
	ldr	x0, [x0, #8]
#endif
	ret
	.size pair_second, .-pair_second
	.size pair_turn, .-pair_turn
	.section .note.GNU-stack, "", %progbits
