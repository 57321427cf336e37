// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The access of one instruction, read off the state before it; and the names of answers (access.h).
 *
 * The address of the memory operand is a value of the lattice. Its kind decides: a POINTER names a
 * type and an offset (rules/stages.c), a FRAME a variable on the stack, an ADDRESS a
 * global. The rules of STAGE_ANSWER are here.
 */
#include "annotate/answer/answer.h"

#include "annotate/access.h"
#include "annotate/code/code.h"
#include "annotate/cxx/virtual_table.h"
#include "annotate/facts/sanitized.h"
#include "annotate/facts/scope_types.h"
#include "annotate/flow/solver.h"
#include "annotate/objects/copies.h"
#include "annotate/objects/objects.h"
#include "annotate/rules/stages.h"
#include "annotate/types/candidates.h"
#include "annotate/types/field.h"
#include "disasm/insn.h"
#include "base/text.h"

/* ---- the access of one instruction */

static void set_field(struct access *access, struct field_ref field, uint8_t how)
{
	access->kind = ACCESS_TYPE;
	access->type = field.type;
	access->offset = field.offset;
	access->how = how;
}

static void set_reason(struct access *access, enum access_reason reason)
{
	access->kind = ACCESS_UNKNOWN;
	access->reason = (uint8_t)reason;
}

/* True if the position in a variable comes from the instruction itself, not from a register. */
static bool names_place(const struct arch *arch, const struct operand *operand)
{
	return operand->index == REG_NONE &&
	       (operand->base == REG_NONE || operand->base == arch->stack_pointer ||
		operand->base == arch->frame_pointer);
}

/* Finds the field of the word whose bits are accessed through one of its bytes. This is right
 * only for bit accesses: a plain load of the byte would show that something else is laid out
 * there. */
static enum access_reason field_of_bits(struct solver *solver, const struct value *address,
					struct field_ref *field, uint8_t *how)
{
	struct value word = *address;

	for (int64_t size = 2; size <= 8; size *= 2) {
		int64_t within = address->offset & (size - 1);

		word.offset = address->offset - within;
		if (solver_field(solver, &word, size, field, how) == REASON_NONE &&
		    field->offset + size <= (int64_t)field_size(field->type)) {
			field->offset += within;
			return REASON_NONE;
		}
	}
	return REASON_OUTSIDE;
}

static void answer_object(struct solver *solver, struct access *access, const struct value *address,
			  uint8_t how)
{
	struct field_ref field;
	enum access_reason reason = solver_field(solver, address, access->size, &field, &how);

	bool cast = reason == REASON_CAST || solver->result.rule == RULE_CAST_OF_BYTES;

	if ((reason == REASON_OUTSIDE || cast) && !address->stride &&
	    rule_is_on(RULE_BIT_OF_WORD) &&
	    insn_accesses_bits(&solver->code->insns[cfg_find(solver->code, access->address)])) {
		enum rule_id rule = solver->result.rule;

		if (field_of_bits(solver, address, &field, &how) == REASON_NONE) {
			reason = REASON_NONE;
			solver->result.rule = RULE_BIT_OF_WORD;
		} else {
			solver->result.rule = rule;
		}
	}
	if (reason == REASON_NONE)
		set_field(access, field, how);
	else
		set_reason(access, reason);
}

/* Returns the record that an element of a table is copied to part by part, of which the instruction
 * loads the bytes at `offset`; NULL: it is not known. */
static const struct type *copied_to(struct solver *solver, const struct access *access,
				    int64_t offset)
{
	const struct cfg *code = solver->code;
	uint32_t index = (uint32_t)cfg_find(code, access->address);
	const struct basic_block *block = &code->blocks[cfg_block_of(code, index)];
	const struct operand *target = &code->insns[index].operands[0];
	uint32_t last = index + 1;

	if (!access->read || target->kind != OPERAND_REGISTER || !reg_is_general(target->reg))
		return NULL;
	while (last + 1 < block->first + block->count &&
	       !(code->insns[last].written & REG_BIT(target->reg)))
		last++;
	return last < code->insn_count
		       ? facts_record_in_parts(&solver->facts, target->reg, access->address + 1,
					       code->insns[last].address, offset, access->size)
		       : NULL;
}

/* Makes the answer the record that an element of a table is copied to, if the table was cast, so
 * that its elements are not what its header is. */
