// SPDX-License-Identifier: GPL-2.0-or-later
/* The access of one instruction, from the state before it. */
#include "annotate/solver.h"

#include "annotate/lost.h"
#include "annotate/place.h"

static void found(struct access *access, struct place place, uint8_t how)
{
	access->kind = ACCESS_TYPE;
	access->type = place.type;
	access->offset = place.offset;
	access->how = how;
}

static void failed(struct access *access, enum access_reason reason)
{
	access->kind = ACCESS_UNKNOWN;
	access->reason = (uint8_t)reason;
}

/* Does the instruction itself say where in a variable it accesses? */
static bool names_place(const struct operand *operand)
{
	return operand->index == REG_NONE &&
	       (operand->base == REG_NONE || operand->base == REG_RSP || operand->base == REG_RBP);
}

/* Bits that are set, cleared or tested by a constant: compilers take the byte that they are in. */
static bool is_bit_access(const struct insn *insn)
{
	return (insn->operation == OP_TEST || insn->operation == OP_OR || insn->operation == OP_AND ||
		insn->operation == OP_XOR) &&
	       insn->operand_count == 2 && insn->operands[0].kind == OPERAND_MEMORY &&
	       insn->operands[0].size == 1 && insn->operands[1].kind == OPERAND_IMMEDIATE;
}

/* The word of an array of words that such a byte is in. A byte that is loaded there tells that the memory is
 * laid out as something else. */
static enum access_reason place_of_bits(struct solver *solver, const struct value *address,
					struct place *place, uint8_t *how)
{
	struct value word = *address;

	for (int64_t size = 2; size <= 8; size *= 2) {
		int64_t within = address->offset & (size - 1);

		word.offset = address->offset - within;
		if (solver_place(solver, &word, size, place, how) == REASON_NONE &&
		    place->offset + size <= (int64_t)place_size(place->type)) {
			place->offset += within;
			return REASON_NONE;
		}
	}
	return REASON_OUTSIDE;
}

static void answer_object(struct solver *solver, struct access *access, const struct value *address,
			  uint8_t how)
{
	struct place place;
	enum access_reason reason = solver_place(solver, address, access->size, &place, &how);

	if ((reason == REASON_OUTSIDE || reason == REASON_CAST) && !address->stride &&
	    rule_is_on(RULE_BIT_OF_WORD) &&
	    is_bit_access(&solver->code->insns[code_find(solver->code, access->address)])) {
		reason = place_of_bits(solver, address, &place, &how);
		if (reason == REASON_NONE)
			solver->rule = RULE_BIT_OF_WORD;
	}
	if (reason == REASON_NONE)
		found(access, place, how);
	else
		failed(access, reason);
}

/* A place that the instruction itself names in a variable that is an array is that place in the array; what a
 * pointer or an index leads to is the element. */
static void answer_variable(struct solver *solver, struct access *access, const struct value *object,
			    uint8_t how, const struct operand *operand)
{
	const struct type *bare = type_strip(object->type);

	answer_object(solver, access, object, how);
	if (access->kind == ACCESS_TYPE && !object->stride && names_place(operand) &&
	    bare->kind == TYPE_ARRAY && object->offset >= 0 && (uint64_t)object->offset < bare->size)
		found(access, (struct place){ type_canonical(object->type), object->offset }, access->how);
}

/* An index into a variable that is no array reaches another one. */
static bool is_indexed_single(const struct value *object)
{
	const struct type *bare = type_strip(object->type);

	if (!object->stride || bare->kind == TYPE_ARRAY)
		return false;
	return !type_is_record(bare) || !bare->size || object->stride % bare->size == 0;
}

static bool is_valid(const struct stack_fact *fact, const struct insn *insn)
{
	return insn->address >= fact->low && insn->address < fact->high;
}

