// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions of arm64 one by one: their parts, operands, registers read and written. */
#include "base/arch/arm64.h"
#include "tests/support/unit.h"

#include <string.h>

#include "disasm/cfg.h"
#include "disasm/insn.h"
#include "tests/disasm/arm64_cases.h"
#include "tests/disasm/invariants.h"
#include "tests/disasm/render.h"

#define CASE_ADDRESS 0x401000
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static struct decoder *decoder;

static int create_decoder(void **state)
{
	(void)state;
	rendered_arch = &arch_arm64;
	decoder = decoder_create(&arch_arm64);
	return decoder ? 0 : -1;
}

static int destroy_decoder(void **state)
{
	(void)state;
	decoder_destroy(decoder);
	return 0;
}

/* Writes the parts of one instruction, one after the other. */
static void render_parts(uint32_t word, struct strbuf *text)
{
	uint8_t bytes[4];

	memcpy(bytes, &word, sizeof(bytes));
	for (unsigned int at = 0; at < sizeof(bytes);) {
		struct insn insn;

		decoder_decode(decoder, bytes + at, sizeof(bytes) - at, CASE_ADDRESS + at, &insn);
		assert_int_equal(insn.address, CASE_ADDRESS + at);
		assert_int_equal(insn.part, at);
		assert_in_range(insn.length, 1, sizeof(bytes) - at);
		for (unsigned int i = 0; i < insn.operand_count; i++)
			assert_null(broken_operand(&insn, &insn.operands[i]));
		if (at)
			strbuf_add_string(text, "; ");
		render_insn(&insn, text);
		at += insn.length;
	}
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(arm64_cases); i++) {
		const struct arm64_case *row = &arm64_cases[i];
		struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

		render_parts(row->word, &text);
		if (strcmp(text.data, row->expected) != 0)
			fail_msg("%s (%08x)\n  expected %s\n  decoded  %s", row->assembly,
				 row->word, row->expected, text.data);
	}
}

/* All encodings of 16 bits in the upper half: each has parts that fill its four bytes, registers
 * that exist, and memory operands that are read or written. */
static void test_all_encodings(void **state)
{
	(void)state;
	for (uint32_t high = 0; high < 0x10000; high++) {
		for (uint32_t k = 0; k < 8; k++) {
			struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;

			/* low halves without a pattern of their own */
			render_parts(high << 16 | (high * 0x9e37 + k * 0x3c6f) % 0x10000, &text);
			assert_true(text.length > 0);
		}
	}
}

/* Parts are those of the instruction that was decoded last. An address between instructions that is
 * asked for by itself is no instruction. */
static void test_between(void **state)
{
	static const uint8_t pair[] = { 0xe0, 0x07, 0x40, 0xa9 }; /* ldp x0, x1, [sp] */
	struct insn insn;

	(void)state;
	decoder_decode(decoder, pair + 1, 3, 0x500001, &insn);
	assert_true(insn.flags & FLAG_UNKNOWN);
	assert_int_equal(insn.length, 1);
	decoder_decode(decoder, pair, 3, 0x500000, &insn);
	assert_true(insn.flags & FLAG_UNKNOWN);
	decoder_decode(decoder, pair, 0, 0x500000, &insn);
	assert_int_equal(insn.length, 0);
	assert_int_equal(decoder_length(decoder, pair, 4), 4);
	decoder_decode(decoder, pair, 4, 0x500000, &insn);
	assert_int_equal(insn.length, 1);
	assert_int_equal(insn_memory(&insn, false)->value, 0);
	decoder_decode(decoder, pair + 1, 3, 0x500001, &insn);
	assert_int_equal(insn.length, 3);
	assert_int_equal(insn_memory(&insn, false)->value, 8);
}

static bool read_anything(void *data, uint64_t address, void *buffer, size_t size)
{
	(void)data;
	memset(buffer, (int)(address * 7), size);
	return true;
}

