// SPDX-License-Identifier: GPL-2.0-or-later
/* Questions about a decoded instruction, and the decoders by architecture: see insn.h. */
#include "disasm/insn.h"
#include "base/memory.h"

#include <stdio.h>

/* Returns true for the stack slot that push, pop, call and return move a value through. */
static bool is_stack_slot(const struct insn *insn, unsigned int operand)
{
	switch (insn->operation) {
	case OP_PUSH:
	case OP_RETURN: return operand == 0;
	case OP_POP:
	case OP_LEAVE:
	case OP_CALL: return operand == 1;
	default: return false;
	}
}

/* Returns how likely a sample is about this memory operand; 0: it is not accessed. */
static unsigned int rank(const struct operand *operand, bool stack_slot, bool store)
{
	bool wanted = store ? operand->write : operand->read;

	if (!operand->read && !operand->write)
		return 0;
	/* push and call with a memory operand read it and write the stack */
	if (stack_slot)
		return !wanted ? 1 : store ? 3 : 2;
	return wanted ? 4 : store ? 2 : 3;
}

const struct operand *insn_memory(const struct insn *insn, bool store)
{
	const struct operand *best = NULL;
	unsigned int best_rank = 0, accessed = 0;

	for (unsigned int i = 0; i < insn->operand_count; i++)
		if (insn->operands[i].kind == OPERAND_MEMORY &&
		    (insn->operands[i].read || insn->operands[i].write)) {
			best = &insn->operands[i];
			accessed++;
		}
	/* there is no choice, as in nearly all instructions */
	if (accessed < 2)
		return best;
	array_indexed (const struct operand, operand, i, insn->operands, insn->operand_count) {
		if (operand->kind != OPERAND_MEMORY)
			continue;

		unsigned int found = rank(operand, is_stack_slot(insn, i), store);

		if (found > best_rank) {
			best_rank = found;
			best = operand;
		}
	}
	return best;
}

bool insn_moves_vector(const struct insn *insn, const struct operand *memory)
{
	return (insn->operation == OP_MOVE || insn->operation == OP_MOVE_ZERO) &&
	       operand_is_vector(&insn->operands[memory == insn->operands]);
}

bool insn_direct_target(const struct insn *insn, uint64_t *target)
{
	if (!insn->operand_count || insn->operands[0].kind != OPERAND_IMMEDIATE ||
	    (insn->operation != OP_JUMP && insn->operation != OP_BRANCH &&
	     insn->operation != OP_CALL))
		return false;
	*target = (uint64_t)insn->operands[0].value;
	return true;
}

bool insn_slot(const struct insn *insn, uint64_t *slot)
{
	const struct operand *through = &insn->operands[0];

	if (!insn->operand_count || through->kind != OPERAND_MEMORY || !through->pc_relative ||
	    (insn->operation != OP_JUMP && insn->operation != OP_CALL))
		return false;
	*slot = (uint64_t)through->value;
	return true;
}

bool insn_adds_constant(const struct insn *insn, uint8_t reg, int64_t *change)
{
	const struct operand *to = &insn->operands[0], *by = &insn->operands[1];

	if (insn->operand_count < 2 || !operand_is_reg(to, reg))
		return false;
	if ((insn->operation == OP_ADD || insn->operation == OP_SUB) &&
	    by->kind == OPERAND_IMMEDIATE) {
		*change = insn->operation == OP_ADD ? by->value : -by->value;
		return true;
	}
	if (insn->operation == OP_LEA && by->base == reg && by->index == REG_NONE &&
	    !by->absolute) {
		*change = by->value;
		return true;
	}
	return false;
}

bool insn_adds_constant_64(const struct insn *insn, uint8_t reg, int64_t *change)
{
	return insn->operand_count == 2 && insn->operands[0].size == 8 &&
	       insn_adds_constant(insn, reg, change);
}

const char *operation_name(enum operation operation)
{
	static const char *const names[] = {
		[OP_OTHER] = "other",
		[OP_NOP] = "nop",
		[OP_MOVE] = "mov",
		[OP_MOVE_ZERO] = "movz",
		[OP_MOVE_SIGN] = "movs",
		[OP_LEA] = "lea",
		[OP_ADD] = "add",
		[OP_SUB] = "sub",
		[OP_ADD_CARRY] = "adc",
		[OP_SUB_BORROW] = "sbb",
		[OP_AND] = "and",
		[OP_OR] = "or",
		[OP_XOR] = "xor",
		[OP_ZERO] = "zero",
		[OP_SHIFT_LEFT] = "shl",
		[OP_SHIFT_RIGHT] = "shr",
		[OP_SHIFT_ARITHMETIC] = "sar",
		[OP_MULTIPLY] = "imul",
		[OP_ROTATE_LEFT] = "rol",
		[OP_ROTATE_RIGHT] = "ror",
		[OP_AND_NOT] = "andn",
		[OP_BIT_SET] = "bts",
		[OP_BIT_CLEAR] = "btr",
		[OP_BIT_INVERT] = "btc",
		[OP_EXTRACT_BITS] = "bextr",
		[OP_LOW_BITS] = "bzhi",
		[OP_GATHER_BITS] = "pext",
		[OP_SCATTER_BITS] = "pdep",
		[OP_SWAP_BYTES] = "bswap",
		[OP_NEGATE] = "neg",
		[OP_COMPLEMENT] = "not",
		[OP_COMPARE] = "cmp",
		[OP_TEST] = "test",
		[OP_CONDITIONAL] = "cmov",
		[OP_SET_CONDITION] = "set",
		[OP_EXCHANGE] = "xchg",
		[OP_EXCHANGE_ADD] = "xadd",
		[OP_COMPARE_EXCHANGE] = "cmpxchg",
		[OP_PUSH] = "push",
		[OP_POP] = "pop",
		[OP_LEAVE] = "leave",
		[OP_CALL] = "call",
		[OP_RETURN] = "ret",
		[OP_JUMP] = "jmp",
		[OP_BRANCH] = "jcc",
		[OP_MOVE_STRING] = "movs",
		[OP_STORE_STRING] = "stos",
		[OP_LOAD_STRING] = "lods",
		[OP_COMPARE_STRING] = "cmps",
		[OP_SCAN_STRING] = "scas",
		[OP_VECTOR_HIGH] = "movh",
		[OP_VECTOR_UNPACK] = "punpcklqdq",
		[OP_CONVERT] = "convert",
		[OP_STORE_HIGH] = "movh",
		[OP_TRAP] = "trap",
		[OP_SYSTEM_CALL] = "syscall",
		[OP_THREAD_POINTER] = "thread",
		[OP_CURRENT_TASK] = "current",
		[OP_PER_CPU_OFFSET] = "per_cpu",
	};

	return (size_t)operation < COUNT_OF(names) ? names[operation] : "other";
}

