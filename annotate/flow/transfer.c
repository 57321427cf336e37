// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The transfer function: what one instruction does to a state. In order: addresses of memory
 * operands (the rules of STAGE_BASE); loads and stores; the instructions.
 *
 * The state is always that before the instruction whose number is solver->pass.current. Registers
 * and memory that an instruction may change and that are not modelled become unknown.
 */

#include "annotate/code/code.h"
#include "annotate/cxx/virtual_table.h"
#include "annotate/flow/flow.h"
#include "annotate/flow/solver.h"
#include "annotate/language/go.h"
#include "annotate/language/variants.h"
#include "annotate/objects/objects.h"
#include "annotate/rules/stages.h"
#include "annotate/types/field.h"

/* An instruction, and the state to which it is applied. */
struct insn_step {
	struct solver *solver;
	struct state *state;
	const struct insn *insn;
	uint32_t index; /* of the instruction */
};

/* ---- addresses of operands */

/* True for the kernel's variables that hold the distance to a processor's copies of per-cpu
 * variables (include/asm-generic/percpu.h). */
static bool holds_per_cpu_offset(const struct solver *solver, const struct value *address)
{
	const struct symbol *symbol =
		solver->options.kernel
			? elf_image_object_at(solver->image, (uint64_t)address->offset)
			: NULL;

	return symbol && (strcmp(symbol->name, "__per_cpu_offset") == 0 ||
			  (solver->abi->per_cpu_offset &&
			   strcmp(symbol->name, solver->abi->per_cpu_offset) == 0));
}

/*
 * Handles a *value whose lowest bits are cut off. If it was loaded where a
 * union has a pointer beside a number, it is the number, which has a pointer and tags in it, and
 * becomes the result of the only inline function that fetches it. False if it was loaded elsewhere.
 */
static bool solver_untag(const struct solver *solver, struct value *value)
{
	const struct origin *origin = &solver->origins.items[value->origin];

	/* a variable's own type is sure */
	if (value->kind != VALUE_POINTER || value->how == HOW_VARIABLE || value->offset ||
	    value->stride || !origin->object || !solver->options.infer || !solver->function ||
	    !fit_at(origin->object, origin->offset, 8).number)
		return false;
	const struct type *record = scope_types_of_private(solver->function, solver->code, NULL, 0,
							   origin->object, origin->offset);

	if (record)
		*value = value_pointer(record, 0, HOW_INFERRED);
	else if (origin->inferred.type)
		*value = origins_inferred(&solver->origins, value->origin);
	else
		*value = value_unknown(value->origin);
	return true;
}

/* Notes that a record of one word is loaded, if that is what the field is. */
static void note_word(struct solver *solver, uint32_t origin, const struct field_ref *field)
{
	struct distant_place place;

	if (origin && distant_member_place(field, &place) && !place.offset &&
	    field_is_word_record(place.record))
		alternatives_note_word(solver, origin, place.record);
}

/* Returns the value that is read from a field of a declared type. */
static struct value value_of_field(struct solver *solver, const struct value *address,
				   uint64_t size, uint64_t key)
{
	uint8_t how = address->how;
	struct field_ref field;
	struct value unknown = origins_value(&solver->origins, key);

	if (solver_field(solver, address, size, &field, &how) != REASON_NONE)
		return unknown;
	const struct type *type = variants_loaded(
		solver, &field, size,
		field_cache_fit(solver->caches.fields, field.type, field.offset, size)->scalar);

	if (!type) {
		struct loaded_value bytes = { solver, address, &field, NULL, unknown, &unknown };

		if (size == 8 && rules_apply_to_load(&bytes))
			return bytes.value;
		if (size == 8 && unknown.kind == VALUE_UNKNOWN)
			alternatives_note(solver, &unknown, &field);
		if (size == 8) {
			tags_learn_member(solver, address, &unknown);
			/* the tag that was tested tells which member of a union is used */
			if (!tags_has_test(solver, address))
				solver_distant_member(solver, &field, &unknown);
		}
		return unknown;
	}
	struct value value = value_of_type(type, how == HOW_INFERRED ? HOW_INFERRED : HOW_TRACKED,
					   origins_id(&solver->origins, key));

	if (value.kind == VALUE_POINTER) {
		solver->origins.items[value.origin].object = field.type;
		solver->origins.items[value.origin].offset = field.offset;
	}
	struct loaded_value load = { solver, address, &field, type, value, &unknown };

	rules_apply_to_load(&load);
	if (load.value.kind == VALUE_UNKNOWN && size == WORD)
		note_word(solver, load.value.origin, &field);
	solver_distant_member(solver, &field, &load.value);
	tags_learn_member(solver, address, &load.value);
	return load.value;
}

