// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Bytes to instructions of arm64: the decoder, branches, and what belongs to the system. Encodings
 * have one length and few forms, so they are decoded here; capstone only writes their text.
 */
#include "disasm/arm64/parts.h"

#include <stdio.h>

#include "base/memory.h"
#include "disasm/capstone.h"
#include "disasm/cfg.h"

struct arm64_decoder {
	struct decoder common;
	struct parts last; /* the instruction whose parts are asked for one after the other */
	csh handle;        /* for text; 0: not opened yet */
	cs_insn *insn;
};

static struct arm64_decoder *arm64_decoder_of(struct decoder *decoder)
{
	return (struct arm64_decoder *)decoder;
}

/* ---- branches */

static struct operand target(const struct parts *parts, unsigned int low, unsigned int count)
{
	return immediate((int64_t)parts->address + signed_field(parts, low, count) * 4, 8);
}

static struct insn *add_branch(struct parts *parts, enum operation operation, struct operand to,
			       uint8_t condition)
{
	struct insn *insn = add_test(parts, operation, to, NO_OPERAND);

	insn->flags = 0;
	insn->condition = condition;
	return insn;
}

/* Adds a jump, a call or a return through a register. */
static void branch_to_register(struct parts *parts)
{
	unsigned int opc = field(parts, 21, 4) & 7, n = field_n(parts);
	struct insn *insn;

	switch (opc) {
	case 0: add_branch(parts, OP_JUMP, general(n, 8), CONDITION_NONE); break;
	case 1:
		insn = add_branch(parts, OP_CALL, general(n, 8), CONDITION_NONE);
		insn->written = REG_BIT(REG_X30);
		break;
	case 2: /* retaa and retab have no register */
		insn = add_branch(parts, OP_RETURN, NO_OPERAND, CONDITION_NONE);
		insn->read = REG_BIT(bit(parts, 11) ? REG_X30 : n) | REG_BIT(REG_SP);
		break;
	case 4: /* eret */ add_branch(parts, OP_RETURN, NO_OPERAND, CONDITION_NONE); break;
	default: add_branch(parts, OP_TRAP, NO_OPERAND, CONDITION_NONE); break;
	}
}

static void exception(struct parts *parts)
{
	if (field(parts, 21, 3) == 0 && field(parts, 0, 2)) {
		struct insn *insn = add_branch(parts, OP_SYSTEM_CALL, NO_OPERAND, CONDITION_NONE);

		insn->written = arch_arm64.system_call.clobbered;
		insn->own_time = OWN_TIME_SYSTEM_CALL;
	} else { /* brk, hlt */
		add_branch(parts, OP_TRAP, NO_OPERAND, CONDITION_NONE);
	}
}

/* ---- system instructions */

#define HINT_YIELD 1
#define HINT_WFE   2
#define HINT_WFI   3
/* op0 to op2 of registers, as they are in bits 5 to 20 */
#define TPIDR_EL0 0xde82
#define SP_EL0    0xc208
#define TPIDR_EL1 0xc684
#define TPIDR_EL2 0xe682

static void hint(struct parts *parts)
{
	struct insn *insn = add_part(parts, OP_NOP, NO_OPERAND, NO_OPERAND, NO_OPERAND);
	unsigned int number = field(parts, 5, 7);

	insn->own_time = number == HINT_WFI                           ? OWN_TIME_HALT
			 : number == HINT_YIELD || number == HINT_WFE ? OWN_TIME_PAUSE
								      : OWN_TIME_NONE;
	/* xpaclri, and pointer authentication of x17 and x30, leave the address */
}

/* dc zva clears a block of memory; the others leave its contents. */
static void system_operation(struct parts *parts)
{
	struct insn *insn;

	if (bit(parts, 21)) { /* sysl */
		add_other(parts, general(field_d(parts), 8), 0);
		return;
	}
	insn = add_part(parts, OP_NOP, NO_OPERAND, NO_OPERAND, NO_OPERAND);
	if (field(parts, 5, 14) != 0x1ba1)
		return;
	insn->operation = OP_OTHER;
	insn->operands[0] = memory(field_d(parts), 0, 0);
	insn->operands[0].write = true;
	insn->operand_count = 1;
	insn->read = REG_BIT(field_d(parts));
}

/* Returns what reading a register gives. Linux has the running thread's record in sp_el0, which is
 * not the stack pointer of its own level, and the offset of per-cpu variables in the thread pointer
 * of its level (arch/arm64/include/asm/current.h, percpu.h). */
static enum operation operation_of_register(unsigned int reg)
{
	switch (reg) {
	case TPIDR_EL0: return OP_THREAD_POINTER;
	case SP_EL0: return OP_CURRENT_TASK;
	case TPIDR_EL1:
	case TPIDR_EL2: return OP_PER_CPU_OFFSET;
	default: return OP_OTHER;
	}
}

