// SPDX-License-Identifier: GPL-2.0-or-later
/* Copies of memory: loads and stores of the same values, string instructions, and what a function
 * reads of a copy in its own frame. */
#include "base/arch/x86_64.h"
#include "tests/support/unit.h"

#ifdef __x86_64__

#include "disasm/copies.h"
#include "base/memory.h"
#include "tests/disasm/code_functions.h"
#include "tests/disasm/one_decoder.h"

FUNCTION(copies_struct, "movdqu (%rsi),%xmm0; mov 16(%rsi),%rax; movups %xmm0,(%rdi)\n"
			"mov %rax,16(%rdi); ret\n");
/* the last bytes are copied twice */
FUNCTION(copies_overlap, "movups (%rsi),%xmm0; movups 8(%rsi),%xmm1; movups %xmm1,48(%rdi)\n"
			 "movups %xmm0,40(%rdi); ret\n");
FUNCTION(copies_hole, "mov (%rsi),%rax; mov 16(%rsi),%rcx; mov %rax,(%rdi); mov %rcx,16(%rdi)\n"
		      "ret\n");
FUNCTION(copies_two, "mov (%rsi),%rax; mov 8(%rsi),%rcx; mov %rax,(%rdi); mov %rax,(%rdx)\n"
		     "mov %rcx,8(%rdi); mov %rcx,8(%rdx); ret\n");
/* Go: a copy of a copy, at the same distance */
FUNCTION(copies_again, "movups 32(%rsp),%xmm0; movups %xmm0,16(%rsp); movups 16(%rsp),%xmm0\n"
		       "movups %xmm0,(%rsp); ret\n");
FUNCTION(copies_word, "mov (%rsi),%rax; mov %rax,(%rdi); ret\n");
FUNCTION(copies_changed, "mov (%rsi),%rax; mov 8(%rsi),%rcx; inc %rax; mov %rax,(%rdi)\n"
			 "mov %rcx,8(%rdi); ret\n");
FUNCTION(copies_moved, "mov (%rsi),%rax; mov %rax,(%rdi); add $8,%rsi; mov 8(%rsi),%rax\n"
		       "mov %rax,8(%rdi); ret\n");
FUNCTION(copies_apart, "mov (%rsi),%rax; mov 8(%rsi),%rcx; mov %rax,(%rdi); mov %rcx,16(%rdi)\n"
		       "ret\n");
FUNCTION(copies_called, "mov (%rsi),%r12; mov 8(%rsi),%r13; call code_straight_begin\n"
			"mov %rax,(%rdi); mov %rdx,8(%rdi); ret\n");
FUNCTION(copies_string, "mov $0x178,%ecx; rep movsq; ret\n");
FUNCTION(copies_bytes, "mov %rdx,%rcx; rep movsb; ret\n");
/* Go: the odd word first */
FUNCTION(copies_odd, "mov (%rbx),%rcx; mov %rcx,(%rax); lea 8(%rax),%rdi; lea 8(%rbx),%rsi\n"
		     "mov $168,%ecx; rep movsq; ret\n");
/* gcc: the first and the last word, and what is between them from rounded addresses on */
FUNCTION(copies_rounded,
	 "mov (%rsi),%rax; mov %rax,(%rdi); mov 3000(%rsi),%rax; mov %rax,3000(%rdi)\n"
	 "lea 8(%rdi),%rdx; mov %rdi,%rax; and $-8,%rdx; sub %rdx,%rax; mov %rdx,%rdi\n"
	 "sub %rax,%rsi; lea 3008(%rax),%ecx; shr $3,%ecx; rep movsq; ret\n");
FUNCTION(copies_loop, "1: movups (%rsi),%xmm0; movups %xmm0,(%rdi); add $16,%rsi; add $16,%rdi\n"
		      "dec %ecx; jne 1b; ret\n");
/* Go: all is loaded before the index is checked, and stored behind it */
FUNCTION(copies_checked, "movups (%rsi),%xmm0; mov 16(%rsi),%rax; cmp %rcx,%rdx; jae 1f\n"
			 "movups %xmm0,(%rdi); mov %rax,16(%rdi); ret; 1: ud2\n");
/* gcc -Os: the rest of the object on both sides of a branch */
FUNCTION(copies_branches, "movups (%rsi),%xmm0; cmpb $0,32(%rdi); movups %xmm0,(%rdi); je 1f\n"
			  "movups 16(%rsi),%xmm1; movups %xmm1,16(%rdi); ret\n"
			  "1: movups 16(%rsi),%xmm2; movb $1,32(%rdi); movups %xmm2,16(%rdi)\n"
			  "ret\n");
