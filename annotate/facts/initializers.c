// SPDX-License-Identifier: GPL-2.0-or-later
/* Members of initialized variables: see initializers.h. */
#include "annotate/facts/initializers.h"

#include "annotate/flow/solver.h"
#include "annotate/types/field.h"
#include "base/memory.h"

/* Members of smaller records are not looked for: such records are elements of all kinds of tables,
 * and many symbols have a multiple of their size. */
#define RECORD_MIN 24
/* The most variables, and elements of one, that are looked at. */
#define VARIABLES_MAX 64
#define ELEMENTS_MAX  64

/* Returns the type of an array's elements, also if they are arrays themselves; without typedefs and
 * qualifiers. Another type is returned as it is. */
static const struct type *innermost_element(const struct type *type)
{
	type = type_strip(type);
	for (int depth = 0; type->kind == TYPE_ARRAY && depth < 8; depth++)
		type = type_strip(type_target(type));
	return type;
}

/* True if the variable at a symbol is a record of this type, or an array of them. */
static bool is_variable_of(const struct solver *solver, const struct type *record,
			   const struct symbol *symbol)
{
	struct global global;

	if (!debug_reader_global_at(solver->reader, symbol->address, solver->code->insns[0].address,
				    &global) ||
	    global.address != symbol->address || global.piece)
		return false;
	const struct type *type = innermost_element(global.type);

	return field_same_type(type, record);
}

/* Finds the address that an initialized word of the object holds; 0: none. False: it is the address
 * of something in another object. */
static bool initial_pointer(const struct solver *solver, uint64_t address, uint64_t *target)
{
	const char *name;

	*target = 0;
	if (elf_image_slot(solver->image, address, &name, target))
		return *target || !name;
	/* no relocation is left where all addresses are fixed */
	return !solver->options.image_is_fixed ||
	       elf_image_read(solver->image, address, target, sizeof(*target), false);
}

/* Adds the record that begins at an address. False: none does. */
static bool initializers_add_pointee(const struct solver *solver, uint64_t address,
				     struct initialized_member *member)
{
	struct global global;

	if (!debug_reader_global_at(solver->reader, address, solver->code->insns[0].address,
				    &global) ||
	    global.piece)
		return false;
	const struct type *type = innermost_element(global.type);
	uint64_t within = address - global.address, size = type_size_or(type, 0);

	if (!type_is_record(type) || !size || within % size)
		return false;
	type = type_canonical(type);
	for (uint32_t i = 0; i < member->count; i++)
		if (field_same_type(member->pointees[i], type))
			return true;
	if (member->count == INITIALIZERS_MAX)
		return false;
	member->pointees[member->count++] = type;
	return true;
}

/* Adds the pointees of the member in all elements of one variable. False: it may point to
 * anything. */
static bool add_variable(const struct solver *solver, const struct symbol *symbol, uint64_t size,
			 struct initialized_member *member)
{
	for (uint64_t at = 0; at + size <= symbol->size; at += size) {
		uint64_t target;

		if (!initial_pointer(solver, symbol->address + at + (uint64_t)member->offset,
				     &target) ||
		    (target && !initializers_add_pointee(solver, target, member)))
			return false;
	}
	return true;
}

/* Lists the data symbols once for all members. */
static void list_variables(const struct elf_image *image, struct initialized_members *members)
{
	size_t count;
	const struct symbol *symbols = elf_image_symbols(image, &count);

	members->listed = true;
	for (size_t i = 0; i < count; i++) {
		if (!symbol_is_data(&symbols[i]) || symbols[i].size < RECORD_MIN)
			continue;
		array_add(members->variables, members->variable_count, members->variable_capacity) =
			&symbols[i];
	}
}

/* Finds the pointees of the member in all variables of its record's type. There are none if one
 * variable may have anything there, or if there are too many variables to look at. */
static void initializers_find_pointees(struct solver *solver, struct initialized_member *member)
{
	struct initialized_members *members = &solver->caches.initializers;
	uint64_t size = field_size(member->record);
	size_t tried = 0;

	if (!members->listed)
		list_variables(solver->image, members);
	for (size_t i = 0; size && i < members->variable_count; i++) {
		const struct symbol *symbol = members->variables[i];

		if (symbol->size % size || symbol->size > size * ELEMENTS_MAX)
			continue;
		if (tried++ == VARIABLES_MAX || (is_variable_of(solver, member->record, symbol) &&
						 !add_variable(solver, symbol, size, member))) {
			member->count = 0;
			return;
		}
	}
}

const struct initialized_member *initializers_of(struct solver *solver, const struct type *record,
						 int64_t offset)
{
	struct initialized_members *members = &solver->caches.initializers;
	struct initialized_member member = { .record = type_canonical(record), .offset = offset };
	uint64_t size = field_size(record);

	for (size_t i = 0; i < members->count; i++)
		if (members->items[i].record == member.record && members->items[i].offset == offset)
			return &members->items[i];
	if (solver->reader && size >= RECORD_MIN && offset >= 0 && (uint64_t)offset + 8 <= size)
		initializers_find_pointees(solver, &member);
	array_reserve(members->items, members->count, members->capacity);
	members->items[members->count] = member;
	return &members->items[members->count++];
}

void initializers_deinit(struct initialized_members *members)
{
	free_all(members->items, members->variables);
	*members = (struct initialized_members){ 0 };
}
