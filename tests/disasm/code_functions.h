/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions with the shapes that compilers give them, and the blocks and edges that they have.
 *
 * A graph is written block by block: number, flags (R returns, T by a tail call, N does not return,
 * U unknown successors, L a leader), ">" and the successors. The functions are never run.
 */
#pragma once

#define FUNCTION(name, body)                                                                       \
	__asm__(".text\n" #name "_begin:\n" body #name "_end:\n.byte 0xcc\n.text\n");              \
	extern const uint8_t name##_begin[] __asm__(#name "_begin");                               \
	extern const uint8_t name##_end[] __asm__(#name "_end")

FUNCTION(code_straight, "endbr64; mov (%rdi),%rax; ret\n");

/* lengths 3, 3, 2, 1 with any assembler */
FUNCTION(code_plain, "test %rdi,%rdi; mov (%rdi),%rax; xor %eax,%eax; ret\n");

FUNCTION(code_diamond,
	 "test %rdi,%rdi; je 1f; mov (%rdi),%rax; jmp 2f; 1: xor %eax,%eax; 2: ret\n");

FUNCTION(code_loop, "xor %eax,%eax; 1: add (%rdi),%rax; add $8,%rdi; sub $1,%esi; jne 1b; ret\n");

FUNCTION(code_calls, "push %rbx; call code_straight_begin; test %eax,%eax; je 1f; pop %rbx; ret\n"
		     "1: call code_never_returns; mov (%rbx),%rax\n");

/* calls of code_straight_begin stand for a return, those of code_plain_begin for a jump or call
 * through %rcx */
FUNCTION(code_thunks, "call code_plain_begin; test %eax,%eax; je 1f; jmp code_plain_begin;\n"
		      "1: jne code_plain_begin; jmp code_straight_begin\n");

/* a kernel's WARN(), out of line */
FUNCTION(code_warning, "test %edi,%edi; js 3f; mov (%rsi),%rax; 2: ret; 3: ud2; jmp 2b\n");

FUNCTION(code_never, "code_never_returns: ud2; int3; hlt\n");

/* a call through a pointer that has the address of such a function */
FUNCTION(code_never_through, "test %edi,%edi; jne 1f; ret; 1: call *code_never_slot(%rip); ret\n");
__asm__(".data\n.balign 8\n.globl code_never_slot\ncode_never_slot: .quad "
	"code_never_begin\n.text\n");
extern const uint8_t code_never_slot[];

/* a function that ends in a call: the call does not return, even if it is not declared so */
FUNCTION(code_call_last, "test %edi,%edi; jne 1f; ret; 1: call code_straight_begin\n");

FUNCTION(code_tail_calls,
	 "test %edi,%edi; je code_straight_begin; cmp $1,%edi; je 1f; jmp code_diamond_begin;\n"
	 "1: jmp *code_pointer(%rip)\n");
__asm__(".data\n.balign 8\ncode_pointer: .quad code_straight_begin\n.text\n");

/* gcc and clang, position-independent */
FUNCTION(code_switch,
	 "cmp $3,%edi; ja 9f; mov %edi,%edi; lea 8f(%rip),%rax; movslq (%rax,%rdi,4),%rdx; add "
	 "%rax,%rdx;\n"
	 "notrack jmp *%rdx\n"
	 "1: mov (%rsi),%eax; ret; 2: mov 4(%rsi),%eax; ret; 3: mov 8(%rsi),%eax; 9: ret\n"
	 ".section .rodata\n.balign 4\n8: .long 1b-8b, 2b-8b, 9b-8b, 3b-8b, 1b-8b+1\n.text\n");

/* the table's address is loaded far before the jump, and two paths lead from the compare to the
 * jump, so that the compare does not bound the table; its end does */
FUNCTION(
	code_switch_far,
	"push %rbx; lea 8f(%rip),%rbx; 7: mov (%rsi),%eax; lea -2(%rax),%ecx; cmp $3,%cl; jae 9f;\n"
	"test %rdi,%rdi; je 5f; add $1,%rsi; 5: movzbl %cl,%ecx; movslq (%rbx,%rcx,4),%rcx\n"
	"add %rbx,%rcx; jmp *%rcx\n"
	"1: inc %edx; jmp 7b; 2: dec %edx; jmp 7b; 3: xor $1,%edx; jmp 7b; 9: pop %rbx; ret\n"
	".section .rodata\n.balign 4\n8: .long 1b-8b, 2b-8b, 3b-8b, 0x11223344\n.text\n");

/* a default case outside of the function (a cold part that is not given) still bounds the table */
FUNCTION(code_switch_out, "cmp $1,%edi; ja code_straight_begin; mov %edi,%edi; lea 8f(%rip),%rax; "
			  "movslq (%rax,%rdi,4),%rdx\n"
			  "add %rax,%rdx; jmp *%rdx; 1: mov (%rsi),%eax; ret; 2: ret; 3: ret\n"
			  ".section .rodata\n.balign 4\n8: .long 1b-8b, 2b-8b, 3b-8b\n.text\n");

/* gcc -O0 */
FUNCTION(code_switch_gcc_o0,
	 "push %rbp; mov %rsp,%rbp; mov %edi,-4(%rbp); cmpl $2,-4(%rbp); ja 9f; mov -4(%rbp),%eax\n"
	 "lea 0(,%rax,4),%rdx; lea 8f(%rip),%rax; mov (%rdx,%rax),%eax; cltq; lea 8f(%rip),%rdx; "
	 "add "
	 "%rdx,%rax\n"
	 "notrack jmp *%rax; 1: mov $1,%eax; jmp 6f; 2: mov $2,%eax; jmp 6f; 9: mov $3,%eax; 6: "
	 "pop %rbp; "
	 "ret\n"
	 ".section .rodata\n.balign 4\n8: .long 1b-8b, 2b-8b, 9b-8b, 1b-8b\n.text\n");

/* clang -O0: the index goes through the stack, and sub does the compare */
FUNCTION(
	code_switch_clang_o0,
	"push %rbp; mov %rsp,%rbp; mov %edi,-4(%rbp); mov -4(%rbp),%eax; mov %eax,%ecx; mov "
	"%rcx,-16(%rbp)\n"
	"sub $2,%eax; ja 9f; mov -16(%rbp),%rax; lea 8f(%rip),%rcx; movslq (%rcx,%rax,4),%rax; add "
	"%rcx,%rax\n"
	"jmp *%rax; 1: mov $1,%eax; jmp 6f; 2: mov $2,%eax; jmp 6f; 9: mov $3,%eax; 6: pop %rbp; "
	"ret\n"
	".section .rodata\n.balign 4\n8: .long 1b-8b, 2b-8b, 9b-8b, 1b-8b\n.text\n");

/* no compare: a mask bounds the entries, and the table ends where they stop making sense */
FUNCTION(code_switch_mask,
	 "and $7,%edi; lea 8f(%rip),%rax; movslq (%rax,%rdi,4),%rdi; add %rdi,%rax; jmp *%rax\n"
	 "1: mov (%rsi),%eax; ret; 2: mov 4(%rsi),%eax; ret\n"
	 ".section .rodata\n.balign 4\n8: .long 1b-8b, 2b-8b, 0x11223344\n.text\n");

/* the default case cannot happen: gaps lead to the end of the function, or anywhere */
FUNCTION(code_switch_gaps,
	 "lea 8f(%rip),%rax; movslq (%rax,%rdi,4),%rdi; add %rdi,%rax; jmp *%rax\n"
	 "1: mov (%rsi),%eax; ret; 2: mov 4(%rsi),%eax; ret; 9: \n"
	 ".section .rodata\n.balign 4\n8: .long 9b-8b, 1b-8b, 9b-8b, 2b-8b, 9b-8b, "
	 "0x11223344, 0x22334455\n.text\n");

/* a bound that allows more entries than there are: those beyond the table are not known */
FUNCTION(code_switch_short,
	 "cmp $4,%edi; ja 9f; mov %edi,%edi; lea 8f(%rip),%rax; movslq (%rax,%rdi,4),%rdx; add "
	 "%rax,%rdx;\n"
	 "jmp *%rdx; 1: mov (%rsi),%eax; ret; 9: ret\n"
	 ".section .rodata\n.balign 4\n8: .long 1b-8b, 9b-8b, 0x11223344, 1b-8b, 1b-8b\n.text\n");

/* two tables in a row without bounds: the first ends where the second begins */
FUNCTION(code_switch_neighbours,
	 "lea 7f(%rip),%rax; lea 8f(%rip),%rcx; test %rsi,%rsi; je 5f; movslq (%rax,%rdi,4),%rdx; "
	 "add "
	 "%rax,%rdx; jmp *%rdx\n"
	 "5: movslq (%rcx,%rdi,4),%rdx; add %rcx,%rdx; jmp *%rdx\n"
	 "1: mov (%rsi),%eax; ret; 2: mov 4(%rsi),%eax; ret; 3: mov 8(%rsi),%eax; ret\n"
	 ".section .rodata\n.balign 4\n7: .long 1b-7b, 2b-7b\n8: .long 3b-8b, 0x7fffffff\n.text\n");

/* computed gotos: a table of addresses, a jump at each label, the table's address in one
 * register */
FUNCTION(code_threaded,
	 "lea 8f(%rip),%rcx; movzbl (%rdi),%eax; jmp *(%rcx,%rax,8)\n"
	 "1: inc %edx; movzbl 1(%rdi),%eax; jmp *(%rcx,%rax,8)\n"
	 "2: dec %edx; inc %rdi; movzbl (%rdi),%eax; mov (%rcx,%rax,8),%rax; jmp *%rax\n"
	 "3: ret\n"
	 ".section .data.rel.ro,\"aw\"\n.balign 8\n8: .quad 1b, 2b, 3b, 0\n.text\n");

/* the same, merged into one jump, as compilers do without optimization */
FUNCTION(code_threaded_merged,
	 "lea 8f(%rip),%rcx; movzbl (%rdi),%eax; mov (%rcx,%rax,8),%rax; 5: jmp *%rax\n"
	 "1: inc %edx; movzbl 1(%rdi),%eax; mov (%rcx,%rax,8),%rax; jmp 5b; 3: ret\n"
	 ".section .data.rel.ro,\"aw\"\n.balign 8\n8: .quad 1b, 3b, 0\n.text\n");

/* the register that holds the table has another value after a call that does not return, which
 * nothing says */
FUNCTION(code_switch_infeasible,
	 "lea 8f(%rip),%rbx; 4: cmp $1,%edi; ja 9f; mov %edi,%edi; movslq (%rbx,%rdi,4),%rax; add "
	 "%rbx,%rax; "
	 "jmp *%rax\n"
	 "1: xor %edi,%edi; jmp 4b; 2: ret; 9: mov $5,%ebx; call code_straight_begin; jmp 4b\n"
	 ".section .rodata\n.balign 4\n8: .long 1b-8b, 2b-8b, 0x11223344\n.text\n");

/* a jump with unknown targets; the code after it is decoded all the same */
FUNCTION(code_unread, "mov (%rdi),%rax; jmp *8(%rax); mov 16(%rdi),%rcx; ret\n");

/* a jump past the lock prefix, as the C library has it for programs of one thread */
FUNCTION(code_lock, "cmpl $0,%fs:0x18; je 1f+1; 1: lock cmpxchg %edx,(%rdi); ret\n");

/* a jump into an instruction: there is no edge */
FUNCTION(code_middle, "test %edi,%edi; je 1f+2; 1: movl $0x90909090,(%rdi); ret\n");

/* data in the code, which looks like the start of a long instruction */
FUNCTION(code_data,
	 "test %edi,%edi; je 1f; ret; .byte 0x48,0xb8,0x01,0x02; 1: mov (%rdi),%rax; ret\n");

FUNCTION(code_landing,
	 "push %rbx; call code_straight_begin; pop %rbx; ret; code_pad: mov %rax,%rdi; call "
	 "code_diamond_begin; ud2\n");
extern const uint8_t code_pad[] __asm__("code_pad");

/* hot and cold: the range that is given second comes first in memory */
FUNCTION(code_cold, "code_cold_entry: mov $1,%eax; jmp code_hot_back\n");
FUNCTION(code_hot, "test %edi,%edi; jne code_cold_entry; xor %eax,%eax; code_hot_back: ret\n");