static struct value load_from_stack(struct solver *solver, const struct state *state,
				    struct value address, uint64_t size, uint32_t insn,
				    uint64_t key)
{
	uint64_t at = solver->code->insns[insn].address;
	int64_t offset;
	const struct slot *slot =
		address.stride ? NULL
			       : state_slot(state, address.frame, address.offset, (uint32_t)size);
	const struct stack_fact *variable =
		solver_stack_object(solver, state, at, at + solver->code->insns[insn].length,
				    address.frame, address.offset, size, &offset);
	struct value declared = value_unknown(0);

	if (variable) {
		struct value object = value_pointer(variable->type, offset, variable->how);

		value_take_strides(&object, &address);
		declared = value_of_field(solver, &object, size, key);
	}
	/*
	 * If both the stored value and the declared type are known, they are combined. Outside the
	 * range of the variable's location the stored value stands, because something else may have
	 * been spilled there.
	 */
	bool somewhere_in = slot && slot->value.kind == VALUE_POINTER && slot->value.stride;

	if (slot && variable && (somewhere_in || (at >= variable->low && at < variable->high))) {
		struct value stored = slot->value;

		if (declared.kind == VALUE_POINTER)
			return solver_combine(solver, stored, declared, false);
		/* an argument that is stored without optimization: arithmetic with a number */
		if (stored.kind == VALUE_UNKNOWN && !stored.type)
			stored.type = declared.type;
		return stored;
	}
	if (slot)
		return slot->value;
	return variable ? declared : origins_value(&solver->origins, key);
}

static struct value load_unknown(struct solver *solver, uint64_t size, uint64_t key)
{
	struct value value = origins_value(&solver->origins, key);

	if (value.kind == VALUE_UNKNOWN && size < 8)
		return (struct value){ .kind = VALUE_NUMBER, .stride = 1, .origin = value.origin };
	return value;
}

/* Loads from a variable at an address that is fixed for this thread or processor. */
static struct value load_fixed(struct solver *solver, const struct value *address, uint64_t size,
			       uint64_t key)
{
	struct value value;

	if (address->kind == VALUE_ADDRESS && size == 8) {
		if (!address->stride && solver_slot(solver, address->offset, &value))
			return value;
		if (holds_per_cpu_offset(solver, address))
			return value_frame(FRAME_PER_CPU, 0);
	}
	if (solver_fixed_object(solver, address, &value))
		return value_of_field(solver, &value, size, key);
	return load_unknown(solver, size, key);
}

/* Loads through a pointer or from a global: the same address gives the same value. */
static struct value load_object(struct solver *solver, const struct value *address, uint64_t size,
				uint32_t insn, uint64_t key)
{
	struct load_cache *cache = &solver->tables.loads[insn];

	if (cache->round == solver->pass.round && cache->size == size &&
	    value_equal(&cache->address, address))
		return cache->result;
	cache->result = address->kind == VALUE_POINTER ? value_of_field(solver, address, size, key)
						       : load_fixed(solver, address, size, key);
	cache->address = *address;
	cache->size = size;
	cache->round = solver->pass.round;
	return cache->result;
}

/* If a variable of this type is a pointer, *value becomes its value, with the pointee noted. */
static void name_value(struct solver *solver, const struct type *type, uint64_t key,
		       struct value *value)
{
	const struct value said =
		value_of_type(type, HOW_TRACKED, origins_id(&solver->origins, key));

	if (said.kind != VALUE_POINTER)
		return;
	solver->origins.items[said.origin].named = said.type;
	*value = said;
}

/* The most instructions between the place where a word is said to be passed and its load. */
#define PASSED_DISTANCE_MAX 16

/* Returns the memory operand from which the instruction loads a word, without an index; NULL if it
 * does not, or is NULL. */
static const struct operand *loaded_word(const struct insn *insn)
{
	const struct operand *from = insn ? &insn->operands[1] : NULL;

	return from && insn->operation == OP_MOVE && operand_is_general(&insn->operands[0]) &&
			       from->kind == OPERAND_MEMORY && from->size == WORD &&
			       from->index == REG_NONE && reg_is_general(from->base)
		       ? from
		       : NULL;
}

static bool loads_passed(const struct solver *solver, uint32_t insn, const struct passed_word *word)
{
	const struct cfg *code = solver->code;
	const struct operand *from = loaded_word(&code->insns[insn]), *outer;

	if (!from || from->value != word->offset)
		return false;
	if (!word->loaded)
		return from->base == arch_reg_from_dwarf(solver->arch, word->reg);
	outer = loaded_word(cfg_last_write(code, insn, from->base));
	return outer && outer->value == word->outer;
}

/* Returns the type of the parameter of an inlined function that the instruction loads; NULL: it is
 * none, or there are several. */
static const struct type *passed_type(const struct solver *solver, uint32_t insn)
{
	const struct function *function = solver->function;
	const struct insn *load = &solver->code->insns[insn];
	uint32_t low = insn > PASSED_DISTANCE_MAX ? insn - PASSED_DISTANCE_MAX : 0;
	const struct type *found = NULL;
	size_t next = partition_point(0, function->passed_count, i,
				      function->passed[i].address <= load->address);

	for (; next; next--) {
		const struct passed_word *word = &function->passed[next - 1];
		uint32_t before = insn;

		if (word->address < solver->code->insns[low].address)
			break;
		if ((word->address != load->address &&
		     !scope_has(&function->scopes[word->scope], load->address)) ||
		    !loads_passed(solver, insn, word))
			continue;
		while (before > low && solver->code->insns[before - 1].address >= word->address &&
		       !loads_passed(solver, before - 1, word))
			before--;
		if (before > low && solver->code->insns[before - 1].address >= word->address)
			continue; /* an earlier load gets it */
		if (found && !field_same_type(found, word->type))
			return NULL;
		found = word->type;
	}
	return found;
}

