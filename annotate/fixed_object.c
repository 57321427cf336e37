// SPDX-License-Identifier: GPL-2.0-or-later
/* What lies at an address that is fixed, for all or for this thread or processor. */
#include "annotate/solver.h"

bool solver_global(struct solver *solver, int64_t address, struct value *pointer)
{
	struct global global;

	if (solver->reader &&
	    debug_reader_global_at(solver->reader, (uint64_t)address, solver->code->insns[0].address,
				   &global) &&
	    global.type) {
		*pointer = value_pointer(type_canonical(global.type), address - (int64_t)global.address,
					 HOW_GLOBAL);
		return true;
	}
	const struct object_use *use = object_uses_find(solver, address);

	if (use) {
		*pointer = value_pointer(use->type, address - use->offset, HOW_INFERRED);
		return true;
	}
	/* a text, which is no variable itself */
	const struct type *pointed = facts_at_address(&solver->facts, address);

	if (pointed)
		*pointer = value_pointer(pointed, 0, HOW_VARIABLE);
	return pointed;
}

bool solver_indexed_global(struct solver *solver, const struct value *address, struct value *pointer)
{
	/* &array[0] - 16, and an index that begins at 1: the array is meant, not what lies before it */
	int64_t anchor = address->offset - address->moved;

	if (!solver_global(solver, address->stride ? anchor : address->offset, pointer))
		return false;
	if (address->stride)
		pointer->offset += address->moved;
	pointer->stride = address->stride;
	return true;
}

/* A variable of this object's block of thread-local ones. */
static bool thread_local_object(const struct solver *solver, const struct value *address,
				struct value *object)
{
	struct global global;

	if (!solver->reader || !debug_reader_tls_at(solver->reader, (uint64_t)address->offset, &global) ||
	    !global.type)
		return false;
	*object = value_pointer(type_canonical(global.type), address->offset - (int64_t)global.address,
				HOW_TLS);
	object->stride = address->stride;
	return true;
}

/* Some processor's copy of the per-cpu variable that the object has at this place. */
static bool per_cpu_object(struct solver *solver, struct value address, struct value *object)
{
	struct elf_section section;

	if (!elf_image_section_at(solver->image, (uint64_t)address.offset, &section) || !section.per_cpu)
		return false;
	address.kind = VALUE_ADDRESS;
	if (!solver_indexed_global(solver, &address, object))
		return false;
	object->how = HOW_PER_CPU;
	return true;
}

bool solver_fixed_object(struct solver *solver, const struct value *address, struct value *object)
{
	if (address->kind == VALUE_ADDRESS)
		return solver_indexed_global(solver, address, object);
	if (address->kind != VALUE_FRAME)
		return false;
	if (address->frame == FRAME_TLS)
		return thread_local_object(solver, address, object);
	return address->frame == FRAME_PER_CPU && per_cpu_object(solver, *address, object);
}

/* A slot that the dynamic linker fills: the address of a symbol, or a thread-local offset. */
bool solver_slot(struct solver *solver, int64_t address, struct value *value)
{
	const char *name;
	uint64_t target;

	if (elf_image_tls_slot(solver->image, (uint64_t)address, &target, &name)) {
		*value = value_frame(FRAME_TLS, (int64_t)target);
		return true;
	}
	struct elf_section section;

	if (!elf_image_section_at(solver->image, (uint64_t)address, &section) || !section.name ||
	    __builtin_strncmp(section.name, ".got", 4) != 0 ||
	    !elf_image_slot(solver->image, (uint64_t)address, &name, &target))
		return false;
	if (target) {
		*value = value_address((int64_t)target);
		return true;
	}
	struct global global;

	if (name && solver->reader &&
	    debug_reader_global_named(solver->reader, name, solver->code->insns[0].address, &global) &&
	    global.type) {
		*value = value_pointer(type_canonical(global.type), 0, HOW_GLOBAL);
		return true;
	}
	return false;
}

bool solver_got_entry(struct solver *solver, int64_t address, struct value *value)
{
	struct value held;

	if (!solver_slot(solver, address, &held))
		return false;
	if (held.kind == VALUE_ADDRESS && !solver_global(solver, held.offset, &held))
		return false;
	if (held.kind != VALUE_POINTER)
		return false;
	*value = value_pointer(type_canonical(type_pointer_to(held.type)), 0, HOW_GLOBAL);
	return true;
}
