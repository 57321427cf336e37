// SPDX-License-Identifier: GPL-2.0-or-later
/* The functions that calls call: see code.h. */

#include "annotate/code/code.h"
#include "annotate/facts/abi.h"
#include "annotate/facts/bulk.h"
#include "annotate/flow/solver.h"
#include "annotate/types/field.h"
#include "disasm/cfg.h"
#include "base/memory.h"
#include "base/text.h"

/* True for the name of a part of a coroutine (llvm/lib/Transforms/Coroutines/CoroSplit.cpp): it is
 * called with the coroutine's frame, but is declared as the coroutine. */
static bool is_coroutine_part(const char *name)
{
	static const char *const ends[] = { ".resume", ".destroy", ".cleanup" };

	return any_of(i, 0, COUNT_OF(ends), ends_with(name, ends[i]));
}

bool solver_is_clone(const struct solver *solver, uint64_t target)
{
	static const char *const marks[] = { ".isra.",   ".constprop.", ".part.",  ".specialized.",
					     ".argprom", ".argelim",    ".retelim" };
	const struct symbol *symbol = target ? elf_image_function_at(solver->image, target) : NULL;

	/* in Go, dots are a part of every name */
	return symbol && symbol->address == target && !solver->abi->flatten &&
	       strchr(symbol->name, '.') &&
	       (any_of(i, 0, COUNT_OF(marks), strstr(symbol->name, marks[i])) ||
		is_coroutine_part(symbol->name));
}

static const struct prototype *declared_callee(struct solver *solver, const struct insn *insn,
					       uint64_t target)
{
	const struct call_site *site =
		solver->function
			? function_call_site(solver->function, insn->address + insn->length)
			: NULL;

	if (site && site->callee)
		return site->callee;
	if (!target || !solver->reader)
		return NULL;
	const struct prototype *prototype =
		debug_reader_prototype_at(solver->reader, target, insn->address);

	if (prototype)
		return prototype;
	const char *import = elf_image_plt_import(solver->image, target);

	return import ? debug_reader_prototype_named(solver->reader, import, insn->address) : NULL;
}

/* Functions of the C standard library that return their first argument (C11 7.24, POSIX). */
static bool returns_first_argument(const char *name)
{
	static const char *const names[] = {
		"memcpy",        "memmove",      "memset",       "strcpy",
		"strncpy",       "strcat",       "strncat",      "__memcpy_chk",
		"__memmove_chk", "__memset_chk", "__strcpy_chk", "__strcat_chk",
	};

	return strchr("ms_", name[0]) && any_of(i, 0, COUNT_OF(names), strcmp(name, names[i]) == 0);
}

/* True if a function that returns its first argument accesses as many bytes as its third argument
 * says, from each of the first two on, as compilers know: they call these without being asked. */
static bool has_length(const char *name)
{
	return starts_with(name + strspn(name, "_"), "mem");
}

/* The function that returns the address of a thread-local variable. Its argument points to two
 * slots, into which the dynamic linker puts the variable's module and offset (ELF Handling For
 * Thread-Local Storage, 4.1.6). */
#define THREAD_LOCAL_ADDRESS "__tls_get_addr"

/* How the names of AddressSanitizer's functions begin that give memory for variables. */
#define SANITIZER_FRAME "__asan_stack_malloc_"

const char *solver_callee_name(struct solver *solver, const struct prototype *prototype,
			       uint64_t target)
{
	const char *import = target ? elf_image_plt_import(solver->image, target) : NULL;
	const struct symbol *symbol;

	if (import)
		return import;
	if (prototype && prototype->name)
		return prototype->name;
	symbol = target ? elf_image_function_at(solver->image, target) : NULL;
	return symbol && (symbol->address == target || starts_with(symbol->name, GO_DEVICE))
		       ? symbol->name
		       : NULL;
}

/* Returns the address of the descriptor of a thread-local variable that a call's register or memory
 * operand comes from; 0: it comes from something else. The function of a descriptor changes only
 * the register of its result, and registers of no convention (ELF Handling For Thread-Local
 * Storage, TLS descriptors; AAELF64, "Thread-local storage"). */
static int64_t descriptor_of_call(const struct solver *solver, uint32_t index)
{
	const struct operand *callee = &solver->code->insns[index].operands[0];
	uint8_t reg = callee->kind == OPERAND_REGISTER                   ? callee->reg
		      : callee->kind == OPERAND_MEMORY && !callee->value ? callee->base
									 : REG_NONE;
	const struct insn *from = reg == REG_NONE ? NULL : cfg_last_write(solver->code, index, reg);
	const struct operand *slots = from ? &from->operands[1] : NULL;
	enum operation takes = callee->kind == OPERAND_MEMORY ? OP_LEA : OP_MOVE;
	const char *name;
	uint64_t offset;

	return slots && from->operation == takes && slots->kind == OPERAND_MEMORY &&
			       slots->pc_relative && slots->index == REG_NONE &&
			       elf_image_tls_slot(solver->image, (uint64_t)slots->value, &offset,
						  &name)
		       ? slots->value
		       : 0;
}

