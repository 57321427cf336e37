// SPDX-License-Identifier: GPL-2.0-or-later
/* Location expressions: the bytes of each, and the location that it describes. */
#include "tests/support/unit.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf/location.h"

#define LIMIT 8

static struct dwarf_file file;
static const struct unit unit = {
	.file = &file, .version = 5, .address_size = 8, .offset_size = 4, .addr_base = 8
};

struct wanted {
	uint8_t kind;
	uint8_t reg;
	int64_t offset;
	int64_t offset2;
	uint32_t piece_offset;
	uint32_t piece_size;
	uint8_t reg2;
	uint8_t scale;
};

struct expression {
	const char *text;
	uint8_t bytes[24];
	size_t size;
	struct wanted wanted[4];
	size_t count;
};

#define AT(kind_, reg_, offset_, offset2_)                                                         \
	{                                                                                          \
		.kind = LOCATION_##kind_, .reg = reg_, .offset = offset_, .offset2 = offset2_      \
	}
#define OTHER AT(OTHER, 0xff, 0, 0)
#define SUM(reg_, offset_, reg2_, scale_)                                                          \
	{                                                                                          \
		.kind = LOCATION_SUM, .reg = reg_, .offset = offset_, .reg2 = reg2_,               \
		.scale = scale_                                                                    \
	}
#define PIECE(kind_, reg_, offset_, from_, size_)                                                  \
	{                                                                                          \
		.kind = LOCATION_##kind_, .reg = reg_, .offset = offset_, .piece_offset = from_,   \
		.piece_size = size_                                                                \
	}
#define BYTES(...) { __VA_ARGS__ }, sizeof((uint8_t[]){ __VA_ARGS__ })
#define SUM_MEMORY(reg_, offset_, reg2_, scale_)                                                   \
	{                                                                                          \
		.kind = LOCATION_SUM_MEMORY, .reg = reg_, .offset = offset_, .reg2 = reg2_,        \
		.scale = scale_                                                                    \
	}

