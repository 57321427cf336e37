// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of supported architectures: see arch.h. */
#include "base/arch/arch.h"

#include <string.h>

static const struct arch *const architectures[] = {
	&arch_x86_64,
	&arch_arm64,
};

#define ARCHITECTURE_COUNT (sizeof(architectures) / sizeof(*architectures))

const struct arch *arch_of_machine(uint16_t elf_machine)
{
	for (size_t i = 0; i < ARCHITECTURE_COUNT; i++)
		if (architectures[i]->elf_machine == elf_machine)
			return architectures[i];
	return NULL;
}

const struct arch *arch_named(const char *name)
{
	for (size_t i = 0; i < ARCHITECTURE_COUNT; i++)
		if (!strcmp(architectures[i]->name, name))
			return architectures[i];
	return NULL;
}

const struct arch *arch_default(void)
{
	return architectures[0];
}

/* ---- the machine that dtprof runs on */

#if defined(__x86_64__)
#define HOST arch_x86_64
#elif defined(__aarch64__)
#define HOST arch_arm64
#else
#error "the registers of this machine's samples are not listed here (asm/perf_regs.h has them)"
#endif

const struct arch *arch_host(void)
{
	return &HOST;
}
