// SPDX-License-Identifier: GPL-2.0-or-later
/* Instructions one by one: operation, operands, registers read and written. */
#include "base/arch/x86_64.h"
#include "tests/support/unit.h"

#include <stdlib.h>
#include <string.h>

#include "disasm/insn.h"
#include "base/memory.h"
#include "tests/disasm/decoder_cases.h"
#include "tests/disasm/invariants.h"
#include "tests/disasm/one_decoder.h"
#include "tests/disasm/own_time_cases.h"
#include "tests/disasm/render.h"

#define CASE_ADDRESS 0x401000
#define COUNT(array) (sizeof(array) / sizeof(*(array)))

/* Converts "48 89 f8" to bytes, and returns their number. */
static size_t parse_bytes(const char *text, uint8_t *bytes, size_t capacity)
{
	size_t count = 0;
	char *end;

	for (;; text = end) {
		unsigned long byte = strtoul(text, &end, 16);

		if (end == text)
			return count;
		assert_true(count < capacity);
		bytes[count++] = byte;
	}
}

/* Decodes from a buffer of exactly that size, so that a sanitizer sees any read past its end. */
static struct insn decode(const uint8_t *bytes, size_t size)
{
	uint8_t *copy = xmalloc(size ? size : 1);
	struct insn insn;

	if (size)
		memcpy(copy, bytes, size);
	decoder_decode(decoder, copy, size, CASE_ADDRESS, &insn);
	free(copy);
	return insn;
}

static struct insn decode_text(const char *text)
{
	uint8_t bytes[16];
	size_t size = parse_bytes(text, bytes, sizeof(bytes));

	return decode(bytes, size);
}

static void test_cases(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(decoder_cases); i++) {
		const struct decoder_case *row = &decoder_cases[i];
		struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
		uint8_t bytes[16];
		size_t size = parse_bytes(row->bytes, bytes, sizeof(bytes));
		struct insn insn = decode(bytes, size);
		const char *broken = broken_insn(&insn, size);

		render_insn(&insn, &text);
		if (broken || insn.length != size || strcmp(text.data, row->expected) != 0)
			fail_msg("%s (%s): %s, length %u\n  expected %s\n  decoded  %s",
				 row->assembly, row->bytes, broken ? broken : "differs",
				 insn.length, row->expected, text.data);
		assert_int_equal(decoder_length(decoder, bytes, size), size);
		assert_int_equal(decoder_is_call(decoder, bytes, size), insn.operation == OP_CALL);
	}
}

static void test_bytes_that_end_too_early(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(decoder_cases); i++) {
		uint8_t bytes[16];
		size_t size = parse_bytes(decoder_cases[i].bytes, bytes, sizeof(bytes));

		for (size_t cut = 1; cut < size; cut++) {
			struct insn insn = decode(bytes, cut);
			const char *broken = broken_insn(&insn, cut);

			if (broken)
				fail_msg("%s, cut to %zu bytes: %s", decoder_cases[i].assembly, cut,
					 broken);
		}
	}
	assert_int_equal(decode(NULL, 0).length, 0);
}

/* Encodings that are newer than capstone 4, some newer than 5. Whichever decoder takes them, the
 * length is right, memory operands are there, and only what the instruction may write is lost. */
struct newer_case {
	const char *assembly;
	const char *bytes;
	bool memory;
	uint64_t written; /* at most */
};

#define RAX    REG_BIT(REG_RAX)
#define RDX    REG_BIT(REG_RDX)
#define RCX    REG_BIT(REG_RCX)
#define RBX    REG_BIT(REG_RBX)
#define XMM(n) REG_BIT(REG_XMM0 + (n))

