// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decoding around samples.
 *
 * A late sample is taken after the load that it waited for, so the instructions before it are
 * decoded backwards from some bytes before. Instructions of several lengths have no marker of their
 * beginning, but a decoder that starts anywhere falls into step within a few instructions.
 */
#include "profiler/resolve/operands.h"

#include <stdlib.h>

#include "disasm/insn.h"
#include "dwarf/elf/image.h"
#include "profiler/base/memory.h"

/* How many instructions before a late sample are searched for an access. */
#define REACH 8
/*
 * Decoding starts this many bytes before the address, and closer until it ends exactly at the
 * address.
 */
#define BACK_MOST  48
#define BACK_LEAST 16

/* Returns the number that samples have of a register. */
static uint8_t perf_register(const struct arch *arch, uint8_t reg)
{
	return reg_is_general(reg) ? arch->perf_numbers[reg] : DATA_OPERAND_NO_REGISTER;
}

/*
 * True if the operand's address moves with its object. Absolute addresses in a program stay as they
 * are; those of a kernel into itself were relocated with it.
 */
static bool moves_with_object(const struct dso *dso, const struct operand *memory,
			      const struct data_operand *operand)
{
	if (memory->pc_relative)
		return true;
	return dso->kind == DSO_KERNEL && (uint64_t)memory->value >= operand->start &&
	       (uint64_t)memory->value < operand->end;
}

static void describe(const struct arch *arch, const struct dso *dso, const struct operand *memory,
		     struct data_operand *operand)
{
	/* samples have no segment bases, and a vector index is several addresses */
	if (memory->segment != SEGMENT_NONE || (memory->base == REG_NONE && !memory->absolute) ||
	    (memory->index != REG_NONE && !reg_is_general(memory->index)))
		return;
	operand->known = true;
	operand->base = perf_register(arch, memory->base);
	operand->index = perf_register(arch, memory->index);
	operand->scale = memory->scale;
	operand->displacement = memory->value;
	operand->relative = moves_with_object(dso, memory, operand);
}

/* ---- late samples ---- */

/* The last instructions before an address, without jumps between them. */
struct line {
	struct insn insns[REACH];
	unsigned int count; /* insns[count - 1] ends at the address */
};

static bool decode_line(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t start,
			uint64_t address, struct line *line)
{
	uint64_t at = start;

	line->count = 0;
	while (at < address) {
		if (line->count == REACH) {
			for (unsigned int i = 1; i < REACH; i++)
				line->insns[i - 1] = line->insns[i];
			line->count--;
		}
		struct insn *insn = &line->insns[line->count++];

		decoder_decode(decoder, bytes + (at - start), size - (at - start), at, insn);
		if (!insn->length)
			return false;
		/*
		 * bytes that are no instruction lie before the point where decoding fell into step
		 */
		if (insn->flags & FLAG_UNKNOWN)
			line->count = 0;
		at += insn->length;
	}
	return at == address && line->count;
}

static bool find_line(struct decoder *decoder, const struct elf_image *image, uint64_t address,
		      struct line *line)
{
	for (uint64_t back = BACK_MOST; back >= BACK_LEAST && back <= address; back--) {
		size_t available = 0;
		const uint8_t *bytes = elf_image_code(image, address - back, &available);

		if (bytes && available >= back &&
		    decode_line(decoder, bytes, available, address - back, address, line))
			return true;
	}
	return false;
}

static bool ends_line(const struct insn *insn)
{
	return insn->operation == OP_CALL || insn->operation == OP_RETURN || insn->operation == OP_JUMP ||
	       insn->operation == OP_TRAP || insn->own_time != OWN_TIME_NONE;
}

static bool is_waited_for(const struct arch *arch, const struct insn *insn, const struct operand *memory)
{
	return memory && memory->read && insn->operation != OP_NOP && insn->operation != OP_LEA &&
	       insn->operation != OP_POP && insn->operation != OP_LEAVE &&
	       (memory->base != arch->stack_pointer || memory->index != REG_NONE);
}

/* True if the instruction only adds a constant to the register; *change is that constant. */
static bool changes_by_constant(const struct insn *insn, uint8_t reg, int64_t *change)
{
	const struct operand *to = &insn->operands[0], *by = &insn->operands[1];
	bool has_constant =
		insn->operand_count == 2 && to->kind == OPERAND_REGISTER && to->reg == reg && to->size == 8;

	if (has_constant && (insn->operation == OP_ADD || insn->operation == OP_SUB) &&
	    by->kind == OPERAND_IMMEDIATE) {
		*change = insn->operation == OP_ADD ? by->value : -by->value;
		return true;
	}
	if (has_constant && insn->operation == OP_LEA && by->base == reg && by->index == REG_NONE &&
	    !by->absolute) {
		*change = by->value;
		return true;
	}
	return false;
}

/*
 * Subtract from *added the constants that were added to an address register since `insn`. False if
 * the register was changed in another way.
 */
static bool recover(const struct line *line, unsigned int insn, uint8_t reg, int64_t *added)
{
	for (unsigned int i = insn; reg != REG_NONE && i < line->count; i++) {
		int64_t change;

		if (!reg_is_general(reg) || !(line->insns[i].written & REG_BIT(reg)))
			continue;
		if (!changes_by_constant(&line->insns[i], reg, &change))
			return false;
		*added -= change;
	}
	return true;
}

/* The access before an address that a late sample there may have waited for. */
struct waited {
	uint64_t insn; /* 0: none was found, and the sampled instruction itself is used */
	struct operand memory;
};

