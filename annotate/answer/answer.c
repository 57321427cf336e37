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
#include "annotate/flow/solver.h"
#include "annotate/language/go.h"
#include "annotate/objects/objects.h"
#include "annotate/rules/stages.h"
#include "annotate/types/field.h"
#include "base/text.h"
#include "disasm/insn.h"

/* ---- the access of one instruction */

static void set_field(struct access *access, struct field_ref field, uint8_t how)
{
	access->kind = ACCESS_TYPE;
	access->type = field.type;
	access->offset = field.offset;
	access->how = how;
}

/* Answers by the rules of STAGE_ANSWER. False: none has an answer. */
static bool answer_by_rules(struct answer_query *query, enum answer_situation situation,
			    uint8_t how)
{
	struct field_ref field;
	const struct rule *rule = rules_answer(query, situation, &field);

	if (!rule)
		return false;
	set_field(query->access, field, rule->verdict == RULE_INFERS ? HOW_INFERRED : how);
	query->solver->result.rule = (uint8_t)(rule - rules);
	return true;
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
	    insn_accesses_bits(&solver->code->insns[cfg_find(solver->code, access->address)])) {
		uint8_t rule = solver->result.rule;

		solver->result.rule = RULE_NONE;
		if (field_of_bits(solver, address, &field, &how) == REASON_NONE)
			reason = REASON_NONE;
		else
			solver->result.rule = rule;
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

	if (!access->read || !operand_is_general(target))
		return NULL;
	while (last + 1 < block->first + block->count &&
	       !(code->insns[last].written & REG_BIT(target->reg)))
		last++;
	return last < code->insn_count
		       ? facts_record_in_parts(&solver->facts, target->reg, access->address + 1,
					       code->insns[last].address, offset, access->size)
		       : NULL;
}

/* Makes the answer the record that an element of a table is copied to, if a cast made the table's
 * elements another type than its header. */
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
static void answer_variable(struct solver *solver, const struct state *state, struct access *access,
			    const struct value *object, uint8_t how, const struct operand *operand)
{
	const struct type *bare = type_strip(object->type);
	struct value address = *object;

	solver_skip_array(solver, state, operand, &address);
	answer_object(solver, access, &address, how);
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
	uint64_t size = type_size_or(bare, 0);

	if (!object->stride || bare->kind == TYPE_ARRAY)
		return false;
	return !type_is_record(bare) || !size || object->stride % size == 0;
}

static bool is_valid(const struct stack_fact *fact, const struct insn *insn)
{
	return insn->address >= fact->low && insn->address < fact->high;
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
		    field_is_array_of(array->type, address->stride))
			return array;
	}
	return NULL;
}

/* True if an index from the last element of an array, at `offset`, may be one from before the first
 * element of the next array, whose elements are of another type: next[i - 1]. */
static bool is_between_arrays(struct solver *solver, const struct state *state,
			      const struct value *address, const struct insn *insn,
			      const struct stack_fact *array, int64_t offset, uint64_t size)
{
	const struct type *type = array->type;
	int64_t within;

	if (!address->stride || !field_is_array_of(type, address->stride) ||
	    offset + address->stride != (int64_t)field_size(type))
		return false;
	const struct stack_fact *next = solver_stack_object(
		solver, state, insn->address, insn->address + insn->length, address->frame,
		address->offset + (int64_t)address->stride, size, &within);

	return next && !within && field_is_array_of(next->type, address->stride) &&
	       !field_same_type(type_target(type_strip(type)), type_target(type_strip(next->type)));
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
	const struct stack_fact *after =
		address->stride && !(variable && field_is_array_of(variable->type, address->stride))
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
	array_each (const struct insn, insn, solver->code->insns, solver->code->insn_count) {
		if (insn->operation == OP_MOVE && operand_is_reg(&insn->operands[0], pointer) &&
		    insn->operands[1].kind == OPERAND_MEMORY)
			return true;
	}
	return false;
}

