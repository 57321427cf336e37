// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For test_arm64_forms.c, which compiles it for arm64: runs each form where its accesses fail, and
 * prints what the processor shows: "NUMBER ADDRESS SIZE WRITES CHANGE". ADDRESS is relative to x0,
 * SIZE the bytes up to the end of the last access, and CHANGE what was added to x0.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

/* of all memory, of which the first half can be read */
#define SIZE ((size_t)1 << 20)

struct registers {
	uint64_t x[8];
};

/* Each function takes all eight registers from *registers and puts them there again. */
#define FORM(before, instruction)                                                                  \
	__asm__(".arch armv8.5-a\n.pushsection .text.forms, \"ax\"\n"                              \
		"str x0, [sp, #-16]!\n"                                                            \
		"ldp x6, x7, [x0, #48]\nldp x4, x5, [x0, #32]\nldp x2, x3, [x0, #16]\n"            \
		"ldp x0, x1, [x0]\n" before "\n" instruction "\n"                                  \
		"ldr x7, [sp], #16\nstr x0, [x7]\nret\n"                                           \
		".balign 64\n.popsection");

extern void forms(struct registers *registers);
__asm__(".pushsection .text.forms, \"ax\"\n.balign 64\nforms:\n.popsection");
#include "arm64_forms.h"
#undef FORM
__asm__(".pushsection .text.forms, \"ax\"\n.globl forms_end\nforms_end:\n.popsection");
extern const char forms_end[];

static sigjmp_buf back;
static uintptr_t failed_at;

static void fail(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)context;
	failed_at = (uintptr_t)info->si_addr;
	siglongjmp(back, 1);
}

/* Runs a form with this x0. False: it failed, at failed_at. */
static int run(uintptr_t form, uintptr_t place, int64_t *change)
{
	struct registers registers = { { place, 64, 2, 3, 4, UINT64_C(0xffffffff00000040), 6, 7 } };

	if (sigsetjmp(back, 1))
		return 0;
	((void (*)(struct registers *))form)(&registers);
	*change = (int64_t)(registers.x[0] - place);
	return 1;
}

int main(void)
{
	char *memory = mmap(NULL, SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction action = { .sa_sigaction = fail, .sa_flags = SA_SIGINFO };
	uintptr_t middle = (uintptr_t)memory + SIZE / 2;
	uintptr_t first = (uintptr_t)forms;

	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	for (uintptr_t form = first; form < (uintptr_t)forms_end; form += 64) {
		int64_t change = 0;
		uintptr_t size = 0;

		mprotect(memory, SIZE, PROT_NONE);
		run(form, middle, &change);
		intptr_t address = (intptr_t)(failed_at - middle);

		mprotect(memory, SIZE / 2, PROT_READ | PROT_WRITE);
		while (size <= 64 && !run(form, middle - (uintptr_t)address - size, &change))
			size++;
		mprotect(memory, SIZE, PROT_READ);
		int64_t unused;
		int writes = !run(form, middle, &unused);

		printf("%d %ld %lu %d %ld\n", (int)((form - first) / 64), (long)address,
		       (unsigned long)size, writes, (long)change);
	}
	return 0;
}
