// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions that take long by themselves: see by_encoding.h. */
#include "disasm/x86/by_encoding.h"

struct own_time_row {
	struct pattern pattern;
	uint8_t reason; /* enum own_time */
};

/*
 * Intel SDM vol. 3, "Serializing Instructions", and vol. 2, the page of each instruction.
 * Latencies of divisions and square roots: AMD's and Intel's optimization guides, 10 to 40 cycles and more.
 * Instructions that are emulated in a virtual machine, or that run as long microcode (rdmsr, rdtsc, rdrand,
 * in, out), stand with those that serialize.
 */
// clang-format off
static const struct own_time_row rows[] = {
	/* map        opcodes     reg  rm      form           prefix      reason */
	{ { MAP_PRIMARY, 0xf6, 0xf7, 6, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION },      /* div */
	{ { MAP_PRIMARY, 0xf6, 0xf7, 7, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION },      /* idiv */
	{ { MAP_0F, 0x5e, 0x5e, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION }, /* divss ... */
	{ { MAP_5, 0x5e, 0x5e, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION }, /* vdivph, vdivsh */
	{ { MAP_PRIMARY, 0xd8, 0xd8, 6, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION },      /* fdiv */
	{ { MAP_PRIMARY, 0xd8, 0xd8, 7, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION },      /* fdivr */
	{ { MAP_PRIMARY, 0xdc, 0xdc, 6, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION },
	{ { MAP_PRIMARY, 0xdc, 0xdc, 7, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION },
	{ { MAP_PRIMARY, 0xde, 0xde, 6, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION },      /* fdivp, fidiv */
	{ { MAP_PRIMARY, 0xde, 0xde, 7, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_DIVISION },
	{ { MAP_PRIMARY, 0xda, 0xda, 6, ANY_RM, PATTERN_MEMORY, ANY_PREFIX }, OWN_TIME_DIVISION },   /* fidiv m32 */
	{ { MAP_PRIMARY, 0xda, 0xda, 7, ANY_RM, PATTERN_MEMORY, ANY_PREFIX }, OWN_TIME_DIVISION },
	{ { MAP_0F, 0x51, 0x51, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SQUARE_ROOT },
	{ { MAP_5, 0x51, 0x51, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SQUARE_ROOT },
	{ { MAP_PRIMARY, 0xd9, 0xd9, 7, 2, PATTERN_REGISTER, ANY_PREFIX }, OWN_TIME_SQUARE_ROOT },   /* fsqrt */
	{ { MAP_PRIMARY, 0x90, 0x90, ANY_EXTENSION, ANY_RM, PATTERN_ANY, 0xf3 }, OWN_TIME_PAUSE },
	{ { MAP_0F, 0xae, 0xae, 6, ANY_RM, PATTERN_REGISTER, 0xf2 }, OWN_TIME_PAUSE },               /* umwait */
	{ { MAP_0F, 0xae, 0xae, 6, ANY_RM, PATTERN_REGISTER, 0x66 }, OWN_TIME_PAUSE },               /* tpause */
	{ { MAP_0F, 0x05, 0x05, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SYSTEM_CALL },
	{ { MAP_0F, 0x34, 0x34, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SYSTEM_CALL }, /* sysenter */
	{ { MAP_PRIMARY, 0xcd, 0xcd, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SYSTEM_CALL }, /* int */
	{ { MAP_PRIMARY, 0xfb, 0xfb, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_INTERRUPTS_ON }, /* sti */
	{ { MAP_PRIMARY, 0x9d, 0x9d, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_INTERRUPTS_ON }, /* popf */
	{ { MAP_PRIMARY, 0xf4, 0xf4, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_HALT },
	{ { MAP_0F, 0x01, 0x01, 1, 1, PATTERN_REGISTER, ANY_PREFIX }, OWN_TIME_HALT },               /* mwait */
	{ { MAP_0F, 0x01, 0x01, 7, 3, PATTERN_REGISTER, ANY_PREFIX }, OWN_TIME_HALT },               /* mwaitx */
	{ { MAP_0F, 0xa2, 0xa2, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING }, /* cpuid */
	{ { MAP_0F, 0x30, 0x33, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING }, /* wrmsr ... rdpmc */
	{ { MAP_0F, 0x20, 0x23, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING }, /* mov cr, dr */
	{ { MAP_0F, 0x08, 0x09, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING }, /* invd, wbinvd */
	{ { MAP_0F, 0xaa, 0xaa, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING }, /* rsm */
	{ { MAP_0F, 0x01, 0x01, 0, ANY_RM, PATTERN_REGISTER, ANY_PREFIX }, OWN_TIME_SERIALIZING },   /* vmcall ... */
	{ { MAP_0F, 0x01, 0x01, 2, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING },        /* lgdt, xgetbv, xsetbv */
	{ { MAP_0F, 0x01, 0x01, 3, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING },        /* lidt, vmrun, vmmcall */
	{ { MAP_0F, 0x01, 0x01, 5, 0, PATTERN_REGISTER, 0 }, OWN_TIME_SERIALIZING },                 /* serialize */
	{ { MAP_0F, 0x01, 0x01, 7, 1, PATTERN_REGISTER, ANY_PREFIX }, OWN_TIME_SERIALIZING },        /* rdtscp */
	{ { MAP_0F, 0x01, 0x01, 7, ANY_RM, PATTERN_MEMORY, ANY_PREFIX }, OWN_TIME_SERIALIZING },     /* invlpg */
	{ { MAP_0F, 0xae, 0xae, 5, ANY_RM, PATTERN_REGISTER, 0 }, OWN_TIME_SERIALIZING },            /* lfence */
	{ { MAP_0F, 0xae, 0xae, 6, ANY_RM, PATTERN_REGISTER, 0 }, OWN_TIME_SERIALIZING },            /* mfence */
	{ { MAP_0F, 0xae, 0xae, 7, ANY_RM, PATTERN_REGISTER, 0 }, OWN_TIME_SERIALIZING },            /* sfence */
	{ { MAP_0F, 0xc7, 0xc7, 6, ANY_RM, PATTERN_REGISTER, 0 }, OWN_TIME_SERIALIZING },            /* rdrand */
	{ { MAP_0F, 0xc7, 0xc7, 7, ANY_RM, PATTERN_REGISTER, 0 }, OWN_TIME_SERIALIZING },            /* rdseed */
	{ { MAP_PRIMARY, 0x6c, 0x6f, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING }, /* ins, outs */
	{ { MAP_PRIMARY, 0xe4, 0xe7, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING }, /* in, out */
	{ { MAP_PRIMARY, 0xec, 0xef, ANY_EXTENSION, ANY_RM, PATTERN_ANY, ANY_PREFIX }, OWN_TIME_SERIALIZING },
};
// clang-format on

/* One byte an opcode: nearly all have no row, and this is asked for each instruction. */
static bool may_have_row(const struct encoding *encoding)
{
	switch (encoding->map) {
	case MAP_PRIMARY:
		return encoding->opcode >= 0x6c &&
		       (encoding->opcode >= 0xd8 || encoding->opcode <= 0x6f || encoding->opcode == 0x90 ||
			encoding->opcode == 0x9d || encoding->opcode == 0xcd);
	case MAP_0F:
	case MAP_5:
		return encoding->opcode <= 0x09 || (encoding->opcode >= 0x20 && encoding->opcode <= 0x34) ||
		       encoding->opcode == 0x51 || encoding->opcode == 0x5e || encoding->opcode == 0xa2 ||
		       encoding->opcode == 0xaa || encoding->opcode == 0xae || encoding->opcode == 0xc7;
	default: return false;
	}
}

enum own_time own_time_of(const struct encoding *encoding)
{
	if (encoding->kind == ENCODING_XOP || !may_have_row(encoding))
		return OWN_TIME_NONE;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (pattern_matches(&rows[i].pattern, encoding))
			return (enum own_time)rows[i].reason;
	return OWN_TIME_NONE;
}