static bool is_integer_type(const struct type *type)
{
	uint8_t kind = type_strip(type)->kind;

	return kind == TYPE_INTEGER || kind == TYPE_ENUM || kind == TYPE_FLOAT;
}

/* Returns the type of the value that is or was stored in a place on the stack that no variable
 * describes, but whose address the code passes on (a temporary to which a reference of C++ is
 * bound, or a variable without a location). Numbers only. NULL: it is not known, or the place is a
 * spill slot. */
static const struct type *temporary_type(const struct solver *solver, const struct state *state,
					 const struct value *address, const struct insn *insn,
					 uint64_t size)
{
	const struct slot *slot = state_slot(state, address->frame, address->offset, size);
	const struct value *value = slot ? &slot->value : NULL;

	if (!language_has(solver->function, FACT_ADDRESSED_NUMBERS) ||
	    !any_of(i, 0, solver->frame.escape_count,
		    solver->frame.escapes[i].unnamed &&
			    solver->frame.escapes[i].frame == address->frame &&
			    solver->frame.escapes[i].low == address->offset))
		return NULL;
	if (insn->operation == OP_MOVE && insn->operands[0].kind == OPERAND_MEMORY)
		value = operand_is_general(&insn->operands[1])
				? &state->values[insn->operands[1].reg]
				: NULL;
	return value && value->kind != VALUE_POINTER && value->type &&
			       is_integer_type(value->type) && field_size(value->type) == size
		       ? type_canonical(value->type)
		       : NULL;
}