/* Functions of any words, with many branches between them: blocks are sound, and the passes over a
 * whole function end. */
static void test_random_functions(void **state)
{
	uint32_t words[600], random = 1;

	(void)state;
	for (unsigned int k = 0; k < 500; k++) {
		size_t count = 20 + k % 580;
		struct cfg_range range = { CASE_ADDRESS, count * 4, (const uint8_t *)words };
		struct cfg_request request = { .ranges = &range,
					       .range_count = 1,
					       .read = read_anything };
		struct cfg *code;

		for (size_t i = 0; i < count; i++) {
			random = random * 1664525 + 1013904223;
			words[i] = arm64_cases[(random >> 8) % COUNT(arm64_cases)].word;
			if (random >> 28 == 0)
				words[i] = random * UINT32_C(2654435761);
			else if (random >> 28 < 3) /* b.cond, up to 32 instructions away */
				words[i] = 0x54000000 | (((random >> 9 & 63) - 32) & 0x7ffff) << 5 |
					   (random >> 4 & 15);
		}
		assert_null(cfg_build(decoder, &request, &code));
		assert_true(cfg_is_sound(code));
		cfg_destroy(code);
	}
}

#define STUB_ADDRESS (CASE_ADDRESS + 0x1000)

/* The linker's stub for an instruction that it moved: the instruction, and a jump. */
static bool read_stub(void *stub, uint64_t address, void *buffer, size_t size)
{
	if (address != STUB_ADDRESS || size > 8)
		return false;
	memcpy(buffer, stub, size);
	return true;
}

/* Decodes "b STUB; ret" with a stub, and returns the operation of the first instruction. *reached
 * tells whether control comes to the second. */
static enum operation operation_with_stub(uint32_t moved, uint32_t jump, bool *reached)
{
	const uint32_t words[] = { 0x14000400, 0xd65f03c0 };
	uint32_t stub[] = { moved, jump };
	struct cfg_range range = { CASE_ADDRESS, sizeof(words), (const uint8_t *)words };
	struct cfg_request request = {
		.ranges = &range, .range_count = 1, .read = read_stub, .data = stub
	};
	struct cfg *code;

	assert_null(cfg_build(decoder, &request, &code));
	assert_true(cfg_is_sound(code));
	*reached = code->block_count == 1;

	enum operation operation = (enum operation)code->insns[0].operation;

	cfg_destroy(code);
	return operation;
}

/* An instruction that the linker moved is where it was; other code that is jumped to is not. */
static void test_moved(void **state)
{
	bool reached;

	(void)state;
	/* ldr x1, [x0, #8], and the jump back */
	assert_int_equal(operation_with_stub(0xf9400401, 0x17fffc00, &reached), OP_MOVE);
	assert_true(reached);
	/* madd x0, x1, x2, x3 has two parts */
	assert_int_equal(operation_with_stub(0x9b020c20, 0x17fffc00, &reached), OP_MULTIPLY);
	assert_true(reached);
	/* a jump to another place, and no jump */
	assert_int_equal(operation_with_stub(0xf9400401, 0x17fffc01, &reached), OP_JUMP);
	assert_false(reached);
	assert_int_equal(operation_with_stub(0xf9400401, 0xd503201f, &reached), OP_JUMP);
	assert_false(reached);
}

/* Decodes "adrp x19; nop; ret; ldr x0, [x19, #8]; ret", where a request leads to the load. Returns
 * whether its address is known. */
static bool is_known(struct cfg_request request)
{
	const uint32_t words[] = { 0x90000013, 0xd503201f, 0xd65f03c0, 0xf9400660, 0xd65f03c0 };
	struct cfg_range range = { CASE_ADDRESS, sizeof(words), (const uint8_t *)words };
	struct cfg *code;

	request.ranges = &range;
	request.range_count = 1;
	assert_null(cfg_build(decoder, &request, &code));
	assert_true(cfg_is_sound(code));

	const struct operand *place = insn_memory(&code->insns[3], false);
	bool known = place->absolute && place->value == CASE_ADDRESS + 8;

	cfg_destroy(code);
	return known;
}

