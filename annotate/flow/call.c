// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls: their callees (by the call site, the symbol, or the pointer that is called through), the
 * types of their arguments and results, and the registers that they clobber by the calling
 * convention (base/arch/arch.h).
 */

#include "annotate/code/code.h"
#include "annotate/code/spill_slots.h"
#include "annotate/facts/abi.h"
#include "annotate/facts/arguments.h"
#include "annotate/facts/scope_types.h"
#include "annotate/flow/flow.h"
#include "annotate/flow/solver.h"
#include "annotate/language/go.h"
#include "annotate/language/rust.h"
#include "annotate/objects/objects.h"
#include "annotate/rules/stages.h"
#include "annotate/types/field.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- what a call calls */

const struct prototype *prototype_of_type(const struct type *type, struct prototype *storage)
{
	const struct type *bare = type ? type_strip(type) : NULL;

	if (bare && type_is_pointer(bare))
		bare = type_strip(type_target(bare));
	if (!bare || bare->kind != TYPE_FUNCTION)
		return NULL;
	*storage = (struct prototype){ .return_type = type_target(bare),
				       .prototyped = !(bare->flags & TYPE_OWN_CALL),
				       .lost_parameter = SIZE_MAX };
	storage->parameters = type_parameters(bare, &storage->parameter_count);
	storage->variadic = bare->flags & TYPE_VARIADIC;
	return storage;
}

/* True for a function pointer in the kernel's struct whose callees preserve all registers but that
 * of their first result. */
static bool saves_all(const struct abi *abi, const struct field_ref *field)
{
	const struct type *record = field_innermost_record(field->type, field->offset);

	return record && record->name && strcmp(record->name, abi->callee_save_record) == 0;
}

/* Returns the prototype of the function type that the pointer called through is declared with, in
 * *storage or in the debug information; NULL: not known. *clobbered changes if the pointer has a
 * convention of its own. */
static const struct prototype *solver_called_through(struct solver *solver,
						     const struct state *state,
						     const struct operand *target,
						     struct prototype *storage, uint64_t *clobbered)
{
	if (operand_is_general(target)) {
		const struct value *value = &state->values[target->reg];

		return value->type ? prototype_of_type(value->type, storage) : NULL;
	}
	if (target->kind != OPERAND_MEMORY)
		return NULL;
	struct value address = solver_address(solver, state, target);
	struct field_ref field;
	const char *name;
	uint64_t local;
	uint8_t how;

	if (address.kind == VALUE_ADDRESS && !address.stride) {
		/* call *foo@GOTPCREL(%rip), with -fno-plt */
		if (elf_image_slot(solver->image, (uint64_t)address.offset, &name, &local) &&
		    solver->reader) {
			if (local)
				return debug_reader_prototype_at(solver->reader, local,
								 solver->code->insns[0].address);
			if (name)
				return debug_reader_prototype_named(solver->reader, name,
								    solver->code->insns[0].address);
		}
		struct value global;

		if (solver_global(solver, address.offset, &global))
			address = global;
	}
	if (address.kind != VALUE_POINTER ||
	    solver_field(solver, &address, 8, &field, &how) != REASON_NONE)
		return NULL;
	if (solver->options.kernel && solver->abi->callee_save_record &&
	    saves_all(solver->abi, &field))
		*clobbered = REG_BIT(solver->abi->call->results[0]);
	const struct type *type = field_scalar(field.type, field.offset, 8);

	return type ? prototype_of_type(type, storage) : NULL;
}

/* ---- arguments, results, clobbers */

static void note_argument(struct solver *solver, const struct value *value, const struct type *type)
{
	const struct type *pointee = type ? field_pointee(type) : NULL;

	/* most virtual bases are classes of a library, which are only declared */
	if (!pointee && type && value->origin && value->kind != VALUE_NUMBER &&
	    solver->origins.items[value->origin].virtual_base)
		pointee = field_named_class(type);
	if (pointee)
		solver_note_use(solver, value, pointee);
}

/* Notes an object that a call takes or returns in memory, `offset` bytes above the stack pointer.
 */
static void note_passed(struct solver *solver, const struct state *state, int64_t offset,
			const struct type *object, bool result)
{
	struct value place = value_displace(state->values[solver->arch->stack_pointer], offset);

	call_objects_note_passed(solver, &place, object, result);
}

