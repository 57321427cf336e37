// SPDX-License-Identifier: GPL-2.0-or-later
/* Relocations of arm64's instructions, which kernel modules and object files have: the fields of
 * the instruction get bits of the value, and all other bits stay. */
#include "tests/support/unit.h"

#include <elf.h>
#include <string.h>

#include "base/arch/arm64.h"
#include "base/memory.h"

struct relocation_case {
	const char *what;
	uint32_t type;
	uint64_t value, place;
	uint32_t before, after;
};

/* clang-format off */
static const struct relocation_case cases[] = {
	{ "adrp x0, the next page",   R_AARCH64_ADR_PREL_PG_HI21,    0x2000,     0x1ffc, 0x90000000, 0xb0000000 },
	{ "adrp x0, the page before", R_AARCH64_ADR_PREL_PG_HI21,    0x0ffc,     0x1000, 0x90000000, 0xf0ffffe0 },
	{ "adrp x8, its own page",    R_AARCH64_ADR_PREL_PG_HI21_NC, 0x1ffc,     0x1000, 0xb0000008, 0x90000008 },
	{ "adrp, too far",            R_AARCH64_ADR_PREL_PG_HI21,    1ULL << 40, 0x1000, 0x90000000, 0x90000000 },
	{ "adr x0, #5",               R_AARCH64_ADR_PREL_LO21,       0x1005,     0x1000, 0x10000000, 0x30000020 },
	{ "add x0, x0, #0xabc",       R_AARCH64_ADD_ABS_LO12_NC,     0x7abc,     0x1000, 0x91000000, 0x912af000 },
	{ "add x0, x0, #0",           R_AARCH64_ADD_ABS_LO12_NC,     0x7000,     0x1000, 0x912af000, 0x91000000 },
	{ "ldrb w1, [x2, #0x23]",     R_AARCH64_LDST8_ABS_LO12_NC,   0x5023,     0x1000, 0x39400041, 0x39408c41 },
	{ "ldr x1, [x2, #0x238]",     R_AARCH64_LDST64_ABS_LO12_NC,  0x5238,     0x1000, 0xf9400041, 0xf9411c41 },
	{ "ldr q1, [x2, #0x230]",     R_AARCH64_LDST128_ABS_LO12_NC, 0x5230,     0x1000, 0x3dc00041, 0x3dc08c41 },
	{ "bl, forward",              R_AARCH64_CALL26,              0x2000,     0x1000, 0x94000000, 0x94000400 },
	{ "b, backward",              R_AARCH64_JUMP26,              0x0ffc,     0x1000, 0x14000000, 0x17ffffff },
	{ "bl, too far",              R_AARCH64_CALL26,              0x8001000,  0x1000, 0x94000000, 0x94000000 },
	{ "a slot of the GOT",        R_AARCH64_LD64_GOT_LO12_NC,    0x5238,     0x1000, 0xf9400041, 0xf9400041 },
};
/* clang-format on */

static void instructions_get_bits_of_values(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint8_t bytes[4];
		uint32_t after;

		memcpy(bytes, &cases[i].before, sizeof(bytes));
		arch_arm64.relocate_insn(cases[i].type, cases[i].value, cases[i].place, bytes);
		memcpy(&after, bytes, sizeof(after));
		if (after != cases[i].after)
			fail_msg("%s: %#x, not %#x", cases[i].what, after, cases[i].after);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(instructions_get_bits_of_values),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
