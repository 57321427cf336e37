// SPDX-License-Identifier: GPL-2.0-or-later
/* Objects at fixed addresses: global, thread-local and per-cpu variables; objects that the compiler
 * made, which have no variable; and the slots of the global offset table with their addresses. */

#include "annotate/cxx/virtual_table.h"
#include "annotate/flow/solver.h"
#include "annotate/language/go.h"
#include "annotate/language/rust.h"
#include "annotate/objects/objects.h"
#include "annotate/types/field.h"
#include "annotate/types/flexible_array.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/text.h"

/* How the names of objects end that LLVM put in the place of an allocation. */
#define BODY ".body"

/*
 * Finds the object at an address that has a symbol NAME.body. If an allocation
 * is made only once and its address is kept only in the static pointer NAME, LLVM replaces it by
 * this object (llvm/lib/Transforms/IPO/GlobalOpt.cpp). The debug information then has the pointer
 * without a place. False: there is no such symbol.
 */
static bool allocated_once(struct solver *solver, int64_t address, struct value *pointer)
{
	const struct symbol *symbol =
		solver->reader ? elf_image_object_at(solver->image, (uint64_t)address) : NULL;
	const char *end = symbol ? strrchr(symbol->name, '.') : NULL;
	struct global variable;

	if (!end || strcmp(end, BODY) != 0)
		return false;
	_cleanup_free_ char *name = xstrndup(symbol->name, (size_t)(end - symbol->name));
	const struct type *object =
		debug_reader_global_named(solver->reader, name, solver->code->insns[0].address,
					  &variable) &&
				variable.type
			? field_pointee(variable.type)
			: NULL;

	uint64_t size;

	if (!object || !symbol->size || !type_size(object, &size) || !size || symbol->size % size)
		return false;
	*pointer = value_pointer(object, address - (int64_t)symbol->address, HOW_INFERRED);
	return true;
}

/* The answer for one address in a function. States ask about it again whenever they are joined. */
struct known_global {
	uint64_t address;
	uint64_t function; /* its first instruction; 0: an empty entry */
	bool found;
	struct global global;
};

#define GLOBAL_BITS 8

/* Returns the variable that is declared at an address, as debug_reader_global_at() finds it; NULL:
 * there is none. It is valid until the next call. */
static const struct global *declared_global(struct solver *solver, uint64_t address)
{
	uint64_t function = solver->code->insns[0].address;

	if (!solver->reader)
		return NULL;
	if (!solver->caches.globals)
		solver->caches.globals = xcalloc(1 << GLOBAL_BITS, sizeof(*solver->caches.globals));
	struct known_global *known =
		&solver->caches.globals[hash_mix(address ^ function << 20) >> (64 - GLOBAL_BITS)];

	if (known->address != address || known->function != function || !function) {
		known->address = address;
		known->function = function;
		known->found =
			debug_reader_global_at(solver->reader, address, function, &known->global) &&
			known->global.type;
	}
	return known->found ? &known->global : NULL;
}

/* Returns how far into the variable an address in it, or in this piece of it, is. */
static int64_t offset_in_global(const struct global *global, int64_t address)
{
	return address - (int64_t)global->address + (int64_t)global->piece_offset;
}

bool solver_global(struct solver *solver, int64_t address, struct value *pointer)
{
	const struct global *global = declared_global(solver, (uint64_t)address);

	if (global) {
		*pointer = value_pointer(type_canonical(global->type),
					 offset_in_global(global, address), HOW_GLOBAL);
		return true;
	}
	const struct object_use *use = object_uses_find(solver, address);

	if (use) {
		*pointer = value_pointer(use->type, address - use->offset, HOW_INFERRED);
		return true;
	}
	if (allocated_once(solver, address, pointer) || virtual_table_at(solver, address, pointer))
		return true;
	if (go_symbol(solver, address, pointer))
		return true;
	/* a string literal, which is no variable itself */
	const struct type *pointed = facts_at_address(&solver->facts, address);

	if (pointed)
		*pointer = value_pointer(pointed, 0, HOW_VARIABLE);
	return pointed;
}

/* The most static objects of one function that are listed: each new one is compared with them. */
#define NAMED_OBJECTS_MAX 256

/* Static objects whose addresses a function's code has. */
struct named_objects {
	struct {
		uint64_t address;
		struct field_ref field; /* the variable, and where in it */
	} items[NAMED_OBJECTS_MAX];
	size_t count;
};

static void note_object(struct solver *solver, struct named_objects *named, int64_t number)
{
	struct value object;

	if (named->count == NAMED_OBJECTS_MAX ||
	    any_of(i, 0, named->count, named->items[i].address == (uint64_t)number) ||
	    !solver_global(solver, number, &object))
		return;
	named->items[named->count].address = (uint64_t)number;
	named->items[named->count++].field = (struct field_ref){ object.type, object.offset };
}

/* True if both addresses are a kernel's, or both a program's. In a kernel, small numbers are no
 * addresses but those of variables of each processor, which no pointer has. */
static bool is_in_same_half(int64_t a, int64_t b)
{
	return (a < 0) == (b < 0);
}