/* each branch copies an object of its own */
FUNCTION(copies_either, "test %ecx,%ecx; je 1f; movups (%rsi),%xmm0; movups %xmm0,(%rdi); ret\n"
			"1: movups 16(%rsi),%xmm0; movups %xmm0,16(%rdi); ret\n");
FUNCTION(copies_joined, "movups (%rsi),%xmm0; test %ecx,%ecx; je 1f; nop\n"
			"1: movups %xmm0,(%rdi); ret\n");
/* Go: the address of the second half is computed again */
FUNCTION(copies_address, "lea (%rbx,%rdx),%rsi; movups (%rsp),%xmm0; movups %xmm0,(%rsi)\n"
			 "lea (%rbx,%rdx),%rdx; lea 16(%rdx),%rdx; movups 16(%rsp),%xmm0\n"
			 "movups %xmm0,(%rdx); ret\n");
FUNCTION(copies_rounds, "1: mov (%rsi,%rcx),%rax; mov 8(%rsi,%rcx),%r8; cmp %rdx,%rcx; jae 2f\n"
			"mov %rax,(%rdi,%rcx); mov %r8,8(%rdi,%rcx); add $16,%rcx; jmp 1b\n"
			"2: ret\n");

static const struct copies_case {
	const char *name;
	const uint8_t *begin, *end;
	size_t count; /* copies; the others are of the first one */
	uint64_t bytes, span;
	uint32_t before;
	bool loops;
} cases[] = {
#define CASE(name, ...)                                                                            \
	{                                                                                          \
#name, name##_begin, name##_end, __VA_ARGS__                                       \
	}
	CASE(copies_struct, 1, 24, 24, 0, false),     CASE(copies_overlap, 1, 24, 24, 0, false),
	CASE(copies_hole, 1, 16, 24, 0, false),       CASE(copies_two, 2, 16, 16, 0, false),
	CASE(copies_again, 2, 16, 16, 0, false),      CASE(copies_word, 0, 0, 0, 0, false),
	CASE(copies_changed, 0, 0, 0, 0, false),      CASE(copies_moved, 0, 0, 0, 0, false),
	CASE(copies_apart, 0, 0, 0, 0, false),        CASE(copies_called, 0, 0, 0, 0, false),
	CASE(copies_string, 1, 3008, 3008, 0, false), CASE(copies_bytes, 1, 0, 0, 0, false),
	CASE(copies_odd, 1, 1352, 1352, 8, false),    CASE(copies_rounded, 1, 3008, 3008, 0, false),
	CASE(copies_loop, 1, 16, 16, 0, true),        CASE(copies_checked, 1, 24, 24, 0, false),
	CASE(copies_branches, 1, 32, 32, 0, false),   CASE(copies_either, 2, 16, 16, 0, false),
	CASE(copies_joined, 0, 0, 0, 0, false),       CASE(copies_address, 1, 32, 32, 0, false),
	CASE(copies_rounds, 1, 16, 16, 0, true),
};

static struct cfg *build_code(const uint8_t *begin, const uint8_t *end)
{
	const struct cfg_range range = { (uint64_t)begin, (uint64_t)(end - begin), begin };
	struct cfg *code;

	assert_null(cfg_build(decoder, &(struct cfg_request){ .ranges = &range, .range_count = 1 },
			      &code));
	return code;
}

static void test_copies_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct cfg *code = build_code(cases[i].begin, cases[i].end);
		struct code_copies copies;
		size_t used = 0;

		code_copies_find(&copies, code);
		for (size_t k = 0; k < copies.count; k++) {
			bool own = any_of(n, 0, code->insn_count, copies.of_insn[n] == k + 1);

			if (own && !used++ &&
			    (copies.items[k].bytes != cases[i].bytes ||
			     copies.items[k].span != cases[i].span ||
			     copies.items[k].before != cases[i].before ||
			     copies.items[k].loops != cases[i].loops))
				fail_msg("%s: %lu of %lu bytes, %u before", cases[i].name,
					 (unsigned long)copies.items[k].bytes,
					 (unsigned long)copies.items[k].span,
					 copies.items[k].before);
		}
		if (copies.count < cases[i].count || (!cases[i].count && used))
			fail_msg("%s: %zu copies", cases[i].name, copies.count);
		code_copies_deinit(&copies);
		cfg_destroy(code);
	}
}