/* Registers keep their addresses along a way that is a static branch, and nothing is known where
 * control may come from anywhere, or by another way, too. */
static void test_ways(void **state)
{
	const uint64_t to = CASE_ADDRESS + 12;
	const struct cfg_way ways[] = { { CASE_ADDRESS + 4, to }, { CASE_ADDRESS + 8, to } },
			     outside[] = { { 8, to }, { CASE_ADDRESS + 4, 8 } };

	(void)state;
	assert_true(is_known((struct cfg_request){ .ways = ways, .way_count = 1 }));
	assert_true(is_known((struct cfg_request){ .ways = ways, .way_count = 2 }));
	assert_false(is_known((struct cfg_request){ .ways = outside, .way_count = 2 }));
	assert_false(is_known((struct cfg_request){ .leaders = &to, .leader_count = 1 }));
	assert_false(is_known((struct cfg_request){
		.leaders = &to, .leader_count = 1, .ways = ways, .way_count = 1 }));
}

/* The text that people read. */
static void test_format(void **state)
{
	static const uint8_t pair[] = { 0xe0, 0x07, 0x40, 0xa9 };
	static const uint8_t nothing[] = { 0xff, 0xff, 0xff, 0xff };
	char text[64];

	(void)state;
	decoder_format(decoder, pair, sizeof(pair), CASE_ADDRESS, text, sizeof(text));
	assert_string_equal(text, "ldp x0, x1, [sp]");
	decoder_format(decoder, nothing, sizeof(nothing), CASE_ADDRESS, text, sizeof(text));
	assert_string_equal(text, ".byte 0xff,0xff,0xff,0xff");
}

static void test_registers(void **state)
{
	(void)state;
	assert_int_equal(arch_reg_from_dwarf(&arch_arm64, 0), REG_X0);
	assert_int_equal(arch_reg_from_dwarf(&arch_arm64, 31), REG_SP);
	assert_int_equal(arch_reg_from_dwarf(&arch_arm64, 34), REG_NONE); /* RA_SIGN_STATE */
	assert_int_equal(arch_reg_from_dwarf(&arch_arm64, 64), REG_V0);
	assert_int_equal(arch_reg_from_dwarf(&arch_arm64, 95), REG_V31);
	assert_int_equal(arch_reg_from_dwarf(&arch_arm64, 96), REG_NONE);
	assert_string_equal(arch_reg_name(&arch_arm64, REG_X29), "x29");
	assert_string_equal(arch_reg_name(&arch_arm64, REG_SP), "sp");
	assert_string_equal(arch_reg_name(&arch_arm64, REG_V31), "v31");
	assert_string_equal(arch_reg_name(&arch_arm64, REG_PC), "pc");
	assert_ptr_equal(arch_named("aarch64"), &arch_arm64);
}

/* Stubs of -z now, with and without bti c, and the first one of a lazy PLT. */
static void test_plt_stubs(void **state)
{
	static const uint32_t stubs[] = {
		0xa9bf7bf0, 0xf00000d0, 0xf947fe11, 0x913fe210, 0xd61f0220, 0xd503201f,
		0xd503201f, 0xd503201f, 0x90000110, 0xf9400211, 0x91000210, 0xd61f0220,
		0xd503245f, 0x90000110, 0xf9400611, 0x91002210, 0xd61f0220, 0xd503201f,
	};
	const uint8_t *bytes = (const uint8_t *)stubs;
	struct plt_stub stub = arch_arm64.plt_stub(bytes, sizeof(stubs), 0x3000);

	(void)state;
	assert_int_equal(stub.kind, PLT_ENTRY);
	assert_int_equal(stub.size, 32);
	stub = arch_arm64.plt_stub(bytes + 32, sizeof(stubs) - 32, 0x3020);
	assert_int_equal(stub.kind, PLT_SLOT);
	assert_int_equal(stub.size, 16);
	assert_int_equal(0x3020 + stub.slot, 0x23000);
	stub = arch_arm64.plt_stub(bytes + 48, sizeof(stubs) - 48, 0x3030);
	assert_int_equal(stub.kind, PLT_SLOT);
	assert_int_equal(stub.size, 24);
	assert_int_equal(0x3030 + stub.slot, 0x23008);
	stub = arch_arm64.plt_stub(bytes + 16, 4, 0x3010);
	assert_int_equal(stub.kind, PLT_OTHER);
	assert_int_equal(stub.size, 4);
}