static void note_arguments(struct solver *solver, const struct state *state,
			   const struct prototype *prototype)
{
	struct argument_walk walk;
	struct argument argument;

	/* the address for a result in memory is a hidden argument */
	if (arguments_return_in_memory(solver->abi, prototype)) {
		const struct value *place = &state->values[solver->abi->call->result_place];

		solver_note_use(solver, place, prototype->return_type);
		call_objects_note(solver, place, prototype->return_type, CALL_MAKES);
	}
	arguments_begin(&walk, solver->abi, prototype);
	for (bool first = true; arguments_next(&walk, &argument); first = false) {
		/* LLVM passes an object instead of the pointer to it if the function only reads it
		 * and all callers are known: the registers after it are then other ones */
		if (solver->abi->passing && walk.index > prototype->lost_parameter)
			break;
		const struct type *object = field_pointee(argument.type);

		if (solver->abi->flatten && argument.registers[0] != REG_NONE)
			go_note_slice(solver, state, &argument);
		if (solver->abi->flatten && argument.stack_offset >= 0)
			note_passed(solver, state, argument.stack_offset, argument.type, false);
		if (argument.registers[0] == REG_NONE || field_size(argument.type) != 8)
			continue;
		const struct value *value = &state->values[argument.registers[0]];

		note_argument(solver, value, argument.type);
		if (object)
			call_objects_note(solver, value, object,
					  first ? call_objects_role(prototype, object) : CALL_USES);
	}
	int64_t result = solver->abi->flatten ? arguments_flat_result(&walk) : -1;

	if (result >= 0)
		note_passed(solver, state, result, prototype->return_type, true);
}

/* Returns the value of a register that holds `size` bytes, from `offset` on, of an object of this
 * type. `key` is the key of the value's origin. */
static struct value part_of_value(struct solver *solver, const struct type *type, int64_t offset,
				  uint64_t size, uint64_t key)
{
	struct value unknown = origins_value(&solver->origins, key);
	const struct field_ref field = { type, offset };
	const struct type *scalar = type_strip(type);

	if (type_is_record(scalar) || scalar->kind == TYPE_ARRAY)
		type = field_scalar(type, offset, size);
	else if (offset)
		return unknown;
	if (!type && size == WORD && unknown.kind == VALUE_UNKNOWN)
		alternatives_note(solver, &unknown, &field);
	if (!type)
		return unknown;
	struct value value = value_of_type(type, HOW_TRACKED, origins_id(&solver->origins, key));

	if (rust_is_raw_memory(solver, &value))
		return unknown;
	return value.kind == VALUE_UNKNOWN && unknown.kind == VALUE_POINTER ? unknown : value;
}

/* Sets the registers of a result in an ABI that gives each scalar a register: the registers of
 * arguments, in their order. */
static void set_flattened(struct solver *solver, struct state *state, const struct type *type,
			  uint32_t insn)
{
	const struct convention *call = solver->abi->call;
	struct flat_part parts[FLAT_PARTS_MAX];
	size_t count = solver->abi->flatten(type, parts), next = 0;

	if (count == FLAT_IN_MEMORY || count == FLAT_UNKNOWN)
		return;
	for (size_t i = 0; i < count && next < call->argument_count; i++) {
		if (parts[i].vector)
			continue;
		uint8_t reg = call->arguments[next++];

		state->values[reg] = part_of_value(solver, type, parts[i].offset, parts[i].size,
						   origin_key_insn(insn, reg));
	}
}

static void set_result(struct solver *solver, struct state *state, const struct type *type,
		       struct value first_argument, uint32_t insn)
{
	const uint8_t *results = solver->abi->call->results;
	enum argument_class classes[2];
	uint64_t size = field_size(type);

