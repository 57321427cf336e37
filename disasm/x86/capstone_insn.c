// SPDX-License-Identifier: GPL-2.0-or-later
/* From capstone's form to ours: see capstone_insn.h. */
#include "disasm/x86/capstone_insn.h"

#include "disasm/x86/operand.h"

struct register_part {
	uint8_t number; /* enum reg + 1; 0: not tracked */
	bool high_byte;
};

#define PART(capstone, reg) [X86_REG_##capstone] = { (reg) + 1, false }
#define FAMILY(name, reg)                                                                                    \
	PART(R##name##X, reg), PART(E##name##X, reg), PART(name##X, reg), PART(name##L, reg),                \
		[X86_REG_##name##H] = { (reg) + 1, true }
#define POINTER(name, reg)  PART(R##name, reg), PART(E##name, reg), PART(name, reg), PART(name##L, reg)
#define NUMBERED(name, reg) PART(name, reg), PART(name##D, reg), PART(name##W, reg), PART(name##B, reg)
#define VECTOR(number)                                                                                       \
	PART(XMM##number, REG_XMM0 + number), PART(YMM##number, REG_XMM0 + number),                          \
		PART(ZMM##number, REG_XMM0 + number)

static const struct register_part register_parts[X86_REG_ENDING] = {
	FAMILY(A, REG_RAX),
	FAMILY(B, REG_RBX),
	FAMILY(C, REG_RCX),
	FAMILY(D, REG_RDX),
	POINTER(SI, REG_RSI),
	POINTER(DI, REG_RDI),
	POINTER(BP, REG_RBP),
	POINTER(SP, REG_RSP),
	NUMBERED(R8, REG_R8),
	NUMBERED(R9, REG_R9),
	NUMBERED(R10, REG_R10),
	NUMBERED(R11, REG_R11),
	NUMBERED(R12, REG_R12),
	NUMBERED(R13, REG_R13),
	NUMBERED(R14, REG_R14),
	NUMBERED(R15, REG_R15),
	VECTOR(0),
	VECTOR(1),
	VECTOR(2),
	VECTOR(3),
	VECTOR(4),
	VECTOR(5),
	VECTOR(6),
	VECTOR(7),
	VECTOR(8),
	VECTOR(9),
	VECTOR(10),
	VECTOR(11),
	VECTOR(12),
	VECTOR(13),
	VECTOR(14),
	VECTOR(15),
	VECTOR(16),
	VECTOR(17),
	VECTOR(18),
	VECTOR(19),
	VECTOR(20),
	VECTOR(21),
	VECTOR(22),
	VECTOR(23),
	VECTOR(24),
	VECTOR(25),
	VECTOR(26),
	VECTOR(27),
	VECTOR(28),
	VECTOR(29),
	VECTOR(30),
	VECTOR(31),
};

static uint8_t register_of(unsigned int capstone)
{
	return capstone < X86_REG_ENDING ? (uint8_t)(register_parts[capstone].number - 1) : REG_NONE;
}

static uint64_t register_mask(const uint16_t *registers, unsigned int count)
{
	uint64_t mask = 0;

	for (unsigned int i = 0; i < count; i++) {
		uint8_t reg = register_of(registers[i]);

		if (reg != REG_NONE)
			mask |= REG_BIT(reg);
	}
	return mask;
}

static void convert_memory(const cs_x86_op *source, const struct insn *insn, struct operand *operand)
{
	const x86_op_mem *memory = &source->mem;

	operand->kind = OPERAND_MEMORY;
	operand->base = register_of(memory->base);
	operand->index = register_of(memory->index);
	operand->scale = memory->scale ? memory->scale : 1;
	operand->segment = memory->segment == X86_REG_FS   ? SEGMENT_FS
			   : memory->segment == X86_REG_GS ? SEGMENT_GS
							   : SEGMENT_NONE;
	operand->value = memory->disp;
	if (memory->base == X86_REG_RIP || memory->base == X86_REG_EIP) {
		operand->rip_relative = true;
		operand->value += (int64_t)(insn->address + insn->length);
		if (memory->base == X86_REG_EIP)
			operand->value = (uint32_t)operand->value;
	}
	operand->absolute = operand->base == REG_NONE;
}

static uint8_t memory_size(const cs_x86_op *source, const struct encoding *encoding,
			   const struct capstone_rule *rule)
{
	/* punpckl of MMX registers reads the half that it needs (SDM vol. 2, PUNPCKLBW) */
	if (encoding->map == MAP_0F && encoding->kind <= ENCODING_REX2 && encoding->opcode >= 0x60 &&
	    encoding->opcode <= 0x62 && !encoding->operand_size_prefix)
		return 4;
	return rule->memory_size ? rule->memory_size : source->size;
}

static void convert_operand(const cs_x86_op *source, const struct encoding *encoding,
			    const struct capstone_rule *rule, const struct insn *insn,
			    struct operand *operand)
{
	operand->base = REG_NONE;
	operand->index = REG_NONE;
	operand->reg = REG_NONE;
	operand->size = source->size;
	operand->read = source->access & CS_AC_READ;
	operand->write = source->access & CS_AC_WRITE;
	switch (source->type) {
	case X86_OP_REG:
		operand->reg = register_of(source->reg);
		if (operand->reg == REG_NONE) {
			*operand = (struct operand){ .reg = REG_NONE, .base = REG_NONE, .index = REG_NONE };
			break;
		}
		operand->kind = OPERAND_REGISTER;
		operand->high_byte = register_parts[source->reg].high_byte;
		break;
	case X86_OP_MEM:
		convert_memory(source, insn, operand);
		operand->size = memory_size(source, encoding, rule);
		break;
	default:
		operand->kind = OPERAND_IMMEDIATE;
		operand->size = encoding->immediate_size;
		operand->value = encoding->immediate;
		operand->read = true;
		operand->write = false;
		break;
	}
}

static bool is_vector(const struct operand *operand)
{
	return operand->kind == OPERAND_REGISTER && reg_is_vector(operand->reg);
}

/* Give up what is not the operation after all: the operands stay, with their access. */
static void set_operation(struct insn *insn, enum operation operation, unsigned int operand_count,
			  uint8_t size)
{
	insn->operation = operation;
	insn->operand_count = operand_count;
	if (!size)
		return;
	for (unsigned int i = 0; i < operand_count; i++)
		insn->operands[i].size = size;
}

static void apply_move(struct insn *insn)
{
	if (insn->operand_count == 2)
		set_operation(insn, OP_MOVE, 2, 0);
}

/* movd, movq; the size is that of the general register or of the memory, 8 between two vector registers. */
static void apply_move_word(struct insn *insn, uint8_t size)
{
	if (insn->operand_count != 2)
		return;
	set_operation(insn, is_vector(&insn->operands[0]) ? OP_MOVE_ZERO : OP_MOVE, 2, 0);
	if (is_vector(&insn->operands[1]))
		insn->operands[1].size = size;
}

static void apply_move_scalar(struct insn *insn, uint8_t size)
{
	/* the form of three registers takes the upper part from the second */
	if (insn->operand_count != 2)
		return;
	if (is_vector(&insn->operands[0]) && insn->operands[1].kind == OPERAND_MEMORY)
		set_operation(insn, OP_MOVE_ZERO, 2, 0);
	else
		set_operation(insn, OP_MOVE, 2, size);
}

static void apply_move_high(struct insn *insn)
{
	struct operand *operands = insn->operands;

	if (operands[0].kind == OPERAND_MEMORY && insn->operand_count == 2)
		set_operation(insn, OP_STORE_HIGH, 2, 0);
	else if (is_vector(&operands[0]))
		set_operation(insn, OP_VECTOR_HIGH, insn->operand_count, 0);
}

static void apply_xor(struct insn *insn)
{
	const struct operand *first = &insn->operands[insn->operand_count - 2];
	const struct operand *second = &insn->operands[insn->operand_count - 1];

	if (insn->operand_count < 2 || !is_vector(first) || !is_vector(second) || first->reg != second->reg)
		return;
	insn->operands[0].read = false;
	set_operation(insn, OP_ZERO, 1, 0);
}

static void apply_duplicate(struct insn *insn)
{
	if (insn->operand_count != 2 || !is_vector(&insn->operands[1]) || insn->operands[0].size != 16)
		return;
	insn->operands[2] = insn->operands[1];
	set_operation(insn, OP_VECTOR_UNPACK, 3, 0);
}

/* pinsrq and its three-operand form: {d, [s,] t, immediate} */
static void apply_insert(struct insn *insn)
{
	unsigned int last = insn->operand_count - 1;

	if (insn->operand_count < 3 || insn->operands[last].kind != OPERAND_IMMEDIATE)
		return;
	if (insn->operands[last].value & 1)
		set_operation(insn, OP_VECTOR_HIGH, last, 0);
	else if (last == 2)
		set_operation(insn, OP_MOVE, 2, 8);
}

static void apply_extract(struct insn *insn)
{
	if (insn->operand_count != 3 || insn->operands[2].kind != OPERAND_IMMEDIATE)
		return;
	if (insn->operands[2].value & 1)
		set_operation(insn, OP_STORE_HIGH, 2, 0);
	else
		set_operation(insn, OP_MOVE, 2, 8);
}

static void apply_rule(struct insn *insn, const struct capstone_rule *rule)
{
	switch ((enum rule)rule->rule) {
	case RULE_OTHER: break;
	case RULE_MOVE: apply_move(insn); break;
	case RULE_MOVE_WORD: apply_move_word(insn, insn->operands[0].size == 4 ? 4 : 8); break;
	case RULE_MOVE_SCALAR: apply_move_scalar(insn, rule->memory_size); break;
	case RULE_MOVE_LOW:
		if (insn->operand_count == 2)
			set_operation(insn, OP_MOVE, 2, 8);
		break;
	case RULE_MOVE_HIGH: apply_move_high(insn); break;
	case RULE_UNPACK:
		if (insn->operands[0].size == 16)
			set_operation(insn, OP_VECTOR_UNPACK, insn->operand_count, 0);
		break;
	case RULE_DUPLICATE: apply_duplicate(insn); break;
	case RULE_XOR: apply_xor(insn); break;
	case RULE_INSERT: apply_insert(insn); break;
	case RULE_EXTRACT: apply_extract(insn); break;
	}
}

/* Memory at rdi that the instruction does not name. */
static void add_implicit_store(struct insn *insn)
{
	struct operand *operand = &insn->operands[insn->operand_count];

	if (insn->operand_count == INSN_OPERANDS)
		return;
	*operand = (struct operand){
		.kind = OPERAND_MEMORY,
		.size = insn->operands[0].kind == OPERAND_REGISTER ? 16 : 8,
		.write = true,
		.reg = REG_NONE,
		.base = REG_RDI,
		.index = REG_NONE,
		.scale = 1,
	};
	insn->operand_count++;
}

/*
 * Who reads and writes what. capstone's access flags are used only to add to this: the first operand is the
 * destination unless the rule denies it; if it is memory and there are others, it is stored to; the others
 * are sources.
 */
static void apply_effects(struct insn *insn, const struct capstone_rule *rule)
{
	struct operand *first = &insn->operands[0];

	for (unsigned int i = 1; i < insn->operand_count; i++) {
		struct operand *operand = &insn->operands[i];

		operand->read |= operand->kind != OPERAND_NONE;
		/* only mulx has a second destination */
		operand->write &= operand->kind == OPERAND_REGISTER && reg_is_general(operand->reg);
	}
	if (!insn->operand_count)
		return;
	if (rule->effects & EFFECT_NO_DESTINATION) {
		first->read = first->kind != OPERAND_NONE;
		first->write = false;
	} else if (first->kind == OPERAND_REGISTER) {
		first->write = true;
	} else if (first->kind == OPERAND_MEMORY) {
		first->write = insn->operand_count > 1 || (rule->effects & EFFECT_STORE);
		first->read = !first->write;
	}
	if ((rule->effects & EFFECT_MODIFY) && first->kind != OPERAND_NONE)
		first->read = first->write = true;
	if ((rule->effects & EFFECT_CLEARS_MASK) && insn->operand_count > 2)
		insn->operands[2].write = true;
	if (rule->effects & EFFECT_IMPLICIT_STORE)
		add_implicit_store(insn);
}

#define FLAGS_WRITTEN                                                                                        \
	(X86_EFLAGS_MODIFY_CF | X86_EFLAGS_MODIFY_ZF | X86_EFLAGS_MODIFY_SF | X86_EFLAGS_MODIFY_OF |         \
	 X86_EFLAGS_RESET_OF | X86_EFLAGS_RESET_CF | X86_EFLAGS_RESET_ZF | X86_EFLAGS_RESET_SF |             \
	 X86_EFLAGS_UNDEFINED_OF | X86_EFLAGS_UNDEFINED_SF | X86_EFLAGS_UNDEFINED_ZF |                       \
	 X86_EFLAGS_UNDEFINED_CF)

void capstone_insn_convert(const cs_insn *source, const struct encoding *encoding, struct insn *insn)
{
	const cs_detail *detail = source->detail;
	const struct capstone_rule *rule = &capstone_rules[source->id < X86_INS_ENDING ? source->id : 0];
	bool untracked = false;

	insn->read = register_mask(detail->regs_read, detail->regs_read_count) | rule->read;
	insn->written = register_mask(detail->regs_write, detail->regs_write_count) | rule->written;
	if (detail->x86.eflags & FLAGS_WRITTEN)
		insn->flags |= FLAG_WRITES_FLAGS;
	for (unsigned int i = 0; i < detail->x86.op_count && insn->operand_count < INSN_OPERANDS; i++) {
		struct operand *operand = &insn->operands[insn->operand_count++];

		convert_operand(&detail->x86.operands[i], encoding, rule, insn, operand);
		untracked |= operand->kind == OPERAND_NONE;
	}
	apply_effects(insn, rule);
	insn->operation = OP_OTHER;
	if (!untracked)
		apply_rule(insn, rule);
	if (rule->effects & EFFECT_ALL_VECTORS)
		insn->written |= VECTOR_MASK;
	insn_add_operands(insn);
}