static void find_waited(struct operands *operands, const struct elf_image *image, uint64_t address,
			struct waited *waited)
{
	struct line line;

	if (!decoder_switch(&operands->decoder, elf_image_arch(image)) ||
	    !find_line(operands->decoder, image, address, &line))
		return;
	for (unsigned int i = line.count; i-- > 0 && !ends_line(&line.insns[i]);) {
		const struct operand *found = insn_memory(&line.insns[i], false);
		int64_t base = 0, index = 0;

		if (!is_waited_for(decoder_arch(operands->decoder), &line.insns[i], found))
			continue;
		struct operand *memory = &waited->memory;

		waited->insn = line.insns[i].address;
		*memory = *found;
		if (!recover(&line, i, memory->base, &base) || !recover(&line, i, memory->index, &index)) {
			/* its address registers were overwritten */
			memory->base = REG_NONE;
			memory->absolute = false;
		}
		memory->value += base + index * memory->scale;
		return;
	}
}

static const struct waited *waited_at(struct operands *operands, struct dso *dso,
				      const struct elf_image *image, uint64_t address)
{
	bool created;
	uint32_t *index = hash_map_insert(&operands->known, hash_combine((uintptr_t)dso, address), &created);

	if (created) {
		array_reserve(operands->waited, operands->count, operands->capacity);
		*index = (uint32_t)operands->count++;
		operands->waited[*index] = (struct waited){ 0 };
		find_waited(operands, image, address, &operands->waited[*index]);
	}
	return &operands->waited[*index];
}

uint64_t operands_waited(struct operands *operands, struct dso *dso, uint64_t address)
{
	const char *problem;
	const struct elf_image *image = dso_image(dso, operands->dso, &problem);
	const struct waited *waited = image ? waited_at(operands, dso, image, address) : NULL;

	return waited && waited->insn ? waited->insn : address;
}

static void find(void *data, struct dso *dso, uint64_t address, bool store, bool late,
		 struct data_operand *operand)
{
	struct operands *operands = data;
	const char *problem;
	const struct elf_image *image = dso_image(dso, operands->dso, &problem);
	size_t available = 0;
	const uint8_t *bytes = image ? elf_image_code(image, address, &available) : NULL;
	struct insn insn;

	operand->base = operand->index = DATA_OPERAND_NO_REGISTER;
	if (!bytes || !available || !decoder_switch(&operands->decoder, elf_image_arch(image)))
		return;
	if (!elf_image_span(image, address, &operand->start, &operand->end))
		operand->start = operand->end = 0;
	const struct waited *waited =
		late && operands->late ? waited_at(operands, dso, image, address) : NULL;

	if (waited && waited->insn) {
		describe(decoder_arch(operands->decoder), dso, &waited->memory, operand);
		return;
	}
	decoder_decode(operands->decoder, bytes, available, address, &insn);

	const struct operand *memory = insn.flags & FLAG_UNKNOWN ? NULL : insn_memory(&insn, store);

	if (memory)
		describe(decoder_arch(operands->decoder), dso, memory, operand);
}

struct error *operands_init(struct operands *operands, const struct dso_options *dso, bool late)
{
	operands->dso = dso;
	operands->late = late;
	return decoder_create(arch_default(), &operands->decoder);
}

void operands_deinit(struct operands *operands)
{
	decoder_destroy(operands->decoder);
	hash_map_deinit(&operands->known);
	free(operands->waited);
	operands->decoder = NULL;
}

struct data_operand_finder operands_finder(struct operands *operands)
{
	return (struct data_operand_finder){ .find = find, .data = operands };
}

/* ---- the instruction before ---- */

static bool goes_on_elsewhere(const struct insn *insn)
{
	return insn->operation == OP_RETURN || insn->operation == OP_JUMP || insn->operation == OP_TRAP;
}

static bool can_access(const struct insn *insn, bool store)
{
	const struct operand *memory = insn_memory(insn, store);

	return memory && (!store || memory->write);
}

static bool find_before(struct decoder *decoder, const uint8_t *bytes, uint64_t start, size_t size,
			uint64_t address, struct insn *before)
{
	*before = (struct insn){ 0 };
	for (uint64_t at = start; at < address; at += before->length) {
		decoder_decode(decoder, bytes + (at - start), size - (at - start), at, before);
		if (!before->length)
			return false;
	}
	return before->length && before->address + before->length == address &&
	       !(before->flags & FLAG_UNKNOWN);
}

bool insn_before(struct dso *dso, const struct dso_options *options, bool store, uint64_t *address)
{
	const char *problem;
	const struct elf_image *image = dso_image(dso, options, &problem);
	const struct symbol *function = image ? dso_symbol_at(dso, options, *address - 1) : NULL;
	size_t available = 0;
	const uint8_t *bytes = function ? elf_image_code(image, function->address, &available) : NULL;
	struct decoder *decoder;
	struct insn before, here;

	if (!bytes || function->address >= *address || *address - function->address >= available)
		return false;
	struct error *error = decoder_create(elf_image_arch(image), &decoder);

	if (error) {
		error_destroy(error);
		return false;
	}
	bool found = find_before(decoder, bytes, function->address, available, *address, &before) &&
		     !goes_on_elsewhere(&before) && can_access(&before, store);
	size_t offset = *address - function->address;

	decoder_decode(decoder, bytes + offset, available - offset, *address, &here);
	decoder_destroy(decoder);
	if (!found || here.flags & FLAG_REPEAT)
		return false;
	*address = before.address;
	return true;
}