	if (type_strip(type)->kind == TYPE_VOID)
		return;
	if (solver->abi->flatten) {
		set_flattened(solver, state, type, insn);
		return;
	}
	if (solver->abi->passing && solver->abi->passing(type, classes) != PASSED_BY_ADDRESS &&
	    !abi_classify(solver->abi, type, classes))
		return;
	if (solver->abi->by_address && !abi_classify(solver->abi, type, classes))
		return;
	if (!abi_classify(solver->abi, type, classes)) {
		/* The callee returns the address to which it wrote the result. */
		state->values[results[0]] = first_argument;
		return;
	}
	if (classes[0] == ARGUMENT_INTEGER)
		state->values[results[0]] = part_of_value(solver, type, 0, size < 8 ? size : 8,
							  origin_key_insn(insn, results[0]));
	rules_name_result(solver, type, &first_argument, &state->values[results[0]]);
	if (size == WORD && state->values[results[0]].kind == VALUE_UNKNOWN &&
	    state->values[results[0]].origin && field_is_word_record(type))
		alternatives_note_word(solver, state->values[results[0]].origin, type);
	if (classes[1] == ARGUMENT_INTEGER && size > 8) {
		uint8_t reg = classes[0] == ARGUMENT_INTEGER ? results[1] : results[0];

		state->values[reg] =
			part_of_value(solver, type, 8, size - 8, origin_key_insn(insn, reg));
	}
}

/* True if a repeated instruction of the call's block has left the register behind what it copied or
 * cleared, such as a record that is passed by value. No compiler counts an argument in this way. */
static bool is_left_over(const struct cfg *code, uint32_t index, uint8_t reg)
{
	const struct insn *insn = cfg_last_write(code, index, reg);

	return insn && insn->flags & FLAG_REPEAT;
}

static void escape_arguments(struct solver *solver, const struct state *state, uint32_t index,
			     bool has_length)
{
	const struct convention *call = solver->abi->call;
	const struct value *length = &state->values[call->arguments[2]];
	uint64_t size =
		has_length && value_is_constant(length) ? (uint64_t)length->offset : UINT64_MAX;

	for (size_t i = 0; i < call->argument_count; i++) {
		uint8_t reg = call->arguments[i];
		const struct value *value = &state->values[reg];

		if (value->kind == VALUE_FRAME && !is_left_over(solver->code, index, reg))
			solver_escape(solver, state, value, solver->code->insns[index].address,
				      size);
	}
}

/* A callee may change this many bytes below the stack pointer: more than any frame has. */
#define CALLEE_STACK_MAX (1 << 20)

static void kill_escaped(struct solver *solver, struct state *state)
{
	const struct value *sp = &state->values[solver->arch->stack_pointer];

	array_each (const struct escape, escape, solver->frame.escapes,
		    solver->frame.escape_count) {
		uint64_t size = escape->high == INT64_MAX ? (uint64_t)INT64_MAX
							  : (uint64_t)(escape->high - escape->low);

		/* A place on the stack has one type in Go. So the callee may make it point to
		 * another object, but not to one of another type. */
		if (escape->unnamed && solver->abi->goroutine_type)
			state_kill_scalars(state, escape->frame, escape->low, size);
		else
			state_kill(state, escape->frame, escape->low, size);
	}
	/* Memory below the stack pointer belongs to the callee. */
	if (sp->kind == VALUE_FRAME && !sp->stride && sp->offset > INT64_MIN + INT64_MAX / 4)
		state_kill(state, sp->frame, sp->offset - CALLEE_STACK_MAX, CALLEE_STACK_MAX);
}

/* Returns the runtime's function that a call goes to, if an argument names the type of its result;
 * NULL otherwise. */
static const struct typed_result *typed_result_of(struct solver *solver,
						  const struct call_cache *call)
{
	const struct abi *abi = solver->abi;
	const char *name = abi->typed_result_count
				   ? solver_callee_name(solver, call->prototype, call->target)
				   : NULL;

	for (size_t i = 0; name && i < abi->typed_result_count; i++) {
		const char *pattern = abi->typed_results[i].name;
		size_t length = strcspn(pattern, "*");

		if (strncmp(name, pattern, length) == 0 &&
		    (pattern[length] == '*' || !name[length]))
			return &abi->typed_results[i];
	}
	return NULL;
}

/* Returns the type that an argument of the call names; NULL: none does. */
static const struct type *named_by_argument(struct solver *solver, const struct state *state,
					    const struct typed_result *result)
{
	for (uint8_t i = 0; i < result->argument_count; i++) {
		uint8_t reg = solver->abi->call->arguments[result->arguments[i]];
		const struct value *word = &state->values[reg];
		const struct type *type =
			word->kind == VALUE_ADDRESS && !word->stride
				? debug_reader_go_type(solver->reader, (uint64_t)word->offset,
						       result->part)
				: NULL;

		if (type)
			return type_canonical(type);
	}
	return NULL;
}