static const struct newer_case newer_cases[] = {
	{ "gf2p8mulb (%rdi),%xmm1", "66 0f 38 cf 0f", true, XMM(1) },
	{ "tilezero %tmm1", "c4 e2 7b 49 c8", false, XMM(0) | XMM(1) },
	{ "cmpbexadd %eax,%ecx,(%rdi)", "c4 e2 79 e6 0f", true, RAX | RCX },
	{ "aesenc128kl (%rdi),%xmm1", "f3 0f 38 dc 0f", true, XMM(1) | UINT64_C(0xff) << REG_XMM0 },
	{ "vsm4key4 (%rdi),%xmm1,%xmm2", "c4 e2 72 da 17", true, XMM(1) | XMM(2) },
	{ "vaddbf16 (%rdi),%zmm1,%zmm2", "62 f5 75 48 58 17", true, XMM(1) | XMM(2) },
	/* APX: three operands, no flags, conditional */
	{ "add %rax,%rbx,%rcx", "62 f4 f4 18 01 c3", false, RAX | RBX | RCX | RDX },
	{ "add %rax,8(%rbx),%rcx", "62 f4 f4 18 01 43 08", true, RAX | RCX | RDX },
	{ "ccmpb $5,%edi", "62 f4 04 02 83 ff 05", false,
	  RAX | RCX | RDX | REG_BIT(REG_RDI) | REG_BIT(REG_R15) },
	{ "imul $0x1234,%ax,%ax", "62 f4 7d 08 69 c0 34 12", false, RAX | RCX | RDX },
	{ "ctestb $1,%eax", "62 f4 04 02 f7 c0 01 00 00 00", false,
	  RAX | RCX | RDX | REG_BIT(REG_R15) },
};

static void test_newer_encodings(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(newer_cases); i++) {
		const struct newer_case *row = &newer_cases[i];
		uint8_t bytes[16];
		size_t size = parse_bytes(row->bytes, bytes, sizeof(bytes));
		struct insn insn = decode(bytes, size);

		if (insn.length != size)
			fail_msg("%s: length %u instead of %zu", row->assembly, insn.length, size);
		assert_int_equal(decoder_length(decoder, bytes, size), size);
		if (!insn_memory(&insn, false) == row->memory)
			fail_msg("%s: memory operand", row->assembly);
		if (insn.written & ~row->written)
			fail_msg("%s: writes %#llx, at most %#llx could be", row->assembly,
				 (unsigned long long)insn.written,
				 (unsigned long long)row->written);
	}
}

static void test_no_instruction(void **state)
{
	static const char *const rows[] = { "06",          "d4 01",          "0f 04",
					    "c4 ff ff ff", "62 00 00 00 00", "ea 00 00" };

	(void)state;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct insn insn = decode_text(rows[i]);

		if (!(insn.flags & FLAG_UNKNOWN) || insn.length != 1 || insn.written != insn.read ||
		    insn.operand_count || !(insn.written & REG_BIT(REG_RSP)))
			fail_msg("%s is taken for an instruction", rows[i]);
	}
}

/* The bytes tell which functions return, or end in neither a call nor a jump back. */
static void test_may_be_endless(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		bool may;
	} cases[] = {
		{ "\x50\xe8\x01\x02\x03\x04", 6, true },  /* push; call */
		{ "\xff\x15\x01\x02\x03\x04", 6, true },  /* call *0x4030201(%rip) */
		{ "\x0f\x0b", 2, true },                  /* ud2 */
		{ "\xe8\x01\x02\x03\x04\xc3", 6, false }, /* call; ret */
		{ "\x0f\x0b\x90", 3, false },             /* ud2; nop */
		{ "\xe9\x01\x02\x03\x04", 5, false },     /* jmp, away */
		{ "\x50\x90\xeb\xfd", 4, true },          /* push; nop; jmp, back */
		{ "\xc3\x90\xeb\xfd", 4, false },         /* ret; nop; jmp, back */
		{ "\xe8", 1, false },                     /* not all of a call */
		{ "", 0, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++)
		assert_int_equal(decoder_may_be_endless(decoder, (const uint8_t *)cases[i].bytes,
							cases[i].size),
				 cases[i].may);
}

