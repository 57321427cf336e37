// SPDX-License-Identifier: GPL-2.0-or-later
/* What a call calls: by the call site, the symbol, or the pointer that it goes through. */
#include "annotate/solver.h"

#include <string.h>

#include "annotate/convention.h"
#include "annotate/place.h"

bool solver_is_clone(const struct solver *solver, uint64_t target)
{
	const struct symbol *symbol = target ? elf_image_function_at(solver->image, target) : NULL;

	return symbol && symbol->address == target && strchr(symbol->name, '.') &&
	       (strstr(symbol->name, ".isra.") || strstr(symbol->name, ".constprop.") ||
		strstr(symbol->name, ".part."));
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

const struct prototype *solver_called_through(struct solver *solver, const struct state *state,
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
	const struct call_site *site =
		solver->function ? function_call_site(solver->function, insn->address + insn->length) : NULL;

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

const struct call_memo *solver_callee(struct solver *solver, uint32_t index)
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
	memo->clone = solver_is_clone(solver, memo->target);
	const char *name = callee_name(solver, memo->prototype, memo->target);

	memo->returns_first = name && returns_first_argument(name);
	memo->clobbered = CALL_CLOBBERED;
	memo->own_convention = name && convention_of(name, solver->kernel, &memo->clobbered);
	return memo;
}