static void system_instruction(struct parts *parts)
{
	unsigned int d = field_d(parts), reg = field(parts, 5, 16);
	struct insn *insn;

	if (field(parts, 12, 10) == 0x032) {
		hint(parts);
	} else if (field(parts, 12, 10) == 0x033) { /* barriers */
		insn = add_part(parts, OP_NOP, NO_OPERAND, NO_OPERAND, NO_OPERAND);
		insn->own_time = OWN_TIME_SERIALIZING;
	} else if (field(parts, 19, 3) == 0) { /* msr of a field of the state */
		insn = add_other(parts, NO_OPERAND, 0);
		if (field(parts, 16, 3) == 3 && field(parts, 5, 3) == 7)
			insn->own_time = OWN_TIME_INTERRUPTS_ON;
		insn->flags |= FLAG_WRITES_FLAGS;
	} else if (field(parts, 19, 2) == 1) {
		system_operation(parts);
	} else if (!bit(parts, 21)) { /* msr */
		insn = add_other(parts, NO_OPERAND, d == NUMBER_31 ? 0 : REG_BIT(d));
		insn->flags |= FLAG_WRITES_FLAGS;
	} else { /* mrs */
		insn = add_other(parts, general(d, 8), 0);
		if (d != NUMBER_31)
			insn->operation = operation_of_register(reg);
	}
}

/* cbz, cbnz, tbz and tbnz: a test and a branch. */
static void test_and_branch(struct parts *parts)
{
	bool one_bit = bit(parts, 25), not_zero = bit(parts, 24);
	unsigned int size = bit(parts, 31) ? 8 : 4;
	struct operand tested = general(field_d(parts), size);
	unsigned int number = field(parts, 19, 5) + (bit(parts, 31) ? 32 : 0);
	int64_t mask = (int64_t)(UINT64_C(1) << number);

	/* the flags stay as they were, but no compiler reads them afterwards */
	add_test(parts, OP_TEST, tested,
		 one_bit ? immediate(size == 4 ? (int32_t)mask : mask, size) : tested);
	add_branch(parts, OP_BRANCH, one_bit ? target(parts, 5, 14) : target(parts, 5, 19),
		   not_zero ? CONDITION_NOT_EQUAL : CONDITION_EQUAL);
}

static void decode_branch(struct parts *parts)
{
	unsigned int op = field(parts, 29, 3);

	if (op == 0 || op == 4) {
		struct insn *insn = add_branch(parts, op ? OP_CALL : OP_JUMP, target(parts, 0, 26),
					       CONDITION_NONE);

		insn->written = op ? REG_BIT(REG_X30) : 0;
	} else if (op == 1 || op == 5) {
		test_and_branch(parts);
	} else if (op == 2 && !field(parts, 24, 2)) {
		uint8_t condition = condition_of(field(parts, 0, 4));

		add_branch(parts, condition == CONDITION_NONE ? OP_JUMP : OP_BRANCH,
			   target(parts, 5, 19), condition);
	} else if (op == 6 && !field(parts, 24, 2)) {
		exception(parts);
	} else if (op == 6 && field(parts, 22, 4) == 4) {
		system_instruction(parts);
	} else if (op == 6 && bit(parts, 25)) {
		branch_to_register(parts);
	}
}

/* ---- the decoder */

static void decode_word(struct parts *parts)
{
	unsigned int group = field(parts, 25, 4);

	parts->count = 0;
	if (group == 2 || (group == 0 && bit(parts, 31)))
		decode_scalable(parts);
	else if (group == 0)
		add_branch(parts, OP_TRAP, NO_OPERAND, CONDITION_NONE); /* udf */
	else if ((group & 14) == 8)
		decode_immediate(parts);
	else if ((group & 14) == 10)
		decode_branch(parts);
	else if ((group & 5) == 4)
		decode_memory(parts);
	else if ((group & 7) == 5)
		decode_registers(parts);
	else if ((group & 7) == 7)
		decode_vector(parts);
	if (!parts->count) {
		/* it may be an instruction that is newer than this decoder */
		struct insn *insn = add_other(parts, NO_OPERAND, GENERAL_MASK | VECTOR_MASK);

		insn->written = GENERAL_MASK | VECTOR_MASK;
		insn->flags |= FLAG_UNKNOWN | FLAG_WRITES_FLAGS;
	}
	array_indexed (struct insn, insn, i, parts->items, parts->count) {
		insn->address = parts->address + i;
		insn->length = i + 1 < parts->count ? 1 : (uint8_t)(INSN_SIZE - i);
		insn->part = (uint8_t)i;
	}
}