/* Whether bytes are a call is told by their form, as decoding them tells it. */
static void test_is_call(void **state)
{
	static const struct {
		const char *bytes;
		bool call;
	} cases[] = {
		{ "e8 01 02 03 04", true },     /* call */
		{ "e8 01 02 03 04 05", false }, /* and one byte more */
		{ "e8 01 02 03", false },       /* and one byte less */
		{ "41 ff d3", true },           /* call *%r11 */
		{ "ff 5f 08", true },           /* lcall *8(%rdi) */
		{ "ff df", false },             /* lcall has no register */
		{ "ff 67 08", false },          /* jmp *8(%rdi) */
		{ "0f ff d0", false },          /* ud0 */
		{ "90", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		uint8_t bytes[16];
		size_t size = parse_bytes(cases[i].bytes, bytes, sizeof(bytes));
		struct insn insn = decode(bytes, size);

		assert_int_equal(decoder_is_call(decoder, bytes, size), cases[i].call);
		assert_int_equal(insn.length == size && insn.operation == OP_CALL, cases[i].call);
	}
}

static void test_memory_of_a_sample(void **state)
{
	(void)state;
	struct insn insn = decode_text("f3 a4"); /* rep movsb */

	assert_int_equal(insn_memory(&insn, true)->base, REG_RDI);
	assert_int_equal(insn_memory(&insn, false)->base, REG_RSI);
	insn = decode_text("ff 77 08"); /* pushq 8(%rdi) */
	assert_int_equal(insn_memory(&insn, true)->base, REG_RSP);
	assert_int_equal(insn_memory(&insn, false)->base, REG_RDI);
	insn = decode_text("53"); /* push %rbx */
	assert_int_equal(insn_memory(&insn, false)->base, REG_RSP);
	insn = decode_text("ff 50 18"); /* call *0x18(%rax) */
	assert_int_equal(insn_memory(&insn, true)->base, REG_RSP);
	assert_int_equal(insn_memory(&insn, false)->base, REG_RAX);
	insn = decode_text("8f 47 08"); /* popq 8(%rdi) */
	assert_int_equal(insn_memory(&insn, false)->base, REG_RDI);
	insn = decode_text("48 01 47 10"); /* add %rax,0x10(%rdi) */
	assert_int_equal(insn_memory(&insn, true)->base, REG_RDI);
	insn = decode_text("48 8d 47 10"); /* lea 0x10(%rdi),%rax */
	assert_null(insn_memory(&insn, false));
	insn = decode_text("0f 18 4f 40"); /* prefetcht0 */
	assert_null(insn_memory(&insn, false));
	insn = decode_text("48 89 f8"); /* mov %rdi,%rax */
	assert_null(insn_memory(&insn, true));
}

/* The text that people read; for unknown instructions it has the bytes. */
static void test_format(void **state)
{
	static const uint8_t move[] = { 0x48, 0x8b, 0x47, 0x10 };
	static const uint8_t newer[] = { 0x62, 0xf4, 0xf4, 0x18, 0x01, 0xc3 };
	char text[64];

	(void)state;
	decoder_format(decoder, move, sizeof(move), CASE_ADDRESS, text, sizeof(text));
	assert_string_equal(text, "movq 0x10(%rdi), %rax");
	decoder_format(decoder, move, sizeof(move), CASE_ADDRESS, text, 5);
	assert_string_equal(text, "movq");
	decoder_format(decoder, newer, sizeof(newer), CASE_ADDRESS, text, sizeof(text));
	assert_string_equal(text, ".byte 0x62,0xf4,0xf4,0x18,0x01,0xc3");
	decoder_format(decoder, newer, 0, CASE_ADDRESS, text, sizeof(text));
	assert_string_equal(text, "");
}

static void test_registers(void **state)
{
	(void)state;
	assert_int_equal(arch_reg_from_dwarf(&arch_x86_64, 0), REG_RAX);
	assert_int_equal(arch_reg_from_dwarf(&arch_x86_64, 7), REG_RSP);
	assert_int_equal(arch_reg_from_dwarf(&arch_x86_64, 16), REG_RIP);
	assert_int_equal(arch_reg_from_dwarf(&arch_x86_64, 17), REG_XMM0);
	assert_int_equal(arch_reg_from_dwarf(&arch_x86_64, 32), REG_XMM15);
	assert_int_equal(arch_reg_from_dwarf(&arch_x86_64, 33), REG_NONE); /* st0 */
	assert_int_equal(arch_reg_from_dwarf(&arch_x86_64, 67), REG_XMM15 + 1);
	assert_int_equal(arch_reg_from_dwarf(&arch_x86_64, 82), REG_XMM31);
	assert_int_equal(arch_reg_from_dwarf(&arch_x86_64, 118), REG_NONE); /* k0 */
	assert_string_equal(arch_reg_name(&arch_x86_64, REG_RSI), "rsi");
	assert_string_equal(arch_reg_name(&arch_x86_64, REG_XMM31), "xmm31");
	assert_string_equal(arch_reg_name(&arch_x86_64, REG_NONE), "none");
}

static void test_own_time(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(own_time_cases); i++) {
		const struct own_time_case *row = &own_time_cases[i];
		struct insn insn = decode_text(row->bytes);

		if (insn.own_time != row->expected)
			fail_msg("%s (%s): own time %d, expected %d", row->assembly, row->bytes,
				 insn.own_time, row->expected);
	}
}