/* True if the instruction may change memory other than the stack's, or the register. */
static bool changes_memory(const struct solver *solver, const struct insn *insn, uint8_t reg)
{
	return insn->operation == OP_CALL ||
	       schedule_written(solver->abi->call, insn) & REG_BIT(reg) ||
	       any_of(i, 0, insn->operand_count,
		      insn->operands[i].kind == OPERAND_MEMORY && insn->operands[i].write &&
			      insn->operands[i].base != solver->arch->stack_pointer);
}

/*
 * Returns the record that a pointer variable points to, if the variable's location is the memory
 * that the word is loaded from. A location that ended counts if the code since then has not changed
 * the word: gcc ends such a location at any store, also at one to the stack. NULL: there is no such
 * variable.
 */
static const struct type *cast_where_loaded(const struct solver *solver,
					    const struct operand *operand, uint32_t insn)
{
	const struct cfg *code = solver->code;
	struct cfg_cursor at = cfg_before(code, insn);

	if (!(solver->facts.stack_bases & REG_BIT(operand->base)) || solver->facts.untracked)
		return NULL;
	for (int left = PASSED_DISTANCE_MAX; left; left--) {
		const struct insn *before = &code->insns[at.insn];
		const struct stack_fact *fact =
			facts_in_memory(&solver->facts, operand->base, operand->value, WORD,
					before->address, before->address + before->length);
		const struct type *record = fact ? field_pointee(fact->type) : NULL;

		if (fact)
			return record && type_is_record(type_strip(record)) ? record : NULL;
		if (!cfg_step_back(code, &at) ||
		    changes_memory(solver, &code->insns[at.insn], operand->base))
			return NULL;
	}
	return NULL;
}

/* Gives the address of bytes the record as its second type that such a variable says. */
static void add_cast(const struct solver *solver, const struct operand *operand, uint32_t insn,
		     struct value *value)
{
	if (type_size_or(type_strip(value->type), 0) != 1 || value->alternative || value->offset ||
	    value->stride)
		return;
	const struct type *record = cast_where_loaded(solver, operand, insn);

	value->alternative = record ? type_canonical(record) : NULL;
}

/* Gives the address of a record the type of a pointer to another record, if the location of a
 * variable with that type is the memory that the address is loaded from: the source casts it. */
static void add_located_record(struct solver *solver, const struct operand *operand, uint32_t insn,
			       struct value *value)
{
	const struct insn *at = &solver->code->insns[insn];
	const struct stack_fact *fact =
		value->offset || value->stride || value->alternative || solver->facts.untracked
			? NULL
			: facts_in_memory(&solver->facts, operand->base, operand->value, WORD,
					  at->address, at->address + at->length);
	const struct type *record = fact ? field_pointee(fact->type) : NULL;

	if (record && type_is_record(type_strip(record)) && !field_same_type(record, value->type))
		*value =
			solver_combine(solver, *value,
				       value_of_type(fact->type, value->how, value->origin), false);
}

/* If the value's declared type is of no use, or its memory is not known, it
 * gets the type of a variable that the debug information puts in that memory. */
static void as_variable(struct solver *solver, const struct operand *operand, int64_t delta,
			uint64_t size, uint32_t insn, uint64_t key, struct value *value)
{
	const struct insn *at = &solver->code->insns[insn];

	if (size != 8 || operand->segment != SEGMENT_NONE || !reg_is_general(operand->base) ||
	    operand->base == solver->arch->stack_pointer || !solver->function)
		return;
	if (value->kind == VALUE_POINTER) {
		if (delta || operand->index != REG_NONE)
			return;
		if (type_is_record(type_strip(value->type)))
			add_located_record(solver, operand, insn, value);
		else
			add_cast(solver, operand, insn, value);
		return;
	}
	if (operand->index != REG_NONE) {
		const struct sum_fact *sum = solver_sum_at(solver, at, operand, true);

		if (sum && sum->offset == operand->value + delta)
			name_value(solver, sum->type, key, value);
		return;
	}
	const struct stack_fact *fact =
		facts_in_memory(&solver->facts, operand->base, operand->value + delta, size,
				at->address, at->address + at->length);
	const struct type *type = fact ? fact->type : !delta ? passed_type(solver, insn) : NULL;

	if (type)
		name_value(solver, type, key, value);
}

/* True if the operand's base register can only be NULL so far: no path that has another value there
 * has been followed yet. */
static bool is_through_null(const struct solver *solver, const struct state *state,
			    const struct operand *operand)
{
	if (operand->segment != SEGMENT_NONE || operand->base == REG_NONE || operand->pc_relative ||
	    solver_is_image_address(solver, operand->value))
		return false;
	struct value base = state_register(state, operand->base);

	return value_is_null(&base);
}

/* Returns the address of the kernel's record of the running thread. */
static struct value current_task(const struct solver *solver)
{
	const struct type *type = solver_type_named(solver, solver->abi->current_task);

	return type ? value_pointer(type, 0, HOW_TRACKED) : value_unknown(0);
}

