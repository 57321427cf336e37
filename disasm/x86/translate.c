// SPDX-License-Identifier: GPL-2.0-or-later
/* From capstone's details to a struct insn: see translate.h. */
#include "disasm/x86/translate.h"

#include <assert.h>

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

static void convert_memory(const cs_x86_op *source, const struct encoding *encoding, const struct insn *insn,
			   struct operand *operand)
{
	const x86_op_mem *memory = &source->mem;

	operand->kind = OPERAND_MEMORY;
	operand->base = register_of(memory->base);
	operand->index = register_of(memory->index);
	operand->scale = memory->scale ? memory->scale : 1;
	/* capstone has the last of several; those of cs, ds, es and ss take nothing back */
	operand->segment = segment_of(encoding);
	operand->value = memory->disp;
	if (memory->base == X86_REG_RIP || memory->base == X86_REG_EIP) {
		operand->rip_relative = true;
		operand->value += (int64_t)(insn->address + insn->length);
	}
	operand->absolute = operand->base == REG_NONE;
	if (encoding->address_size_prefix && operand->absolute)
		operand->value = (uint32_t)operand->value;
}

static int64_t sign_extended(int64_t value, uint8_t size)
{
	switch (size) {
	case 1: return (int8_t)value;
	case 2: return (int16_t)value;
	case 4: return (int32_t)value;
	default: return value;
	}
}

static void convert_operand(const cs_x86_op *source, const struct encoding *encoding, const struct insn *insn,
			    struct operand *operand)
{
	*operand = no_operand;
	operand->size = source->size;
	operand->read = source->access & CS_AC_READ;
	operand->write = (source->access & CS_AC_WRITE) != 0;
	switch (source->type) {
	case X86_OP_REG:
		operand->reg = register_of(source->reg);
		if (operand->reg == REG_NONE) {
			*operand = no_operand;
			break;
		}
		operand->kind = OPERAND_REGISTER;
		operand->high_byte = register_parts[source->reg].high_byte;
		break;
	case X86_OP_MEM: convert_memory(source, encoding, insn, operand); break;
	default:
		operand->kind = OPERAND_IMMEDIATE;
		operand->value = sign_extended(source->imm, source->size);
		operand->read = true;
		operand->write = false;
		break;
	}
}

static bool is_vector(const struct operand *operand)
{
	return operand->kind == OPERAND_REGISTER && reg_is_vector(operand->reg);
}

/* ---- corrections */

static bool is_of_form(const struct insn *insn, enum operand_form form)
{
	const struct operand *first = &insn->operands[0];
	bool has_memory = false;

	for (unsigned int i = 0; i < insn->operand_count; i++)
		has_memory |= insn->operands[i].kind == OPERAND_MEMORY;
	switch (form) {
	case FORM_ANY: return true;
	case FORM_ONE: return insn->operand_count == 1;
	case FORM_MEMORY: return has_memory;
	case FORM_REGISTER: return !has_memory;
	case FORM_STORE: return insn->operand_count && first->kind == OPERAND_MEMORY;
	case FORM_STORE_VECTOR:
		return insn->operand_count == 2 && first->kind == OPERAND_MEMORY &&
		       is_vector(&insn->operands[1]);
	case FORM_UNTRACKED: return insn->operand_count && first->kind == OPERAND_NONE;
	}
	return false;
}

static void correct_access(const char *access, struct insn *insn)
{
	for (unsigned int i = 0; i < insn->operand_count && access[i]; i++) {
		struct operand *operand = &insn->operands[i];

		if (operand->kind == OPERAND_NONE || operand->kind == OPERAND_IMMEDIATE)
			continue;
		operand->read = access[i] == 'r' || access[i] == 'm';
		operand->write = access[i] == 'w' || access[i] == 'm';
	}
}

static void correct_sizes(const struct correction *correction, const struct encoding *encoding,
			  struct insn *insn)
{
	uint8_t size = correction->memory_size;

	if (size == SIZE_UNTOLD)
		size = 0;
	else if (size == SIZE_FAR)
		size = operand_size(encoding) + 2;
	for (unsigned int i = 0; correction->memory_size && i < insn->operand_count; i++)
		if (insn->operands[i].kind == OPERAND_MEMORY)
			insn->operands[i].size = size;
	if (correction->destination == DESTINATION_OPERAND_SIZE)
		insn->operands[0].size = operand_size(encoding);
}