static struct named_objects *list_named(struct solver *solver)
{
	const struct cfg *code = solver->code;
	struct named_objects *named = xmalloc(sizeof(*named));

	named->count = 0;
	array_each (const struct insn, insn, code->insns, code->insn_count)
		array_each (const struct operand, operand, insn->operands, insn->operand_count)
			if ((operand->kind == OPERAND_MEMORY && operand->absolute &&
			     !operand->read && !operand->write && operand->index == REG_NONE) ||
			    (operand->kind == OPERAND_IMMEDIATE && solver->options.image_is_fixed &&
			     is_in_same_half(operand->value, (int64_t)code->insns[0].address)))
				note_object(solver, named, operand->value);
	return named;
}

size_t solver_static_records(struct solver *solver, const struct type *record, size_t most,
			     uint64_t *addresses)
{
	size_t count = 0;

	if (!solver->caches.named)
		solver->caches.named = list_named(solver);
	for (size_t i = 0; i < solver->caches.named->count && count < most; i++) {
		const struct field_ref *field = &solver->caches.named->items[i].field;

		if ((!field->offset && field_same_type(field->type, record)) ||
		    field_contains(field->type, field->offset, record))
			addresses[count++] = solver->caches.named->items[i].address;
	}
	return count;
}

/* Returns the size of the elements if the type is an array; 0: it is none. */
static uint64_t fixed_object_element_size(const struct type *type)
{
	const struct type *bare = type_strip(type);

	return bare->kind == TYPE_ARRAY ? field_size(type_target(bare)) : 0;
}

/*
 * Finds the nearest array that begins a few elements after an address, if an
 * index is added to it, and the address is not in the *pointer that was found (NULL: none was) for
 * another index. Indices count from 1 in Fortran and Pascal, and in loops over array[i - 1]. True
 * if *pointer and *at were set.
 */
static bool from_one(struct solver *solver, const struct value *address, bool found,
		     struct value *pointer, int64_t *at)
{
	const int64_t stride = address->stride;

	if (address->displaced || address->steps[0] || !stride ||
	    (found &&
	     (stride % (fixed_object_element_size(pointer->type) ?: UINT64_MAX) == 0 ||
	      field_in_array(pointer->type, pointer->offset, address->stride, ARRAY_OF_ELEMENTS))))
		return false;
	for (int64_t before = stride; before <= FIELD_ELEMENTS_BEFORE_MAX * stride;
	     before += stride) {
		struct value next;

		if ((found && pointer->offset + before < (int64_t)field_size(pointer->type)) ||
		    !solver_global(solver, address->offset + before, &next) ||
		    next.how != HOW_GLOBAL || next.offset >= stride ||
		    stride % (fixed_object_element_size(next.type) ?: UINT64_MAX))
			continue;
		*pointer = next;
		*at = address->offset + before;
		return true;
	}
	return false;
}

bool solver_indexed_global(struct solver *solver, const struct value *address,
			   struct value *pointer, int64_t *at)
{
	/* &array[0] - 16 with an index that begins at 1 is an address in the array, although the
	 * constant alone is one in the object before it */
	*at = address->offset - (address->stride ? address->displaced : 0);

	bool found = solver_global(solver, *at, pointer);

	if (found && address->stride)
		pointer->offset += address->displaced;
	/* an operand's constant may be &array[0] - 16, before the array or in the object before it
	 */
	if (address->stride && address->displaced > 0 &&
	    (!found || pointer->offset >= (int64_t)field_size(pointer->type)) &&
	    solver_global(solver, address->offset, pointer)) {
		*at = address->offset;
		found = true;
	}
	if (!from_one(solver, address, found, pointer, at) && !found)
		return false;
	value_take_strides(pointer, address);
	return true;
}

/* Finds the variable that a symbol places at an offset in the thread-local block: gcc for arm64
 * (12) describes thread-local variables without their locations. */
static bool thread_local_symbol(struct solver *solver, const struct value *address,
				struct value *object)
{
	size_t count;
	const struct symbol *symbols = elf_image_tls_symbols(solver->image, &count);
	struct global global;

	for (size_t i = 0; i < count; i++) {
		int64_t offset = address->offset - (int64_t)symbols[i].address;

		if (offset < 0 || (uint64_t)offset >= symbols[i].size)
			continue;
		if (!debug_reader_global_named(solver->reader, symbols[i].name,
					       solver->code->insns[0].address, &global) ||
		    !global.type || field_size(global.type) != symbols[i].size)
			return false;
		*object = value_pointer(type_canonical(global.type), offset, HOW_TLS);
		value_take_strides(object, address);
		return true;
	}
	return false;
}

/* Finds the variable at an offset in the thread-local block of this DSO. False: there is none. */
static bool thread_local_object(struct solver *solver, const struct value *address,
				struct value *object)
{
	struct global global;
	bool found = false;
	int64_t before = 0;