/* A closure's code is loaded at most this many instructions before it is called. */
#define CLOSURE_REACH_MAX 24

/* Notes that the context register points to a closure, if the call's target was loaded from where
 * it points. Go's compiler calls function values like that. */
static void call_note_closure(struct solver *solver, const struct state *state, uint32_t index)
{
	const struct insn *insns = solver->code->insns;
	const struct operand *target = &insns[index].operands[0];
	uint32_t first = solver->code->blocks[cfg_block_of(solver->code, index)].first;
	uint8_t context = solver->abi->call->static_chain, holder = context;

	if (!solver->abi->goroutine_type || target->kind != OPERAND_REGISTER)
		return;
	for (uint32_t i = index; i-- > first && index - i <= CLOSURE_REACH_MAX;) {
		const struct operand *from = &insns[i].operands[1];
		bool move = insns[i].operation == OP_MOVE;

		if (insns[i].written & REG_BIT(holder)) {
			/* the closure was copied to the context register */
			if (!move || from->kind != OPERAND_REGISTER || from->size != 8)
				return;
			holder = from->reg;
			continue;
		}
		if (!(insns[i].written & REG_BIT(target->reg)))
			continue;
		if (!move || from->kind != OPERAND_MEMORY || from->base != holder ||
		    from->index != REG_NONE || from->value)
			return;
		const struct type *closure = solver_type_named(solver, GO_CLOSURE);

		if (closure)
			solver_note_use(solver, &state->values[context], closure);
		return;
	}
}

/* Sets the registers that a call may change to unknown values. */
static void forget_clobbered(struct solver *solver, struct state *state,
			     const struct call_cache *cache, uint32_t index, uint64_t clobbered)
{
	bits_each (reg, clobbered) {
		state->values[reg] = value_nothing;
		/* a result; the other registers hold nothing of use */
		if (reg == solver->abi->call->results[0] || cache->own_convention)
			state->values[reg] =
				origins_value(&solver->origins, origin_key_insn(index, reg));
	}
}

void solver_call(struct solver *solver, struct state *state, uint32_t index, bool tail)
{
	const struct call_cache *cache = solver_callee(solver, index);
	const struct prototype *prototype = cache->prototype;
	struct prototype storage;
	const struct convention *call = solver->abi->call;
	struct value first_argument = state->values[call->arguments[0]], variable;
	struct value slots = cache->descriptor ? value_address(cache->descriptor) : first_argument;
	uint64_t clobbered = cache->clobbered;
	const struct typed_result *typed = NULL;
	const struct type *named = NULL;
	const char *runtime = solver->abi->map_iteration_count && !tail
				      ? solver_callee_name(solver, cache->prototype, cache->target)
				      : NULL;

	if (solver->tags.on)
		tags_note_call(solver, state, index);
	if (solver->pass.gather && runtime)
		go_note_arguments(solver, state, runtime);
	if (cache->own_convention && !clobbered)
		return;
	if (solver->reader && !tail)
		typed = typed_result_of(solver, cache);
	if (typed)
		named = named_by_argument(solver, state, typed);
	const struct type *boxed = tail ? NULL : rust_boxed(solver, state, index);
	struct go_iteration iteration = { 0 };
	struct go_kept kept;
	struct spilled_values spilled;

	if (runtime)
		iteration = go_iteration_of(solver, state, runtime);
	if (cache->by_state)
		prototype = solver_virtual_callee(solver, state,
						  &solver->code->insns[index].operands[0]);
	if (cache->by_state && !prototype)
		prototype = solver_called_through(solver, state,
						  &solver->code->insns[index].operands[0], &storage,
						  &clobbered);
	if (solver->pass.gather && prototype && prototype->prototyped && !cache->clone)
		note_arguments(solver, state, prototype);
	if (solver->pass.gather && cache->by_state)
		call_note_closure(solver, state, index);
	if (tail)
		return;
	escape_arguments(solver, state, index, cache->has_length);
	go_iterators_keep(solver, state, &kept);
	spill_slots_keep(solver, state, &spilled);
	kill_escaped(solver, state);
	spill_slots_restore(state, &spilled);
	go_iterators_restore(state, &kept);
	go_iteration_begin(solver, state, &iteration);
	forget_clobbered(solver, state, cache, index, clobbered);
	if (runtime)
		go_write_barrier(solver, state, runtime, clobbered);
	bool keeps_result = !(clobbered & REG_BIT(call->results[0]));

	if (!keeps_result || !cache->own_convention)
		state->vectors = 0;
	if (keeps_result)
		return;
	if (cache->watched_frame)
		state->values[call->results[0]] = value_number(0);
	else if (named)
		state->values[call->results[0]] = value_pointer(named, 0, HOW_TRACKED);
	else if (boxed)
		state->values[call->results[0]] = value_pointer(boxed, 0, HOW_INFERRED);
	else if (cache->returns_first)
		state->values[call->results[0]] = first_argument;
	else if ((cache->thread_local_address || cache->descriptor) &&
		 solver_thread_local_slots(solver, &slots, &variable))
		state->values[call->results[0]] = variable;
	else if (prototype && prototype->return_type)
		set_result(solver, state, prototype->return_type, first_argument, index);
}