static void correct(const struct correction *correction, const struct encoding *encoding, struct insn *insn)
{
	insn->read |= correction->read;
	insn->written |= correction->written;
	insn->written &= ~correction->kept;
	if (correction->flags)
		insn->flags |= FLAG_WRITES_FLAGS;
	if (correction->access)
		correct_access(correction->access, insn);
	correct_sizes(correction, encoding, insn);
}

static void apply_corrections(const struct correction_index *index, unsigned int id,
			      const struct encoding *encoding, struct insn *insn)
{
	for (unsigned int i = 0; i < CORRECTIONS_AN_ID && index->rows[id][i]; i++) {
		const struct correction *correction = &corrections[index->rows[id][i] - 1];

		if (is_of_form(insn, correction->form))
			correct(correction, encoding, insn);
	}
}

void correction_index_init(struct correction_index *index)
{
	*index = (struct correction_index){ 0 };
	for (unsigned int i = 0; i < correction_count; i++)
		for (const uint16_t *id = corrections[i].ids; *id; id++) {
			unsigned int used = 0;

			while (used < CORRECTIONS_AN_ID && index->rows[*id][used])
				used++;
			assert(used < CORRECTIONS_AN_ID);
			index->rows[*id][used] = i + 1;
		}
}

/* ---- general instructions */

static void add_immediate(struct insn *insn, int64_t value, uint8_t size)
{
	struct operand *operand = &insn->operands[insn->operand_count++];

	*operand = no_operand;
	operand->kind = OPERAND_IMMEDIATE;
	operand->value = value;
	operand->size = size;
	operand->read = true;
}

static void shape_difference(struct insn *insn)
{
	if (!operands_are_same_register(&insn->operands[0], &insn->operands[1]))
		return;
	insn->operation = OP_ZERO;
	insn->operand_count = 1;
	insn->operands[0].read = false;
	insn->operands[1] = no_operand;
}

static void shape_lea(const cs_insn *source, struct insn *insn)
{
	insn->operands[1].read = insn->operands[1].write = false;
	insn->operands[1].size = 0;
	/* the sum is cut to 32 bits: not the address of anything */
	if (source->detail->x86.addr_size == 4)
		insn->operation = OP_OTHER;
}

static void shape_multiply(struct insn *insn)
{
	if (insn->operand_count < 2)
		return;
	insn->operation = OP_MULTIPLY;
	insn->operands[0].read = false;
	if (insn->operand_count == 2) {
		insn->operands[2] = insn->operands[0];
		insn->operands[2].read = true;
		insn->operands[2].write = false;
		insn->operand_count = 3;
	}
}

static void shape_extend(const struct encoding *encoding, struct insn *insn)
{
	uint8_t size = operand_size(encoding);

	for (unsigned int i = 0; i < 2; i++)
		insn->operands[i] = register_operand(REG_RAX, i ? size / 2 : size, i);
	insn->operand_count = 2;
}

static void shape_hint(struct insn *insn)
{
	insn->flags &= ~FLAG_WRITES_FLAGS;
	for (unsigned int i = 0; i < insn->operand_count; i++) {
		insn->operands[i].read = insn->operands[i].write = false;
		insn->operands[i].size = 0;
	}
}

static void shape_push(const struct encoding *encoding, struct insn *insn)
{
	uint8_t size = stack_size(encoding);

	/* flags and segment registers are no operands of ours */
	insn->operands[1] = insn->operand_count ? insn->operands[0] : no_operand;
	insn->operands[1].size = insn->operands[1].kind == OPERAND_NONE ? 0 : size;
	if (insn->operands[1].kind == OPERAND_IMMEDIATE)
		insn->operands[1].value =
			encoding->length ? encoding->immediate : sign_extended(insn->operands[1].value, size);
	insn->operands[0] = implicit_memory(REG_RSP, -(int64_t)size, size, true);
	insn->operand_count = 2;
	insn->written |= REG_BIT(REG_RSP);
}

static void shape_pop(const struct encoding *encoding, struct insn *insn)
{
	struct operand *destination = &insn->operands[0];
	uint8_t size = stack_size(encoding);

	if (!insn->operand_count)
		*destination = no_operand;
	insn->operands[1] = implicit_memory(REG_RSP, 0, size, false);
	insn->operand_count = 2;
	insn->written |= REG_BIT(REG_RSP);
	/* an address relative to rsp is computed after the increment (SDM, POP) */
	if (destination->kind == OPERAND_MEMORY && destination->base == REG_RSP)
		destination->value += size;
}

