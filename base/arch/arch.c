// SPDX-License-Identifier: GPL-2.0-or-later
/* The list of supported architectures: see arch.h. */
#include "base/arch/arch.h"

#include <string.h>

static const struct arch *const architectures[] = {
	&arch_x86_64,
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

const struct sampled_register *arch_host_registers(size_t *count)
{
	*count = arch_x86_64.sampled_register_count;
	return arch_x86_64.sampled_registers;
}

#elif defined(__aarch64__)

const struct sampled_register *arch_host_registers(size_t *count)
{
	/* clang-format off */
	static const struct sampled_register registers[] = {
		{ "x0", 0 },   { "x1", 1 },   { "x2", 2 },   { "x3", 3 },   { "x4", 4 },   { "x5", 5 },
		{ "x6", 6 },   { "x7", 7 },   { "x8", 8 },   { "x9", 9 },   { "x10", 10 }, { "x11", 11 },
		{ "x12", 12 }, { "x13", 13 }, { "x14", 14 }, { "x15", 15 }, { "x16", 16 }, { "x17", 17 },
		{ "x18", 18 }, { "x19", 19 }, { "x20", 20 }, { "x21", 21 }, { "x22", 22 }, { "x23", 23 },
		{ "x24", 24 }, { "x25", 25 }, { "x26", 26 }, { "x27", 27 }, { "x28", 28 }, { "x29", 29 },
		{ "lr", 30 },  { "sp", 31 },  { "pc", 32 },
	};
	/* clang-format on */

	*count = sizeof(registers) / sizeof(*registers);
	return registers;
}

#else
#error "the registers of this machine's samples are not listed here (asm/perf_regs.h has them)"
#endif
