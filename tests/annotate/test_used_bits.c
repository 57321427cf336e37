// SPDX-License-Identifier: GPL-2.0-or-later
/* The bits of a byte that code uses or changes. They tell bitfields apart (cases/bitfields.c). */
#include "annotate/code/code.h"
#include "tests/support/unit.h"

#include <string.h>

#include "annotate/flow/solver.h"

static struct decoder *decoder;

static int set_up(void **state)
{
	(void)state;
	decoder = decoder_create(&arch_x86_64);
	return decoder ? 0 : -1;
}

static int tear_down(void **state)
{
	(void)state;
	decoder_destroy(decoder);
	return 0;
}

/* The bits that instruction `index` of this code uses. */
static void assert_bits(const char *hexadecimal, uint32_t index, uint64_t expected)
{
	uint8_t bytes[64];
	size_t size = 0;
	struct cfg *code;

	for (const char *text = hexadecimal; *text && size < sizeof(bytes); text += text[2] ? 3 : 2)
		bytes[size++] = (uint8_t)strtoul(text, NULL, 16);

	struct cfg_range range = { .address = 0x1000, .size = size, .bytes = bytes };
	struct cfg_request request = { .ranges = &range, .range_count = 1 };
	struct error *error = cfg_build(decoder, &request, &code);

	if (error)
		fail_msg("%s", error->message);
	assert_in_range(index, 0, code->insn_count - 1);

	uint64_t bits = used_bits(NULL, code, index, insn_memory(&code->insns[index], false));

	if (bits != expected)
		fail_msg("%s [%u]: %#llx, expected %#llx", hexadecimal, index,
			 (unsigned long long)bits, (unsigned long long)expected);
	cfg_destroy(code);
}

static void test_memory_and_a_constant(void **state)
{
	(void)state;
	assert_bits("f6 47 01 04 c3", 0, 0x04);    /* testb $4, 1(%rdi) */
	assert_bits("80 4f 01 18 c3", 0, 0x18);    /* orb $0x18, 1(%rdi) */
	assert_bits("80 67 01 fe c3", 0, 0x01);    /* andb $0xfe, 1(%rdi) */
	assert_bits("83 37 80 c3", 0, 0xffffff80); /* xorl $-128, (%rdi) */
	assert_bits("0f ba 27 0b c3", 0, 0x800);   /* btl $11, (%rdi) */
	assert_bits("80 7f 01 04 c3", 0, 0xff);    /* cmpb $4, 1(%rdi): all */
	assert_bits("f6 47 01 ff c3", 0, 0xff);    /* testb $0xff: all */
}

static void test_masks_and_shifts_after_a_load(void **state)
{
	(void)state;
	assert_bits("0f b6 07 83 e0 07 c3", 0, 0x07);          /* and $7 */
	assert_bits("0f b6 07 c0 e8 03 0f b6 c0 c3", 0, 0xf8); /* shr $3, %al; movzbl */
	assert_bits("8b 07 c1 e8 0c 83 e0 0f c3", 0, 0xf000);  /* shr $12; and $15 */
	assert_bits("8b 07 c1 e0 14 c1 f8 1c c3", 0, 0xf00);   /* shl $20; sar $28 */
	assert_bits("0f b6 07 a8 02 75 00 31 c0 c3", 0,
		    0x02); /* test $2, then a branch: not read again */
	assert_bits("0f b6 07 a8 02 75 02 31 c0 c3", 0, 0xff); /* the result, on one way */
	assert_bits("0f b6 0f f6 c1 02 c3", 0, 0x02); /* movzbl (%rdi), %ecx; test $2, %cl; ret */
	assert_bits("48 8b 0f 48 0f ba e1 28 c3", 0, 1ULL << 40); /* bt $40, %rcx */
	assert_bits("0f b6 07 83 c0 01 c3", 0, 0xff);             /* add: all */
}

static void test_stored_again(void **state)
{
	/* mov %esi, %ecx; and $7, %ecx; add %ecx, %ecx; movzbl (%rdi), %esi; and $0xf1, %esi; or
	 * %esi, %ecx; mov %cl, (%rdi) */
	assert_bits("89 f1 83 e1 07 01 c9 0f b6 37 83 e6 f1 09 f1 88 0f c3", 3, 0x0e);
	assert_bits("89 f1 83 e1 07 8d 0c 09 0f b6 37 83 e6 f1 09 f1 88 0f c3", 3, 0x0e);
	/* add $1, %ecx: the sum has four bits */
	assert_bits("89 f1 83 e1 07 83 c1 01 0f b6 37 83 e6 f0 09 f1 88 0f c3", 3, 0x0f);
	/* testb $1, 0x30(%rsp); jne; movzwl 0x30(%rsp), %edx; and $0xfc7f, %dx; or %edx, %eax; mov
	 * %ax, 0x30(%rsp): another load of the same memory */
	assert_bits("f6 44 24 30 01 75 11 0f b7 54 24 30 66 81 e2 7f fc 09 d0 66 89 44 24 30 c3", 0,
		    0x01);
	/* mov %esi, %eax; movzbl (%rdi), %esi; and $7, %eax; and $-8, %esi; or %eax, %esi; mov
	 * %sil, (%rdi)
	 */
	const char *const change = "89 f0 0f b6 37 83 e0 07 83 e6 f8 09 c6 40 88 37 c3";

	(void)state;
	assert_bits(change, 1, 0x07);
	assert_bits(change, 5, 0x07);
	/* the same with %rdi changed between: another place */
	assert_bits("0f b6 37 83 e6 f8 48 ff c7 40 88 37 c3", 3, 0xff);
	/* mov $-57, %eax; and (%rdi), %eax; or %ecx, %eax; mov %eax, (%rdi); xor %eax, %eax */
	assert_bits("b8 c7 ff ff ff 23 07 09 c8 89 07 31 c0 c3", 1, 0x38);
	assert_bits("b8 c7 ff ff ff 23 07 09 c8 89 07 31 c0 c3", 3, 0x38);
}