static void shape_leave(const struct encoding *encoding, struct insn *insn)
{
	uint8_t size = stack_size(encoding);

	insn->operands[0] = register_operand(REG_RBP, size, false);
	insn->operands[1] = implicit_memory(REG_RBP, 0, size, false);
	insn->operand_count = 2;
	insn->read = REG_BIT(REG_RBP);
	insn->written = REG_BIT(REG_RBP) | REG_BIT(REG_RSP);
}

/* enter: push rbp; rbp = rsp; rsp -= s. Nesting levels above 0 push more, which nobody uses. */
static void shape_enter(const struct encoding *encoding, struct insn *insn)
{
	uint8_t size = stack_size(encoding);

	insn->operands[0] = implicit_memory(REG_RSP, -(int64_t)size, size, true);
	insn->operand_count = 1;
	add_immediate(insn, (uint16_t)encoding->immediate, 2);
	insn->read = insn->written = REG_BIT(REG_RBP) | REG_BIT(REG_RSP);
}

static void shape_target(const struct encoding *encoding, struct insn *insn)
{
	struct operand *target = &insn->operands[0];

	target->read = target->kind != OPERAND_NONE;
	target->write = false;
	if (target->kind == OPERAND_IMMEDIATE) {
		target->size = 8;
		/* capstone cuts it to 16 bits after an operand size prefix */
		if (encoding->length)
			target->value =
				(int64_t)(insn->address + insn->length + (uint64_t)encoding->immediate);
	}
	insn->operand_count = 1;
}

static void shape_call(unsigned int id, const struct encoding *encoding, struct insn *insn)
{
	/* a far call pushes the code segment as well */
	uint8_t size = id == X86_INS_LCALL ? 16 : 8;

	shape_target(encoding, insn);
	insn->operands[1] = implicit_memory(REG_RSP, -(int64_t)size, size, true);
	insn->operand_count = 2;
	insn->written |= REG_BIT(REG_RSP);
}

static void shape_return(unsigned int id, const struct encoding *encoding, struct insn *insn)
{
	bool pops_arguments = insn->operand_count;
	/* iret pops five words, a far return two */
	uint8_t words = 1, size = 8;

	if (id != X86_INS_RET) {
		words = id == X86_INS_RETF || id == X86_INS_RETFQ ? 2 : 5;
		size = operand_size(encoding);
	}
	insn->operands[0] = implicit_memory(REG_RSP, 0, words * size, false);
	insn->operand_count = 1;
	if (pops_arguments)
		add_immediate(insn, (uint16_t)encoding->immediate, 2);
	insn->read |= REG_BIT(REG_RSP);
	insn->written |= REG_BIT(REG_RSP);
}

static void swap_operands(struct insn *insn)
{
	struct operand first = insn->operands[0];

	insn->operands[0] = insn->operands[1];
	insn->operands[1] = first;
}

/* Operands are in the order of the manual; which of them is written follows from the operation. */
static void shape_string(unsigned int id, const struct encoding *encoding, struct insn *insn)
{
	uint64_t walks = 0; /* which of rsi and rdi the instruction advances */

	/* some forms have rcx where nothing repeats them */
	insn->read = insn->written = 0;
	if (id == X86_INS_XLATB) {
		insn->operands[0] = register_operand(REG_RAX, 1, false);
		/* only al is added, which an index of ours cannot say: the address is not known */
		insn->operands[1] = implicit_memory(REG_NONE, 0, 1, false);
		insn->operands[1].segment = segment_of(encoding);
		insn->operand_count = 2;
		insn->read = REG_BIT(REG_RAX) | REG_BIT(REG_RBX);
		insn->written = REG_BIT(REG_RAX);
		return;
	}
	/* scas: memory first; of ins and outs the port is no operand */
	if (insn->operation == OP_SCAN_STRING && insn->operands[0].kind == OPERAND_REGISTER)
		swap_operands(insn);
	if (insn->operation == OP_OTHER) {
		if (insn->operands[0].kind == OPERAND_REGISTER)
			swap_operands(insn);
		insn->operand_count = 1;
		insn->read |= REG_BIT(REG_RDX);
	}
	bool stores = insn->operation != OP_SCAN_STRING && insn->operation != OP_COMPARE_STRING &&
		      id != X86_INS_OUTSB && id != X86_INS_OUTSW && id != X86_INS_OUTSD;

	for (unsigned int i = 0; i < insn->operand_count; i++) {
		struct operand *operand = &insn->operands[i];

		operand->write = i == 0 && stores;
		operand->read = !operand->write;
		if (operand->kind == OPERAND_MEMORY)
			walks |= REG_BIT(operand->base);
		/* the side at rsi alone can be overridden to fs or gs */
		if (operand->base == REG_RDI)
			operand->segment = SEGMENT_NONE;
	}
	insn->read |= walks;
	insn->written |= walks;
	if (encoding->repeat) {
		insn->flags |= FLAG_REPEAT;
		insn->read |= REG_BIT(REG_RCX);
		insn->written |= REG_BIT(REG_RCX);
	}
}