static const struct expression expressions[] = {
	{ "reg5", BYTES(DW_OP_reg5), { AT(REGISTER, 5, 0, 0) }, 1 },
	{ "regx 40", BYTES(DW_OP_regx, 40), { AT(REGISTER, 40, 0, 0) }, 1 },
	{ "a register that has no number here", BYTES(DW_OP_bregx, 0x80, 0x04, 8), { OTHER }, 1 },
	{ "breg12 1616", BYTES(DW_OP_breg12, 0xd0, 0x0c), { AT(MEMORY, 12, 1616, 0) }, 1 },
	{ "bregx 6 -8", BYTES(DW_OP_bregx, 6, 0x78), { AT(MEMORY, 6, -8, 0) }, 1 },
	{ "fbreg -32", BYTES(DW_OP_fbreg, 0x60), { AT(FRAME, 0xff, -32, 0) }, 1 },
	{ "call_frame_cfa, plus_uconst 8",
	  BYTES(DW_OP_call_frame_cfa, DW_OP_plus_uconst, 8),
	  { AT(CFA, 0xff, 8, 0) },
	  1 },
	{ "call_frame_cfa, lit8, minus, stack_value",
	  BYTES(DW_OP_call_frame_cfa, DW_OP_lit8, DW_OP_minus, DW_OP_stack_value),
	  { AT(CFA_VALUE, 0xff, -8, 0) },
	  1 },
	{ "addr 0x1234",
	  BYTES(DW_OP_addr, 0x34, 0x12, 0, 0, 0, 0, 0, 0),
	  { AT(ADDRESS, 0xff, 0x1234, 0) },
	  1 },
	{ "addr 0x1234, stack_value",
	  BYTES(DW_OP_addr, 0x34, 0x12, 0, 0, 0, 0, 0, 0, DW_OP_stack_value),
	  { AT(ADDRESS_VALUE, 0xff, 0x1234, 0) },
	  1 },
	{ "addrx 1", BYTES(DW_OP_addrx, 1), { AT(ADDRESS, 0xff, 0x2000, 0) }, 1 },
	{ "addrx past the section", BYTES(DW_OP_addrx, 9), { OTHER }, 1 },
	{ "const4u 16, form_tls_address",
	  BYTES(DW_OP_const4u, 16, 0, 0, 0, DW_OP_form_tls_address),
	  { AT(TLS, 0xff, 16, 0) },
	  1 },
	{ "addr 16, GNU_push_tls_address",
	  BYTES(DW_OP_addr, 16, 0, 0, 0, 0, 0, 0, 0, DW_OP_GNU_push_tls_address),
	  { AT(TLS, 0xff, 16, 0) },
	  1 },
	{ "breg3 8, deref", BYTES(DW_OP_breg3, 8, DW_OP_deref), { AT(INDIRECT, 3, 8, 0) }, 1 },
	{ "breg3 8, deref, plus_uconst 4",
	  BYTES(DW_OP_breg3, 8, DW_OP_deref, DW_OP_plus_uconst, 4),
	  { AT(INDIRECT, 3, 8, 4) },
	  1 },
	{ "fbreg -16, deref",
	  BYTES(DW_OP_fbreg, 0x70, DW_OP_deref),
	  { AT(FRAME_INDIRECT, 0xff, -16, 0) },
	  1 },
	{ "breg5 -3, stack_value",
	  BYTES(DW_OP_breg5, 0x7d, DW_OP_stack_value),
	  { AT(REGISTER_VALUE, 5, -3, 0) },
	  1 },
	{ "breg0 0, const1s -4, and, stack_value: a pointer with marks",
	  BYTES(DW_OP_breg0, 0, DW_OP_const1s, 0xfc, DW_OP_and, DW_OP_stack_value),
	  { AT(REGISTER_VALUE, 0, 0, 0) },
	  1 },
	{ "breg0 8, deref, const1s -2, and, stack_value",
	  BYTES(DW_OP_breg0, 8, DW_OP_deref, DW_OP_const1s, 0xfe, DW_OP_and, DW_OP_stack_value),
	  { AT(MEMORY_VALUE, 0, 8, 0) },
	  1 },
	{ "breg0 0, const1s -64, and, stack_value: what begins a block",
	  BYTES(DW_OP_breg0, 0, DW_OP_const1s, 0xc0, DW_OP_and, DW_OP_stack_value),
	  { AT(SCALED, 0, 0, 0) },
	  1 },
	{ "fbreg -16, stack_value",
	  BYTES(DW_OP_fbreg, 0x70, DW_OP_stack_value),
	  { AT(FRAME_VALUE, 0xff, -16, 0) },
	  1 },
	{ "breg0 0, deref, lit2, plus, stack_value",
	  BYTES(DW_OP_breg0, 0, DW_OP_deref, DW_OP_lit2, DW_OP_plus, DW_OP_stack_value),
	  { AT(MEMORY_VALUE, 0, 0, 2) },
	  1 },
	{ "a part of a pointer",
	  BYTES(DW_OP_breg0, 0, DW_OP_deref_size, 4, DW_OP_stack_value),
	  { OTHER },
	  1 },
	{ "const1s -1, stack_value",
	  BYTES(DW_OP_const1s, 0xff, DW_OP_stack_value),
	  { AT(CONSTANT, 0xff, -1, 0) },
	  1 },
	{ "lit3, lit4, shl, not, stack_value",
	  BYTES(DW_OP_lit3, DW_OP_lit4, DW_OP_shl, DW_OP_not, DW_OP_stack_value),
	  { AT(CONSTANT, 0xff, -49, 0) },
	  1 },
	{ "implicit_value 4 bytes",
	  BYTES(DW_OP_implicit_value, 4, 1, 2, 0, 0),
	  { AT(CONSTANT, 0xff, 0x201, 0) },
	  1 },
	{ "implicit_value 9 bytes",
	  BYTES(DW_OP_implicit_value, 9, 1, 2, 3, 4, 5, 6, 7, 8, 9),
	  { OTHER },
	  1 },
	{ "entry_value(reg4), stack_value",
	  BYTES(DW_OP_entry_value, 1, DW_OP_reg4, DW_OP_stack_value),
	  { AT(ENTRY_VALUE, 4, 0, 0) },
	  1 },
	{ "GNU_entry_value(reg4), plus_uconst 16, stack_value",
	  BYTES(DW_OP_GNU_entry_value, 1, DW_OP_reg4, DW_OP_plus_uconst, 16, DW_OP_stack_value),
	  { AT(ENTRY_VALUE, 4, 16, 0) },
	  1 },
	{ "memory at an entry value",
	  BYTES(DW_OP_entry_value, 1, DW_OP_reg4, DW_OP_plus_uconst, 16),
	  { OTHER },
	  1 },
	{ "implicit_pointer 0x40, 8",
	  BYTES(DW_OP_implicit_pointer, 0x40, 0, 0, 0, 8),
	  { AT(IMPLICIT_POINTER, 0xff, 8, 0) },
	  1 },
	{ "breg2 0, lit3, shl, stack_value",
	  BYTES(DW_OP_breg2, 0, DW_OP_lit3, DW_OP_shl, DW_OP_stack_value),
	  { AT(SCALED, 2, 0, 0) },
	  1 },
	{ "breg2 0, convert, convert, stack_value",
	  BYTES(DW_OP_breg2, 0, DW_OP_convert, 0x20, DW_OP_convert, 0x24, DW_OP_stack_value),
	  { AT(SCALED, 2, 0, 0) },
	  1 },
	{ "regval_type 17",
	  BYTES(DW_OP_regval_type, 17, 0x20, DW_OP_stack_value),
	  { AT(SCALED, 17, 0, 0) },
	  1 },
	{ "breg1 0, dup, mul, stack_value",
	  BYTES(DW_OP_breg1, 0, DW_OP_dup, DW_OP_mul, DW_OP_stack_value),
	  { AT(SCALED, 1, 0, 0) },
	  1 },
	{ "breg3 1, breg4 2, plus, stack_value",
	  BYTES(DW_OP_breg3, 1, DW_OP_breg4, 2, DW_OP_plus, DW_OP_stack_value),
	  { SUM(3, 3, 4, 1) },
	  1 },
	{ "breg3 0, lit3, shl, breg4 2, plus, lit1, plus, stack_value",
	  BYTES(DW_OP_breg3, 0, DW_OP_lit3, DW_OP_shl, DW_OP_breg4, 2, DW_OP_plus, DW_OP_lit1,
		DW_OP_plus, DW_OP_stack_value),
	  { SUM(4, 3, 3, 8) },
	  1 },
	{ "an index in bytes",
	  BYTES(DW_OP_breg9, 0, DW_OP_const1u, 88, DW_OP_div, DW_OP_const1u, 88, DW_OP_mul,
		DW_OP_breg2, 0, DW_OP_plus, DW_OP_stack_value),
	  { SUM(9, 0, 2, 1) },
	  1 },
	{ "an index in bytes, by another size",
	  BYTES(DW_OP_breg9, 0, DW_OP_const1u, 88, DW_OP_div, DW_OP_const1u, 8, DW_OP_mul,
		DW_OP_breg2, 0, DW_OP_plus, DW_OP_stack_value),
	  { OTHER },
	  1 },
	{ "a number of elements",
	  BYTES(DW_OP_breg9, 0, DW_OP_const1u, 88, DW_OP_div, DW_OP_stack_value),
	  { AT(SCALED, 9, 0, 0) },
	  1 },
	{ "breg3 0, const1u 24, mul, breg4 0, plus, stack_value",
	  BYTES(DW_OP_breg3, 0, DW_OP_const1u, 24, DW_OP_mul, DW_OP_breg4, 0, DW_OP_plus,
		DW_OP_stack_value),
	  { SUM(4, 0, 3, 24) },
	  1 },
	{ "memory at a sum",
	  BYTES(DW_OP_breg3, 1, DW_OP_breg4, 2, DW_OP_plus),
	  { SUM_MEMORY(3, 3, 4, 1) },
	  1 },
	{ "memory at a sum with an index that is an int",
	  BYTES(DW_OP_breg4, 0, DW_OP_const1u, 32, DW_OP_shl, DW_OP_const1u, 32, DW_OP_shra,
		DW_OP_lit3, DW_OP_shl, DW_OP_breg5, 0, DW_OP_plus),
	  { SUM_MEMORY(5, 0, 4, 8) },
	  1 },
	{ "an int, sign-extended",
	  BYTES(DW_OP_breg4, 0, DW_OP_const1u, 32, DW_OP_shl, DW_OP_const1u, 32, DW_OP_shra,
		DW_OP_stack_value),
	  { AT(SCALED, 4, 0, 0) },
	  1 },
	{ "breg3 0, breg4 0, minus, stack_value",
	  BYTES(DW_OP_breg3, 0, DW_OP_breg4, 0, DW_OP_minus, DW_OP_stack_value),
	  { OTHER },
	  1 },
	{ "breg3 1, lit3, shl, stack_value",
	  BYTES(DW_OP_breg3, 1, DW_OP_lit3, DW_OP_shl, DW_OP_stack_value),
	  { AT(SCALED, 3, 0, 0) },
	  1 },
	{ "swap",
	  BYTES(DW_OP_lit1, DW_OP_breg4, 5, DW_OP_swap, DW_OP_minus, DW_OP_stack_value),
	  { AT(REGISTER_VALUE, 4, 4, 0) },
	  1 },
	{ "rot, drop, over",
	  BYTES(DW_OP_breg1, 0, DW_OP_breg2, 0, DW_OP_breg3, 0, DW_OP_rot, DW_OP_drop, DW_OP_over,
		DW_OP_stack_value),
	  { AT(REGISTER_VALUE, 3, 0, 0) },
	  1 },
	{ "a branch",
	  BYTES(DW_OP_breg1, 0, DW_OP_dup, DW_OP_bra, 1, 0, DW_OP_drop, DW_OP_stack_value),
	  { OTHER },
	  1 },
	{ "GNU_uninit", BYTES(DW_OP_reg3, DW_OP_GNU_uninit), { AT(REGISTER, 3, 0, 0) }, 1 },
	{ "GNU_parameter_ref",
	  BYTES(DW_OP_GNU_parameter_ref, 1, 0, 0, 0, DW_OP_stack_value),
	  { OTHER },
	  1 },
	{ "reg1, piece 8, reg2, piece 4",
	  BYTES(DW_OP_reg1, DW_OP_piece, 8, DW_OP_reg2, DW_OP_piece, 4),
	  { PIECE(REGISTER, 1, 0, 0, 8), PIECE(REGISTER, 2, 0, 8, 4) },
	  2 },
	{ "piece 8 that is nowhere, fbreg -8, piece 8",
	  BYTES(DW_OP_piece, 8, DW_OP_fbreg, 0x78, DW_OP_piece, 8),
	  { PIECE(FRAME, 0xff, -8, 8, 8) },
	  1 },
	{ "breg1 2, stack_value, piece 2, lit0, stack_value, piece 2",
	  BYTES(DW_OP_breg1, 2, DW_OP_stack_value, DW_OP_piece, 2, DW_OP_lit0, DW_OP_stack_value,
		DW_OP_piece, 2),
	  { PIECE(REGISTER_VALUE, 1, 2, 0, 2), PIECE(CONSTANT, 0xff, 0, 2, 2) },
	  2 },
	{ "bit_piece of whole bytes",
	  BYTES(DW_OP_reg1, DW_OP_bit_piece, 16, 0),
	  { PIECE(REGISTER, 1, 0, 0, 2) },
	  1 },
	{ "bit_piece of bits",
	  BYTES(DW_OP_reg1, DW_OP_bit_piece, 3, 0, DW_OP_reg2, DW_OP_bit_piece, 8, 0),
	  { { 0 } },
	  0 },
	{ "nothing", BYTES(DW_OP_piece, 0), { { 0 } }, 0 },
	{ "an operand that is cut off", BYTES(DW_OP_breg1, 0x80), { OTHER }, 1 },
	{ "an empty stack", BYTES(DW_OP_plus, DW_OP_stack_value), { OTHER }, 1 },
	{ "an unknown operation", BYTES(DW_OP_breg1, 0, 0xe5, DW_OP_stack_value), { OTHER }, 1 },
	{ "a block longer than what is left",
	  BYTES(DW_OP_implicit_value, 0xff, 0xff, 0xff, 0xff, 0x7f, 1),
	  { OTHER },
	  1 },
};