static void test_floats_in_memory(void **state)
{
	static const struct {
		const char *assembly, *bytes;
		bool expected;
	} cases[] = {
		{ "movsd (%rdi),%xmm0", "f2 0f 10 07", true },
		{ "movss %xmm0,(%rdi)", "f3 0f 11 07", true },
		{ "vmovsd (%rdi),%xmm0", "c5 fb 10 07", true },
		{ "addpd (%rdi),%xmm0", "66 0f 58 07", true },
		{ "ucomisd (%rdi),%xmm0", "66 0f 2e 07", true },
		{ "cvttsd2si (%rdi),%eax", "f2 0f 2c 07", true },
		{ "fldl (%rdi)", "dd 07", true },
		{ "fldt (%rdi)", "db 2f", true },
		{ "faddl (%rdi)", "dc 07", true },
		/* of registers; of integers; of anything */
		{ "addsd %xmm1,%xmm0", "f2 0f 58 c1", false },
		{ "cvtsi2sdl (%rdi),%xmm0", "f2 0f 2a 07", false },
		{ "fildll (%rdi)", "df 2f", false },
		{ "movups (%rdi),%xmm0", "0f 10 07", false },
		{ "movq (%rdi),%xmm0", "f3 0f 7e 07", false },
		{ "mov (%rdi),%rax", "48 8b 07", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct insn insn = decode_text(cases[i].bytes);

		if (!(insn.flags & FLAG_FLOAT) == cases[i].expected)
			fail_msg("%s (%s): expected %d", cases[i].assembly, cases[i].bytes,
				 cases[i].expected);
	}
}

static void test_extended_state(void **state)
{
	(void)state;
	assert_true(decode_text("48 0f ae 27").flags & FLAG_EXTENDED_STATE);  /* xsave64 (%rdi) */
	assert_true(decode_text("48 0f c7 2f").flags & FLAG_EXTENDED_STATE);  /* xsaves64 (%rdi) */
	assert_true(decode_text("0f ae 2f").flags & FLAG_EXTENDED_STATE);     /* xrstor (%rdi) */
	assert_false(decode_text("0f ae 07").flags & FLAG_EXTENDED_STATE);    /* fxsave (%rdi) */
	assert_false(decode_text("66 0f ae 37").flags & FLAG_EXTENDED_STATE); /* clwb (%rdi) */
	assert_false(decode_text("0f ae e8").flags & FLAG_EXTENDED_STATE);    /* lfence */
	assert_false(decode_text("0f c7 0f").flags & FLAG_EXTENDED_STATE);    /* cmpxchg8b (%rdi) */
}

static void test_flags(void **state)
{
	static const struct {
		const char *assembly, *bytes;
		bool expected;
	} cases[] = {
		{ "ucomisd %xmm1,%xmm0", "66 0f 2e c1", true },
		{ "vucomisd %xmm1,%xmm0", "c5 f9 2e c1", true },
		{ "vcomiss (%rdi),%xmm0", "c5 f8 2f 07", true },
		{ "pcmpistri $0x1a,%xmm1,%xmm0", "66 0f 3a 63 c1 1a", true },
		{ "vpcmpestrm $0,%xmm1,%xmm0", "c4 e3 79 60 c1 00", true },
		{ "vptest %ymm1,%ymm2", "c4 e2 7d 17 d1", true },
		{ "fcomi %st(1),%st", "db f1", true },
		{ "fucomip %st(1),%st", "df e9", true },
		/* those of the x87 are others */
		{ "fstp %st(0)", "dd d8", false },
		{ "fadds (%rdi)", "d8 07", false },
		{ "fucomp %st(1)", "dd e9", false },
		{ "vmovsd (%rdi),%xmm0", "c5 fb 10 07", false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		if (!(decode_text(cases[i].bytes).flags & FLAG_WRITES_FLAGS) == cases[i].expected)
			fail_msg("%s (%s): expected %d", cases[i].assembly, cases[i].bytes,
				 cases[i].expected);
}

/* Decodes every opcode of every map, with some operands and prefixes: no invariant may be
 * broken. */
static void test_every_opcode(void **state)
{
	static const char *const prefixes[] = {
		"",
		"66",
		"f3",
		"f2",
		"48",
		"66 48",
		"f0",
		"67",
		"64",
		"d5 19",
		"0f",
		"66 0f",
		"f3 0f",
		"f2 0f",
		"48 0f",
		"0f 38",
		"66 0f 38",
		"f3 0f 38",
		"f2 0f 38",
		"0f 3a",
		"66 0f 3a",
		"d5 99",
		"c5 f8",
		"c5 fd",
		"c5 fa",
		"c5 fb",
		"c4 e1 f9",
		"c4 e2 79",
		"c4 e2 7d",
		"c4 e2 f8",
		"c4 e2 fb",
		"c4 e3 79",
		"c4 e3 fd",
		"62 f1 7c 48",
		"62 f1 fd 29",
		"62 f1 7e 08",
		"62 f2 7d 58",
		"62 f2 7e 40",
		"62 f3 7d 48",
		"62 f4 fc 18",
		"62 f5 7c 48",
		"62 f6 7d 08",
		"8f e8 78",
		"8f e9 78",
	};
	static const uint8_t forms[] = { 0x07, 0x47, 0x44, 0x04, 0x05, 0x87,
					 0xc7, 0xcf, 0xd1, 0xf8, 0x3f, 0x30 };

	(void)state;
	for (size_t prefix = 0; prefix < COUNT(prefixes); prefix++)
		for (unsigned int opcode = 0; opcode < 256; opcode++)
			for (size_t form = 0; form < COUNT(forms); form++) {
				uint8_t bytes[16] = { 0 };
				size_t used = parse_bytes(prefixes[prefix], bytes, sizeof(bytes));

				bytes[used] = opcode;
				bytes[used + 1] = forms[form];
				memset(bytes + used + 2, 0x25, 16 - used - 2);
				struct insn insn = decode(bytes, 15);
				const char *broken = broken_insn(&insn, 15);

				if (broken)
					fail_msg("%s %02x %02x 25...: %s", prefixes[prefix], opcode,
						 forms[form], broken);
			}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cases),
		cmocka_unit_test(test_bytes_that_end_too_early),
		cmocka_unit_test(test_newer_encodings),
		cmocka_unit_test(test_no_instruction),
		cmocka_unit_test(test_may_be_endless),
		cmocka_unit_test(test_is_call),
		cmocka_unit_test(test_memory_of_a_sample),
		cmocka_unit_test(test_format),
		cmocka_unit_test(test_registers),
		cmocka_unit_test(test_own_time),
		cmocka_unit_test(test_floats_in_memory),
		cmocka_unit_test(test_extended_state),
		cmocka_unit_test(test_flags),
		cmocka_unit_test(test_every_opcode),
	};

	return cmocka_run_group_tests(tests, create_decoder, destroy_decoder);
}