/* ---- vector moves */

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

/* movd, movq; the size is that of the general register or of the memory, 8 between two vector registers. */
static void shape_move_word(struct insn *insn)
{
	uint8_t size = insn->operands[0].size == 4 ? 4 : 8;

	if (insn->operand_count != 2)
		return;
	insn->operation = is_vector(&insn->operands[0]) ? OP_MOVE_ZERO : OP_MOVE;
	if (is_vector(&insn->operands[1]))
		insn->operands[1].size = size;
}

static void shape_move_scalar(struct insn *insn, uint8_t size)
{
	/* the form of three registers takes the upper part from the second */
	if (insn->operand_count != 2)
		return;
	if (is_vector(&insn->operands[0]) && insn->operands[1].kind == OPERAND_MEMORY)
		insn->operation = OP_MOVE_ZERO;
	else
		set_operation(insn, OP_MOVE, 2, size);
}

static void shape_move_high(struct insn *insn)
{
	struct operand *operands = insn->operands;

	if (operands[0].kind == OPERAND_MEMORY && insn->operand_count == 2)
		insn->operation = OP_STORE_HIGH;
	else if (is_vector(&operands[0]))
		insn->operation = OP_VECTOR_HIGH;
}

static void shape_xor(struct insn *insn)
{
	if (insn->operand_count < 2)
		return;
	const struct operand *first = &insn->operands[insn->operand_count - 2];
	const struct operand *second = &insn->operands[insn->operand_count - 1];

	if (!is_vector(first) || !is_vector(second) || first->reg != second->reg)
		return;
	insn->operands[0].read = false;
	set_operation(insn, OP_ZERO, 1, 0);
}

static void shape_duplicate(struct insn *insn)
{
	if (insn->operand_count != 2 || !is_vector(&insn->operands[1]) || insn->operands[0].size != 16)
		return;
	insn->operands[2] = insn->operands[1];
	set_operation(insn, OP_VECTOR_UNPACK, 3, 0);
}

/* pinsrq and its three-operand form: {d, [s,] t, immediate} */
static void shape_insert(struct insn *insn)
{
	unsigned int last = insn->operand_count - 1;

	if (insn->operand_count < 3 || insn->operands[last].kind != OPERAND_IMMEDIATE)
		return;
	if (insn->operands[last].value & 1)
		set_operation(insn, OP_VECTOR_HIGH, last, 0);
	else if (last == 2)
		set_operation(insn, OP_MOVE, 2, 8);
}

static void shape_extract(struct insn *insn)
{
	if (insn->operand_count != 3 || insn->operands[2].kind != OPERAND_IMMEDIATE)
		return;
	if (insn->operands[2].value & 1)
		set_operation(insn, OP_STORE_HIGH, 2, 0);
	else
		set_operation(insn, OP_MOVE, 2, 8);
}

/* maskmovdqu, maskmovq: memory at rdi that the instruction does not name */
static void shape_masked_store(const struct encoding *encoding, struct insn *insn)
{
	struct operand *operand = &insn->operands[insn->operand_count++];

	*operand = implicit_memory(REG_RDI, 0, is_vector(&insn->operands[0]) ? 16 : 8, true);
	operand->segment = segment_of(encoding);
}