static int set_up(void **state)
{
	static const uint64_t addresses[] = { 0, 0x1000, 0x2000 };

	(void)state;
	file.sections.section[SECTION_ADDR].data = (const uint8_t *)addresses;
	file.sections.section[SECTION_ADDR].size = sizeof(addresses);
	return 0;
}

static void check(const struct expression *expression)
{
	struct location_list list = { .limit = LIMIT };

	location_of_expression(&unit, expression->bytes, expression->size, 0x10, 0x20, &list);
	if (list.count != expression->count)
		fail_msg("%s: %zu locations, not %zu", expression->text, list.count,
			 expression->count);
	for (size_t i = 0; i < list.count; i++) {
		const struct location *location = &list.items[i];
		const struct wanted *wanted = &expression->wanted[i];

		if (location->kind != wanted->kind || location->reg != wanted->reg ||
		    location->offset != wanted->offset || location->offset2 != wanted->offset2 ||
		    location->piece_offset != wanted->piece_offset ||
		    location->piece_size != wanted->piece_size || location->reg2 != wanted->reg2 ||
		    location->scale != wanted->scale)
			fail_msg("%s: kind %u reg %u offset %lld offset2 %lld piece %u+%u",
				 expression->text, location->kind, location->reg,
				 (long long)location->offset, (long long)location->offset2,
				 location->piece_offset, location->piece_size);
		assert_int_equal(location->low, 0x10);
		assert_int_equal(location->high, 0x20);
	}
	free(list.items);
}