static void answer_cast_element(struct solver *solver, struct access *access,
				const struct value *address)
{
	uint64_t size = field_size(address->type);
	const struct type *record;

	if (access->kind != ACCESS_TYPE || !value_is_cast_element(address) ||
	    access->type != type_canonical(address->type))
		return;
	record = copied_to(solver, access, access->offset);
	if (record && record != access->type && field_size(record) == size)
		set_field(access, (struct field_ref){ record, access->offset }, access->how);
}

/* Answers for an access through a pointer: to an object, or to an element of an array of them. */
static void answer_pointed(struct solver *solver, struct access *access,
			   const struct value *address)
{
	struct value whole = *address;

	answer_object(solver, access, address, address->how);
	answer_cast_element(solver, access, address);
	if (access->kind != ACCESS_UNKNOWN || access->reason != REASON_OUTSIDE ||
	    !field_is_shift_of_size(address->type, address->stride))
		return;
	value_set_stride(&whole, 0);
	answer_object(solver, access, &whole, address->how);
}

/* Answers for a variable. A position in an array that the instruction itself names is answered as
 * that position; one that a pointer or an index gives is answered as the element. */
static void answer_variable(struct solver *solver, struct access *access,
			    const struct value *object, uint8_t how, const struct operand *operand)
{
	const struct type *bare = type_strip(object->type);

	answer_object(solver, access, object, how);
	if (access->kind == ACCESS_TYPE && !object->stride && names_place(solver->arch, operand) &&
	    bare->kind == TYPE_ARRAY && object->offset >= 0 &&
	    (uint64_t)object->offset < type_size_or(bare, 0))
		set_field(access,
			  (struct field_ref){ type_canonical(object->type), object->offset },
			  access->how);
}

/* True if the variable is not an array, and the address has an index that steps over all of it. The
 * access then reaches another variable. */
static bool is_indexed_single(const struct value *object)
{
	const struct type *bare = type_strip(object->type);

	if (!object->stride || bare->kind == TYPE_ARRAY)
		return false;
	return !type_is_record(bare) || !type_size_or(bare, 0) ||
	       object->stride % type_size_or(bare, 0) == 0;
}

static bool is_valid(const struct stack_fact *fact, const struct insn *insn)
{
	return insn->address >= fact->low && insn->address < fact->high;
}

/* True for an array whose elements have `stride` bytes. */
static bool is_stepped_over(const struct type *array, uint32_t stride)
{
	const struct type *bare = type_strip(array);

	return bare->kind == TYPE_ARRAY && type_target(bare) &&
	       field_size(type_target(bare)) == stride;
}

/* For array[i - 1] on the stack: returns the nearest array whose elements are as
 * large as the address's stride and whose first element is a few of them after the address. *offset
 * becomes the offset in that element. NULL: there is none. */
static const struct stack_fact *array_after(struct solver *solver, const struct state *state,
					    const struct value *address, const struct insn *insn,
					    uint64_t size, int64_t *offset)
{
	for (int i = 1; i <= FIELD_ELEMENTS_BEFORE_MAX; i++) {
		const struct stack_fact *array = solver_stack_object(
			solver, state, insn->address, insn->address + insn->length, address->frame,
			address->offset + i * (int64_t)address->stride, size, offset);

		if (array && *offset < address->stride &&
		    is_stepped_over(array->type, address->stride))
			return array;
	}
	return NULL;
}

/* Returns the object on the stack that the access is to, and its offset in the object; NULL: there
 * is none. */
static const struct stack_fact *find_stack_object(struct solver *solver, const struct state *state,
						  const struct value *address,
						  const struct insn *insn, uint64_t size,
						  int64_t *offset)
{
	int64_t within;
	const struct stack_fact *variable =
		solver_stack_object(solver, state, insn->address, insn->address + insn->length,
				    address->frame, address->offset, size, offset);
	/* a class begins where the address of its virtual table is stored */
	const struct stack_fact *part =
		variable && variable->open && *offset && address->frame == FRAME_CFA &&
				rule_is_on(RULE_STORED_TABLE) &&
				virtual_table_stored(solver, state, insn, &within)
			? solver_stack_class(solver, address->offset)
			: NULL;

	if (part) {
		variable = part;
		solver->result.rule = RULE_STORED_TABLE;
		*offset = 0;
	}
	const struct stack_fact *after =
		address->stride && !(variable && is_stepped_over(variable->type, address->stride))
			? array_after(solver, state, address, insn, size, &within)
			: NULL;

	if (after) {
		variable = after;
		*offset = within;
	}
	return variable;
}

/* True if the function loads the stack pointer, and the operand is on the stack before: the
 * kernel's code at entry moves to another stack, and copies what is on the first one. */