static void answer_stack(struct solver *solver, const struct state *state, const struct value *address,
			 const struct insn *insn, const struct operand *operand, struct access *access)
{
	int64_t offset;
	const struct stack_fact *variable =
		solver_stack_object(solver, state, insn->address, insn->address + insn->length,
				    address->frame, address->offset, &offset);

	if (variable) {
		struct value object = value_pointer(variable->type, offset, variable->how);

		object.stride = address->stride;
		access->memory = ACCESS_MEMORY_STACK;
		if (!is_indexed_single(&object))
			answer_variable(solver, access, &object, object.how, operand);
		if (access->kind == ACCESS_TYPE)
			return;
		/* padding is cleared, too, with what is next to it */
		if (rule_is_on(RULE_CLEARED_PADDING) && access->reason == REASON_OUTSIDE && access->write &&
		    !address->stride && is_valid(variable, insn) &&
		    type_is_record(type_strip(variable->type)) &&
		    offset + access->size <= (int64_t)place_size(variable->type)) {
			found(access, (struct place){ type_canonical(variable->type), offset },
			      variable->how);
			solver->rule = RULE_CLEARED_PADDING;
			return;
		}
	}
	if (address->stride) {
		failed(access, REASON_STACK);
		return;
	}
	const struct slot *slot = state_slot(state, address->frame, address->offset, access->size);

	access->kind = ACCESS_SPILL;
	access->memory = ACCESS_MEMORY_STACK;
	access->reason = REASON_NONE;
	if (slot && slot->value.type && slot->value.kind != VALUE_POINTER)
		access->type = type_canonical(slot->value.type);
}

/* A variable that each thread or processor has its own copy of. */
static void answer_own_copy(struct solver *solver, const struct value *address, struct access *access)
{
	struct value object;

	if (solver_fixed_object(solver, address, &object))
		answer_object(solver, access, &object, object.how);
	else
		failed(access, REASON_NO_THREAD_LOCAL);
}

/* Where the variable lies that an ADDRESS is in: there alone, unless every processor has its own. */
static void note_static(struct solver *solver, const struct value *address, struct access *access)
{
	struct global global;
	struct elf_section section;
	int64_t anchor = address->stride ? address->offset - address->moved : address->offset;

	if (elf_image_section_at(solver->image, (uint64_t)anchor, &section) && section.per_cpu)
		return;
	if (!solver->reader || !debug_reader_global_at(solver->reader, (uint64_t)anchor,
						       solver->code->insns[0].address, &global))
		return;
	access->memory = ACCESS_MEMORY_STATIC;
	access->object_address = global.address;
	access->object_size = global.size;
}

/* A table that the compiler made, and no variable, where one of the function's own jumps was found to go by
 * it. */
static bool is_jump_table(const struct solver *solver, const struct value *address,
			  const struct access *access)
{
	int64_t anchor = address->stride ? address->offset - address->moved : address->offset;

	return access->read && !access->write && code_has_table(solver->code, (uint64_t)anchor);
}

static void answer_address(struct solver *solver, const struct value *address, const struct operand *operand,
			   struct access *access, uint8_t how)
{
	struct value global;

	if (!solver_indexed_global(solver, address, &global) &&
	    (address->stride || !solver_got_entry(solver, address->offset, &global))) {
		if (how == HOW_GLOBAL && is_jump_table(solver, address, access))
			access->kind = ACCESS_JUMP_TABLE;
		else
			failed(access, REASON_NO_GLOBAL);
		return;
	}
	/* a text that a variable points to is no variable: its type is that of one of its bytes */
	if (global.how != HOW_VARIABLE && is_indexed_single(&global)) {
		failed(access, REASON_OUTSIDE);
		return;
	}
	answer_variable(solver, access, &global, global.how == HOW_INFERRED ? HOW_INFERRED : how, operand);
	if (access->kind == ACCESS_TYPE && how == HOW_GLOBAL)
		note_static(solver, address, access);
}

static bool is_integer_type(const struct type *type)
{
	uint8_t kind = type_strip(type)->kind;

	return kind == TYPE_INTEGER || kind == TYPE_ENUM || kind == TYPE_FLOAT;
}

static enum access_reason why_unknown(const struct value *address)
{
	if (address->kind == VALUE_NUMBER)
		return REASON_SCALAR_BASE;
	if (address->kind == VALUE_BOTTOM)
		return REASON_UNREACHED;
	if (address->conflict)
		return REASON_CONFLICT;
	if (address->type)
		return is_integer_type(address->type) ? REASON_SCALAR_BASE : REASON_VOID_POINTER;
	return REASON_NO_VALUE;
}

/* What no flow has told, and no use: the base is made of a number, or was declared as nothing. */
static bool answer_lost(struct solver *solver, const struct value *address, const struct operand *operand,
			struct access *access)
{
	enum access_reason reason = why_unknown(address);
	struct place place;

