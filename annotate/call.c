// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls: what arguments must be, what comes back, what is lost (System V psABI x86-64, 3.2.1 and 3.2.3). */
#include "annotate/solver.h"

#include <string.h>

#include "annotate/convention.h"
#include "annotate/place.h"
#include "annotate/rust.h"
#include "profiler/base/search.h"

static const uint8_t argument_registers[] = { REG_RDI, REG_RSI, REG_RDX, REG_RCX, REG_R8, REG_R9 };
#define ARGUMENT_REGISTERS (sizeof(argument_registers) / sizeof(*argument_registers))

enum argument_class { CLASS_NONE, CLASS_INTEGER, CLASS_SSE, CLASS_MEMORY };

/* The class of one eightbyte of a type of at most 16 bytes (psABI 3.2.3, "Classification"). */
static enum argument_class classify_part(const struct type *type, int64_t base, int64_t eightbyte,
					 unsigned int depth)
{
	const struct type *bare = type_strip(type);

	if (depth > 8)
		return CLASS_MEMORY;
	if (bare->kind == TYPE_ARRAY) {
		const struct type *element = type_target(bare);
		uint64_t size = element ? place_size(element) : 0;
		enum argument_class result = CLASS_NONE;

		for (uint64_t at = 0; size && at < bare->size; at += size) {
			enum argument_class part =
				classify_part(element, base + (int64_t)at, eightbyte, depth + 1);

			result = part > result || part == CLASS_INTEGER ? part : result;
		}
		return result;
	}
	if (!type_is_record(bare)) {
		if (base / 8 != eightbyte && !(bare->size > 8 && eightbyte > base / 8))
			return CLASS_NONE;
		if (bare->kind == TYPE_FLOAT)
			return bare->size > 8 ? CLASS_MEMORY : CLASS_SSE;
		return CLASS_INTEGER;
	}
	size_t count;
	const struct member *members = type_members(bare, &count);
	enum argument_class result = CLASS_NONE;

	for (size_t i = 0; i < count; i++) {
		enum argument_class part =
			classify_part(members[i].type, base + members[i].offset, eightbyte, depth + 1);

		if (part == CLASS_MEMORY || result == CLASS_MEMORY)
			result = CLASS_MEMORY;
		else if (part == CLASS_INTEGER || result == CLASS_INTEGER)
			result = CLASS_INTEGER;
		else if (part != CLASS_NONE)
			result = part;
	}
	return result;
}

/* Classes of the (up to two) eightbytes of a type; false: it goes in memory. */
static bool classify(const struct type *type, enum argument_class classes[2])
{
	uint64_t size = place_size(type);

	classes[0] = classes[1] = CLASS_NONE;
	if (size > 16)
		return false;
	classes[0] = classify_part(type, 0, 0, 0);
	if (size > 8)
		classes[1] = classify_part(type, 0, 1, 0);
	return classes[0] != CLASS_MEMORY && classes[1] != CLASS_MEMORY;
}

/* Compilers change the parameters of clones; the declaration then does not say what is in the registers. */
static bool is_clone(const struct solver *solver, uint64_t target)
{
	const struct symbol *symbol = target ? elf_image_function_at(solver->image, target) : NULL;

	return symbol && symbol->address == target &&
	       (strstr(symbol->name, ".isra.") || strstr(symbol->name, ".constprop.") ||
		strstr(symbol->name, ".part."));
}

static const struct call_site *find_call_site(const struct solver *solver, uint64_t return_address)
{
	if (!solver->function)
		return NULL;

	const struct call_site *sites = solver->function->call_sites;
	size_t count = solver->function->call_site_count;
	size_t index = partition_point(0, count, i, sites[i].return_address < return_address);

	return index < count && sites[index].return_address == return_address ? &sites[index] : NULL;
}

/* The function type behind a pointer to function, as a prototype in *storage. */
static const struct prototype *prototype_of_type(const struct type *type, struct prototype *storage)
{
	const struct type *bare = type ? type_strip(type) : NULL;

	if (bare && type_is_pointer(bare)) {
		const struct type *target = type_target(bare);

		bare = target ? type_strip(target) : NULL;
	}
	if (!bare || bare->kind != TYPE_FUNCTION)
		return NULL;
	*storage = (struct prototype){ .return_type = type_target(bare), .prototyped = true };
	storage->parameters = type_parameters(bare, &storage->parameter_count);
	storage->variadic = bare->flags & TYPE_VARIADIC;
	return storage;
}

/* A function that is called through struct paravirt_callee_save changes no register but that of its result
 * (arch/x86/include/asm/paravirt_types.h). */