static bool left_stack(const struct solver *solver, const struct state *state,
		       const struct operand *operand)
{
	uint8_t pointer = solver->arch->stack_pointer;

	if (operand->base == pointer || operand->base == solver->arch->frame_pointer ||
	    state->values[pointer].kind == VALUE_FRAME)
		return false;
	for (size_t i = 0; i < solver->code->insn_count; i++) {
		const struct insn *insn = &solver->code->insns[i];

		if (insn->operation == OP_MOVE && insn->operands[0].kind == OPERAND_REGISTER &&
		    insn->operands[0].reg == pointer && insn->operands[1].kind == OPERAND_MEMORY)
			return true;
	}
	return false;
}

static void answer_stack(struct solver *solver, const struct state *state,
			 const struct value *address, const struct insn *insn,
			 const struct operand *operand, struct access *access)
{
	int64_t offset;
	const struct stack_fact *variable =
		find_stack_object(solver, state, address, insn, access->size, &offset);

	if (variable) {
		struct value object = value_pointer(variable->type, offset, variable->how);

		value_take_strides(&object, address);
		access->memory = left_stack(solver, state, operand) ? ACCESS_MEMORY_ANY
								    : ACCESS_MEMORY_STACK;
		if (!is_indexed_single(&object))
			answer_variable(solver, access, &object, object.how, operand);
		if (access->kind == ACCESS_TYPE)
			return;
		/* a compiler that clears members clears the padding between them, too */
		if (rule_is_on(RULE_CLEARED_PADDING) && access->reason == REASON_OUTSIDE &&
		    access->write && !address->stride && is_valid(variable, insn) &&
		    type_is_record(type_strip(variable->type)) &&
		    offset + access->size <= (int64_t)field_size(variable->type)) {
			set_field(access,
				  (struct field_ref){ type_canonical(variable->type), offset },
				  variable->how);
			solver->result.rule = RULE_CLEARED_PADDING;
			return;
		}
	}
	if (address->stride) {
		set_reason(access, REASON_STACK);
		return;
	}
	if (!variable && solver->result.rule == RULE_FITTING_OBJECT) {
		set_reason(access, REASON_CAST);
		return;
	}
	const struct slot *slot = state_slot(state, address->frame, address->offset, access->size);
	struct field_ref copied;

	if (!variable && go_copied(solver, state, insn, &copied)) {
		access->memory = ACCESS_MEMORY_STACK;
		set_field(access, copied, HOW_INFERRED);
		return;
	}
	access->kind = ACCESS_SPILL;
	access->memory = ACCESS_MEMORY_STACK;
	access->reason = REASON_NONE;
	if (slot && slot->value.type && slot->value.kind != VALUE_POINTER)
		access->type = type_canonical(slot->value.type);
}

/* Answers for a thread-local or per-cpu variable. */
static void answer_own_copy(struct solver *solver, const struct value *address,
			    struct access *access)
{
	struct value object;

	if (solver_fixed_object(solver, address, &object))
		answer_object(solver, access, &object, object.how);
	else
		set_reason(access, REASON_NO_THREAD_LOCAL);
}

/* Notes the variable that an ADDRESS lies in, so that data addresses can be checked. Per-cpu
 * variables have copies elsewhere, so they are left out. */
static void note_static(struct solver *solver, const struct value *address, struct access *access)
{
	struct global global;
	struct elf_section section;
	int64_t anchor = address->stride ? address->offset - address->displaced : address->offset;

	if (elf_image_section_at(solver->image, (uint64_t)anchor, &section) && section.per_cpu)
		return;
	if (!solver->reader || !debug_reader_global_at(solver->reader, (uint64_t)anchor,
						       solver->code->insns[0].address, &global))
		return;
	access->memory = ACCESS_MEMORY_STATIC;
	access->object_address = global.address;
	access->object_size = global.size;
}

/* True if one of the function's own jumps uses the table at this address. The compiler made such a
 * table; it is no variable. */
static bool is_jump_table(const struct solver *solver, const struct value *address,
			  const struct access *access)
{
	int64_t anchor = address->stride ? address->offset - address->displaced : address->offset;

	return access->read && !access->write && cfg_has_table(solver->code, (uint64_t)anchor);
}

/* Answers with an address, for a slot of the global offset table. */
static bool answer_offset_table(const struct solver *solver, const struct value *address,
				struct access *access)
{
	const struct function *function = solver->function;
	struct elf_section section;
	const char *name;
	uint64_t target;