	if (!solver->last_resort || !solver->function || !rule_is_on(RULE_UNLOCATED_VARIABLE) ||
	    operand->segment != SEGMENT_NONE || !reg_is_general(operand->base) || operand->base == REG_RSP ||
	    access->size > 8 || (reason != REASON_SCALAR_BASE && reason != REASON_VOID_POINTER) ||
	    !lost_pointer(solver->function, access->address, reason == REASON_SCALAR_BASE, operand->value,
			  access->size, &place))
		return false;
	found(access, place, HOW_INFERRED);
	solver->rule = RULE_UNLOCATED_VARIABLE;
	return true;
}

/* The word that the stack protector compares is at %fs:0x28 (user) or %gs:0x28 (kernel): gcc's x86-64 ABI. */
static bool is_canary(const struct operand *operand)
{
	return operand->segment != SEGMENT_NONE && operand->base == REG_NONE && operand->index == REG_NONE &&
	       operand->value == 0x28;
}

static bool is_stack_operation(const struct insn *insn, const struct operand *operand)
{
	switch (insn->operation) {
	case OP_PUSH: return operand == &insn->operands[0];
	case OP_CALL:
	case OP_POP:
	case OP_LEAVE: return operand == &insn->operands[1];
	case OP_RETURN: return true;
	default: return false;
	}
}

/* The object is of a class of which nothing but the name is known here: that, and how far into it. */
static bool answer_named_only(struct solver *solver, const struct value *address, struct access *access)
{
	const struct type *object = address->kind == VALUE_UNKNOWN && address->type && !address->conflict &&
						    type_is_pointer(type_strip(address->type))
					    ? type_target(type_strip(address->type))
					    : NULL;
	struct place place;

	if (!object || !rule_is_on(RULE_NAMED_CLASS) || !place_is_named_only(object) ||
	    place_find(object, address->offset, address->stride, access->size, &place) != REASON_NONE)
		return false;
	found(access, place, HOW_TRACKED);
	solver->rule = RULE_NAMED_CLASS;
	return true;
}

static struct access answer(struct solver *solver, const struct state *state, uint32_t index, bool store)
{
	const struct insn *insn = &solver->code->insns[index];
	const struct operand *operand = insn_memory(insn, store);
	struct access access = { .address = insn->address };

	if (!operand) {
		access.kind = insn->flags & FLAG_UNKNOWN ? ACCESS_UNKNOWN : ACCESS_NO_MEMORY;
		access.reason = insn->flags & FLAG_UNKNOWN ? REASON_NO_CODE : REASON_NONE;
		return access;
	}
	access.size = operand->size;
	access.read = operand->read;
	access.write = operand->write;
	if (is_stack_operation(insn, operand)) {
		access.kind = ACCESS_STACK;
		access.memory = ACCESS_MEMORY_STACK;
		return access;
	}
	if (is_canary(operand)) {
		access.kind = ACCESS_CANARY;
		return access;
	}
	struct value address = solver_address(solver, state, operand);

	access.indexed = address.stride != 0;
	if (operand->segment == SEGMENT_GS && address.kind == VALUE_NUMBER) {
		address.kind = VALUE_ADDRESS;
		answer_address(solver, &address, operand, &access, HOW_PER_CPU);
		if (access.kind != ACCESS_TYPE)
			access.reason = REASON_NO_THREAD_LOCAL;
		return access;
	}
	switch (address.kind) {
	case VALUE_POINTER: {
		/* it is the variable's own value if the register needed no more than its displacement */
		answer_object(solver, &access, &address, address.how);
		break;
	}
	case VALUE_FRAME:
		if (address.frame <= FRAME_LAST_OTHER)
			answer_stack(solver, state, &address, insn, operand, &access);
		else
			answer_own_copy(solver, &address, &access);
		break;
	case VALUE_ADDRESS: answer_address(solver, &address, operand, &access, HOW_GLOBAL); break;
	default:
		/* assembly has no variables on the stack */
		if (operand->base == REG_RSP && operand->index == REG_NONE && solver_is_assembly(solver)) {
			access.kind = ACCESS_SPILL;
			break;
		}
		if ((operand->segment == SEGMENT_NONE && answer_named_only(solver, &address, &access)) ||
		    answer_lost(solver, &address, operand, &access))
			break;
		failed(&access,
		       operand->segment == SEGMENT_FS ? REASON_NO_THREAD_LOCAL : why_unknown(&address));
		break;
	}
	return access;
}

struct access solver_answer(struct solver *solver, const struct state *state, uint32_t index, bool store)
{
	solver->rule = RULE_NONE;

	struct access access = answer(solver, state, index, store);

	access.rule = solver->rule;
	return access;
}