	/* array[i - 2] of an array near the variable's start */
	for (unsigned int i = 0; solver->reader && !found && i <= FIELD_ELEMENTS_BEFORE_MAX; i++) {
		before = i * (int64_t)address->stride;
		found = (!i || before) &&
			debug_reader_tls_at(solver->reader, (uint64_t)(address->offset + before),
					    &global) &&
			global.type;
	}
	if (!found)
		return rust_thread_local(solver, address->offset, object) ||
		       (solver->reader && thread_local_symbol(solver, address, object));
	*object = value_pointer(type_canonical(global.type),
				offset_in_global(&global, address->offset + before) - before,
				HOW_TLS);
	value_take_strides(object, address);
	return true;
}

/* Finds the per-cpu variable whose address in the DSO this is; each processor has a copy of it.
 * False: there is none. */
static bool per_cpu_object(struct solver *solver, struct value address, struct value *object)
{
	struct elf_section section;
	int64_t at;

	if (!elf_image_section_at(solver->image, (uint64_t)address.offset, &section) ||
	    !section.per_cpu)
		return false;
	address.kind = VALUE_ADDRESS;
	if (!solver_indexed_global(solver, &address, object, &at))
		return false;
	object->how = HOW_PER_CPU;
	return true;
}

bool solver_fixed_object(struct solver *solver, const struct value *address, struct value *object)
{
	int64_t at;

	if (address->kind == VALUE_ADDRESS)
		return solver_indexed_global(solver, address, object, &at);
	if (address->kind != VALUE_FRAME)
		return false;
	if (address->frame == FRAME_TLS)
		return thread_local_object(solver, address, object);
	return address->frame == FRAME_PER_CPU && per_cpu_object(solver, *address, object);
}

struct value solver_join_addresses(struct solver *solver, struct value a, struct value b,
				   uint32_t phi)
{
	struct value pointer;
	bool globals = a.kind == VALUE_ADDRESS && b.kind == VALUE_ADDRESS;

	if ((globals || (a.kind == VALUE_ADDRESS && b.kind == VALUE_POINTER)) &&
	    solver_global(solver, a.offset, &pointer)) {
		struct value other;

		if (!globals || (solver_global(solver, b.offset, &other) &&
				 (other.type != pointer.type ||
				  other.offset - pointer.offset != b.offset - a.offset))) {
			value_take_strides(&pointer, &a);
			a = pointer;
		}
	}
	if (b.kind == VALUE_ADDRESS && a.kind == VALUE_POINTER &&
	    solver_global(solver, b.offset, &pointer)) {
		value_take_strides(&pointer, &b);
		b = pointer;
	}
	return value_join(&a, &b, phi);
}

/* Finds a variable, or virtual table, of another DSO by its name. False: nothing is known of it. */
static bool declared_object(struct solver *solver, const char *name, struct value *value)
{
	struct global global;

	if (!name || !solver->reader ||
	    !debug_reader_global_named(solver->reader, name, solver->code->insns[0].address,
				       &global) ||
	    !global.type)
		return virtual_table_imported(solver, name, value);
	*value = value_pointer(type_canonical(global.type), 0, HOW_GLOBAL);
	return true;
}

/* Finds the thread-local variable at `offset` in the block of this DSO. If the offset is
 * ELF_TLS_ELSEWHERE, finds the one of this name in another DSO. False: nothing is known of it. */
static bool thread_local_named(struct solver *solver, uint64_t offset, const char *name,
			       struct value *value)
{
	*value = value_frame(FRAME_TLS, (int64_t)offset);
	return offset != ELF_TLS_ELSEWHERE || declared_object(solver, name, value);
}

bool solver_thread_local_slots(struct solver *solver, const struct value *slots,
			       struct value *variable)
{
	const char *name;
	uint64_t offset;

	return slots->kind == VALUE_ADDRESS && !slots->stride &&
	       elf_image_tls_slot(solver->image, (uint64_t)slots->offset, &offset, &name) &&
	       thread_local_named(solver, offset, name, variable);
}

bool solver_slot(struct solver *solver, int64_t address, struct value *value)
{
	const char *name;
	uint64_t target;

	if (elf_image_tls_slot(solver->image, (uint64_t)address, &target, &name))
		return thread_local_named(solver, target, name, value);
	struct elf_section section;

	if (!elf_image_section_at(solver->image, (uint64_t)address, &section) || !section.name ||
	    !starts_with(section.name, ".got") ||
	    !elf_image_slot(solver->image, (uint64_t)address, &name, &target))
		return false;
	if (target) {
		*value = value_address((int64_t)target);
		return true;
	}
	return declared_object(solver, name, value);
}

bool solver_got_entry(struct solver *solver, int64_t address, struct value *value)
{
	struct value held;
	const char *name;
	uint64_t offset;

	if (elf_image_tls_slot(solver->image, (uint64_t)address, &offset, &name) ||
	    !solver_slot(solver, address, &held))
		return false;
	if (held.kind == VALUE_ADDRESS && !solver_global(solver, held.offset, &held))
		return false;
	if (held.kind != VALUE_POINTER)
		return false;
	*value = value_pointer(type_canonical(type_pointer_to(held.type)), 0, HOW_GLOBAL);
	return true;
}
