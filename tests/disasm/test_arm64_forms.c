// SPDX-License-Identifier: GPL-2.0-or-later
/* The addresses, sizes and directions of arm64's memory operands, held against what the processor
 * does: qemu-user runs each form (arm64_forms.h). */
#include "base/arch/arm64.h"
#include "tests/support/unit.h"

#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "disasm/insn.h"
#include "dwarf/elf/image.h"
#include "tests/support/process.h"

static const char *const forms[] = {
#define FORM(before, instruction) instruction,
#include "tests/disasm/arm64_forms.h"
#undef FORM
};

#define FORM_SIZE 64
#define END_WORD  0xf84107e7U /* ldr x7, [sp], #16: what follows each form */

/* The effects of an instruction: see arm64_forms.c. */
struct effects {
	int64_t address, end, change;
	bool accesses, writes;
};

static int64_t register_value(uint8_t reg, const struct effects *effects)
{
	return reg == REG_X0       ? effects->change
	       : reg == REG_X0 + 1 ? 64
	       : reg == REG_X0 + 5 ? (int64_t)UINT64_C(0xffffffff00000040)
				   : 0;
}

static void add_access(const struct operand *operand, struct effects *effects)
{
	int64_t index = operand->index == REG_NONE ? 0 : register_value(operand->index, effects);
	int64_t address = register_value(operand->base, effects) + operand->value;

	if (operand->index_size == 4)
		index = operand->index_signed ? (int32_t)index : (int64_t)(uint32_t)index;
	address += index * operand->scale;
	assert_int_equal(operand->base, REG_X0);
	if (!effects->accesses || address < effects->address)
		effects->address = address;
	if (!effects->accesses || address + operand->size > effects->end)
		effects->end = address + operand->size;
	effects->accesses = true;
	effects->writes |= operand->write;
}

/* Finds what the decoder says of an instruction. */
static void decode(struct decoder *decoder, const uint8_t *bytes, struct effects *effects)
{
	*effects = (struct effects){ 0 };
	for (unsigned int at = 0; at < 4;) {
		struct insn insn;

		decoder_decode(decoder, bytes + at, 4 - at, 0x1000 + at, &insn);
		for (unsigned int i = 0; i < insn.operand_count; i++)
			if (insn.operands[i].kind == OPERAND_MEMORY && insn.operation != OP_LEA)
				add_access(&insn.operands[i], effects);
		if (insn.operation == OP_ADD && operand_is_reg(&insn.operands[0], REG_X0))
			effects->change += insn.operands[1].kind == OPERAND_IMMEDIATE
						   ? insn.operands[1].value
						   : register_value(insn.operands[1].reg, effects);
		at += insn.length;
	}
}

/* Compiles and runs the forms. Returns the folder with the program `forms` and the file `effects`,
 * or NULL: that is not possible here. */
static char *run_forms(void)
{
	static const char command[] =
		"${ARM64_CC:-aarch64-linux-gnu-gcc} -O1 -static -o '%s/forms' "
		"tests/disasm/arm64_forms.c && "
		"(qemu-aarch64-static '%s/forms' || qemu-aarch64 '%s/forms') >'%s/effects'";
	char *folder = scratch_create();
	_cleanup_free_ char *text = xasprintf(command, folder, folder, folder, folder);
	_cleanup_process_ struct process_result result = { 0 };

	process_shell(text, &result);
	if (!result.status)
		return folder;
	scratch_remove(folder);
	return NULL;
}

static void test_forms(void **state)
{
	char *folder = run_forms();
	struct decoder *decoder = NULL;
	struct elf_image *image = NULL;
	uint64_t address = 0;
	size_t available, known = 0;
	unsigned int number, writes;
	long long at, change;
	unsigned long long size;

	(void)state;
	if (!folder)
		skip_because("there is no aarch64-linux-gnu-gcc here, or no qemu-aarch64");
	_cleanup_free_ char *program = xasprintf("%s/forms", folder);
	_cleanup_free_ char *path = xasprintf("%s/effects", folder);
	FILE *file = fopen(path, "r");

	assert_non_null(file);
	decoder = decoder_create(&arch_arm64);
	assert_null(elf_image_open(program, &image));
	assert_true(elf_image_symbol_address(image, "forms", &address));
	const uint8_t *code = elf_image_code(image, address, &available);

	assert_non_null(code);
	while (fscanf(file, "%u %lld %llu %u %lld", &number, &at, &size, &writes, &change) == 5) {
		const uint8_t *form = code + (size_t)number * FORM_SIZE;
		uint32_t after;
		struct effects effects;

		assert_in_range(number, 0, COUNT_OF(forms) - 1);
		do {
			form += 4;
			memcpy(&after, form + 4, sizeof(after));
		} while (after != END_WORD);
		decode(decoder, form, &effects);
		if (effects.address != at || effects.end - effects.address != (int64_t)size ||
		    effects.writes != (writes != 0) || effects.change != change)
			fail_msg("%s: [x0%+lld]/%llu, writes %u, x0%+lld; decoded [x0%+lld]/%lld, "
				 "writes %d, x0%+lld",
				 forms[number], at, size, writes, change,
				 (long long)effects.address,
				 (long long)(effects.end - effects.address), effects.writes,
				 (long long)effects.change);
		known++;
	}
	assert_int_equal(known, COUNT_OF(forms));
	(void)fclose(file);
	elf_image_close(image);
	decoder_destroy(decoder);
	scratch_remove(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),
	};

	return cmocka_run_group_tests_name("arm64_forms", tests, NULL, NULL);
}