/* ---- decoding */

static const struct {
	const struct arch *arch;
	const struct decoder_ops *ops;
} decoders[] = {
	{ &arch_x86_64, &decoder_x86_64 },
	{ &arch_arm64, &decoder_arm64 },
};

static const struct decoder_ops *ops_of(const struct arch *arch)
{
	for (size_t i = 0; i < COUNT_OF(decoders); i++)
		if (decoders[i].arch == arch)
			return decoders[i].ops;
	return NULL;
}

struct error *decoder_check(const struct arch *arch)
{
	return ops_of(arch) ? NULL
			    : error_create(ERROR_UNSUPPORTED, "instructions of %s are not decoded",
					   arch->name);
}

struct decoder *decoder_create(const struct arch *arch)
{
	const struct decoder_ops *ops = ops_of(arch);

	if (!ops)
		return NULL;
	struct decoder *decoder = ops->create();

	*decoder = (struct decoder){ .ops = ops, .arch = arch };
	return decoder;
}

void decoder_destroy(struct decoder *decoder)
{
	if (decoder)
		decoder->ops->destroy(decoder);
}

bool decoder_switch(struct decoder **decoder, const struct arch *arch)
{
	if ((*decoder)->arch == arch)
		return true;
	struct decoder *other = decoder_create(arch);

	if (!other)
		return false;
	decoder_destroy(*decoder);
	*decoder = other;
	return true;
}

const struct arch *decoder_arch(const struct decoder *decoder)
{
	return decoder->arch;
}

void decoder_decode(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address,
		    struct insn *insn)
{
	decoder->ops->decode(decoder, bytes, size, address, insn);
}

unsigned int decoder_length(struct decoder *decoder, const uint8_t *bytes, size_t size)
{
	struct insn insn;

	if (decoder->ops->length)
		return decoder->ops->length(decoder, bytes, size);
	decoder_decode(decoder, bytes, size, 0, &insn);
	return insn.length;
}

bool decoder_may_be_endless(const struct decoder *decoder, const uint8_t *bytes, size_t size)
{
	return !decoder->ops->may_be_endless || decoder->ops->may_be_endless(bytes, size);
}

bool decoder_is_call(struct decoder *decoder, const uint8_t *bytes, size_t size)
{
	struct insn insn;

	if (decoder->ops->is_call)
		return decoder->ops->is_call(bytes, size);
	decoder_decode(decoder, bytes, size, 0, &insn);
	return insn.length == size && insn.operation == OP_CALL;
}

void decoder_text(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address,
		  enum syntax syntax, struct insn_text *text)
{
	struct insn insn;
	size_t used = 0;

	*text = (struct insn_text){ 0 };
	if (!size || decoder->ops->text(decoder, bytes, size, address, syntax, text))
		return;
	decoder_decode(decoder, bytes, size, address, &insn);
	/* in the form that the assembler accepts */
	snprintf(text->mnemonic, sizeof(text->mnemonic), ".byte");
	for (unsigned int i = 0; i < insn.length && used < sizeof(text->operands); i++) {
		int written = snprintf(text->operands + used, sizeof(text->operands) - used,
				       "%s0x%02x", i ? "," : "", bytes[i]);

		used += written > 0 ? (size_t)written : 0;
	}
}

void decoder_format(struct decoder *decoder, const uint8_t *bytes, size_t size, uint64_t address,
		    char *text, size_t text_size)
{
	struct insn_text parts;

	if (!text_size)
		return;
	decoder_text(decoder, bytes, size, address, SYNTAX_ATT, &parts);
	snprintf(text, text_size, "%s%s%s", parts.mnemonic, *parts.operands ? " " : "",
		 parts.operands);
}

bool insn_accesses_bits(const struct insn *insn)
{
	return (insn->operation == OP_TEST || insn->operation == OP_OR ||
		insn->operation == OP_AND || insn->operation == OP_XOR) &&
	       insn->operand_count == 2 && insn->operands[0].kind == OPERAND_MEMORY &&
	       insn->operands[0].size == 1 && insn->operands[1].kind == OPERAND_IMMEDIATE;
}
