// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory operands for ingest: see operands.h. */
#include "profiler/commands/operands.h"

#include "dwarf/elf_image.h"

/* Our registers (DWARF's order) as <asm/perf_regs.h> of x86 numbers them, whatever machine reads the file. */
static uint8_t perf_register(uint8_t reg)
{
	static const uint8_t numbers[REG_GENERAL_COUNT] = {
		[REG_RAX] = 0,  [REG_RBX] = 1,  [REG_RCX] = 2,  [REG_RDX] = 3,
		[REG_RSI] = 4,  [REG_RDI] = 5,  [REG_RBP] = 6,  [REG_RSP] = 7,
		[REG_R8] = 16,  [REG_R9] = 17,  [REG_R10] = 18, [REG_R11] = 19,
		[REG_R12] = 20, [REG_R13] = 21, [REG_R14] = 22, [REG_R15] = 23,
	};

	return reg_is_general(reg) ? numbers[reg] : DATA_OPERAND_NO_REGISTER;
}

/*
 * Absolute addresses in the code of a program that does not move stay as they are; those of a kernel into
 * itself have been relocated with it.
 */
static bool moves_with_object(const struct dso *dso, const struct operand *memory,
			      const struct data_operand *operand)
{
	if (memory->rip_relative)
		return true;
	return dso->kind == DSO_KERNEL && (uint64_t)memory->value >= operand->start &&
	       (uint64_t)memory->value < operand->end;
}

static void describe(const struct dso *dso, const struct operand *memory, struct data_operand *operand)
{
	/* bases of segments are not among the registers of samples, and a vector is as many addresses */
	if (memory->segment != SEGMENT_NONE || (memory->base == REG_NONE && !memory->absolute) ||
	    (memory->index != REG_NONE && !reg_is_general(memory->index)))
		return;
	operand->known = true;
	operand->base = perf_register(memory->base);
	operand->index = perf_register(memory->index);
	operand->scale = memory->scale;
	operand->displacement = memory->value;
	operand->relative = moves_with_object(dso, memory, operand);
}

static void find(void *data, struct dso *dso, uint64_t address, bool store, struct data_operand *operand)
{
	const struct operands *operands = data;
	const char *problem;
	const struct elf_image *image = dso_image(dso, operands->dso, &problem);
	size_t available = 0;
	const uint8_t *bytes = image ? elf_image_code(image, address, &available) : NULL;
	struct insn insn;

	operand->base = operand->index = DATA_OPERAND_NO_REGISTER;
	if (!bytes || !available)
		return;
	if (!elf_image_span(image, address, &operand->start, &operand->end))
		operand->start = operand->end = 0;
	decoder_decode(operands->decoder, bytes, available, address, &insn);

	const struct operand *memory = insn.flags & FLAG_UNKNOWN ? NULL : insn_memory(&insn, store);

	if (memory)
		describe(dso, memory, operand);
}

struct error *operands_init(struct operands *operands, const struct dso_options *dso)
{
	operands->dso = dso;
	return decoder_create(&operands->decoder);
}

void operands_release(struct operands *operands)
{
	decoder_destroy(operands->decoder);
	operands->decoder = NULL;
}

struct data_operand_finder operands_finder(struct operands *operands)
{
	return (struct data_operand_finder){ .find = find, .data = operands };
}