static void unknown_bytes(uint64_t address, size_t size, struct insn *insn)
{
	*insn = (struct insn){ .address = address,
			       .length = size != 0,
			       .condition = CONDITION_NONE,
			       .flags = FLAG_UNKNOWN | FLAG_WRITES_FLAGS,
			       .read = GENERAL_MASK | VECTOR_MASK,
			       .written = GENERAL_MASK | VECTOR_MASK };
}

static void arm64_decode(struct decoder *common, const uint8_t *bytes, size_t size,
			 uint64_t address, struct insn *insn)
{
	struct parts *last = &arm64_decoder_of(common)->last;
	unsigned int part = address % INSN_SIZE;

	if (part) {
		if (size && last->address == address - part && part < last->count)
			*insn = last->items[part];
		else
			unknown_bytes(address, size, insn);
		return;
	}
	if (size < INSN_SIZE) {
		unknown_bytes(address, size, insn);
		return;
	}
	last->address = address;
	memcpy(&last->word, bytes, INSN_SIZE);
	decode_word(last);
	*insn = last->items[0];
}

static unsigned int arm64_length(struct decoder *decoder _unused_, const uint8_t *bytes _unused_,
				 size_t size)
{
	return size < INSN_SIZE ? size != 0 : INSN_SIZE;
}

/* bl, blr, brk, udf; or b to an address before it, without a ret */
static bool arm64_may_be_endless(const uint8_t *bytes, size_t size)
{
	static const uint32_t ret = 0xd65f03c0;
	uint32_t word;

	if (size < INSN_SIZE)
		return true;
	memcpy(&word, bytes + size - INSN_SIZE, INSN_SIZE);
	return word >> 26 == 0x25 || (word & 0xfefff000) == 0xd63f0000 || word >> 21 == 0x6a1 ||
	       !(word >> 16) || word == 0xd503201f ||
	       (word >> 25 == 0xb && !memmem(bytes, size, &ret, sizeof(ret)));
}

/* Opens capstone. False: it is built without the architecture. */
static bool open_text(struct arm64_decoder *decoder)
{
	if (capstone()->open(CS_ARCH_ARM64, CS_MODE_ARM, &decoder->handle) != CS_ERR_OK)
		return false;
	decoder->insn = capstone()->malloc(decoder->handle);
	return true;
}

static struct decoder *arm64_create(void)
{
	struct arm64_decoder *decoder = xcalloc(1, sizeof(*decoder));

	decoder->last.address = UINT64_MAX;
	return &decoder->common;
}

static void arm64_destroy(struct decoder *common)
{
	struct arm64_decoder *decoder = arm64_decoder_of(common);

	if (decoder->insn)
		capstone()->free(decoder->insn, 1);
	if (decoder->handle)
		capstone()->close(&decoder->handle);
	free(decoder);
}

static bool arm64_text(struct decoder *common, const uint8_t *bytes, size_t size, uint64_t address,
		       enum syntax syntax, struct insn_text *text)
{
	struct arm64_decoder *decoder = arm64_decoder_of(common);

	uint32_t word;

	(void)syntax; /* there is only one */
	if (size >= INSN_SIZE) {
		memcpy(&word, bytes, INSN_SIZE);
		if (own_text(word, text))
			return true;
	}
	if (!decoder->insn && !open_text(decoder))
		return false;
	lower_to(size, INSN_SIZE);
	if (!capstone()->disasm_iter(decoder->handle, &bytes, &size, &address, decoder->insn))
		return false;
	snprintf(text->mnemonic, sizeof(text->mnemonic), "%s", decoder->insn->mnemonic);
	snprintf(text->operands, sizeof(text->operands), "%s", decoder->insn->op_str);
	return true;
}

/* Linkers move instructions out of functions from where errata of Cortex-A53 show (843419, 835769),
 * each to a place of its own that jumps back to what follows (binutils bfd/elfnn-aarch64.c). */
static void arm64_restore(struct decoder *decoder, const struct cfg_request *request,
			  uint64_t target, struct insn *jump)
{
	struct insn back;
	uint8_t bytes[2 * INSN_SIZE];
	uint64_t address;

	if (!request->read(request->data, target, bytes, sizeof(bytes)))
		return;
	decoder_decode(decoder, bytes + INSN_SIZE, INSN_SIZE, target + INSN_SIZE, &back);
	if (back.operation == OP_JUMP && insn_direct_target(&back, &address) &&
	    address == jump->address + INSN_SIZE)
		decoder_decode(decoder, bytes, INSN_SIZE, jump->address, jump);
}

static void arm64_finish(struct cfg *code)
{
	complete_addresses(code);
	use_sums(code);
	mark_floats(code);
}

const struct decoder_ops decoder_arm64 = {
	.create = arm64_create,
	.destroy = arm64_destroy,
	.decode = arm64_decode,
	.length = arm64_length,
	.may_be_endless = arm64_may_be_endless,
	.text = arm64_text,
	.restore = arm64_restore,
	.finish = arm64_finish,
};
