// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Rules about what Rust's library and LLVM hide: memory of the allocator, results in memory,
 * thread-local storage, nodes of B-trees, and indexes that a location takes for pointers.
 *
 * library/alloc/src/alloc.rs: __rust_alloc(size, align) and __rust_alloc_zeroed(size, align), whose
 * symbols are _RNv..._7___rustc12___rust_alloc. Box::new(), and through it Rc::new() and
 * Arc::new(), call them with the size of what they make.
 *
 * library/alloc/src/collections/btree/node.rs: an InternalNode<K, V> begins with a LeafNode<K, V>,
 * has the edges to its children after it, and is pointed to as a LeafNode<K, V>.
 */
#include "annotate/language/rust.h"

#include "annotate/types/field.h"
#include "base/memory.h"
#include "base/text.h"

static bool is_rust(const struct solver *solver)
{
	return solver->function && solver->function->language == LANGUAGE_RUST;
}

/* ---- STAGE_MEET */

/* References and NonNull are never 0 or near it. LLVM describes an index in bytes, which a loop
 * counts up from 0, as the pointer. */
bool rust_is_index(const struct solver *solver, const struct value *tracked)
{
	return is_rust(solver) && tracked->kind == VALUE_NUMBER &&
	       (value_is_null(tracked) || tracked->stride > 1);
}

/* ---- STAGE_BASE */

/* The ends of the mangled names of functions that allocate memory; their first argument is its
 * size. Later versions of Box::new() call the last one (library/alloc/src/boxed.rs). */
static const char *const allocators[] = { "__rust_alloc", "__rust_alloc_zeroed",
					  "5boxed14box_new_uninit" };

static bool is_allocator(const char *name)
{
	return any_of(i, 0, COUNT_OF(allocators), ends_with(name, allocators[i]));
}

/* Returns the name of the function that a call goes to, also through a slot that the dynamic linker
 * fills; NULL if it is not known. */
static const char *callee_symbol(const struct solver *solver, const struct insn *insn)
{
	const struct operand *target = &insn->operands[0];
	uint64_t address = 0;
	const char *name = NULL;

	if (target->kind == OPERAND_IMMEDIATE)
		address = (uint64_t)target->value;
	else if (target->kind != OPERAND_MEMORY || !target->pc_relative ||
		 !elf_image_slot(solver->image, (uint64_t)target->value, &name, &address))
		return NULL;
	const struct symbol *symbol =
		address ? elf_image_function_at(solver->image, address) : NULL;

	return symbol && symbol->address == address ? symbol->name : name;
}

/* Returns the type to which a function of this prototype returns a pointer, if it has `size` bytes,
 * and is more than a byte; NULL otherwise. */
static const struct type *boxed_by(const struct prototype *prototype, uint64_t size)
{
	const struct type *type =
		prototype && prototype->return_type ? field_pointee(prototype->return_type) : NULL;

	return type && size > 1 && field_size(type) == size ? type_canonical(type) : NULL;
}

/* Returns the type of `size` bytes for which the innermost function around the call returns a
 * pointer; NULL: none does. */
static const struct type *boxed_around(const struct function *function, uint64_t address,
				       uint64_t size)
{
	inlined_each (scope, function, address) {
		const struct type *type = boxed_by(scope->prototype, size);

		if (type)
			return type;
	}
	return boxed_by(function->prototype, size);
}

const struct type *rust_boxed(const struct solver *solver, const struct state *state,
			      uint32_t index)
{
	if (!solver->options.infer || !is_rust(solver))
		return NULL;
	const struct insn *insn = &solver->code->insns[index];
	const struct value *size = &state->values[solver->abi->call->arguments[0]];
	const char *name =
		value_is_constant(size) && size->offset > 0 ? callee_symbol(solver, insn) : NULL;

	if (!name || !is_allocator(name))
		return NULL;
	return boxed_around(solver->function, insn->address, (uint64_t)size->offset);
}

/* True if the debug information has a parameter in the register, or where it points, at the
 * function's entry. *first becomes true if it is the first parameter. */
static bool has_parameter_at_entry(const struct solver *solver, uint8_t reg, bool *first)
{
	const struct function *function = solver->function;
	uint64_t entry = function->range_count ? function->ranges[0].low : 0;

	array_each (const struct variable, variable, function->variables,
		    function->variable_count) {
		for (size_t j = 0; variable->flags & VARIABLE_PARAMETER && !variable->scope &&
				   j < variable->location_count;
		     j++) {
			const struct location *location = &variable->locations[j];

			if (entry >= location->low && entry < location->high &&
			    (location->kind == LOCATION_REGISTER ||
			     location->kind == LOCATION_MEMORY) &&
			    arch_reg_from_dwarf(solver->arch, location->reg) == reg) {
				*first = !variable->parameter_index;
				return true;
			}
		}
	}
	return false;
}

/* Rust returns a record of 9 to 16 bytes in two registers, or in memory whose address the caller
 * passes and gets back, depending on the version and on the record's parts. Larger ones are always
 * in memory (solver_result_place()). */