	if (!rule_is_on(RULE_OFFSET_TABLE) || access->size != solver->arch->pointer_size ||
	    access->write || address->stride || !function || !function->prototype ||
	    !function->prototype->return_type ||
	    !elf_image_section_at(solver->image, (uint64_t)address->offset, &section) ||
	    !section.name || !starts_with(section.name, ".got") ||
	    !elf_image_slot(solver->image, (uint64_t)address->offset, &name, &target))
		return false;
	const struct type *table = type_address_table(function->prototype->return_type, 1);

	set_field(access, (struct field_ref){ type_canonical(type_target(table)), 0 }, HOW_GLOBAL);
	return true;
}

/* Returns the only floating-point type of `size` bytes that the function's variables have or point
 * to; NULL if there is none, or another one. */
static const struct type *only_float(const struct function *function, uint64_t size)
{
	const struct type *only = NULL;

	for (size_t i = 0; i < function->variable_count; i++) {
		const struct type *type = type_strip(function->variables[i].type);

		if (type_is_pointer(type) && type_target(type))
			type = type_strip(type_target(type));
		if (type->kind != TYPE_FLOAT || type_size_or(type, 0) != size)
			continue;
		type = type_canonical(type);
		if (only && only != type)
			return NULL;
		only = type;
	}
	return only;
}

/* Answers with a floating-point type, for a constant that an instruction loads into a vector
 * register. */
static bool answer_float_constant(const struct solver *solver, const struct value *address,
				  const struct insn *insn, struct access *access)
{
	struct elf_section section;

	if (!rule_is_on(RULE_FLOAT_CONSTANT) || !solver->function || address->stride ||
	    !access->read || access->write || (access->size != 4 && access->size != 8) ||
	    insn->operand_count < 2 || insn->operands[0].kind != OPERAND_REGISTER ||
	    !reg_is_vector(insn->operands[0].reg) ||
	    !elf_image_section_at(solver->image, (uint64_t)address->offset, &section) ||
	    section.writable || section.executable)
		return false;
	const struct type *type = only_float(solver->function, access->size);

	if (type)
		set_field(access, (struct field_ref){ type, 0 }, HOW_INFERRED);
	return type;
}

/* Finds the type of a constant in read-only memory that is an object. False:
 * not known. */
static bool answer_constant(struct solver *solver, const struct state *state,
			    const struct value *address, const struct insn *insn,
			    struct access *access)
{
	struct elf_section section;
	struct field_ref field;

	if (address->stride ||
	    !elf_image_section_at(solver->image, (uint64_t)address->offset, &section) ||
	    section.writable || section.executable || !constant_object(solver, state, insn, &field))
		return false;
	set_field(access, field, HOW_INFERRED);
	return true;
}

/* True if the running program does not change the bytes there. Constants that contain addresses are
 * in a section that is only writable until the dynamic linker has filled it in. */
static bool is_read_only(const struct solver *solver, const struct elf_section *section,
			 uint64_t address)
{
	uint64_t word;

	return !section->executable &&
	       (!section->writable ||
		elf_image_read(solver->image, address, &word, sizeof(word), true));
}

/* True if an access to a fixed address without a variable reads a constant that the compiler placed
 * in read-only memory. The function must have debug information, because without it no variables
 * are known. Memory with a symbol belongs to a file that has none. */
static bool answer_is_constant(const struct solver *solver, const struct value *address,
			       const struct access *access)
{
	struct elf_section section;

	return solver->function && !solver_has_no_variables(solver) && access->read &&
	       !access->write && !address->stride &&
	       elf_image_section_at(solver->image, (uint64_t)address->offset, &section) &&
	       is_read_only(solver, &section, (uint64_t)address->offset) &&
	       !elf_image_object_at(solver->image, (uint64_t)address->offset);
}

/* Rule either-variable: answers for an access to one of two variables of one type: `global`, and
 * another one a stride before or after it. False: there is no such variable, or no field where the
 * access goes. */
static bool answer_either(struct solver *solver, const struct value *address,
			  const struct value *global, const struct operand *operand,
			  struct access *access)
{
	struct value object = *global, other;
	size_t found = 0;

	if (!rule_is_on(RULE_EITHER_VARIABLE) || operand->index != REG_NONE ||
	    !solver->options.infer || global->how == HOW_INFERRED ||
	    type_strip(global->type)->kind == TYPE_ARRAY ||
	    global->stride < field_size(global->type))
		return false;
	for (int sign = -1; sign <= 1; sign += 2)
		found += solver_global(solver, address->offset + sign * (int64_t)address->stride,
				       &other) &&
			 other.offset == global->offset &&
			 field_same_type(other.type, global->type);
	value_set_stride(&object, 0);
	if (found)
		answer_object(solver, access, &object, HOW_INFERRED);
	if (!found || access->kind != ACCESS_TYPE)
		return false;
	solver->result.rule = RULE_EITHER_VARIABLE;
	return true;
}