struct value solver_result_place(const struct solver *solver)
{
	const struct function *function = solver->function;
	const struct type *type =
		function && function->prototype ? function->prototype->return_type : NULL;

	if (!type || !type_is_record(type_strip(type)) || solver->abi->flatten ||
	    !arguments_return_in_memory(solver->abi, function->prototype) ||
	    solver_is_clone(solver, function->ranges[0].low))
		return value_unknown(0);
	const struct register_fact *fact = facts_register(
		&solver->facts, solver->abi->call->result_place, function->ranges[0].low);

	/* a variable is there, so the function is not called as it is declared */
	if (fact && fact->value.kind == VALUE_POINTER && !fact->not_at_entry &&
	    !field_same_type(fact->value.type, type))
		return value_unknown(0);
	return value_pointer(type_canonical(type), 0, HOW_TRACKED);
}

/* Adds the structs that are passed by value in memory, where the ABI puts them. The debug
 * information may have only the members that the code took out of them. */
void solver_stack_arguments(struct solver *solver)
{
	const struct function *function = solver->function;
	struct argument_walk walk;
	struct argument argument;
	bool added = false;

	if (!function || !function->prototype || !function->prototype->prototyped ||
	    !function->range_count || solver_is_clone(solver, function->ranges[0].low))
		return;
	arguments_begin(&walk, solver->abi, function->prototype);
	while (arguments_next(&walk, &argument)) {
		if (argument.stack_offset < 0 || !type_is_record(type_strip(argument.type)))
			continue;
		facts_add_stack(&solver->facts,
				&(struct stack_fact){ .high = UINT64_MAX,
						      .offset = argument.stack_offset,
						      .size = field_size(argument.type),
						      .base_reg = REG_NONE,
						      .variable = NO_VARIABLE,
						      .type = type_canonical(argument.type),
						      .how = HOW_TRACKED });
		added = true;
	}
	if (added)
		facts_index_stack(&solver->facts);
}

/* Itanium C++ ABI 5.1.4.2: _ZTh <offset> _ NAME and _ZTv <offset> _ <offset> _ NAME, whose offsets
 * are digits, with an `n` before negative ones. */
#define THUNK         "_ZTh"
#define VIRTUAL_THUNK "_ZTv"

/* Reads an offset and the '_' after it. Returns the text that follows, or NULL if there is none. */
static const char *thunk_offset(const char *text, int64_t *offset)
{
	bool negative = *text == 'n';
	char *end;

	text += negative;
	if (*text < '0' || *text > '9')
		return NULL;
	errno = 0;
	*offset = strtoll(text, &end, 10);
	if (errno || *end != '_')
		return NULL;
	if (negative)
		*offset = -*offset;
	return end + 1;
}

/* Returns the prototype of a mangled name without its "_Z". The variants of a destructor (D0, D1)
 * share the declaration of one of them. */
static const struct prototype *thunk_target(struct solver *solver, const char *name)
{
	static const char *const variants[] = { "D0Ev", "D1Ev", "D2Ev", "D4Ev" };
	uint64_t from = solver->code->insns[0].address;
	_cleanup_free_ char *target = xasprintf("_Z%s", name);
	size_t length = strlen(target);
	const struct prototype *found = debug_reader_prototype_named(solver->reader, target, from);

	for (size_t i = 0; !found && i < COUNT_OF(variants); i++) {
		if (length < 4 || target[length - 4] != 'D' ||
		    strcmp(target + length - 2, "Ev") != 0)
			break;
		memcpy(target + length - 4, variants[i], 4);
		found = debug_reader_prototype_named(solver->reader, target, from);
	}
	return found;
}