void rust_note_return(struct solver *solver, const struct value *result)
{
	const struct type *type = solver->function->prototype->return_type;
	uint64_t key = origin_key_entry(solver->abi->call->arguments[0]);

	if (!is_rust(solver) || !solver->options.infer || !type_is_record(type_strip(type)) ||
	    field_size(type) <= 8 || field_size(type) > 16)
		return;
	if (!origins_is(&solver->origins, result, key) || result->offset)
		solver->pass.returns = RETURNS_ANYTHING;
	else if (solver->pass.returns == RETURNS_NOTHING)
		solver->pass.returns = RETURNS_FIRST_ARGUMENT;
}

void rust_conclude_returns(struct solver *solver)
{
	const uint8_t *arguments = solver->abi->call->arguments;
	uint8_t first = arguments[0];
	bool is_first = false;

	/* LLVM leaves the address out of the result if no caller uses it. Then the place of the
	 * first parameter shows that another argument is before it. */
	if (solver->pass.returns == RETURNS_NOTHING ||
	    has_parameter_at_entry(solver, first, &is_first) ||
	    (solver->pass.returns != RETURNS_FIRST_ARGUMENT &&
	     !(has_parameter_at_entry(solver, arguments[1], &is_first) && is_first)))
		return;
	struct value place = origins_value(&solver->origins, origin_key_entry(first));

	solver_note_use(solver, &place, solver->function->prototype->return_type);
}

/* library/std/src/sys/thread_local/native: lazy::Storage and eager::Storage */
#define THREAD_LOCAL "std::sys::thread_local::"

/* Returns what the first parameter of a function of the library's thread-local storage points to,
 * if it has `size` bytes; NULL if it is no such function. */
static const struct type *storage_of(const struct prototype *prototype, uint64_t size)
{
	const struct type *type = prototype && prototype->parameter_count
					  ? field_pointee(prototype->parameters[0].type)
					  : NULL;
	const struct type *bare = type ? type_strip(type) : NULL;

	return bare && type_is_record(bare) && type_size_or(bare, 0) == size && bare->name &&
			       starts_with(bare->name, THREAD_LOCAL)
		       ? type_canonical(type)
		       : NULL;
}

bool rust_thread_local(struct solver *solver, int64_t offset, struct value *object)
{
	const struct symbol *symbols, *symbol = NULL;
	const struct type *found = NULL;
	size_t count;

	if (!is_rust(solver) || !solver->options.infer)
		return false;
	symbols = elf_image_tls_symbols(solver->image, &count);
	for (size_t i = 0; i < count && !symbol; i++)
		if (offset >= (int64_t)symbols[i].address &&
		    (uint64_t)offset - symbols[i].address < symbols[i].size)
			symbol = &symbols[i];
	for (size_t i = 0; symbol && i < solver->function->scope_count; i++) {
		const struct type *type =
			storage_of(solver->function->scopes[i].prototype, symbol->size);

		if (found && type && !field_same_type(found, type))
			return false;
		found = type ? type : found;
	}
	if (!found)
		return false;
	*object = value_pointer(found, offset - (int64_t)symbol->address, HOW_TLS);
	return true;
}

/* ---- STAGE_BEFORE */

/* library/core/src/ptr and sync/atomic.rs: functions that access one T through the *mut T or
 * *const T that is their first parameter. They are inlined into all code. */
static const char *const movers[] = { "write<", "read<", "atomic_" };

static bool is_mover(const char *name)
{
	return any_of(i, 0, COUNT_OF(movers), starts_with(name, movers[i]));
}

/* Returns what the first parameter of the scope's function points to; NULL: it has none. */
static const struct type *pointee_of_first(const struct scope *scope)
{
	return scope->prototype && scope->prototype->parameter_count
		       ? field_pointee(scope->prototype->parameters[0].type)
		       : NULL;
}

const struct type *rust_moved(const struct solver *solver, uint64_t address)
{
	if (!is_rust(solver))
		return NULL;
	inlined_each (scope, solver->function, address)
		return scope->name && is_mover(scope->name) ? pointee_of_first(scope) : NULL;
	return NULL;
}

static bool is_comparison(const char *name)
{
	return (starts_with(name, "eq") || starts_with(name, "ne")) && (!name[2] || name[2] == '<');
}

const struct type *rust_compared(const struct solver *solver, uint64_t address, uint64_t size)
{
	inlined_each (scope, solver->function, address) {
		const struct type *type =
			scope->name && is_comparison(scope->name) ? pointee_of_first(scope) : NULL;

		/* slices are compared by their elements */
		if (type && type_is_record(type_strip(type)) && field_size(type) == size &&
		    type_strip(type)->name && type_strip(type)->name[0] != '&')
			return type;
	}
	return NULL;
}

bool rust_is_raw_memory(const struct solver *solver, const struct value *value)
{
	const struct type *type = value->kind == VALUE_POINTER ? type_strip(value->type) : NULL;

	return type && solver->function && solver->function->language == LANGUAGE_RUST &&
	       type->kind == TYPE_INTEGER && type_size_or(type, 0) == 1 &&
	       !(type->flags & (TYPE_SIGNED | TYPE_BOOL));
}
