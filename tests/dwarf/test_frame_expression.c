// SPDX-License-Identifier: GPL-2.0-or-later
/* Expressions of call frame information: the bytes of each and its value, or that it has none. */
#include "tests/support/unit.h"

#include <dwarf.h>
#include <string.h>

#include "dwarf/dwarf/expression.h"

#define CFA   0x7000
#define STACK 0x6000 /* the address of the memory's first byte */

static const uint64_t memory_words[] = { 0x1122334455667788, 42 };

static bool read_memory(void *data, uint64_t address, void *buffer, size_t size)
{
	(void)data;
	if (address < STACK || address - STACK > sizeof(memory_words) - size)
		return false;
	memcpy(buffer, (const char *)memory_words + (address - STACK), size);
	return true;
}

static bool read_register(void *data, uint64_t number, uint64_t *value)
{
	(void)data;
	*value = number == 7 ? STACK : 0x401b;
	return number == 7 || number == 16;
}

static bool value_of(const uint8_t *bytes, size_t size, uint64_t *value)
{
	static const struct expression_frame frame = { .read_register = read_register,
						       .read_memory = read_memory,
						       .bias = 0x10000 };
	uint64_t cfa = CFA;

	return expression_value(bytes, size, &cfa, &frame, value);
}

struct example {
	const char *text;
	uint8_t bytes[20];
	size_t size;
	uint64_t value;
};

#define BYTES(...)   { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ })
#define BREG(number) DW_OP_breg##number

static const struct example good[] = {
	{ "nothing: the CFA", BYTES(DW_OP_nop), CFA },
	/* what linkers write for an entry of the PLT: its second half has pushed a word */
	{ "PLT",
	  BYTES(BREG(7), 8, BREG(16), 0, DW_OP_lit15, DW_OP_and, DW_OP_lit11, DW_OP_ge, DW_OP_lit3,
		DW_OP_shl, DW_OP_plus),
	  STACK + 16 },
	{ "realigned stack", BYTES(BREG(7), 0x08, DW_OP_deref), 42 },
	{ "negative offset", BYTES(BREG(7), 0x78), STACK - 8 },
	{ "bregx", BYTES(DW_OP_bregx, 7, 4), STACK + 4 },
	{ "deref_size", BYTES(BREG(7), 0, DW_OP_deref_size, 2), 0x7788 },
	{ "addr", BYTES(DW_OP_addr, 5, 0, 0, 0, 0, 0, 0, 0), 0x10005 },
	{ "const1s", BYTES(DW_OP_const1s, 0xff), UINT64_MAX },
	{ "const2u", BYTES(DW_OP_const2u, 0xfe, 0xff), 0xfffe },
	{ "const4s", BYTES(DW_OP_const4s, 0xfe, 0xff, 0xff, 0xff), UINT64_MAX - 1 },
	{ "const8u", BYTES(DW_OP_const8u, 1, 0, 0, 0, 0, 0, 0, 1), 0x0100000000000001 },
	{ "constu, consts, minus", BYTES(DW_OP_constu, 0x80, 1, DW_OP_consts, 0x7f, DW_OP_minus),
	  129 },
	{ "plus_uconst", BYTES(DW_OP_plus_uconst, 0x10), CFA + 16 },
	{ "swap, minus", BYTES(DW_OP_lit1, DW_OP_lit3, DW_OP_swap, DW_OP_minus), 2 },
	{ "rot", BYTES(DW_OP_lit1, DW_OP_lit2, DW_OP_lit3, DW_OP_rot, DW_OP_drop), 1 },
	{ "over, pick", BYTES(DW_OP_lit5, DW_OP_lit6, DW_OP_over, DW_OP_pick, 1, DW_OP_minus),
	  (uint64_t)5 - 6 },
	{ "div by -1",
	  BYTES(DW_OP_const8u, 0, 0, 0, 0, 0, 0, 0, 0x80, DW_OP_const1s, 0xff, DW_OP_div),
	  0x8000000000000000 },
	{ "div of a negative", BYTES(DW_OP_const1s, 0xf9, DW_OP_lit2, DW_OP_div), (uint64_t)-3 },
	{ "mod", BYTES(DW_OP_lit7, DW_OP_lit4, DW_OP_mod), 3 },
	{ "shl too far", BYTES(DW_OP_lit1, DW_OP_const1u, 64, DW_OP_shl), 0 },
	{ "shra too far", BYTES(DW_OP_const1s, 0xff, DW_OP_const1u, 70, DW_OP_shra), UINT64_MAX },
	{ "abs, neg, not", BYTES(DW_OP_const1s, 0xfd, DW_OP_abs, DW_OP_neg, DW_OP_not), 2 },
	{ "lt has a sign", BYTES(DW_OP_const1s, 0xff, DW_OP_lit0, DW_OP_lt), 1 },
	{ "bra taken", BYTES(DW_OP_lit9, DW_OP_lit1, DW_OP_bra, 1, 0, DW_OP_lit8), 9 },
	{ "bra not taken", BYTES(DW_OP_lit9, DW_OP_lit0, DW_OP_bra, 1, 0, DW_OP_lit8), 8 },
	{ "skip to the end", BYTES(DW_OP_skip, 1, 0, DW_OP_lit8), CFA },
};

static void test_good(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
		uint64_t value = 0;

		if (!value_of(good[i].bytes, good[i].size, &value) || value != good[i].value)
			fail_msg("%s: %#llx, not %#llx", good[i].text, (unsigned long long)value,
				 (unsigned long long)good[i].value);
	}
}

static const struct example bad[] = {
	{ "register that is not known", BYTES(BREG(3), 0), 0 },
	{ "register of no machine", BYTES(DW_OP_bregx, 0xff, 0xff, 0xff, 0xff, 0x7f, 0), 0 },
	{ "memory that is not known", BYTES(BREG(7), 0x20, DW_OP_deref), 0 },
	{ "deref of no bytes", BYTES(BREG(7), 0, DW_OP_deref_size, 0), 0 },
	{ "deref of too many", BYTES(BREG(7), 0, DW_OP_deref_size, 9), 0 },
	{ "empty stack", BYTES(DW_OP_drop, DW_OP_drop), 0 },
	{ "nothing left", BYTES(DW_OP_drop), 0 },
	{ "pick too deep", BYTES(DW_OP_pick, 1), 0 },
	{ "rot of one", BYTES(DW_OP_rot), 0 },
	{ "div by 0", BYTES(DW_OP_lit1, DW_OP_lit0, DW_OP_div), 0 },
	{ "cut off", BYTES(DW_OP_const8u, 1, 2, 3), 0 },
	{ "cut off address", BYTES(DW_OP_addr, 1), 0 },
	{ "a location, not a value", BYTES(DW_OP_reg3), 0 },
	{ "no operation", BYTES(0x01), 0 },
	{ "endless", BYTES(DW_OP_skip, 0xfd, 0xff), 0 },
	{ "endless with a stack", BYTES(DW_OP_dup, DW_OP_skip, 0xfc, 0xff), 0 },
	{ "jump before the beginning", BYTES(DW_OP_skip, 0x00, 0x80), 0 },
	{ "jump past the end", BYTES(DW_OP_skip, 0xff, 0x7f), 0 },
};

static void test_bad(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		uint64_t value;

		if (value_of(bad[i].bytes, bad[i].size, &value))
			fail_msg("%s: %#llx", bad[i].text, (unsigned long long)value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_good),
		cmocka_unit_test(test_bad),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