FUNCTION(use_part,
	 "sub $32,%rsp; movups (%rdi),%xmm0; movups 16(%rdi),%xmm1; movups %xmm0,(%rsp)\n"
	 "movups %xmm1,16(%rsp); mov 8(%rsp),%rax; add 16(%rsp),%eax; add $32,%rsp; ret\n");
FUNCTION(use_address, "sub $32,%rsp; movups (%rdi),%xmm0; movups %xmm0,8(%rsp); mov 8(%rsp),%rax\n"
		      "lea 8(%rsp),%rdi; call code_straight_begin; add $32,%rsp; ret\n");
/* the address of an object before it */
FUNCTION(use_before, "sub $32,%rsp; movups (%rdi),%xmm0; movups %xmm0,8(%rsp); mov 8(%rsp),%rax\n"
		     "lea (%rsp),%rdi; call code_straight_begin; add $32,%rsp; ret\n");
FUNCTION(use_argument, "sub $24,%rsp; movups (%rdi),%xmm0; movups %xmm0,(%rsp)\n"
		       "call code_straight_begin; add $24,%rsp; ret\n");
FUNCTION(use_frame, "push %rbp; mov %rsp,%rbp; sub $32,%rsp; movups (%rdi),%xmm0\n"
		    "movups %xmm0,-16(%rbp); mov -16(%rbp),%rax; leave; ret\n");
/* the stack pointer moves, so that its displacements are not comparable */
FUNCTION(use_moving,
	 "movups (%rdi),%xmm0; movups %xmm0,-24(%rsp); test %esi,%esi; je 1f; push %rax\n"
	 "call code_straight_begin; pop %rax; 1: mov -24(%rsp),%rax; ret\n");
/* the stack pointer reaches what is stored through the frame pointer, and the reverse */
FUNCTION(use_both, "push %rbp; mov %rsp,%rbp; sub $32,%rsp; movups (%rdi),%xmm0\n"
		   "movups %xmm0,-16(%rbp); mov -16(%rbp),%rax; add 24(%rsp),%rax; leave; ret\n");
FUNCTION(use_copied, "push %rbp; mov %rsp,%rbp; sub $32,%rsp; movups (%rdi),%xmm0\n"
		     "movups %xmm0,16(%rsp); mov 16(%rsp),%rax; add -8(%rbp),%rax; leave; ret\n");
FUNCTION(use_called, "sub $24,%rsp; movups (%rdi),%xmm0; movups %xmm0,(%rsp); call *8(%rsp)\n"
		     "add $24,%rsp; ret\n");
/* memory of others may be read by others */
FUNCTION(use_other, "movups (%rdi),%xmm0; movups %xmm0,(%rsi); mov (%rsi),%rax; ret\n");

static const struct use_case {
	const char *name;
	const uint8_t *begin, *end;
	int64_t before;
	uint64_t unread;
	bool passed;
} use_cases[] = {
	CASE(use_part, 0, 20, false),   CASE(use_address, 0, 0, false),
	CASE(use_before, 0, 8, false),  CASE(use_before, 8, 0, false),
	CASE(use_argument, 0, 0, true), CASE(use_frame, 0, 8, false),
	CASE(use_moving, 0, 0, false),  CASE(use_other, 0, 0, false),
	CASE(use_both, 0, 0, false),    CASE(use_copied, 0, 0, false),
	CASE(use_called, 0, 8, false),
};

static void test_use_of_copies(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(use_cases); i++) {
		struct cfg *code = build_code(use_cases[i].begin, use_cases[i].end);
		struct code_copies copies;

		code_copies_find(&copies, code);
		if (copies.count != 1)
			fail_msg("%s: %zu copies", use_cases[i].name, copies.count);
		struct copy_use use = code_copy_use(code, &copies.items[0], use_cases[i].before);

		if (use.unread != use_cases[i].unread || use.passed != use_cases[i].passed)
			fail_msg("%s: %lu bytes unread, passed: %d", use_cases[i].name,
				 (unsigned long)use.unread, use.passed);
		code_copies_deinit(&copies);
		cfg_destroy(code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_copies_are_found),
		cmocka_unit_test(test_use_of_copies),
	};

	return cmocka_run_group_tests_name("copies", tests, create_decoder, destroy_decoder);
}

#else /* code_functions.h is written in x86-64's assembly language */

#include <stdio.h>

int main(void)
{
	puts("1..1\n# skipped: the functions are x86-64's\nok 1 - copies # SKIP");
	return 0;
}

#endif