/* Instructions that old versions of capstone do not know, as GNU objdump writes them. */
static void test_own_texts(void **state)
{
	static const struct {
		uint32_t word;
		const char *mnemonic, *operands;
	} rows[] = {
		{ 0xd503201f, "nop", "" },
		{ 0xd503203f, "yield", "" },
		{ 0xd503205f, "wfe", "" },
		{ 0xd503233f, "paciasp", "" },
		{ 0xd50323bf, "autiasp", "" },
		{ 0xd503245f, "bti", "c" },
		{ 0xd503249f, "bti", "j" },
		{ 0xd50324df, "bti", "jc" },
		{ 0xd503241f, "bti", "" },
		{ 0xd50320ff, "xpaclri", "" },
		{ 0xd503219f, "autia1716", "" },
		{ 0xd503229f, "csdb", "" },
		{ 0xf8220003, "ldadd", "x2, x3, [x0]" },
		{ 0xb8e203e3, "ldaddal", "w2, w3, [sp]" },
		{ 0x38a21083, "ldclrab", "w2, w3, [x4]" },
		{ 0x78622083, "ldeorlh", "w2, w3, [x4]" },
		{ 0xf83f3041, "ldset", "xzr, x1, [x2]" },
		{ 0xf8224003, "ldsmax", "x2, x3, [x0]" },
		{ 0xb8a27003, "ldumina", "w2, w3, [x0]" },
		{ 0xb822001f, "stadd", "w2, [x0]" },
		{ 0xf862101f, "stclrl", "x2, [x0]" },
		{ 0x782233df, "stseth", "w2, [x30]" },
		{ 0xf8228003, "swp", "x2, x3, [x0]" },
		{ 0x38e2801f, "swpalb", "w2, wzr, [x0]" },
		{ 0xc8a27c03, "cas", "x2, x3, [x0]" },
		{ 0x88e27c03, "casa", "w2, w3, [x0]" },
		{ 0x08a2fc03, "caslb", "w2, w3, [x0]" },
		{ 0x48e2fc03, "casalh", "w2, w3, [x0]" },
		{ 0x48227c04, "casp", "x2, x3, x4, x5, [x0]" },
		{ 0x0862ffe4, "caspal", "w2, w3, w4, w5, [sp]" },
		{ 0xf8bfc041, "ldapr", "x1, [x2]" },
		{ 0xd65f03c0, "ret", "" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct insn_text text;
		uint8_t bytes[4];

		memcpy(bytes, &rows[i].word, sizeof(bytes));
		decoder_text(decoder, bytes, sizeof(bytes), CASE_ADDRESS, SYNTAX_ATT, &text);
		assert_string_equal(text.mnemonic, rows[i].mnemonic);
		assert_string_equal(text.operands, rows[i].operands);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),     cmocka_unit_test(test_all_encodings),
		cmocka_unit_test(test_between),   cmocka_unit_test(test_format),
		cmocka_unit_test(test_registers), cmocka_unit_test(test_random_functions),
		cmocka_unit_test(test_plt_stubs), cmocka_unit_test(test_own_texts),
		cmocka_unit_test(test_moved),     cmocka_unit_test(test_ways),
	};

	return cmocka_run_group_tests(tests, create_decoder, destroy_decoder);
}