const struct call_cache *solver_callee(struct solver *solver, uint32_t index)
{
	struct call_cache *cache = &solver->tables.calls[index];
	const struct insn *insn = &solver->code->insns[index];

	if (cache->round >= solver->pass.first_round)
		return cache;
	*cache = (struct call_cache){ .round = solver->pass.round };
	if (insn->operands[0].kind == OPERAND_IMMEDIATE)
		cache->target = (uint64_t)insn->operands[0].value;
	cache->prototype = declared_callee(solver, insn, cache->target);
	cache->by_state = !cache->prototype && !cache->target;
	cache->clone = solver_is_clone(solver, cache->target);
	const char *name = solver_callee_name(solver, cache->prototype, cache->target);

	if (!name && insn->operands[0].pc_relative && insn->operands[0].kind == OPERAND_MEMORY)
		elf_image_slot(solver->image, (uint64_t)insn->operands[0].value, &name,
			       &(uint64_t){ 0 });
	cache->bulk = name ? bulk_function_named(name, solver->options.kernel) : NULL;
	cache->returns_first = name && returns_first_argument(name);
	cache->has_length = cache->returns_first && has_length(name);
	cache->thread_local_address = name && strcmp(name, THREAD_LOCAL_ADDRESS) == 0;
	cache->watched_frame = name && starts_with(name, SANITIZER_FRAME);
	cache->clobbered = solver->abi->call->clobbered;
	cache->own_convention =
		name && convention_of(solver->abi, name, solver->options.kernel, &cache->clobbered);
	cache->descriptor = cache->target ? 0 : descriptor_of_call(solver, index);
	if (cache->descriptor) {
		cache->own_convention = true;
		cache->clobbered = REG_BIT(solver->abi->call->results[0]);
	}
	if (!cache->own_convention)
		cache->clobbered &= ~kept_by_call(solver, index, cache->target, cache->prototype,
						  cache->clobbered);
	return cache;
}

/* Base classes are followed at most this far. */
#define BASES_MAX 16

/* Returns the virtual function in this slot of the table to which the first word of an object of
 * the class points; NULL: not known. The class itself declares it, or a base class at its start, at
 * most `depth` levels up. */
static const struct prototype *method_in(const struct solver *solver, const struct type *class,
					 uint64_t slot, int depth)
{
	const struct type *bare = type_strip(class);
	const struct prototype *method = debug_reader_virtual_method(solver->reader, bare, slot);

	members_each (member, type_members, bare)
		if (!method && depth && member->is_base && !member->offset &&
		    field_size(member->type))
			method = method_in(solver, member->type, slot, depth - 1);
	return method;
}

/* Returns the address from which the word `value` was loaded; NULL: it was not loaded, or that is
 * not known. */
static const struct value *callee_loaded_from(const struct solver *solver,
					      const struct value *value)
{
	uint32_t index;

	if ((value->kind != VALUE_POINTER && (value->kind != VALUE_UNKNOWN || value->offset)) ||
	    !value->origin || !origin_insn(&solver->origins.items[value->origin], &index))
		return NULL;
	const struct load_cache *load = &solver->tables.loads[index];

	return load->round == solver->pass.round && load->size == WORD ? &load->address : NULL;
}

const struct prototype *solver_virtual_callee(struct solver *solver, const struct state *state,
					      const struct operand *target)
{
	const struct value *place = NULL;
	struct value address;

	if (!solver->reader || !language_has(solver->function, FACT_VIRTUAL))
		return NULL;
	/* the function's address was loaded before, or the call loads it from the table */
	if (operand_is_general(target)) {
		place = callee_loaded_from(solver, &state->values[target->reg]);
	} else if (target->kind == OPERAND_MEMORY) {
		address = solver_address(solver, state, target);
		place = &address;
	}
	if (!place || place->kind != VALUE_POINTER || place->stride || place->offset < 0 ||
	    place->offset % WORD)
		return NULL;
	const struct virtual_table *table =
		debug_reader_virtual_table_of(solver->reader, place->type);

	return !table || place->offset < table->functions
		       ? NULL
		       : method_in(solver, table->class,
				   (uint64_t)(place->offset - table->functions) / WORD, BASES_MAX);
}