static struct value load_part(struct solver *solver, const struct state *state,
			      const struct operand *operand, int64_t delta, uint64_t size,
			      uint32_t insn, uint64_t key)
{
	struct value address = solver_address(solver, state, operand);

	if (operand->segment == solver->arch->thread_segment && operand->base == REG_NONE &&
	    operand->index == REG_NONE && operand->value + delta == 0)
		return value_frame(FRAME_THREAD_POINTER, 0);
	value_move(&address, delta);
	if (operand->segment == solver->arch->per_cpu_segment && address.kind == VALUE_NUMBER)
		address.kind = VALUE_ADDRESS;
	switch (address.kind) {
	case VALUE_FRAME:
		if (address.frame <= FRAME_LAST_OTHER)
			return load_from_stack(solver, state, address, size, insn, key);
		return load_object(solver, &address, size, insn, key);
	case VALUE_POINTER:
	case VALUE_ADDRESS: return load_object(solver, &address, size, insn, key);
	default: break;
	}
	/* A program that did this would end here. The result is NULL, which joins with what other
	 * paths load through a pointer. */
	if (size == 8 && is_through_null(solver, state, operand))
		return value_number(0);
	struct value value = load_unknown(solver, size, key);

	if (address.kind == VALUE_UNKNOWN && value.origin != address.origin)
		solver->origins.items[value.origin].through = address.origin;
	return value;
}

/* Loads `size` bytes `delta` bytes past the operand's address. */
static struct value solver_load(const struct insn_step *step, const struct operand *operand,
				int64_t delta, uint64_t size, unsigned int value_index)
{
	uint64_t key = origin_key_insn(step->index, value_index);
	struct value value =
		load_part(step->solver, step->state, operand, delta, size, step->index, key);

	as_variable(step->solver, operand, delta, size, step->index, key, &value);
	return value;
}

/* Notes what an unknown value must be if it is stored where a pointer is declared. */
static void transfer_note_store(struct solver *solver, const struct value *address, uint64_t size,
				const struct value *value)
{
	uint8_t how = HOW_NONE;
	struct field_ref field;

	/* only Go's objects on the stack have one type for the whole function */
	bool wanted = value->kind == VALUE_UNKNOWN || value->kind == VALUE_POINTER ||
		      (value->kind == VALUE_FRAME && solver->abi->goroutine_type);

	if (!wanted || solver_field(solver, address, size, &field, &how) != REASON_NONE)
		return;
	const struct type *type = field_scalar(field.type, field.offset, size);
	const struct type *pointee = type ? field_pointee(type) : NULL;
	const struct virtual_table *table =
		pointee ? virtual_table_pointed(solver, &field, type) : NULL;

	if (table) {
		origins_use_by(&solver->origins, RULE_CLASS_TABLE, value, table->type,
			       table->functions);
		return;
	}
	/* The store may be to the number of a union: without variables it is not known which. */
	if (pointee &&
	    !(solver_has_no_variables(solver) && fit_at(field.type, field.offset, size).number))
		solver_note_use(solver, value, pointee);
}

/* The most bytes that one instruction stores as a value; repeated ones overwrite any number. */
#define MEMORY_VALUE_MAX 64

static void store_to_stack(struct solver *solver, struct state *state, const struct value *address,
			   uint64_t at, uint64_t size, const struct value *value)
{
	if (address->stride) {
		/* The store is somewhere in a variable: all of it becomes unknown. */
		int64_t offset;
		const struct stack_fact *variable = solver_stack_variable(
			solver, state, at, at, address->frame, address->offset, &offset);

		if (variable)
			state_kill(state, address->frame, address->offset - offset, variable->size);
		else
			state_kill(state, address->frame, address->offset, INT64_MAX);
		return;
	}
	if (size && size <= MEMORY_VALUE_MAX)
		state_store(state, address->frame, address->offset, (uint32_t)size, *value);
	else
		state_kill(state, address->frame, address->offset, size ? size : INT64_MAX);
}

static void solver_store(const struct insn_step *step, const struct operand *operand, int64_t delta,
			 uint64_t size, const struct value *value)
{
	struct solver *solver = step->solver;
	struct state *state = step->state;
	uint64_t at = step->insn->address;
	struct value address = solver_address(solver, state, operand), pointer;

	value_move(&address, delta);
	solver_escape(solver, state, value, at, UINT64_MAX);
	if (solver->pass.gather && value->kind == VALUE_FRAME)
		go_note_stored(solver, &address, value);
	if (address.kind == VALUE_FRAME && address.frame <= FRAME_LAST_OTHER) {
		if (solver->pass.gather &&
		    (value->kind == VALUE_UNKNOWN || value->kind == VALUE_POINTER ||
		     value->kind == VALUE_FRAME)) {
			int64_t offset;
			const struct stack_fact *variable =
				solver_stack_variable(solver, state, at, at + step->insn->length,
						      address.frame, address.offset, &offset);

			if (variable) {
				struct value object =
					value_pointer(variable->type, offset, HOW_VARIABLE);

				value_take_strides(&object, &address);
				transfer_note_store(solver, &object, size, value);
			}
		}
		store_to_stack(solver, state, &address, at, size, value);
		if (solver->facts.sanitizer_frame || value->offset == SANITIZER_MARK)
			sanitizer_frame_note_store(solver, state, &address, value);
		return;
	}
	if (!solver->pass.gather)
		return;
	if (operand->segment == solver->arch->per_cpu_segment && address.kind == VALUE_NUMBER)
		address.kind = VALUE_ADDRESS;
	if (address.kind == VALUE_POINTER)
		transfer_note_store(solver, &address, size, value);
	else if (solver_fixed_object(solver, &address, &pointer))
		transfer_note_store(solver, &pointer, size, value);
}