static void every_expression(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(expressions) / sizeof(*expressions); i++)
		check(&expressions[i]);
}

static void deep_stacks_are_lost_not_overrun(void **state)
{
	uint8_t bytes[4096];
	struct location_list list = { .limit = LIMIT };

	(void)state;
	memset(bytes, DW_OP_lit1, sizeof(bytes));
	location_of_expression(&unit, bytes, sizeof(bytes), 0, UINT64_MAX, &list);
	assert_int_equal(list.count, 1);
	assert_int_equal(list.items[0].kind, LOCATION_OTHER);
	free(list.items);
}

static void no_more_than_the_limit(void **state)
{
	uint8_t bytes[3 * 100];
	struct location_list list = { .limit = LIMIT };

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i += 3)
		memcpy(bytes + i, (uint8_t[]){ DW_OP_reg1, DW_OP_piece, 1 }, 3);
	location_of_expression(&unit, bytes, sizeof(bytes), 0, UINT64_MAX, &list);
	assert_int_equal(list.count, LIMIT);
	free(list.items);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_expression),
		cmocka_unit_test(deep_stacks_are_lost_not_overrun),
		cmocka_unit_test(no_more_than_the_limit),
	};

	return cmocka_run_group_tests_name("locations", tests, set_up, NULL);
}
