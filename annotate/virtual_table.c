// SPDX-License-Identifier: GPL-2.0-or-later
/* Virtual tables: see virtual_table.h. Itanium C++ ABI 2.5 (layout), 5.1.4.1 (names). */
#include "annotate/virtual_table.h"

#include <stdlib.h>
#include <string.h>

#include "annotate/field.h"
#include "annotate/infer.h"
#include "annotate/rules/stages.h"
#include "profiler/base/memory.h"
#include "profiler/base/text.h"

#define VIRTUAL_TABLE "_ZTV"
#define TABLE_TABLE   "_ZTT" /* the table of a class's virtual tables */
#define ADDRESS_SIZE  8

/* ---- accesses */

bool virtual_table_at(struct solver *solver, int64_t address, struct value *pointer)
{
	const struct symbol *symbol =
		solver->function && solver->function->prototype && rule_is_on(RULE_VIRTUAL_TABLE)
			? elf_image_object_at(solver->image, (uint64_t)address)
			: NULL;

	if (!symbol || symbol->size < ADDRESS_SIZE ||
	    (!starts_with(symbol->name, VIRTUAL_TABLE) && !starts_with(symbol->name, TABLE_TABLE)))
		return false;
	*pointer = value_pointer(
		type_canonical(type_address_table(solver->function->prototype->return_type,
						  symbol->size / ADDRESS_SIZE)),
		address - (int64_t)symbol->address, HOW_GLOBAL);
	solver->rule = RULE_VIRTUAL_TABLE;
	return true;
}

/* ---- objects */

const struct symbol *virtual_table_stored(const struct solver *solver, const struct state *state,
					  const struct insn *insn, int64_t *offset)
{
	const struct operand *from = &insn->operands[1];

	if (insn->operation != OP_MOVE || insn->operands[0].kind != OPERAND_MEMORY ||
	    from->kind != OPERAND_REGISTER || !reg_is_general(from->reg) || from->size != 8)
		return NULL;
	const struct value *value = &state->values[from->reg];
	const struct symbol *symbol =
		value->kind == VALUE_ADDRESS && !value->stride
			? elf_image_object_at(solver->image, (uint64_t)value->offset)
			: NULL;

	if (!symbol || !starts_with(symbol->name, VIRTUAL_TABLE))
		return NULL;
	*offset = value->offset - (int64_t)symbol->address;
	return symbol;
}

/* In front of the functions are the address of the type's description and the distance to the top
 * of the object; in front of these, the distances to virtual bases. */
#define FUNCTIONS        (2 * ADDRESS_SIZE)
#define FUNCTIONS_VBASED (3 * ADDRESS_SIZE)

/* Finds how far into an object of the class the pointer to this place of the table is. False: it is
 * not known, because the library has the table, and another base may have a place there. */
static bool place_in_object(const struct solver *solver, const struct symbol *table, int64_t offset,
			    int64_t *place)
{
	size_t available;
	const uint8_t *top;

	if (offset < FUNCTIONS)
		return false;
	top = elf_image_bytes(solver->image, table->address + (uint64_t)offset - FUNCTIONS,
			      &available);
	if (!top || available < sizeof(*place)) {
		*place = 0;
		return offset <= FUNCTIONS_VBASED;
	}
	memcpy(place, top, sizeof(*place));
	*place = -*place;
	return *place >= 0;
}

/* Returns the class that a table is of, by its name: a definition, or a declaration that a function
 * inlined here is a member of. NULL: there is none. */
static const struct type *class_of_table(const struct solver *solver, const struct symbol *table)
{
	static const char prefix[] = "vtable for ";
	const struct stack_fact_list *methods = &solver->facts.selves.methods;
	_cleanup_free_ char *text = symbol_demangle(table->name);
	const char *name = text && starts_with(text, prefix) ? text + strlen(prefix) : NULL;
	const struct type *class = solver_type_named(solver, name);

	for (size_t i = 0; name && !class && i < methods->count; i++) {
		const struct type *own = type_strip(methods->items[i].type);

		if (own->name && strcmp(own->name, name) == 0)
			class = type_canonical(own);
	}
	return class;
}

const struct type *virtual_table_class(const struct solver *solver, const struct state *state,
				       const struct insn *insn, int64_t *place)
{
	int64_t offset;
	const struct symbol *table = solver->reader && rule_is_on(RULE_STORED_CLASS)
					     ? virtual_table_stored(solver, state, insn, &offset)
					     : NULL;

	if (!table || !place_in_object(solver, table, offset, place))
		return NULL;
	const struct type *class = class_of_table(solver, table);
	uint64_t size = class ? field_size(class) : 0;

	return !size || (uint64_t)*place + ADDRESS_SIZE <= size ? class : NULL;
}

void virtual_table_gather(struct solver *solver, const struct state *state, const struct insn *insn,
			  const struct value *address)
{
	int64_t place;
	const struct type *class = virtual_table_class(solver, state, insn, &place);

	if (class)
		origins_use(&solver->origins, address, class, place);
}