void solver_find_thunk(struct solver *solver)
{
	const struct symbol *symbol =
		elf_image_function_at(solver->image, solver->code->insns[0].address);
	const char *name = symbol ? symbol->name : "";
	struct method_thunk thunk = { 0 };

	if (starts_with(name, THUNK)) {
		name = thunk_offset(name + strlen(THUNK), &thunk.self);
		thunk.self = -thunk.self;
	} else if (starts_with(name, VIRTUAL_THUNK)) {
		int64_t ignored;

		name = thunk_offset(name + strlen(VIRTUAL_THUNK), &ignored);
		name = name ? thunk_offset(name, &ignored) : NULL;
		thunk.self_varies = true;
	} else {
		return;
	}
	thunk.prototype = name ? thunk_target(solver, name) : NULL;
	if (thunk.prototype && thunk.prototype->parameter_count &&
	    thunk.prototype->parameters[0].artificial)
		solver->thunk = thunk;
}

/* True if the argument is the address of a copy of the parameter. */
static bool is_copy(const struct prototype *prototype, const struct argument_walk *walk,
		    const struct argument *argument)
{
	const struct type *declared = prototype->parameters[walk->index - 1].type;

	return declared && type_is_record(type_strip(declared)) &&
	       type_is_pointer(type_strip(argument->type));
}

void solver_arguments(struct solver *solver, struct state *state)
{
	const struct function *function = solver->function;
	struct argument_walk walk;
	struct argument argument;

	const struct method_thunk *thunk = &solver->thunk;
	const struct prototype *prototype = thunk->prototype ? thunk->prototype
					    : function       ? function->prototype
							     : NULL;
	bool first = true;
	/* locations of variables tell the other ones; of a copy that is passed by its address, they
	 * tell the memory */
	bool only_copies = function && !thunk->prototype && !function->arguments_by_abi &&
			   !solver->facts.untracked;

	if (!prototype || !prototype->prototyped || (only_copies && !solver->abi->by_address))
		return;
	/* it is not known which parameters a clone still has */
	if (function && (solver->facts.untracked || only_copies) &&
	    solver_is_clone(solver, function->ranges[0].low))
		return;
	arguments_begin(&walk, solver->abi, prototype);
	for (; arguments_next(&walk, &argument); first = false) {
		uint64_t size = field_size(argument.type);

		if ((first && thunk->self_varies) ||
		    (only_copies && !is_copy(prototype, &walk, &argument)))
			continue;

		for (uint8_t i = 0; i < 2; i++) {
			uint8_t reg = argument.registers[i];

			if (reg != REG_NONE && size > 8 * (uint64_t)i)
				state->values[reg] = part_of_value(
					solver, argument.type, 8 * i,
					size - 8 * i < 8 ? size - 8 * i : 8, origin_key_entry(reg));
		}
		if (first && argument.registers[0] != REG_NONE &&
		    state->values[argument.registers[0]].kind == VALUE_POINTER)
			state->values[argument.registers[0]].offset += thunk->self;
		if (argument.stack_offset >= 0 && size == 8)
			state_store(state, FRAME_CFA, argument.stack_offset, 8,
				    value_of_type(argument.type, HOW_TRACKED, 0));
	}
}

void solver_goroutine(struct solver *solver, struct state *state)
{
	const char *name = solver->abi->goroutine_type;

	if (!solver->reader || solver->arch->goroutine == REG_NONE)
		return;
	const struct type *goroutine = solver_type_named(solver, name);

	if (goroutine)
		state->values[solver->arch->goroutine] = value_pointer(goroutine, 0, HOW_TRACKED);
}

void solver_return(struct solver *solver, struct state *state)
{
	if (!solver->pass.gather || !solver->function || !solver->function->prototype)
		return;
	const struct type *type =
		arguments_general_result(solver->abi, solver->function->prototype);
	const struct value *result = &state->values[solver->abi->call->results[0]];

	if (type && field_size(type) == 8)
		note_argument(solver, result, type);
	if (type)
		rust_note_return(solver, result);
}