/* ---- one instruction */

/* Makes this instruction the origin of the value, if nothing is known of the value. */
static void set_origin(const struct insn_step *step, unsigned int index, struct value *value)
{
	if (value->kind != VALUE_BOTTOM && (value->kind != VALUE_UNKNOWN || value->origin))
		return;
	struct value named =
		origins_value(&step->solver->origins, origin_key_insn(step->index, index));

	if (named.kind == VALUE_UNKNOWN && value->kind == VALUE_UNKNOWN) {
		value_take_strides(&named, value);
		named.type = value->type;
		named.conflict = value->conflict;
	}
	*value = named;
}

/* Reduces a value to its low bytes. In a program that is not position-independent, addresses of
 * objects fit into four bytes, and compilers make them with "mov $object, %eax" (psABI, small code
 * model). */
static inline void take_low_part(const struct insn_step *step, struct value *value,
				 unsigned int size)
{
	if (size >= 8)
		return;
	bool number = size == 4 && value->kind == VALUE_NUMBER && value->stride &&
		      value->offset <= INT32_MAX;
	bool address = size == 4 && step->solver->options.image_is_fixed &&
		       value->kind == VALUE_ADDRESS && value->offset >= 0 &&
		       value->offset <= UINT32_MAX;

	if (!number && !address)
		*value = value_truncate(*value, size);
}

static void set_general(const struct insn_step *step, uint8_t reg, unsigned int size,
			const struct value *from)
{
	struct value *value = &step->state->values[reg];

	if (size < step->solver->arch->whole_write) {
		*value = value_any_number();
	} else {
		*value = *from;
		take_low_part(step, value, size);
	}
	switch (value->kind) {
	case VALUE_POINTER:
		if (value->how == HOW_VARIABLE)
			value->how = HOW_TRACKED;
		break;
	case VALUE_NUMBER:
		/* an unknown number: this instruction becomes its origin, in case it is multiplied
		 * later */
		if (value->stride && !value->origin)
			value->origin = origins_id(&step->solver->origins,
						   origin_key_insn(step->index, reg));
		break;
	default: set_origin(step, reg, value); break;
	}
}

static void forget_register(const struct insn_step *step, unsigned int reg)
{
	if (reg_is_vector((uint8_t)reg))
		state_set_vector(step->state, (uint8_t)reg, &value_nothing, &value_nothing);
	else
		step->state->values[reg] =
			origins_value(&step->solver->origins, origin_key_insn(step->index, reg));
}

static void transfer_forget_registers(const struct insn_step *step, uint64_t registers)
{
	bits_each (reg, registers)
		forget_register(step, (unsigned int)reg);
}

/* Makes unknown all that the instruction may have written and that is not modelled. */
static void transfer_forget_written(const struct insn_step *step)
{
	transfer_forget_registers(step, step->insn->written);
	array_indexed (const struct operand, operand, i, step->insn->operands,
		       step->insn->operand_count) {
		if (operand->kind == OPERAND_MEMORY && operand->write)
			solver_store(step, operand, 0, operand->size, &value_nothing);
		/* Four bytes or less hold no pointer, whatever was computed. */
		if (i == 0 && operand->kind == OPERAND_REGISTER && operand->write &&
		    operand->size <= 4 && reg_is_general(operand->reg))
			step->state->values[operand->reg] = value_any_number();
	}
}

static struct value value_of_immediate(const struct insn_step *step, const struct operand *operand)
{
	if (operand->size >= 4 && solver_is_image_address(step->solver, operand->value))
		return value_address(operand->value);
	return value_number(operand->value);
}

/* Returns the low eight bytes of an operand's value. */
static struct value transfer_read_operand(const struct insn_step *step,
					  const struct operand *operand)
{
	switch (operand->kind) {
	case OPERAND_IMMEDIATE: return value_of_immediate(step, operand);
	case OPERAND_REGISTER:
		if (operand->high_byte || operand->reg >= REG_COUNT)
			return value_any_number();
		if (reg_is_general(operand->reg)) {
			struct value value = step->state->values[operand->reg];

			take_low_part(step, &value, operand->size);
			return value;
		}
		return state_value(step->state, operand->reg);
	case OPERAND_MEMORY: {
		unsigned int to = step->insn->operands[0].kind == OPERAND_REGISTER
					  ? step->insn->operands[0].reg
					  : 0;

		return solver_load(step, operand, 0, operand->size > 8 ? 8 : operand->size, to);
	}
	default: return value_unknown(0);
	}
}

static struct value read_high(const struct insn_step *step, const struct operand *operand)
{
	if (operand_is_vector(operand))
		return state_value(step->state, STATE_HIGH(operand->reg));
	if (operand->kind == OPERAND_MEMORY && operand->size >= 16) {
		unsigned int to = operand_is_vector(&step->insn->operands[0])
					  ? STATE_HIGH(step->insn->operands[0].reg)
					  : 0;

		return solver_load(step, operand, 8, 8, to);
	}
	return value_unknown(0);
}

static void write_operand(const struct insn_step *step, const struct operand *operand,
			  const struct value *value)
{
	if (operand->kind == OPERAND_MEMORY) {
		solver_store(step, operand, 0, operand->size, value);
	} else if (operand->kind == OPERAND_REGISTER && operand->reg < REG_COUNT) {
		if (reg_is_vector(operand->reg))
			state_set_vector(step->state, operand->reg, value, &value_nothing);
		else
			set_general(step, operand->reg, operand->size, value);
	}
}