static void apply_vector_shape(enum insn_shape shape, struct insn *insn)
{
	switch (shape) {
	case SHAPE_MOVE_WORD: shape_move_word(insn); break;
	case SHAPE_MOVE_SCALAR_4: shape_move_scalar(insn, 4); break;
	case SHAPE_MOVE_SCALAR_8: shape_move_scalar(insn, 8); break;
	case SHAPE_MOVE_LOW:
		if (insn->operand_count == 2)
			set_operation(insn, OP_MOVE, 2, 8);
		break;
	case SHAPE_MOVE_HIGH: shape_move_high(insn); break;
	case SHAPE_UNPACK:
		if (insn->operands[0].size == 16)
			insn->operation = OP_VECTOR_UNPACK;
		break;
	case SHAPE_DUPLICATE: shape_duplicate(insn); break;
	case SHAPE_XOR: shape_xor(insn); break;
	case SHAPE_INSERT: shape_insert(insn); break;
	case SHAPE_EXTRACT: shape_extract(insn); break;
	default: break;
	}
}

static void apply_shape(const cs_insn *source, unsigned int id, enum insn_shape shape,
			const struct encoding *encoding, struct insn *insn)
{
	switch (shape) {
	case SHAPE_PLAIN: break;
	case SHAPE_DIFFERENCE: shape_difference(insn); break;
	case SHAPE_LEA: shape_lea(source, insn); break;
	case SHAPE_STEP: add_immediate(insn, 1, insn->operands[0].size); break;
	case SHAPE_SHIFT:
		if (insn->operand_count == 1)
			add_immediate(insn, 1, insn->operands[0].size);
		break;
	case SHAPE_MULTIPLY: shape_multiply(insn); break;
	case SHAPE_CONDITION: insn->condition = encoding->opcode & 0xf; break;
	case SHAPE_EXTEND: shape_extend(encoding, insn); break;
	case SHAPE_EXCHANGE:
		if (encoding->map == MAP_PRIMARY && (encoding->opcode & 0xf8) == 0x90 &&
		    insn->operands[0].reg == REG_RAX)
			swap_operands(insn);
		break;
	case SHAPE_SIGN:
		/* movsxd into 16 bits: AMD's processors read four bytes, Intel's manual has two; nobody
		 * writes it */
		if (insn->operands[1].size > insn->operands[0].size)
			insn->operation = OP_OTHER;
		break;
	case SHAPE_BIT: insn->flags |= FLAG_BIT_NUMBER; break;
	case SHAPE_BARE: insn->operand_count = 0; break;
	case SHAPE_NOP:
		insn->operand_count = 0;
		insn->read = insn->written = 0;
		break;
	case SHAPE_HINT: shape_hint(insn); break;
	case SHAPE_PUSH: shape_push(encoding, insn); break;
	case SHAPE_POP: shape_pop(encoding, insn); break;
	case SHAPE_LEAVE: shape_leave(encoding, insn); break;
	case SHAPE_ENTER: shape_enter(encoding, insn); break;
	case SHAPE_CALL: shape_call(id, encoding, insn); break;
	case SHAPE_RETURN: shape_return(id, encoding, insn); break;
	case SHAPE_BRANCH:
		insn->condition = encoding->opcode & 0xf;
		shape_target(encoding, insn);
		break;
	case SHAPE_TARGET: shape_target(encoding, insn); break;
	case SHAPE_MASKED_STORE: shape_masked_store(encoding, insn); break;
	case SHAPE_STRING: shape_string(id, encoding, insn); break;
	default: apply_vector_shape(shape, insn); break;
	}
}

#define FLAGS_WRITTEN                                                                                        \
	(X86_EFLAGS_MODIFY_CF | X86_EFLAGS_MODIFY_ZF | X86_EFLAGS_MODIFY_SF | X86_EFLAGS_MODIFY_OF |         \
	 X86_EFLAGS_RESET_OF | X86_EFLAGS_RESET_CF | X86_EFLAGS_RESET_ZF | X86_EFLAGS_RESET_SF |             \
	 X86_EFLAGS_UNDEFINED_OF | X86_EFLAGS_UNDEFINED_SF | X86_EFLAGS_UNDEFINED_ZF |                       \
	 X86_EFLAGS_UNDEFINED_CF | X86_EFLAGS_SET_CF)