static void answer_address(struct solver *solver, const struct state *state,
			   const struct value *address, const struct operand *operand,
			   struct access *access, uint8_t how)
{
	const struct insn *insn = &solver->code->insns[cfg_find(solver->code, access->address)];
	struct value global;

	if (!solver_indexed_global(solver, address, &global) &&
	    (address->stride || !solver_got_entry(solver, address->offset, &global))) {
		if (how == HOW_GLOBAL && answer_offset_table(solver, address, access))
			solver->result.rule = RULE_OFFSET_TABLE;
		else if (how == HOW_GLOBAL && solver->options.infer &&
			 answer_float_constant(solver, address, insn, access))
			solver->result.rule = RULE_FLOAT_CONSTANT;
		else if (how == HOW_GLOBAL && answer_constant(solver, state, address, insn, access))
			return;
		else if (how == HOW_GLOBAL && is_jump_table(solver, address, access))
			access->kind = ACCESS_JUMP_TABLE;
		else if (how == HOW_GLOBAL && answer_is_constant(solver, address, access))
			access->kind = ACCESS_LITERAL;
		else if (sanitizer_is_variable(solver, (uint64_t)address->offset))
			access->kind = ACCESS_SANITIZER;
		else
			set_reason(access, REASON_NO_GLOBAL);
		return;
	}
	if (global.stride && answer_either(solver, address, &global, operand, access))
		return;
	/* A string that a variable points to may be indexed: its type is that of one byte. */
	if (global.how != HOW_VARIABLE && is_indexed_single(&global)) {
		set_reason(access, REASON_OUTSIDE);
		return;
	}
	answer_variable(solver, access, &global, global.how == HOW_INFERRED ? HOW_INFERRED : how,
			operand);
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

/* Answers from the unlocated variables, for a base that neither flow nor use explains: it was
 * computed from a number, or declared as void *. */
static bool answer_unlocated(struct solver *solver, const struct value *address,
			     const struct operand *operand, struct access *access)
{
	enum access_reason reason = why_unknown(address);
	struct candidates candidates;
	struct field_ref field;

	if (!solver->pass.last_resort || !solver->function ||
	    !rule_is_on(RULE_UNLOCATED_VARIABLE) || operand->segment != SEGMENT_NONE ||
	    !reg_is_general(operand->base) || operand->base == solver->arch->stack_pointer ||
	    access->size > 8 || (reason != REASON_SCALAR_BASE && reason != REASON_VOID_POINTER))
		return false;
	candidates_start(&candidates, access->size, FITS_WHOLE);
	unlocated_pointer(solver->function, access->address, reason == REASON_SCALAR_BASE,
			  operand->value, &candidates);
	if (candidates_choose(&candidates, &field) != CHOICE_ONE)
		return false;
	set_field(access, field, HOW_INFERRED);
	solver->result.rule = RULE_UNLOCATED_VARIABLE;
	return true;
}

static bool answer_shadow(const struct value *address, struct access *access)
{
	if (!sanitizer_is_shadow(address))
		return false;
	access->kind = ACCESS_SANITIZER;
	return true;
}

/* Finds the member that an access goes to, `offset` bytes from an element of an array of records.
 * False: it does not go to a whole member. */
static bool fits_element(const struct type *record, int64_t offset, uint64_t size,
			 struct field_ref *field)
{
	int64_t whole = (int64_t)field_size(record), within = offset % whole;