static void transfer_write_operand(const struct insn_step *step, const struct operand *operand,
				   struct value value)
{
	write_operand(step, operand, &value);
}

/* Applies a copy. One of 16 bytes or more is made of two halves. */
static void apply_move(const struct insn_step *step)
{
	const struct operand *to = &step->insn->operands[0];
	const struct operand *from = &step->insn->operands[1];

	if (to->kind == OPERAND_MEMORY && to->size >= 16) {
		struct value low = transfer_read_operand(step, from), high = read_high(step, from);

		solver_store(step, to, 0, 8, &low);
		solver_store(step, to, 8, 8, &high);
		if (to->size > 16)
			solver_store(step, to, 16, to->size - 16U, &value_nothing);
		return;
	}
	if (operand_is_vector(to)) {
		struct value low = transfer_read_operand(step, from);
		struct value high = from->size >= 16 ? read_high(step, from) : value_number(0);

		if (from->size < 8 && from->kind == OPERAND_MEMORY)
			low = value_nothing;
		state_set_vector(step->state, to->reg, &low, &high);
		return;
	}
	if (to->kind == OPERAND_REGISTER && to->high_byte) {
		step->state->values[to->reg] = value_any_number();
		return;
	}
	/* a whole register is not copied first: there are many of these */
	if (operand_is_general(from) && !from->high_byte && from->size >= 8)
		write_operand(step, to, &step->state->values[from->reg]);
	else
		transfer_write_operand(step, to, transfer_read_operand(step, from));
}

static struct value transfer_compute(const struct insn_step *step, struct value a, struct value b)
{
	const struct operand *to = &step->insn->operands[0];

	switch (step->insn->operation) {
	case OP_ADD: return value_add(a, b);
	case OP_SUB:
		/* The memory of alloca() or of a variable-length array is not one of the frame's
		 * own places. */
		if (a.kind == VALUE_FRAME && !value_is_constant(&b) &&
		    operand_is_reg(to, step->solver->arch->stack_pointer))
			return value_unknown(0);
		return value_subtract(a, b);
	case OP_OR: return value_or(a, b);
	case OP_AND:
		/* A stack pointer that is aligned at run time begins a new frame base. */
		if (a.kind == VALUE_FRAME && a.frame == FRAME_CFA && value_is_constant(&b) &&
		    b.offset < 0 && to->kind == OPERAND_REGISTER)
			/* not the stack pointer, and at an unknown distance from it: memory of
			 * alloca() */
			return a.stride && to->reg != step->solver->arch->stack_pointer
				       ? value_unknown(0)
				       : value_frame(FRAME_FIRST_OTHER, 0);
		if (value_is_constant(&b) && b.offset < -1 && b.offset >= -64 &&
		    solver_untag(step->solver, &a))
			return a;
		return value_and(a, b);
	case OP_SHIFT_LEFT:
		if (value_is_constant(&b) && b.offset >= 0 && b.offset < 31)
			return value_scale(a, 1U << b.offset);
		return value_any_number();
	default: return value_any_number();
	}
}

static void two_operands(const struct insn_step *step)
{
	const struct operand *to = &step->insn->operands[0];
	struct value a = transfer_read_operand(step, to);
	struct value b = transfer_read_operand(step, &step->insn->operands[1]), result;

	if (step->insn->operand_count > 2 && step->insn->operands[2].kind != OPERAND_NONE) {
		a = b; /* three operands: d = s op t (BMI, AVX on general registers, APX) */
		b = transfer_read_operand(step, &step->insn->operands[2]);
	}
	if (operand_is_vector(to)) {
		transfer_forget_written(step);
		return;
	}
	/* x + x is even for all x */
	if (step->insn->operation == OP_ADD && to->kind == OPERAND_REGISTER &&
	    step->insn->operand_count == 2 && operand_is_reg(&step->insn->operands[1], to->reg) &&
	    !step->insn->operands[1].high_byte)
		result = value_scale(a, 2);
	else if (!rule_virtual_base(step->solver, step->index, &a, &b, &result))
		result = transfer_compute(step, a, b);
	transfer_write_operand(step, to, result);
}

static void conditional_move(const struct insn_step *step)
{
	const struct operand *to = &step->insn->operands[0];
	struct value old = transfer_read_operand(step, to),
		     new = transfer_read_operand(step, &step->insn->operands[1]);
	uint64_t key = origin_key_insn(step->index, to->reg);
	uint32_t phi = origins_id(&step->solver->origins, key);
	struct value joined = old.kind == VALUE_ADDRESS || new.kind == VALUE_ADDRESS
				      ? solver_join_addresses(step->solver, old, new, phi)
				      : value_join(&old, &new, phi);

	if (joined.kind == VALUE_UNKNOWN && joined.origin == phi) {
		if (step->solver->pass.gather) {
			origins_flow(&step->solver->origins, phi, &old);
			origins_flow(&step->solver->origins, phi, &new);
		}
		struct value inferred = origins_value(&step->solver->origins, key);

		if (inferred.kind == VALUE_POINTER)
			joined = inferred;
	}
	transfer_write_operand(step, to, joined);
}