static void convert_operands(const cs_x86 *detail, const struct encoding *encoding, struct insn *insn)
{
	for (unsigned int i = 0; i < detail->op_count && insn->operand_count < INSN_OPERANDS; i++)
		convert_operand(&detail->operands[i], encoding, insn, &insn->operands[insn->operand_count++]);
}

/* Both operands of movsd and cmpsd are memory where they are string instructions. */
static struct meaning meaning_of(unsigned int id, const cs_x86 *detail)
{
	static const struct meaning move_string = { OP_MOVE_STRING, SHAPE_STRING };
	static const struct meaning compare_scalar = { OP_OTHER, SHAPE_PLAIN };
	bool is_string = detail->op_count == 2 && detail->operands[0].type == X86_OP_MEM &&
			 detail->operands[1].type == X86_OP_MEM;

	if (id == X86_INS_MOVSD && is_string)
		return move_string;
	if (id == X86_INS_CMPSD && !is_string)
		return compare_scalar;
	return meanings[id];
}

/*
 * The number that has the meaning. capstone 5 has no numbers of their own for jumps and calls by far pointers
 * (groups FF /5 and /3), and adds the predicate of an SSE or AVX comparison to its number, so that cmpless is
 * cmpsb.
 */
static unsigned int id_of(const cs_insn *source, const struct encoding *encoding)
{
	const cs_x86 *detail = &source->detail->x86;
	unsigned int extension = detail->modrm >> 3 & 7;

	if (source->id == X86_INS_JMP && detail->opcode[0] == 0xff && extension == 5)
		return X86_INS_LJMP;
	if (source->id == X86_INS_CALL && detail->opcode[0] == 0xff && extension == 3)
		return X86_INS_LCALL;
	if (encoding->map == MAP_0F && encoding->opcode == 0xc2)
		return X86_INS_CMPPS;
	return source->id < X86_INS_ENDING ? source->id : X86_INS_INVALID;
}

/* An operation is of operands that are all tracked, but for those of the stack and of jumps. */
static void give_up_untracked(struct insn *insn)
{
	if (insn->operation == OP_PUSH || insn->operation == OP_POP || insn->operation == OP_CALL ||
	    insn->operation == OP_JUMP)
		return;
	for (unsigned int i = 0; i < insn->operand_count; i++)
		if (insn->operands[i].kind == OPERAND_NONE) {
			insn->operation = OP_OTHER;
			insn->condition = CONDITION_NONE;
		}
}

/* A constant is as wide as what it is combined with; vector instructions have bytes. */
static void size_constants(const struct encoding *encoding, struct insn *insn)
{
	const struct operand *operands = insn->operands;
	bool is_general = encoding->kind <= ENCODING_REX2 && encoding->map <= MAP_0F &&
			  !is_vector(&operands[0]) && !is_vector(&operands[1]);

	for (unsigned int i = 1; i < insn->operand_count; i++) {
		struct operand *operand = &insn->operands[i];

		if (operand->kind != OPERAND_IMMEDIATE || operands[0].kind == OPERAND_NONE)
			continue;
		operand->size = is_general ? operands[0].size : 1;
		operand->value = sign_extended(operand->value, operand->size);
	}
}

void translate(const cs_insn *source, const struct encoding *encoding, const struct correction_index *index,
	       struct insn *insn)
{
	const cs_detail *detail = source->detail;
	unsigned int id = id_of(source, encoding);
	struct meaning meaning = meaning_of(id, &detail->x86);

	/* capstone has two bytes less for near branches with an operand size prefix (so do AMD's processors;
	   Intel's do not, and compilers use the prefix for padding), and leaves ModRM out of ud0 and ud1 */
	insn->length = encoding->length ? encoding->length : source->size;
	insn->flags = encoding->lock ? FLAG_LOCK : 0;
	insn->operation = meaning.operation;
	insn->read = register_mask(detail->regs_read, detail->regs_read_count);
	insn->written = register_mask(detail->regs_write, detail->regs_write_count);
	if (detail->x86.eflags & FLAGS_WRITTEN)
		insn->flags |= FLAG_WRITES_FLAGS;
	convert_operands(&detail->x86, encoding, insn);
	apply_corrections(index, id, encoding, insn);
	size_constants(encoding, insn);
	apply_shape(source, id, meaning.shape, encoding, insn);
	give_up_untracked(insn);
	insn_add_operands(insn);
}