	return field_find(record, within < 0 ? within + whole : within, 0, size, field) ==
		       REASON_NONE &&
	       field_scalar(field->type, field->offset, size);
}

/*
 * Finds the field of the one record that is as large as the stride and has a member where the
 * access goes. If no record is as large, the loop may be unrolled, and the one record is taken
 * whose size divides the stride. False if there is none, or if there are several.
 */
static bool one_of_size(const struct type *const *records, size_t count,
			const struct value *address, uint64_t size, struct field_ref *field)
{
	size_t exact = 0, fitting = 0;
	struct field_ref here;

	for (size_t i = 0; i < count; i++)
		exact += field_size(records[i]) == address->stride;
	for (size_t i = 0; i < count; i++) {
		uint64_t whole = field_size(records[i]);

		if (!whole || (exact ? whole != address->stride : address->stride % whole) ||
		    !fits_element(records[i], address->offset, size, &here))
			continue;
		*field = here;
		fitting++;
	}
	return fitting == 1;
}

/*
 * Answers for an element of an array that a void pointer points to, such as the result of calloc().
 * If the result was assigned to a pointer at file scope that only one function uses, compilers keep
 * no place for that pointer, and only its type is left.
 */
static bool answer_placeless(struct solver *solver, const struct value *address,
			     const struct operand *operand, struct access *access)
{
	struct field_ref field;
	size_t count;

	if (!solver->pass.last_resort || !solver->reader || !address->stride ||
	    !rule_is_on(RULE_PLACELESS_ARRAY) || operand->segment != SEGMENT_NONE ||
	    address->kind != VALUE_UNKNOWN || why_unknown(address) != REASON_VOID_POINTER)
		return false;
	const struct type *const *records = debug_reader_placeless_pointees(
		solver->reader, solver->code->insns[0].address, &count);

	if (!one_of_size(records, count, address, access->size, &field))
		return false;
	set_field(access, field, HOW_INFERRED);
	solver->result.rule = RULE_PLACELESS_ARRAY;
	return true;
}

/* True for the stack protector's word. */
static bool is_canary(const struct arch *arch, const struct operand *operand)
{
	return operand->segment != SEGMENT_NONE && operand->base == REG_NONE &&
	       operand->index == REG_NONE && operand->value == arch->stack_guard;
}

static bool answer_is_stack_operation(const struct insn *insn, const struct operand *operand)
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

/* Answers with the name and the offset, for an object whose class is known only by its name.
 */
static bool answer_named_only(struct solver *solver, const struct value *address,
			      struct access *access)
{
	const struct type *object = address->kind == VALUE_UNKNOWN && address->type &&
						    !address->conflict &&
						    type_is_pointer(type_strip(address->type))
					    ? type_target(type_strip(address->type))
					    : NULL;
	struct field_ref field;

	if (!object || !rule_is_on(RULE_NAMED_CLASS) || !field_is_named_only(object) ||
	    field_find(object, address->offset, address->stride, access->size, &field) !=
		    REASON_NONE)
		return false;
	set_field(access, field, HOW_TRACKED);
	solver->result.rule = RULE_NAMED_CLASS;
	return true;
}

/* True if the address is in an object whose class is known only by its name, or before the object
 * that it was derived from. The class whose table is stored there then says more. */
static bool is_in_named_only(const struct value *address)
{
	if (address->kind == VALUE_POINTER)
		return address->offset < 0 || field_is_named_only(address->type);
	return address->kind == VALUE_UNKNOWN && address->type && field_named_class(address->type);
}

/* Answers with the class whose virtual table is stored there: the object, or a base of it, is made
 * or destroyed. */
static bool answer_stored_class(struct solver *solver, const struct state *state,
				const struct insn *insn, const struct value *address,
				struct access *access)
{
	int64_t place;
	const struct type *class = access->write && is_in_named_only(address)
					   ? virtual_table_class(solver, state, insn, &place)
					   : NULL;

	if (!class)
		return false;
	set_field(access, (struct field_ref){ class, place }, HOW_INFERRED);
	solver->result.rule = RULE_STORED_CLASS;
	return true;
}

/* Answers with a virtual base, for the store of its virtual table's address into it. */
static bool answer_virtual_base(struct solver *solver, const struct state *state,
				const struct insn *insn, struct access *access)
{
	const struct type *base = access->write && solver->options.infer && solver->reader
					  ? virtual_table_base(solver, state, insn)
					  : NULL;

	if (!base)
		return false;
	set_field(access, (struct field_ref){ base, 0 }, HOW_INFERRED);
	return true;
}

/* Answers for a store to memory that now holds another object. The innermost block makes this
 * object, so it is looked for among the block's unlocated variables. */
static void answer_reused(struct solver *solver, const struct state *state, const struct insn *insn,
			  const struct operand *operand, struct access *access)
{
	struct candidates candidates;
	struct field_ref field;

	if (!solver->pass.last_resort || !solver->function ||
	    !rule_is_on(RULE_UNLOCATED_VARIABLE) || operand->index != REG_NONE)
		return;
	candidates_start(&candidates, access->size, FITS_WHOLE);
	unlocated_in_block(solver->function, insn->address, operand->value, &candidates);
	if (candidates_choose(&candidates, &field) != CHOICE_ONE ||
	    moved_pointer_disagrees(solver, state, insn, &field, true) != RULE_NONE)
		return;
	set_field(access, field, HOW_INFERRED);
	solver->result.rule = RULE_UNLOCATED_VARIABLE;
}

/* Refuses an answer if the instruction stores or loads a pointer there that such a field cannot
 * hold. */
/* The pointers that a type has at one place, in all alternatives of unions. */
struct pointer_search {
	const struct type *target;
	bool same;  /* one of them points to the target, or to what it begins with */
	bool other; /* one points to another record */
};

static void find_pointer(void *data, const struct type *record, int64_t within)
{
	struct pointer_search *search = data;
	size_t count;
	const struct member *members = type_members(type_strip(record), &count);

	for (size_t i = 0; i < count; i++) {
		const struct type *object = members[i].offset == within && !members[i].bit_size
						    ? field_pointee(members[i].type)
						    : NULL;

		if (!object)
			continue;
		if (!type_is_record(type_strip(object)) ||
		    !type_is_record(type_strip(search->target)) ||
		    field_same_type(object, search->target) ||
		    field_contains(object, 0, search->target) ||
		    field_contains(search->target, 0, object))
			search->same = true;
		else
			search->other = true;
	}
}

/*
 * Rule unlocated-variable: if a variable says that the loaded value points to another record than
 * the field declares, and the pointee of one unlocated variable has such a pointer there, the
 * access is through this variable, to which the pointer was cast.
 */
static void take_holder(struct solver *solver, const struct insn *insn,
			const struct operand *operand, const struct value *address,
			struct access *access)
{
	uint64_t end = insn->address + insn->length;
	const struct register_fact *fact;
	struct pointer_search search = { 0 };
	struct candidates candidates;
	struct field_ref field;