static void answer_stack(struct solver *solver, const struct state *state,
			 const struct value *address, const struct insn *insn,
			 const struct operand *operand, struct access *access)
{
	int64_t offset;
	const struct stack_fact *variable =
		find_stack_object(solver, state, address, insn, access->size, &offset);

	if (variable &&
	    is_between_arrays(solver, state, address, insn, variable, offset, access->size)) {
		set_reason(access, REASON_INDEX);
		return;
	}
	if (variable) {
		struct value object = value_pointer(variable->type, offset, variable->how);

		value_take_strides(&object, address);
		access->memory = left_stack(solver, state, operand) ? ACCESS_MEMORY_ANY
								    : ACCESS_MEMORY_STACK;
		if (!is_indexed_single(&object))
			answer_variable(solver, state, access, &object, object.how, operand);
		if (access->kind == ACCESS_TYPE)
			return;
		/* a compiler that clears members clears the padding between them, too */
		if (access->reason == REASON_OUTSIDE && access->write && !address->stride &&
		    is_valid(variable, insn) && type_is_record(type_strip(variable->type)) &&
		    offset + access->size <= (int64_t)field_size(variable->type)) {
			set_field(access,
				  (struct field_ref){ type_canonical(variable->type), offset },
				  variable->how);
			return;
		}
	}
	if (address->stride) {
		set_reason(access, REASON_STACK);
		return;
	}
	if (!variable && solver->result.wants_calls) {
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
	const struct type *temporary =
		variable ? NULL : temporary_type(solver, state, address, insn, access->size);

	if (temporary) {
		access->memory = ACCESS_MEMORY_STACK;
		set_field(access, (struct field_ref){ temporary, 0 }, HOW_INFERRED);
		return;
	}
	access->kind = ACCESS_SPILL;
	access->memory = ACCESS_MEMORY_STACK;
	access->reason = REASON_NONE;
	if (slot && slot->value.type && slot->value.kind != VALUE_POINTER)
		access->type = type_canonical(slot->value.type);
}

/* Answers for a thread-local or per-cpu variable. */
static void answer_own_copy(struct solver *solver, const struct state *state,
			    const struct operand *operand, const struct value *address,
			    struct access *access)
{
	struct value object;

	if (!solver_fixed_object(solver, address, &object)) {
		set_reason(access, REASON_NO_THREAD_LOCAL);
		return;
	}
	solver_skip_array(solver, state, operand, &object);
	answer_object(solver, access, &object, object.how);
}

/* Notes the variable at a fixed address, so that data addresses can be checked. Per-cpu variables
 * have copies elsewhere, so they are left out. */
static void note_static(struct solver *solver, uint64_t at, struct access *access)
{
	struct global global;
	struct elf_section section;

	if (elf_image_section_at(solver->image, at, &section) && section.per_cpu)
		return;
	if (!solver->reader ||
	    !debug_reader_global_at(solver->reader, at, solver->code->insns[0].address, &global))
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

/* True for the values of a switch that the compiler made a table of (gcc's pass switchconv, LLVM's
 * SimplifyCFG). */
static bool is_switch_table(const struct symbol *symbol)
{
	return starts_with(symbol->name, "CSWTCH.") || starts_with(symbol->name, "switch.table.");
}

/* True if an access to a fixed address without a variable reads a constant that the compiler placed
 * in read-only memory. The function must have debug information, because without it no variables
 * are known. Memory with another symbol belongs to a file that has none. */
static bool answer_is_constant(const struct solver *solver, const struct value *address,
			       const struct access *access)
{
	/* without what was added to an index */
	const uint64_t start =
		(uint64_t)(address->offset - (address->stride ? address->displaced : 0));
	const struct symbol *symbol;
	struct elf_section section;

	if (!solver->function || solver_has_no_variables(solver) || !access->read ||
	    access->write || !elf_image_section_at(solver->image, start, &section) ||
	    !is_read_only(solver, &section, start))
		return false;
	symbol = elf_image_object_at(solver->image, start);
	return symbol ? is_switch_table(symbol) : !address->stride;
}

/* True for the address of a variable of AddressSanitizer's own. */
static bool is_of_sanitizer(const struct solver *solver, uint64_t address)
{
	const struct symbol *symbol = elf_image_object_at(solver->image, address);

	return symbol && starts_with(symbol->name, "__asan_option_");
}

static void answer_address(struct answer_query *query, const struct value *address, uint8_t how)
{
	struct solver *solver = query->solver;
	struct access *access = query->access;
	struct value global;
	int64_t at;

	query->address = address;
	if (!solver_indexed_global(solver, address, &global, &at) &&
	    (address->stride || !solver_got_entry(solver, address->offset, &global))) {
		if (how == HOW_GLOBAL &&
		    (answer_by_rules(query, ANSWER_NO_VARIABLE, how) ||
		     answer_constant(solver, query->state, address, query->insn, access)))
			return;
		if (how == HOW_GLOBAL && is_jump_table(solver, address, access))
			access->kind = ACCESS_JUMP_TABLE;
		else if (how == HOW_GLOBAL && answer_is_constant(solver, address, access))
			access->kind = ACCESS_LITERAL;
		else if (is_of_sanitizer(solver, (uint64_t)address->offset))
			access->kind = ACCESS_SANITIZER;
		else if (elf_image_plt_import(solver->image, solver->code->insns->address))
			access->kind = ACCESS_JUMP_TABLE; /* the slot of a PLT stub */
		else
			set_reason(access, REASON_NO_GLOBAL);
		return;
	}
	/* A string that a variable points to may be indexed: its type is that of one byte. */
	if (global.how != HOW_VARIABLE && is_indexed_single(&global)) {
		set_reason(access, REASON_OUTSIDE);
		return;
	}
	answer_variable(solver, query->state, access, &global,
			global.how == HOW_INFERRED ? HOW_INFERRED : how, query->operand);
	if (access->kind == ACCESS_TYPE && how == HOW_GLOBAL)
		note_static(solver, (uint64_t)at, access);
}

static enum access_reason why_unknown(const struct value *address)
{
	if (address->kind == VALUE_NUMBER)
		return REASON_SCALAR_BASE;
	if (address->kind == VALUE_BOTTOM)
		return REASON_UNREACHED;
	if (address->conflict)
		return REASON_CONFLICT;
	if (address->type && !type_is_record(type_strip(address->type)))
		return is_integer_type(address->type) ? REASON_SCALAR_BASE : REASON_VOID_POINTER;
	return REASON_NO_VALUE;
}

/* The farthest that one instruction addresses from the byte of a frame's start: AddressSanitizer
 * keeps a frame of 64 KB on the stack. */
#define SHADOW_FAR (1 << 16)

/* Answers for shadow memory: a byte at (address >> 3) + sanitizer_shadow says which bytes of an
 * aligned word may be accessed (compiler-rt, asan_mapping.h). */
static bool answer_shadow(const struct arch *arch, const struct value *address,
			  struct access *access)
{
	if (address->kind != VALUE_NUMBER || !address->stride ||
	    address->offset < arch->sanitizer_shadow ||
	    address->offset >= arch->sanitizer_shadow + SHADOW_FAR)
		return false;
	access->kind = ACCESS_SANITIZER;
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

#define BESIDE_BLOCKS 1024 /* of a function in which paths are looked at */

/* True if a path leads from a block to another one without passing through `over`. */
static bool may_reach(const struct cfg *code, uint32_t from, uint32_t to, uint32_t over)
{
	uint32_t waiting[BESIDE_BLOCKS], count = 1;
	uint64_t seen[BESIDE_BLOCKS / 64] = { 0 };

	waiting[0] = from;
	while (count) {
		uint32_t block = waiting[--count];

		if (block == to)
			return true;
		each_successor (next, code, &code->blocks[block])
			if (next != over && !(seen[next / 64] >> next % 64 & 1)) {
				seen[next / 64] |= UINT64_C(1) << next % 64;
				waiting[count++] = next;
			}
	}
	return false;
}

/* True if the pointer got its type by uses in other blocks, and no path through this access has any
 * of these: a value that is cast to another type in each branch of a switch. */
static bool is_beside_uses(const struct solver *solver, const struct value *address)
{
	const struct origin *origin = &solver->origins.items[address->origin];
	const struct cfg *code = solver->code;
	const uint32_t used[] = { origin->first_in, origin->last_in };
	uint32_t insn, here = cfg_block_of(code, solver->pass.current);

	if (!address->origin || code->block_count > BESIDE_BLOCKS)
		return false;
	/* values of the function's entry, and of joins, are made before all that uses them */
	uint32_t made = origin_insn(origin, &insn) ? cfg_block_of(code, insn) : UINT32_MAX;

	return here != made && !any_of(i, 0, COUNT_OF(used),
				       !used[i] || used[i] - 1 == here || used[i] - 1 == made ||
					       may_reach(code, here, used[i] - 1, made) ||
					       may_reach(code, used[i] - 1, here, made));
}

/* Answers for an access through a pointer, whatever is stored or loaded there. */
static void answer_by_pointer(struct answer_query *query)
{
	struct solver *solver = query->solver;
	struct access *access = query->access;
	const struct value *address = query->address;

	if (!answer_by_rules(query, ANSWER_ANY, address->how))
		answer_pointed(solver, access, address);
	if (access->kind == ACCESS_TYPE) {
		const struct rule *refusal;

		answer_by_rules(query, ANSWER_DECLARED, access->how);
		refusal = rules_refuse(query);
		if (refusal) {
			set_reason(access, refusal->refusal);
			if (refusal != &rules[RULE_STORED_FUNCTION] ||
			    !answer_by_rules(query, ANSWER_REUSED, HOW_INFERRED))
				solver->result.rule = (uint8_t)(refusal - rules);
		} else if (rules[solver->result.rule].contradicted &&
			   shown_record_contradicts(solver, query->state, solver->pass.current,
						    query->operand, access)) {
			set_reason(access, REASON_OUTSIDE);
		}
	}
	if (access->kind == ACCESS_UNKNOWN && !address->stride) {
		solver->result.unanswered_object = address->origin;
		solver->result.unanswered_offset = address->offset;
	}
	if (access->kind == ACCESS_TYPE && !solver->result.rule && address->how == HOW_INFERRED)
		solver->result.rule = solver->origins.items[address->origin].rule;
	if (access->kind == ACCESS_TYPE && address->how == HOW_INFERRED &&
	    is_beside_uses(solver, address))
		set_reason(access, REASON_NO_VALUE);
}

/* Answers where nothing says what the base points to. */
static void answer_without_base(struct answer_query *query)
{
	struct solver *solver = query->solver;
	const struct operand *operand = query->operand;
	const struct value *address = query->address;

	/* assembly has no variables on the stack */
	if (operand->base == solver->arch->stack_pointer && operand->index == REG_NONE &&
	    solver_is_assembly(solver)) {
		query->access->kind = ACCESS_SPILL;
		return;
	}
	query->reason = why_unknown(address);
	if (answer_by_rules(query, ANSWER_ANY, HOW_TRACKED) ||
	    answer_shadow(solver->arch, address, query->access) ||
	    (operand->segment == SEGMENT_NONE &&
	     answer_by_rules(query, ANSWER_NO_BASE, HOW_TRACKED)))
		return;
	set_reason(query->access, operand->segment == solver->arch->thread_segment
					  ? REASON_NO_THREAD_LOCAL
					  : query->reason);
	if (address->kind == VALUE_UNKNOWN) {
		solver->result.unanswered = address->origin;
		solver->result.unanswered_offset = address->offset;
	}
}

/* Returns whether the operand's base is at a known offset in an object of the type, so that only
 * the index moves within the object. */
static bool base_is_fixed(const struct value *base, const struct type *type)
{
	uint64_t size = type ? type_size_or(type_strip(type), 0) : 0;

	return base->kind > VALUE_NUMBER && base->kind < VALUE_UNKNOWN &&
	       (!base->stride ||
		(base->kind == VALUE_POINTER && base->type && size &&
		 type_strip(base->type) == type_strip(type) && base->stride % size == 0));
}

/* Sets the facts by which a data address tells the element that an index chose. */
static void describe_index(const struct solver *solver, const struct state *state,
			   const struct operand *operand, const struct value *address,
			   struct access *access)
{
	const struct value *base =
		reg_is_general(operand->base) ? &state->values[operand->base] : NULL;
	const struct value *index =
		reg_is_general(operand->index) ? &state->values[operand->index] : NULL;

	access->indexed = address->stride != 0;
	access->stride = address->stride;
	access->index_alone = address->stride && base && index &&
			      base_is_fixed(base, access->type) &&
			      (address->kind != VALUE_POINTER || address->type != access->type ||
			       address->offset == access->offset);
	access->index_start = access->index_alone && index->kind == VALUE_NUMBER
				      ? (int64_t)((uint64_t)index->offset * operand->scale)
				      : 0;
	if (solver->result.rule == RULE_EITHER_MEMBER && access->kind == ACCESS_TYPE &&
	    address->type && !type_is_record(type_strip(access->type)))
		access->overlay = (struct access_overlay){ type_canonical(address->type),
							   address->offset, 0 };
}

/* Answers for the memory at an operand, whose size and direction *access has. Sets its address. */
static void find_answer(struct solver *solver, const struct state *state, const struct insn *insn,
			const struct operand *operand, struct access *access, struct value *address)
{
	struct answer_query query = { .solver = solver,
				      .state = state,
				      .insn = insn,
				      .operand = operand,
				      .address = address,
				      .access = access };
	struct value fixed = *address = solver_address(solver, state, operand);

	if (operand->segment == solver->arch->per_cpu_segment && address->kind == VALUE_NUMBER) {
		fixed.kind = VALUE_ADDRESS;
		answer_address(&query, &fixed, HOW_PER_CPU);
		if (access->kind != ACCESS_TYPE)
			access->reason = REASON_NO_THREAD_LOCAL;
		return;
	}
	if (operand->index != REG_NONE && answer_virtual_base(solver, state, insn, access))
		return;
	/* an element is of the member of a union that a pointer to the same place tells */
	if (address->kind == VALUE_POINTER && address->stride && address->alternative &&
	    !address->alternative_delta && field_tells_member(address->type, address->alternative))
		address->type = address->alternative;
	switch (address->kind) {
	case VALUE_POINTER: answer_by_pointer(&query); break;
	case VALUE_FRAME:
		if (address->frame <= FRAME_LAST_OTHER)
			answer_stack(solver, state, address, insn, operand, access);
		else
			answer_own_copy(solver, state, operand, address, access);
		break;
	case VALUE_ADDRESS: answer_address(&query, address, HOW_GLOBAL); break;
	default: answer_without_base(&query); break;
	}
}

static void answer_operand(struct solver *solver, const struct state *state,
			   const struct insn *insn, const struct operand *operand,
			   struct access *access)
{
	struct value address;

	find_answer(solver, state, insn, operand, access, &address);
	describe_index(solver, state, operand, &address, access);
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
	solver->result.wants_calls = false;
	solver->result.unanswered = solver->result.unanswered_object = 0;

	struct access access = answer_insn(solver, state, index, store);

	access.rule = solver->result.rule;
	return access;
}

void solver_set_bits(struct solver *solver, uint32_t insn, bool store, struct access *answer)
{
	const struct field_ref field =
		answer->overlay.type
			? (struct field_ref){ answer->overlay.type, answer->overlay.offset }
			: (struct field_ref){ answer->type, answer->offset };

	if (answer->kind != ACCESS_TYPE)
		return;
	bool bitfield = field_has_bitfield(field.type, field.offset, answer->size);

	/* the bits that the code uses tell members apart */
	if (!bitfield &&
	    (answer->size < 2 || answer->size > 8 || !type_is_record(type_strip(field.type)) ||
	     field_cache_fit(solver->caches.fields, field.type, field.offset, answer->size)->holds))
		return;
	answer->bits = used_bits(solver, solver->code, insn,
				 insn_memory(&solver->code->insns[insn], store));
	if (!answer->bits && bitfield) {
		answer->bits = low_bits(8U * answer->size);
		answer->any_bits = true;
	}
}

void solver_judge_member(struct solver *solver, const struct state *state, uint32_t insn,
			 bool store, struct access *answer)
{
	overlay_judge(solver, state, insn, store, answer);
	solver_set_bits(solver, insn, store, answer);
	union_evidence_judge(solver, state, insn, store, answer, NULL);
}

/* Returns the number, from 1, of the function's argument that a value is; 0: it is none. */
static uint8_t argument_of_value(const struct solver *solver, const struct value *value)
{
	const struct convention *call = solver->abi->call;
	uint64_t key = solver->origins.items[value->origin].key;
	uint8_t number = 0;

	if (value->offset || value->stride)
		return 0;
	while (number < call->argument_count && key != origin_key_entry(call->arguments[number]))
		number++;
	return number < call->argument_count ? number + 1 : 0;
}

/* Takes what is known of the variable that an instruction loads from the stack: it is a record with
 * the pointer, or points to one. */
static void take_variable(struct solver *solver, const struct state *state, const struct insn *insn,
			  struct pointer_source *source)
{
	int64_t place, offset = 0;
	const struct stack_fact *fact =
		solver_frame_place(solver, insn, &insn->operands[1], &place)
			? solver_stack_variable(solver, state, insn->address, insn->address,
						FRAME_CFA, place, &offset)
			: NULL;
	const struct type *pointee = fact && !offset ? field_pointee(fact->type) : NULL;
	const struct variable *variable = fact && !fact->is_self && fact->variable != NO_VARIABLE
						  ? &solver->function->variables[fact->variable]
						  : NULL;

	if (variable && !offset && variable->flags & VARIABLE_PARAMETER && !variable->scope &&
	    variable->parameter_index < UINT8_MAX)
		source->parameter = (uint8_t)(variable->parameter_index + 1);
	if (fact && type_is_record(type_strip(fact->type))) {
		source->record = type_canonical(fact->type);
		source->offset = offset;
	} else if (pointee && type_is_record(type_strip(pointee))) {
		source->base = type_canonical(pointee);
	}
}

/* Sets the place from which an instruction loads a pointer. False: it is not known. */
static bool source_of_load(struct solver *solver, const struct state *state, uint32_t insn,
			   struct pointer_source *source)
{
	const struct load_cache *load = &solver->tables.loads[insn];
	const struct insn *loader = &solver->code->insns[insn];
	bool adds = loader->operation == OP_ADD;

	source->variable = go_moved_variable(solver, loader);
	if (source->variable)
		return true;
	take_variable(solver, state, loader, source);
	if (load->round != solver->pass.round)
		return source->base || source->record || source->parameter;
	source->indexed |= adds;
	if (load->result.kind == VALUE_POINTER && type_is_record(type_strip(load->result.type)))
		source->base = load->result.type;
	/* An instruction that adds an index to the pointer may load the index. What follows a
	 * pointer to void is no array, but a part of what it points to. */
	if ((loader->operation != OP_MOVE && !adds) ||
	    (source->indexed && load->result.kind != VALUE_POINTER))
		return false;
	if (load->address.kind == VALUE_POINTER && type_is_record(type_strip(load->address.type)))
		source->record = load->address.type;
	if (source->record || (load->address.kind == VALUE_ADDRESS && !load->address.stride))
		source->offset = load->address.offset;
	return source->record || source->offset || source->base || source->parameter;
}

/* Returns the record that a parameter of the function, whose first block this is, points to; NULL:
 * the register has none. */
static const struct type *parameter_record(struct solver *solver, uint8_t reg,
					   const struct basic_block *first)
{
	const struct register_fact *fact =
		facts_register(&solver->facts, reg, solver->code->insns[first->first].address);

	return fact && fact->value.kind == VALUE_POINTER &&
			       type_is_record(type_strip(fact->value.type))
		       ? fact->value.type
		       : NULL;
}

#define WAYS_MAX 64 /* to an instruction, which are followed back to loads */

/* Sets the place from which a register's value at an instruction was loaded on all ways there.
 * False: it is not known, or there are several. */
static bool source_of_ways(struct solver *solver, const struct state *state, uint32_t index,
			   uint8_t reg, struct pointer_source *source)
{
	const struct cfg *code = solver->code;
	struct {
		uint32_t block, end;
		uint8_t reg;
	} ways[WAYS_MAX] = { { cfg_block_of(code, index), index, reg } };
	bool found = false, computed = false, indexed = false;

	for (size_t i = 0, count = 1; i < count; i++) {
		const struct basic_block *block = &code->blocks[ways[i].block];
		struct pointer_source loaded = { 0 };
		uint32_t at = ways[i].end;

		/* a result of a call that is a variable from then on */
		loaded.variable =
			go_variable_in(solver, ways[i].reg, 0, code->insns[at - (i > 0)].address);
		for (reg = ways[i].reg; at > block->first && !loaded.variable; at--) {
			const struct insn *insn = &code->insns[at - 1];

			if (!(schedule_written(solver->abi->call, insn) & REG_BIT(reg)))
				continue;
			if (insn->operation == OP_LEA && reg_is_general(insn->operands[1].base)) {
				computed = true;
				indexed |= insn->operands[1].index != REG_NONE;
				reg = insn->operands[1].base;
				continue;
			}
			if (insn->operation == OP_ADD &&
			    insn->operands[1].kind == OPERAND_IMMEDIATE) {
				computed = true;
				continue;
			}
			if (insn->operation != OP_MOVE || !operand_is_general(&insn->operands[1]))
				break;
			reg = insn->operands[1].reg;
		}
		if (at > block->first || loaded.variable) {
			if ((!loaded.variable && !source_of_load(solver, state, at - 1, &loaded)) ||
			    (found &&
			     (loaded.record != source->record || loaded.offset != source->offset ||
			      loaded.base != source->base || loaded.variable != source->variable ||
			      loaded.parameter != source->parameter)))
				return false;
			*source = loaded;
			found = true;
			continue;
		}
		if (!block->predecessor_count && indexed && !found &&
		    (source->base = parameter_record(solver, reg, block))) {
			found = true;
			continue;
		}
		if (!block->predecessor_count)
			return false;
		each_predecessor (from, code, block) {
			uint32_t end = code->blocks[from].first + code->blocks[from].count;

			if (any_of(k, 0, count, ways[k].end == end && ways[k].reg == reg))
				continue;
			if (count == WAYS_MAX)
				return false;
			ways[count].block = from;
			ways[count].end = end;
			ways[count++].reg = reg;
		}
	}
	/* of what the pointer was computed from, the record alone counts */
	if (computed)
		*source = (struct pointer_source){ .base = source->base, .indexed = indexed };
	return found;
}

/* Returns where the pointer comes from that a register is at an instruction, or was computed from.
 */
static struct pointer_source find_source(struct solver *solver, const struct state *state,
					 uint32_t index, uint8_t reg)
{
	const struct value *value = &state->values[reg];
	struct pointer_source source = { .indexed = value->stride || value->offset }, met;
	uint32_t insn;

	if (value->origin)
		source.argument = argument_of_value(solver, value);
	if (!value->origin || !origin_insn(&solver->origins.items[value->origin], &insn))
		insn = UINT32_MAX;
	if (insn != UINT32_MAX && solver->code->insns[insn].operation == OP_CALL)
		source.call = source.indexed ? 0 : solver->code->insns[insn].address;
	else if (insn != UINT32_MAX)
		source_of_load(solver, state, insn, &source);
	else if (!source.indexed && source_of_ways(solver, state, index, reg, &met) &&
		 (!source.argument || met.indexed))
		source = met;
	if (!source.indexed)
		source.base = NULL;
	else
		source.parameter = 0;
	return source;
}

struct access solver_answer_argument(struct solver *solver, const struct state *state,
				     uint32_t index, const struct bulk_function *function,
				     uint8_t argument, struct pointer_source *source)
{
	const struct convention *call = solver->abi->call;
	const struct insn *insn = &solver->code->insns[index];
	struct access access = { .address = insn->address, .kind = ACCESS_UNKNOWN };
	struct operand operand = { .kind = OPERAND_MEMORY,
				   .segment = SEGMENT_NONE,
				   .index = REG_NONE };

	solver->result.rule = RULE_NONE;
	solver->result.wants_calls = false;
	operand.base = bulk_register(function, call, argument);
	if (operand.base == REG_NONE)
		return access;
	*source = find_source(solver, state, index, operand.base);
	answer_operand(solver, state, insn, &operand, &access);
	/* container_of(): records around the pointee are known by the first word of the object */
	for (uint8_t size = 8; size >= 4 && access.reason == REASON_OUTSIDE; size /= 2) {
		access = (struct access){
			.address = insn->address, .kind = ACCESS_UNKNOWN, .size = size, .read = true
		};
		answer_operand(solver, state, insn, &operand, &access);
	}
	if (access.kind != ACCESS_TYPE)
		return access;
	access.how = HOW_BULK;
	access.rule = RULE_NONE;
	access.indexed = true;
	const struct value *bytes = function->length < call->argument_count
					    ? &state->values[call->arguments[function->length]]
					    : NULL;
	int64_t left = (int64_t)field_size(access.type) - access.offset;

	if (left <= 0)
		return access;
	if (bytes && bytes->kind == VALUE_NUMBER && !bytes->stride && bytes->offset > 0)
		access.range = (uint32_t)(bytes->offset < left ? bytes->offset : left);
	else if (!access.offset && type_is_record(type_strip(access.type)))
		access.range = (uint32_t)left; /* some or all of it */
	return access;
}