static bool saves_all(const struct place *place)
{
	const struct type *record = place_innermost_record(place->type, place->offset);

	return record && record->name && strcmp(record->name, "paravirt_callee_save") == 0;
}

/* What the pointer that is called through is declared to point to; *clobbered are the registers that are
 * lost. */
static const struct prototype *called_through(struct solver *solver, const struct state *state,
					      const struct operand *target, struct prototype *storage,
					      uint64_t *clobbered)
{
	if (target->kind == OPERAND_REGISTER && reg_is_general(target->reg)) {
		const struct value *value = &state->values[target->reg];

		return value->type ? prototype_of_type(value->type, storage) : NULL;
	}
	if (target->kind != OPERAND_MEMORY)
		return NULL;
	struct value address = solver_address(solver, state, target);
	struct place place;
	const char *name;
	uint64_t local;
	uint8_t how;

	if (address.kind == VALUE_ADDRESS && !address.stride) {
		/* call *foo@GOTPCREL(%rip): -fno-plt */
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
	if (address.kind != VALUE_POINTER || solver_place(solver, &address, 8, &place, &how) != REASON_NONE)
		return NULL;
	if (solver->kernel && saves_all(&place))
		*clobbered = REG_BIT(REG_RAX);
	const struct type *type = place_scalar(place.type, place.offset, 8);

	return type ? prototype_of_type(type, storage) : NULL;
}

static const struct prototype *declared_callee(struct solver *solver, const struct insn *insn,
					       uint64_t target)
{
	const struct call_site *site = find_call_site(solver, insn->address + insn->length);

	if (site && site->callee)
		return site->callee;
	if (!target || !solver->reader)
		return NULL;
	const struct prototype *prototype = debug_reader_prototype_at(solver->reader, target, insn->address);

	if (prototype)
		return prototype;
	const char *import = elf_image_plt_import(solver->image, target);

	return import ? debug_reader_prototype_named(solver->reader, import, insn->address) : NULL;
}

static void note_argument(struct solver *solver, const struct value *value, const struct type *type)
{
	const struct type *pointee = type ? place_pointee(type) : NULL;

	if (pointee)
		solver_note_use(solver, value, pointee);
}

/* How one parameter is passed (psABI 3.2.3, "Passing"). */
struct argument {
	const struct type *type;
	uint8_t registers[2]; /* general ones, of its eightbytes; REG_NONE: this one is elsewhere */
	int64_t stack_offset; /* from the CFA, if it is passed in memory; else -1 */
};

struct argument_walk {
	const struct prototype *prototype;
	size_t index;  /* of the next parameter */
	size_t next;   /* of argument_registers */
	int64_t stack; /* taken in memory, from the CFA on */
};

/* A long double is not: it comes in an x87 register. */
static bool returns_in_memory(const struct prototype *prototype)
{
	enum argument_class classes[2];

	return prototype->return_type && type_is_record(type_strip(prototype->return_type)) &&
	       !classify(prototype->return_type, classes);
}

static void walk_arguments(struct argument_walk *walk, const struct prototype *prototype)
{
	*walk = (struct argument_walk){ .prototype = prototype };
	if (returns_in_memory(prototype))
		walk->next++; /* rdi is where the result goes */
}

static bool next_argument(struct argument_walk *walk, struct argument *argument)
{
	enum argument_class classes[2];

	if (walk->index >= walk->prototype->parameter_count)
		return false;
	*argument = (struct argument){ .type = walk->prototype->parameters[walk->index++].type,
				       .registers = { REG_NONE, REG_NONE },
				       .stack_offset = -1 };

	bool in_registers = classify(argument->type, classes);
	size_t wanted = (size_t)(classes[0] == CLASS_INTEGER) + (classes[1] == CLASS_INTEGER);

	if (!in_registers || walk->next + wanted > ARGUMENT_REGISTERS) {
		argument->stack_offset = walk->stack;
		walk->stack += (int64_t)((place_size(argument->type) + 7) & ~(uint64_t)7);
		return true;
	}
	for (size_t i = 0; i < 2; i++) {
		if (classes[i] == CLASS_INTEGER)
			argument->registers[i] = argument_registers[walk->next++];
	}
	return true;
}

static void note_arguments(struct solver *solver, const struct state *state,
			   const struct prototype *prototype)
{
	struct argument_walk walk;
	struct argument argument;

	/* psABI 3.2.3, "Returning of Values": the address of the room for a result in memory is a hidden
	 * first argument */
	if (returns_in_memory(prototype))
		solver_note_use(solver, &state->values[REG_RDI], prototype->return_type);
	walk_arguments(&walk, prototype);
	while (next_argument(&walk, &argument)) {
		if (argument.registers[0] != REG_NONE && place_size(argument.type) == 8)
			note_argument(solver, &state->values[argument.registers[0]], argument.type);
	}
}

/* A register that has `size` bytes of a value of this type, from `offset` on; `key` is that of its origin. */
static struct value part_of_value(struct solver *solver, const struct type *type, int64_t offset,
				  uint64_t size, uint64_t key)
{
	struct value unknown = origins_value(&solver->origins, key);
	const struct type *scalar = type_strip(type);

	if (type_is_record(scalar) || scalar->kind == TYPE_ARRAY)
		type = place_scalar(type, offset, size);
	else if (offset)
		return unknown;
	if (!type)
		return unknown;
	struct value value = value_of_type(type, HOW_TRACKED, origins_id(&solver->origins, key));

	if (rust_is_raw_memory(solver, &value))
		return unknown;
	return value.kind == VALUE_UNKNOWN && unknown.kind == VALUE_POINTER ? unknown : value;
}

static void set_result(struct solver *solver, struct state *state, const struct type *type,
		       struct value first_argument, uint32_t insn)
{
	enum argument_class classes[2];
	uint64_t size = place_size(type);

	if (type_strip(type)->kind == TYPE_VOID)
		return;
	if (!classify(type, classes)) {
		/* the address that was passed in rdi comes back in rax (psABI 3.2.3, "Returning of Values")
		 */
		state->values[REG_RAX] = first_argument;
		return;
	}
	if (classes[0] == CLASS_INTEGER)
		state->values[REG_RAX] =
			part_of_value(solver, type, 0, size < 8 ? size : 8, origin_key_insn(insn, REG_RAX));
	if (classes[1] == CLASS_INTEGER) {
		uint8_t reg = classes[0] == CLASS_INTEGER ? REG_RDX : REG_RAX;

		state->values[reg] = part_of_value(solver, type, 8, size - 8, origin_key_insn(insn, reg));
	}
}

/* Functions of the C standard library that return their first argument (C11 7.24, POSIX). */
static bool returns_first_argument(const char *name)
{
	static const char *const names[] = {
		"memcpy",  "memmove",      "memset",        "strcpy",       "strncpy",      "strcat",
		"strncat", "__memcpy_chk", "__memmove_chk", "__memset_chk", "__strcpy_chk", "__strcat_chk",
	};

	for (size_t i = 0; strchr("ms_", name[0]) && i < sizeof(names) / sizeof(*names); i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

static const char *callee_name(struct solver *solver, const struct prototype *prototype, uint64_t target)
{
	const char *import = target ? elf_image_plt_import(solver->image, target) : NULL;
	const struct symbol *symbol;

	if (import)
		return import;
	if (prototype && prototype->name)
		return prototype->name;
	symbol = target ? elf_image_function_at(solver->image, target) : NULL;
	return symbol && symbol->address == target ? symbol->name : NULL;
}

static const struct call_memo *find_call(struct solver *solver, uint32_t index)
{
	struct call_memo *memo = &solver->calls[index];
	const struct insn *insn = &solver->code->insns[index];

	if (memo->round >= solver->first_round)
		return memo;
	*memo = (struct call_memo){ .round = solver->round };
	if (insn->operands[0].kind == OPERAND_IMMEDIATE)
		memo->target = (uint64_t)insn->operands[0].value;
	memo->prototype = declared_callee(solver, insn, memo->target);
	memo->by_state = !memo->prototype && !memo->target;
	memo->clone = is_clone(solver, memo->target);
	const char *name = callee_name(solver, memo->prototype, memo->target);

	memo->returns_first = name && returns_first_argument(name);
	memo->clobbered = CALL_CLOBBERED;
	memo->own_convention = name && convention_of(name, solver->kernel, &memo->clobbered);
	return memo;
}

static void escape_arguments(struct solver *solver, const struct state *state, uint64_t address)
{
	for (size_t i = 0; i < ARGUMENT_REGISTERS; i++)
		solver_escape(solver, state, &state->values[argument_registers[i]], address);
}

static void kill_escaped(struct solver *solver, struct state *state)
{
	const struct value *rsp = &state->values[REG_RSP];

	for (uint32_t i = 0; i < solver->escape_count; i++) {
		const struct escape *escape = &solver->escapes[i];
		uint64_t size = escape->high == INT64_MAX ? (uint64_t)INT64_MAX
							  : (uint64_t)(escape->high - escape->low);

		state_kill(state, escape->frame, escape->low, size);
	}
	/* what lies below the stack pointer is the callee's */
	if (rsp->kind == VALUE_FRAME && !rsp->stride && rsp->offset > INT64_MIN + INT64_MAX / 4)
		state_kill(state, rsp->frame, rsp->offset - (1 << 20), 1 << 20);
}

void solver_call(struct solver *solver, struct state *state, uint32_t index, bool tail)
{
	const struct call_memo *memo = find_call(solver, index);
	const struct prototype *prototype = memo->prototype;
	struct prototype storage;
	struct value first_argument = state->values[REG_RDI];
	uint64_t clobbered = memo->clobbered;

	if (memo->own_convention && !clobbered)
		return;
	if (memo->by_state)
		prototype = called_through(solver, state, &solver->code->insns[index].operands[0], &storage,
					   &clobbered);
	if (solver->gather && prototype && prototype->prototyped && !memo->clone)
		note_arguments(solver, state, prototype);
	if (tail)
		return;
	escape_arguments(solver, state, solver->code->insns[index].address);
	kill_escaped(solver, state);
	for (uint64_t left = clobbered; left; left &= left - 1) {
		uint8_t reg = (uint8_t)__builtin_ctzll(left);

		state->values[reg] = value_unknown(0);
		/* a result; what the ABI leaves behind in the others is nobody's */
		if (reg == REG_RAX || memo->own_convention)
			state->values[reg] = origins_value(&solver->origins, origin_key_insn(index, reg));
	}
	if (!(clobbered & REG_BIT(REG_RAX)))
		return;
	state->vectors = 0;
	if (memo->returns_first)
		state->values[REG_RAX] = first_argument;
	else if (prototype && prototype->return_type)
		set_result(solver, state, prototype->return_type, first_argument, index);
}

struct value solver_result_place(const struct solver *solver)
{
	enum argument_class classes[2];
	const struct function *function = solver->function;
	const struct type *type = function && function->prototype ? function->prototype->return_type : NULL;

	if (!type || !type_is_record(type_strip(type)) || classify(type, classes) ||
	    is_clone(solver, function->ranges[0].low))
		return value_unknown(0);
	return value_pointer(type_canonical(type), 0, HOW_TRACKED);
}

/*
 * Structs that the caller passes by value in memory are at a place that the ABI gives, also where the debug
 * information has only the members that the code took out of them.
 */
void solver_stack_arguments(struct solver *solver)
{
	const struct function *function = solver->function;
	struct argument_walk walk;
	struct argument argument;
	bool added = false;

	if (!function || !function->prototype || !function->prototype->prototyped || !function->range_count ||
	    is_clone(solver, function->ranges[0].low))
		return;
	walk_arguments(&walk, function->prototype);
	while (next_argument(&walk, &argument)) {
		if (argument.stack_offset < 0 || !type_is_record(type_strip(argument.type)))
			continue;
		facts_add_stack(&solver->facts, &(struct stack_fact){ .high = UINT64_MAX,
								      .offset = argument.stack_offset,
								      .size = place_size(argument.type),
								      .base_reg = REG_NONE,
								      .variable = NO_VARIABLE,
								      .type = type_canonical(argument.type),
								      .how = HOW_TRACKED });
		added = true;
	}
	if (added)
		facts_index_stack(&solver->facts);
}

void solver_arguments(struct solver *solver, struct state *state)
{
	const struct function *function = solver->function;
	struct argument_walk walk;
	struct argument argument;

	if (!function || !function->arguments_by_abi || !function->prototype ||
	    !function->prototype->prototyped)
		return;
	walk_arguments(&walk, function->prototype);
	while (next_argument(&walk, &argument)) {
		uint64_t size = place_size(argument.type);

		for (uint8_t i = 0; i < 2; i++) {
			uint8_t reg = argument.registers[i];

			if (reg != REG_NONE)
				state->values[reg] = part_of_value(solver, argument.type, 8 * i,
								   size - 8 * i < 8 ? size - 8 * i : 8,
								   origin_key_entry(reg));
		}
		if (argument.stack_offset >= 0 && size == 8)
			state_store(state, FRAME_CFA, argument.stack_offset, 8,
				    value_of_type(argument.type, HOW_TRACKED, 0));
	}
}

void solver_return(struct solver *solver, struct state *state)
{
	if (!solver->gather || !solver->function || !solver->function->prototype)
		return;
	const struct type *type = solver->function->prototype->return_type;

	if (type && place_size(type) == 8)
		note_argument(solver, &state->values[REG_RAX], type);
}