	if (access->kind != ACCESS_TYPE || insn->operation != OP_MOVE || operand->size != WORD ||
	    insn->operands[0].kind != OPERAND_REGISTER || !reg_is_general(insn->operands[0].reg) ||
	    address->stride || address->offset != operand->value ||
	    access->offset != address->offset || !solver->function || solver->facts.untracked ||
	    !rule_is_on(RULE_UNLOCATED_VARIABLE))
		return;
	fact = facts_register(&solver->facts, insn->operands[0].reg, end);
	if (!fact || fact->low != end || fact->weak || fact->value.kind != VALUE_POINTER ||
	    fact->value.offset)
		return;
	search.target = fact->value.type;
	field_each_record(access->type, access->offset, find_pointer, &search);
	if (!search.other || search.same)
		return;
	candidates_start(&candidates, access->size, FITS_ANY);
	unlocated_holder(solver->function, insn->address, access->offset, fact->value.type,
			 &candidates);
	if (candidates_choose(&candidates, &field) != CHOICE_ONE)
		return;
	access->type = field.type;
	solver->result.rule = RULE_UNLOCATED_VARIABLE;
}

static void refuse_by_pointer(struct solver *solver, const struct state *state,
			      const struct insn *insn, const struct operand *operand,
			      struct access *access)
{
	const struct field_ref field = { access->type, access->offset };
	enum rule_id rule = access->kind == ACCESS_TYPE
				    ? moved_pointer_disagrees(solver, state, insn, &field,
							      access->how == HOW_INFERRED)
				    : RULE_NONE;

	if (rule == RULE_NONE)
		return;
	set_reason(access, REASON_CAST);
	solver->result.rule = rule;
	if (rule == RULE_STORED_POINTER)
		answer_reused(solver, state, insn, operand, access);
}

/* Sets the facts by which a data address tells the element that an index chose. */
static void describe_index(const struct state *state, const struct operand *operand,
			   const struct value *address, struct access *access)
{
	const struct value *base =
		reg_is_general(operand->base) ? &state->values[operand->base] : NULL;

	access->indexed = address->stride != 0;
	access->stride = address->stride;
	access->index_alone = address->stride && operand->index != REG_NONE && base &&
			      base->kind > VALUE_NUMBER && base->kind < VALUE_UNKNOWN &&
			      !base->stride &&
			      (address->kind != VALUE_POINTER || address->type != access->type ||
			       address->offset == access->offset);
}

/* Answers for the memory at an operand, whose size and direction *access has. Sets its address. */
static void find_answer(struct solver *solver, const struct state *state, const struct insn *insn,
			const struct operand *operand, struct access *access,
			struct value *operand_address)
{
	struct value address = *operand_address = solver_address(solver, state, operand);