static void test_masks_in_registers(void **state)
{
	/* mov $0xffff80ff, %ecx; mov (%rdi), %eax; and %ecx, %eax; shl $8, %esi; or %esi, %eax; mov
	 * %eax, (%rdi); xor %eax, %eax; ret: the stored bits may be any from the eighth on, but a
	 * place was made for seven */
	const char *const put = "b9 ff 80 ff ff 8b 07 21 c8 83 e6 7f c1 e6 08 09 f0 89 07 31 c0 c3";

	(void)state;
	assert_bits(put, 1, 0x7f00);
	assert_bits(put, 6, 0x7f00);
	/* the pointer moves on between the load and the store: mov (%rdi), %eax; add $8, %rdi; and
	 * $-4, %eax; or $1, %eax; mov %eax, -8(%rdi); xor %eax, %eax; ret */
	assert_bits("8b 07 48 83 c7 08 83 e0 fc 83 c8 01 89 47 f8 31 c0 c3", 0, 0x3);
	assert_bits("8b 07 48 83 c7 08 83 e0 fc 83 c8 01 89 47 f8 31 c0 c3", 4, 0x3);
	/* movzbl (%rdi), %eax; shl $8, %esi; or %esi, %eax; mov %eax, (%rdi); xor %eax, %eax; ret:
	 * the byte is read to be kept */
	assert_bits("0f b6 07 c1 e6 08 09 f0 89 07 31 c0 c3", 0, 0xffffff00);
	assert_bits("0f b6 07 c1 e6 08 09 f0 89 07 31 c0 c3", 3, 0xffffff00);
	/* (x ^ y) & 3 ^ x: mov (%rdi), %eax; xor %eax, %esi; and $3, %esi; xor %esi, %eax; mov
	 * %eax,
	 * (%rdi); xor %eax, %eax; ret */
	assert_bits("8b 07 31 c6 83 e6 03 31 f0 89 07 31 c0 c3", 0, 0x3);
	assert_bits("8b 07 31 c6 83 e6 03 31 f0 89 07 31 c0 c3", 4, 0x3);
	/* movzwl (%rdi), %eax; mov %sil, %ah; mov %ax, (%rdi); xor %eax, %eax; ret */
	assert_bits("0f b7 07 88 cc 66 89 07 31 c0 c3", 0, 0xff00);
	assert_bits("0f b7 07 88 cc 66 89 07 31 c0 c3", 2, 0xff00);
	/* two loads are put together: movzwl 1(%rdi), %eax; movzbl 3(%rdi), %ecx; mov %cl,
	 * 3(%rdi); shl $16, %ecx; or %eax, %ecx; and $-2, %ecx; or %esi, %ecx; mov %cx, 1(%rdi);
	 * xor %ecx, %ecx; xor %eax, %eax; ret */
	const char *joined = "0f b7 47 01 0f b6 4f 03 88 4f 03 c1 e1 10 09 c1 83 e1 fe 09 f1 66 89 "
			     "4f 01 31 c9 31 c0 c3";

	assert_bits(joined, 0, 0x1);
	assert_bits(joined, 7, 0x1);
	assert_bits("0f ba 2f 0b c3", 0, 0x800);   /* btsl $11, (%rdi) */
	assert_bits("83 2f 40 c3", 0, 0xffffffc0); /* subl $64, (%rdi) */
}

static void test_conditions(void **state)
{
	(void)state;
	assert_bits("0f b6 07 84 c0 78 00 31 c0 c3", 0, 0x80); /* test %al, %al; js */
	assert_bits("80 3f 00 78 00 31 c0 c3", 0, 0x80);       /* cmpb $0, (%rdi); js */
	assert_bits("80 3f 1f 77 00 31 c0 c3", 0, 0xe0);       /* cmpb $31, (%rdi); ja */
	assert_bits("80 3f 40 72 00 31 c0 c3", 0, 0xc0);       /* cmpb $64, (%rdi); jb */
	assert_bits("80 3f 3f 7f 00 31 c0 c3", 0, 0xc0);       /* cmpb $63, (%rdi); jg */
	assert_bits("80 3f 3f 74 00 31 c0 c3", 0, 0xff);       /* cmpb $63, (%rdi); je */
	/* mov (%rdi), %eax; shr $7, %eax; jb */
	assert_bits("8b 07 c1 e8 07 72 00 31 c0 c3", 0, 0x40);
	/* bextr: mov $0x305, %ecx; bextr %ecx, (%rdi), %eax; ret */
	assert_bits("b9 05 03 00 00 c4 e2 70 f7 07 c3", 1, 0xe0);
	/* andn: mov (%rdi), %eax; mov $-16, %ecx; andn %eax, %ecx, %eax; ret */
	assert_bits("8b 07 b9 f0 ff ff ff c4 e2 70 f2 c0 c3", 0, 0x0f);
	/* pext: mov $0xf0, %ecx; mov (%rdi), %eax; pext %ecx, %eax, %eax; and $1, %eax; ret */
	assert_bits("b9 f0 00 00 00 8b 07 c4 e2 7a f5 c1 83 e0 01 c3", 1, 0x10);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_memory_and_a_constant),
		cmocka_unit_test(test_masks_and_shifts_after_a_load),
		cmocka_unit_test(test_stored_again),
		cmocka_unit_test(test_masks_in_registers),
		cmocka_unit_test(test_conditions),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