static void apply_push(const struct insn_step *step)
{
	const struct operand *slot = &step->insn->operands[0];
	struct value value = transfer_read_operand(step, &step->insn->operands[1]);

	solver_store(step, slot, 0, slot->size, &value);
	struct value *sp = &step->state->values[step->solver->arch->stack_pointer];

	*sp = value_subtract(*sp, value_number(slot->size));
}

static void apply_pop(const struct insn_step *step)
{
	const struct operand *slot = &step->insn->operands[1];
	struct value value = transfer_read_operand(step, slot);

	struct value *sp = &step->state->values[step->solver->arch->stack_pointer];

	*sp = value_add(*sp, value_number(slot->size));
	transfer_write_operand(step, &step->insn->operands[0], value);
}

static void apply_leave(const struct insn_step *step)
{
	const struct arch *arch = step->solver->arch;
	struct value base = step->state->values[arch->frame_pointer];
	struct value saved = transfer_read_operand(step, &step->insn->operands[1]);

	step->state->values[arch->stack_pointer] = value_add(base, value_number(8));
	set_general(step, arch->frame_pointer, 8, &saved);
}

static void apply_exchange(const struct insn_step *step)
{
	const struct operand *a = &step->insn->operands[0], *b = &step->insn->operands[1];
	struct value old_a = transfer_read_operand(step, a), old_b = transfer_read_operand(step, b);

	transfer_write_operand(step, a, old_b);
	transfer_write_operand(step, b, old_a);
}

static void exchange_add(const struct insn_step *step)
{
	const struct operand *to = &step->insn->operands[0], *from = &step->insn->operands[1];
	struct value old = transfer_read_operand(step, to);

	transfer_write_operand(step, to, value_any_number());
	transfer_write_operand(step, from, old);
}

static void compare_exchange(const struct insn_step *step)
{
	const struct operand *to = &step->insn->operands[0], *from = &step->insn->operands[1];
	struct value old = transfer_read_operand(step, to);
	struct value stored = transfer_read_operand(step, from);
	struct operand compared = { .kind = OPERAND_REGISTER,
				    .reg = step->solver->arch->exchange_compared,
				    .size = to->size };

	if (to->kind == OPERAND_MEMORY)
		transfer_write_operand(step, to, stored);
	else
		transfer_write_operand(step, to, value_unknown(0));
	transfer_write_operand(step, &compared, old);
}

/* Returns how many bytes a repeated instruction moves over, in elements of `size` bytes; 0: the
 * number of elements is not known. */
static uint64_t bytes_repeated(const struct insn_step *step, unsigned int size)
{
	const struct value *count = &step->state->values[step->solver->arch->repeat_counter];

	return count->kind == VALUE_NUMBER && !count->stride && !count->origin &&
			       count->offset > 0 && count->offset <= UINT32_MAX
		       ? (uint64_t)count->offset * size
		       : 0;
}

/* Advances the base registers of the memory operands by one element, or with a repeat prefix by
 * as many elements as it is repeated. */
static void apply_string(const struct insn_step *step)
{
	unsigned int size = 0;
	bool repeat = step->insn->flags & FLAG_REPEAT;

	for (unsigned int i = 0; i < step->insn->operand_count; i++)
		if (step->insn->operands[i].kind == OPERAND_MEMORY)
			size = step->insn->operands[i].size;
	const uint64_t bytes = repeat ? bytes_repeated(step, size) : size;
	struct value advance = value_number((int64_t)bytes);

	if (!bytes) {
		advance = value_any_number();
		advance.stride = size ? size : 1;
	}
	struct value *values = step->state->values;
	struct value before[INSN_OPERANDS];

	array_indexed (const struct operand, operand, i, step->insn->operands,
		       step->insn->operand_count) {
		if (operand->kind != OPERAND_MEMORY)
			continue;
		before[i] = state_register(step->state, operand->base);
		if (operand->write)
			solver_store(step, operand, 0, repeat ? bytes : operand->size,
				     &value_nothing);
	}
	transfer_forget_registers(step, step->insn->written);
	for (unsigned int i = 0; i < step->insn->operand_count; i++) {
		uint8_t base = step->insn->operands[i].base;

		if (step->insn->operands[i].kind != OPERAND_MEMORY || !reg_is_general(base) ||
		    !(step->insn->written & REG_BIT(base)))
			continue;
		values[base] = value_add(before[i], advance);
		set_origin(step, base, &values[base]);
	}
	if (repeat)
		values[step->solver->arch->repeat_counter] = value_any_number();
}

static void vector_halves(const struct insn_step *step)
{
	const struct operand *to = &step->insn->operands[0], *s = &step->insn->operands[1];
	bool three = step->insn->operand_count > 2;
	const struct operand *t = three ? &step->insn->operands[2] : s;
	struct value low, high;

	if (!operand_is_vector(to)) {
		transfer_forget_written(step);
		return;
	}
	low = three ? transfer_read_operand(step, s) : state_value(step->state, to->reg);
	if (t->kind == OPERAND_MEMORY)
		high = solver_load(step, t, 0, 8, STATE_HIGH(to->reg));
	else
		high = transfer_read_operand(step, t);
	state_set_vector(step->state, to->reg, &low, &high);
}