	if (operand->segment == solver->arch->per_cpu_segment && address.kind == VALUE_NUMBER) {
		address.kind = VALUE_ADDRESS;
		answer_address(solver, state, &address, operand, access, HOW_PER_CPU);
		if (access->kind != ACCESS_TYPE)
			access->reason = REASON_NO_THREAD_LOCAL;
		return;
	}
	if (operand->index != REG_NONE && answer_virtual_base(solver, state, insn, access))
		return;
	switch (address.kind) {
	case VALUE_POINTER:
		if (!answer_stored_class(solver, state, insn, &address, access))
			answer_pointed(solver, access, &address);
		take_holder(solver, insn, operand, &address, access);
		refuse_by_pointer(solver, state, insn, operand, access);
		if (access->kind == ACCESS_UNKNOWN && !address.stride) {
			solver->result.unanswered_object = address.origin;
			solver->result.unanswered_offset = address.offset;
		}
		if (access->kind == ACCESS_TYPE && !solver->result.rule &&
		    address.how == HOW_INFERRED)
			solver->result.rule = solver->origins.items[address.origin].rule;
		break;
	case VALUE_FRAME:
		if (address.frame <= FRAME_LAST_OTHER)
			answer_stack(solver, state, &address, insn, operand, access);
		else
			answer_own_copy(solver, &address, access);
		break;
	case VALUE_ADDRESS:
		answer_address(solver, state, &address, operand, access, HOW_GLOBAL);
		break;
	default:
		/* assembly has no variables on the stack */
		if (operand->base == solver->arch->stack_pointer && operand->index == REG_NONE &&
		    solver_is_assembly(solver)) {
			access->kind = ACCESS_SPILL;
			break;
		}
		if (answer_stored_class(solver, state, insn, &address, access) ||
		    (operand->segment == SEGMENT_NONE &&
		     answer_named_only(solver, &address, access)) ||
		    answer_shadow(&address, access) ||
		    answer_unlocated(solver, &address, operand, access) ||
		    answer_placeless(solver, &address, operand, access))
			break;
		set_reason(access, operand->segment == solver->arch->thread_segment
					   ? REASON_NO_THREAD_LOCAL
					   : why_unknown(&address));
		if (address.kind == VALUE_UNKNOWN) {
			solver->result.unanswered = address.origin;
			solver->result.unanswered_offset = address.offset;
		}
		break;
	}
}

static void answer_operand(struct solver *solver, const struct state *state,
			   const struct insn *insn, const struct operand *operand,
			   struct access *access)
{
	struct value address;

	find_answer(solver, state, insn, operand, access, &address);
	describe_index(state, operand, &address, access);
}

static struct access answer_insn(struct solver *solver, const struct state *state, uint32_t index,
				 bool store)
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
	if (answer_is_stack_operation(insn, operand)) {
		access.kind = ACCESS_STACK;
		access.memory = ACCESS_MEMORY_STACK;
		return access;
	}
	if (is_canary(solver->arch, operand)) {
		access.kind = ACCESS_CANARY;
		return access;
	}
	answer_operand(solver, state, insn, operand, &access);
	return access;
}

struct access solver_answer(struct solver *solver, const struct state *state, uint32_t index,
			    bool store)
{
	solver->result.rule = RULE_NONE;
	solver->result.unanswered = solver->result.unanswered_object = 0;

	struct access access = answer_insn(solver, state, index, store);

	access.rule = solver->result.rule;
	return access;
}

struct access solver_answer_argument(struct solver *solver, const struct state *state,
				     uint32_t index, uint8_t argument, uint8_t length)
{
	const struct convention *call = solver->abi->call;
	const struct insn *insn = &solver->code->insns[index];
	struct access access = { .address = insn->address, .kind = ACCESS_UNKNOWN };
	struct operand operand = { .kind = OPERAND_MEMORY,
				   .segment = SEGMENT_NONE,
				   .index = REG_NONE };

	solver->result.rule = RULE_NONE;
	if (argument >= call->argument_count)
		return access;
	operand.base = call->arguments[argument];
	answer_operand(solver, state, insn, &operand, &access);
	if (access.kind != ACCESS_TYPE)
		return access;
	access.how = HOW_BULK;
	access.rule = RULE_BULK_ARGUMENT;
	access.indexed = true;
	const struct value *bytes =
		length < call->argument_count ? &state->values[call->arguments[length]] : NULL;
	int64_t left = (int64_t)field_size(access.type) - access.offset;

	if (left <= 0)
		return access;
	if (bytes && bytes->kind == VALUE_NUMBER && !bytes->stride && bytes->offset > 0)
		access.range = (uint32_t)(bytes->offset < left ? bytes->offset : left);
	else if (!access.offset && type_is_record(type_strip(access.type)))
		access.range = (uint32_t)left; /* some or all of it */
	return access;
}
