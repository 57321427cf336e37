// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions with a convention of their own: see convention.h. */
#include "annotate/convention.h"

#include <stddef.h>
#include <string.h>

#include "disasm/insn.h"

struct convention {
	const char *name; /* '#' at its end: any digits; '*': anything */
	bool kernel;      /* the Linux kernel's; others know nothing of it */
	uint64_t clobbered;
};

#define RAX REG_BIT(REG_RAX)
#define RBX REG_BIT(REG_RBX)
#define RCX REG_BIT(REG_RCX)
#define RDX REG_BIT(REG_RDX)
#define RSI REG_BIT(REG_RSI)
#define RDI REG_BIT(REG_RDI)

/* The kernel's come last. */
static const struct convention conventions[] = {
	/* what -pg puts at a function's start saves all that it uses (gcc) */
	{ "__fentry__", false, 0 },
	{ "mcount", false, 0 },
	/* arch/x86/include/asm/uaccess.h: the address in rax, the value comes in rdx */
	{ "__get_user_#", true, RAX | RDX },
	{ "__get_user_nocheck_#", true, RAX | RDX },
	/* the value in rax, the address in rcx, which is the error code afterwards */
	{ "__put_user_#", true, RCX | RBX },
	{ "__put_user_nocheck_#", true, RCX | RBX },
	/* arch/x86/include/asm/uaccess_64.h */
	{ "clear_user_original", true, RAX | RCX | RDI },
	{ "clear_user_rep_good", true, RAX | RCX | RDI },
	{ "clear_user_erms", true, RAX | RCX | RDI },
	{ "rep_stos_alternative", true, RAX | RCX | RDI },
	{ "rep_movs_alternative", true, RAX | RCX | RSI | RDI },
	/* arch/x86/include/asm/page_64.h */
	{ "clear_page_orig", true, RAX | RCX | RDI },
	{ "clear_page_rep", true, RAX | RCX | RDI },
	{ "clear_page_erms", true, RAX | RCX | RDI },
	/* arch/x86/include/asm/arch_hweight.h */
	{ "__sw_hweight#", true, RAX },
	/* arch/x86/include/asm/paravirt.h, PV_CALLEE_SAVE_REGS_THUNK */
	{ "__raw_callee_save_*", true, RAX },
	/* arch/x86/include/asm/preempt.h; arch/x86/entry/thunk_64.S saves everything */
	{ "preempt_schedule_thunk", true, 0 },
	{ "preempt_schedule_notrace_thunk", true, 0 },
	{ "__SCT__preempt_schedule", true, 0 },
	{ "__SCT__preempt_schedule_notrace", true, 0 },
	/* arch/x86/lib/cmpxchg16b_emu.S, cmpxchg8b_emu.S */
	{ "this_cpu_cmpxchg16b_emu", true, RAX | RDX },
	{ "this_cpu_cmpxchg8b_emu", true, RAX | RDX },
	{ "cmpxchg8b_emu", true, RAX | RDX },
};

static bool matches(const struct convention *convention, const char *name)
{
	size_t length = strlen(convention->name) - 1;
	char last = convention->name[length];

	if (last != '#' && last != '*')
		return strcmp(name, convention->name) == 0;
	if (strncmp(name, convention->name, length) != 0 || !name[length])
		return false;
	return last == '*' || name[length + strspn(name + length, "0123456789")] == '\0';
}

bool convention_of(const char *name, bool kernel, uint64_t *clobbered)
{
	for (size_t i = 0; i < sizeof(conventions) / sizeof(*conventions); i++) {
		const struct convention *convention = &conventions[i];

		if (convention->kernel && !kernel)
			break;
		if (!matches(convention, name))
			continue;
		*clobbered = convention->clobbered;
		return true;
	}
	return false;
}