/* Adds or subtracts, with a carry: two constants give one of two numbers, which differ by 1. */
static void add_with_carry(const struct insn_step *step)
{
	const struct operand *to = &step->insn->operands[0];
	bool plain = operand_is_general(to) && to->size == 8 && step->insn->operand_count == 2;
	struct value a = plain ? transfer_read_operand(step, to) : value_unknown(0);
	struct value b = plain ? transfer_read_operand(step, &step->insn->operands[1]) : a;

	if (!value_is_constant(&a) || !value_is_constant(&b)) {
		transfer_forget_written(step);
		return;
	}
	struct value result = step->insn->operation == OP_ADD_CARRY
				      ? value_add(a, b)
				      : value_displace(value_subtract(a, b), -1);

	transfer_write_operand(step, to, value_add(result, value_any_number()));
}

/* Applies -x, or ~x, which is -x - 1. A multiple stays one. */
static void transfer_negate(const struct insn_step *step)
{
	const struct operand *to = &step->insn->operands[0];

	if (operand_is_vector(to)) {
		transfer_forget_written(step);
		return;
	}
	struct value result = value_subtract(value_number(0), transfer_read_operand(step, to));

	if (step->insn->operation == OP_COMPLEMENT)
		result = value_add(result, value_number(-1));
	transfer_write_operand(step, to, result.kind == VALUE_NUMBER ? result : value_any_number());
}

/* Applies lea. The sum of two registers may be the address of a virtual base, as that of add is. */
static void apply_lea(const struct insn_step *step)
{
	const struct operand *sum = &step->insn->operands[1];
	struct value a, b, result;
	bool is_base = false;

	if (sum->base != REG_NONE && sum->index != REG_NONE && sum->scale == 1 && !sum->value &&
	    sum->segment == SEGMENT_NONE) {
		a = state_register(step->state, sum->base);
		b = state_register(step->state, sum->index);
		is_base = rule_virtual_base(step->solver, step->index, &a, &b, &result);
	}
	transfer_write_operand(step, &step->insn->operands[0],
			       is_base ? result : solver_address(step->solver, step->state, sum));
}

static void multiply(const struct insn_step *step)
{
	const struct operand *operands = step->insn->operands;
	struct value result = value_multiply(transfer_read_operand(step, &operands[1]),
					     transfer_read_operand(step, &operands[2]));

	if (step->insn->operand_count > 3)
		result = value_add(transfer_read_operand(step, &operands[3]), result);
	transfer_write_operand(step, &operands[0], result);
}

/* Applies an instruction that computes or moves something. */
static void transfer_apply_computation(const struct insn_step *step)
{
	const struct insn *insn = step->insn;
	const struct operand *to = &insn->operands[0];

	switch (insn->operation) {
	case OP_LEA: apply_lea(step); break;
	case OP_BINARY_FIRST ... OP_BINARY_LAST: two_operands(step); break;
	case OP_ZERO: {
		static const struct value zero = { .kind = VALUE_NUMBER };

		if (operand_is_vector(to))
			state_set_vector(step->state, to->reg, &zero, &zero);
		else
			write_operand(step, to, &zero);
		break;
	}
	case OP_ADD_CARRY:
	case OP_SUB_BORROW: add_with_carry(step); break;
	case OP_MULTIPLY: multiply(step); break;
	case OP_NEGATE:
	case OP_COMPLEMENT: transfer_negate(step); break;
	case OP_CONDITIONAL: conditional_move(step); break;
	case OP_SET_CONDITION: transfer_write_operand(step, to, value_any_number()); break;
	case OP_EXCHANGE: apply_exchange(step); break;
	case OP_EXCHANGE_ADD: exchange_add(step); break;
	case OP_COMPARE_EXCHANGE: compare_exchange(step); break;
	case OP_PUSH: apply_push(step); break;
	case OP_POP: apply_pop(step); break;
	case OP_LEAVE: apply_leave(step); break;
	case OP_MOVE_STRING:
	case OP_STORE_STRING:
	case OP_LOAD_STRING:
	case OP_COMPARE_STRING:
	case OP_SCAN_STRING: apply_string(step); break;
	case OP_VECTOR_HIGH:
	case OP_VECTOR_UNPACK: vector_halves(step); break;
	case OP_STORE_HIGH:
		transfer_write_operand(step, to, read_high(step, &insn->operands[1]));
		break;
	case OP_SYSTEM_CALL:
		transfer_forget_registers(step, step->solver->arch->system_call.clobbered);
		break;
	case OP_THREAD_POINTER:
		transfer_write_operand(step, to, value_frame(FRAME_THREAD_POINTER, 0));
		break;
	case OP_CURRENT_TASK: transfer_write_operand(step, to, current_task(step->solver)); break;
	case OP_PER_CPU_OFFSET:
		transfer_write_operand(step, to, value_frame(FRAME_PER_CPU, 0));
		break;
	default: transfer_forget_written(step); break;
	}
}

void solver_transfer(struct solver *solver, struct state *state, uint32_t index)
{
	const struct insn_step step = { solver, state, &solver->code->insns[index], index };

	switch (step.insn->operation) {
	case OP_MOVE:
	case OP_MOVE_ZERO:
	case OP_MOVE_SIGN: apply_move(&step); break;
	case OP_CALL: solver_call(solver, state, index, false); break;
	case OP_RETURN: solver_return(solver, state); break;
	default: transfer_apply_computation(&step); break;
	}
}
