// SPDX-License-Identifier: GPL-2.0-or-later
/* Virtual tables: see virtual_table.h. Itanium C++ ABI 2.5 (layout), 5.1.4.1 (names). */
#include "annotate/cxx/virtual_table.h"

#include "annotate/facts/scope_types.h"
#include "annotate/types/field.h"
#include "base/memory.h"
#include "base/text.h"

#define VIRTUAL_TABLE "_ZTV"
#define TABLE_TABLE   "_ZTT" /* the table of a class's virtual tables */

/* ---- tables by address */

static bool is_table(const char *name)
{
	return starts_with(name, VIRTUAL_TABLE) || starts_with(name, TABLE_TABLE);
}

/* The table of a library has its address only when the program runs. So each table that a function
 * uses gets a number of its own: an address at which no DSO is linked, with room for the table's
 * entries after it. */
#define IMPORTED_BASE (INT64_C(1) << 62)
#define IMPORTED_ROOM (INT64_C(1) << 24)

bool virtual_table_imported(struct solver *solver, const char *name, struct value *address)
{
	struct imported_tables *tables = &solver->places.imported_tables;
	size_t i = 0;

	if (!name || !is_table(name))
		return false;
	while (i < tables->count && strcmp(tables->items[i].name, name) != 0)
		i++;
	if (i == tables->count) {
		array_add(tables->items, tables->count, tables->capacity) = (struct symbol){
			.address = (uint64_t)(IMPORTED_BASE + (int64_t)i * IMPORTED_ROOM),
			.name = name,
		};
	}
	*address = value_address((int64_t)tables->items[i].address);
	return true;
}

/* Returns the symbol of the table at this address, of this object or of a library; NULL: there is
 * none. */
static const struct symbol *table_symbol(const struct solver *solver, int64_t address)
{
	const struct imported_tables *tables = &solver->places.imported_tables;
	const struct symbol *symbol;
	int64_t i = (address - IMPORTED_BASE) / IMPORTED_ROOM;

	if (address >= IMPORTED_BASE)
		return i < (int64_t)tables->count ? &tables->items[i] : NULL;
	symbol = elf_image_object_at(solver->image, (uint64_t)address);
	return symbol && is_table(symbol->name) ? symbol : NULL;
}

/* ---- accesses */

bool virtual_table_at(struct solver *solver, int64_t address, struct value *pointer)
{
	const struct symbol *symbol = solver->function && solver->function->prototype
					      ? table_symbol(solver, address)
					      : NULL;

	if (!symbol || (symbol->size < WORD && address < IMPORTED_BASE))
		return false;
	*pointer = value_pointer(
		type_canonical(type_address_table(solver->function->prototype->return_type,
						  symbol->size / WORD)),
		address - (int64_t)symbol->address, HOW_GLOBAL);
	return true;
}

/* ---- objects */

/* Returns the symbol of the class's table that has this address, and the offset in it; NULL: there
 * is none. */
static const struct symbol *table_at(const struct solver *solver, int64_t address, int64_t *offset)
{
	const struct symbol *symbol = table_symbol(solver, address);

	if (!symbol || !starts_with(symbol->name, VIRTUAL_TABLE))
		return NULL;
	*offset = address - (int64_t)symbol->address;
	return symbol;
}

const struct symbol *virtual_table_stored(const struct solver *solver, const struct state *state,
					  const struct insn *insn, int64_t *offset)
{
	const struct operand *from = &insn->operands[1];

	if (insn->operation != OP_MOVE || insn->operands[0].kind != OPERAND_MEMORY ||
	    insn->operands[0].size != WORD)
		return NULL;
	/* code that is not position-independent has the address as a constant */
	if (from->kind == OPERAND_IMMEDIATE)
		return solver->options.image_is_fixed ? table_at(solver, from->value, offset)
						      : NULL;
	if (!operand_is_general(from) || from->size != WORD)
		return NULL;
	const struct value *value = &state->values[from->reg];

	if (value->stride ||
	    (value->kind != VALUE_ADDRESS &&
	     !(value->kind == VALUE_NUMBER && value->offset > 0 && solver->options.image_is_fixed)))
		return NULL;
	return table_at(solver, value->offset, offset);
}

/* The offset of the functions in a table without virtual bases, and in one with a virtual base.
 * Before them are the distances to the virtual bases, the distance to the top of the object, and
 * the address of the type's description. */
#define FUNCTIONS        (2 * WORD)
#define FUNCTIONS_VBASED (3 * WORD)

/* True if the table has the address of the class's type information, WORD bytes after `top`. If it
 * has none, it is a copy of a library's table, which is empty until the program runs. */
static bool has_description(const struct solver *solver, const struct symbol *table, int64_t offset,
			    const uint8_t *top)
{
	struct elf_relocation relocation;
	uint64_t description;

	memcpy(&description, top + WORD, sizeof(description));
	return description ||
	       elf_image_relocation_at(solver->image, table->address + (uint64_t)offset - WORD,
				       &relocation);
}

/* Finds the offset, in an object of the class, of the pointer to this place of the table. False if
 * it is not known: a library has the table, and another base may have a place there. */
static bool place_in_object(const struct solver *solver, const struct symbol *table, int64_t offset,
			    int64_t *place)
{
	size_t available;
	const uint8_t *top;

	if (offset < FUNCTIONS)
		return false;
	top = elf_image_bytes(solver->image, table->address + (uint64_t)offset - FUNCTIONS,
			      &available);
	if (!top || available < FUNCTIONS || !has_description(solver, table, offset, top)) {
		*place = 0;
		return offset <= FUNCTIONS_VBASED;
	}
	memcpy(place, top, sizeof(*place));
	*place = -*place;
	return *place >= 0;
}

/* Returns the class of this name: a definition, or a declaration that a function inlined here is a
 * member of. NULL: there is none. */
static const struct type *class_named(const struct solver *solver, const char *name)
{
	const struct stack_fact_list *methods = &solver->facts.selves.methods;
	const struct type *class = solver_type_named(solver, name);

	for (size_t i = 0; name && !class && i < methods->count; i++) {
		const struct type *own = type_strip(methods->items[i].type);

		if (own->name && strcmp(own->name, name) == 0)
			class = type_canonical(own);
	}
	return class;
}

/* Returns the class that a table belongs to; NULL: there is no class of that name. */
static const struct type *class_of_table(const struct solver *solver, const struct symbol *table)
{
	_cleanup_free_ char *text = symbol_demangle(table->name);

	return class_named(solver, text && starts_with(text, VIRTUAL_TABLE_PREFIX)
					   ? text + strlen(VIRTUAL_TABLE_PREFIX)
					   : NULL);
}

const struct type *virtual_table_class(const struct solver *solver, const struct state *state,
				       const struct insn *insn, int64_t *place)
{
	int64_t offset;
	const struct symbol *table =
		solver->reader ? virtual_table_stored(solver, state, insn, &offset) : NULL;

	if (!table || !place_in_object(solver, table, offset, place))
		return NULL;
	const struct type *class = class_of_table(solver, table);
	uint64_t size = class ? field_size(class) : 0;

	return !size || (uint64_t)*place + WORD <= size ? class : NULL;
}

void virtual_table_gather(struct solver *solver, const struct state *state, const struct insn *insn,
			  const struct value *address)
{
	int64_t place;
	const struct type *class = virtual_table_class(solver, state, insn, &place);

	if (class)
		origins_use_by(&solver->origins, RULE_STORED_CLASS, address, class, place);
}

/* ---- tables that objects point to */

/* Base classes and members of members are followed at most this far. */
#define BASES_MAX 16

/* Returns the last member that begins at or before `offset` and reaches it; NULL: there is none.
 * The size of a base class includes virtual bases, which are elsewhere if it is a part of an
 * object. */
static const struct member *last_member(const struct type *record, int64_t offset)
{
	const struct member *last = NULL;

	members_each (member, type_members, record)
		if ((uint64_t)(offset - member->offset) < field_size(member->type) &&
		    (!last || member->offset > last->offset))
			last = member;
	return last;
}

/* Returns the part of a record, or the element of an array, in which *offset lies, and makes
 * *offset relative to it; NULL: there is none. */
static const struct type *part_in(const struct type *bare, int64_t *offset)
{
	if (bare->kind == TYPE_ARRAY)
		return field_element_at(bare, offset);
	const struct member *part = bare->kind == TYPE_UNION ? NULL : last_member(bare, *offset);

	*offset -= part ? part->offset : 0;
	return part ? part->type : NULL;
}

/* Returns the table to which the word at `offset` of an object of the type points: that of the
 * outermost class that begins there. With `wanted`, returns this table if it is that of any class
 * that begins there. NULL: the word is something else. */
static const struct virtual_table *table_of(const struct solver *solver, const struct type *type,
					    int64_t offset, const struct virtual_table *wanted)
{
	for (int depth = 0; type && depth < BASES_MAX; depth++) {
		const struct type *bare = type_strip(type);
		const struct virtual_table *table =
			offset || !type_is_record(bare)
				? NULL
				: debug_reader_virtual_table(solver->reader, bare);

		if (table && (!wanted || wanted == table))
			return table;
		type = part_in(bare, &offset);
	}
	return NULL;
}

/* True for a pointer to addresses of functions. Compilers declare the pointer to a virtual table as
 * one. */
static bool points_to_functions(const struct type *type)
{
	const struct type *address =
		type_is_pointer(type_strip(type)) ? type_target(type_strip(type)) : NULL;
	const struct type *function = address && type_is_pointer(type_strip(address))
					      ? type_target(type_strip(address))
					      : NULL;

	return function && type_strip(function)->kind == TYPE_FUNCTION;
}

const struct virtual_table *virtual_table_pointed(const struct solver *solver,
						  const struct field_ref *field,
						  const struct type *declared)
{
	return solver->reader && points_to_functions(declared)
		       ? table_of(solver, field->type, field->offset, NULL)
		       : NULL;
}

/* ---- virtual bases */

/* The offset of a virtual base that was read in a class's table. */
struct base_offset {
	const struct virtual_table *table;
	const struct type *base;
};

/* Finds the virtual base whose offset instruction `index` has read in a class's table. False: it
 * has read something else. */
static bool base_read(const struct solver *solver, uint32_t index, struct base_offset *read)
{
	const struct load_cache *load = &solver->tables.loads[index];
	const struct value *place = &load->address;

	read->table = load->round == solver->pass.round && load->size == WORD &&
				      place->kind == VALUE_POINTER && !place->stride
			      ? debug_reader_virtual_table_of(solver->reader, place->type)
			      : NULL;
	for (size_t i = 0; read->table && i < read->table->base_count; i++)
		if (read->table->bases[i].distance == read->table->functions - place->offset) {
			read->base = type_canonical(read->table->bases[i].type);
			return true;
		}
	return false;
}

/* The same for the instruction that has loaded a value. */
static bool base_offset_of(const struct solver *solver, const struct value *offset,
			   struct base_offset *read)
{
	uint32_t loaded;

	return offset->kind == VALUE_UNKNOWN && !offset->offset && !offset->stride &&
	       offset->origin && origin_insn(&solver->origins.items[offset->origin], &loaded) &&
	       base_read(solver, loaded, read);
}

/* Parts are looked for only in objects of at most this many bytes. */
#define PARTS_MAX 4096

/*
 * Finds the part of an object whose class has the table that was read. The offset of the base
 * counts from this part, not from the address by which the object is known; *place becomes the
 * distance between them. False: the part is not known, or there are several.
 */
static bool place_of_class(const struct solver *solver, const struct value *object,
			   const struct virtual_table *table, int64_t *place)
{
	unsigned int found = 0;

	if (object->kind != VALUE_POINTER)
		return false;
	int64_t size = (int64_t)field_size(object->type);

	if (object->stride || object->offset < 0 || size > PARTS_MAX)
		return false;
	for (int64_t offset = object->offset; offset + WORD <= size; offset += WORD)
		if (table_of(solver, object->type, offset, table)) {
			*place = offset - object->offset;
			found++;
		}
	return found == 1;
}

bool virtual_table_in_base(const struct solver *solver, const struct value *object,
			   const struct value *offset, int64_t displacement, struct value *address)
{
	struct base_offset read;
	int64_t place;

	if (!base_offset_of(solver, offset, &read) ||
	    !place_of_class(solver, object, read.table, &place))
		return false;
	*address = value_pointer(read.base, displacement - place, HOW_TRACKED);
	return true;
}

bool virtual_table_base_sum(const struct solver *solver, uint32_t index, const struct value *a,
			    const struct value *b, struct value *sum)
{
	struct base_offset read;
	const struct value *object = a;
	int64_t place;

	if (!insn_memory(&solver->code->insns[index], false) || !base_read(solver, index, &read)) {
		object = b;
		if (!base_offset_of(solver, a, &read)) {
			object = a;
			if (!base_offset_of(solver, b, &read))
				return false;
		}
	}
	/* if the object is not known, the address is that of the part whose table was read */
	if (object->kind != VALUE_POINTER)
		place = 0;
	else if (!place_of_class(solver, object, read.table, &place))
		return false;
	*sum = value_pointer(read.base, -place, HOW_TRACKED);
	return true;
}

/* Returns the name of the table of tables at a fixed address, or of the one whose address the
 * global offset table has there; NULL: neither. */
static const char *tables_at(const struct solver *solver, uint64_t address, bool in_slot)
{
	const struct symbol *symbol = in_slot ? NULL : elf_image_object_at(solver->image, address);
	const char *name = symbol ? symbol->name : NULL;
	uint64_t target;

	if (in_slot && !elf_image_slot(solver->image, address, &name, &target))
		return NULL;
	return name && starts_with(name, TABLE_TABLE) ? name : NULL;
}

/* Returns the name of the table of tables from which the instruction that made the value has loaded
 * it; NULL: it was made otherwise. */
static const char *loaded_from_tables(const struct solver *solver, const struct value *value)
{
	uint32_t index;

	if (value->kind != VALUE_UNKNOWN || value->offset || value->stride || !value->origin ||
	    !origin_insn(&solver->origins.items[value->origin], &index))
		return NULL;
	const struct insn *insn = &solver->code->insns[index];
	const struct operand *from = &insn->operands[1];

	if (insn->operation != OP_MOVE || from->kind != OPERAND_MEMORY)
		return NULL;
	if (from->pc_relative)
		return tables_at(solver, (uint64_t)from->value, false);
	insn = from->index == REG_NONE && reg_is_general(from->base)
		       ? cfg_last_write(solver->code, index, from->base)
		       : NULL;
	from = insn ? &insn->operands[1] : NULL;
	return from && insn->operation == OP_MOVE && from->kind == OPERAND_MEMORY &&
			       from->pc_relative
		       ? tables_at(solver, (uint64_t)from->value, true)
		       : NULL;
}

bool virtual_table_is_stored(const struct solver *solver, const struct state *state,
			     const struct insn *insn)
{
	const struct operand *from = &insn->operands[1];
	int64_t offset;

	return virtual_table_stored(solver, state, insn, &offset) ||
	       (operand_is_general(from) && loaded_from_tables(solver, &state->values[from->reg]));
}

struct stored_table virtual_table_source(const struct solver *solver, uint32_t index)
{
	const struct operand *from = &solver->code->insns[index].operands[1];
	struct stored_table stored = { 0 };

	if (from->kind == OPERAND_REGISTER) {
		const struct insn *insn = cfg_last_write(solver->code, index, from->reg);

		from = insn && (insn->operation == OP_MOVE || insn->operation == OP_LEA)
			       ? &insn->operands[1]
			       : NULL;
		if (from && from->kind == OPERAND_MEMORY && from->pc_relative) {
			if (insn->operation == OP_LEA)
				stored.symbol = table_at(solver, from->value, &stored.offset);
			else if (tables_at(solver, (uint64_t)from->value, false))
				stored.slot = (uint64_t)from->value;
			return stored;
		}
	}
	if (from && from->kind == OPERAND_IMMEDIATE && solver->options.image_is_fixed)
		stored.symbol = table_at(solver, from->value, &stored.offset);
	return stored;
}

const struct type *virtual_table_begins(const struct solver *solver,
					const struct stored_table *stored, int64_t *place)
{
	return place_in_object(solver, stored->symbol, stored->offset, place)
		       ? class_of_table(solver, stored->symbol)
		       : NULL;
}

/* Returns the name of the virtual base of the standard streams (C++20 [ostream], [istream]), which
 * has the first two arguments of their templates; NULL: `class` is no stream. */
static char *base_of_stream(const char *class)
{
	static const char *const streams[] = {
		"basic_ostringstream<", "basic_istringstream<", "basic_stringstream<",
		"basic_ofstream<",      "basic_ifstream<",      "basic_fstream<",
	};
	static const char space[] = "std::", inner[] = "__cxx11::";
	int depth = 0, commas = 0;

	if (!starts_with(class, space))
		return NULL;
	class += strlen(space);
	class += starts_with(class, inner) ? strlen(inner) : 0;
	for (size_t i = 0; i < COUNT_OF(streams); i++) {
		if (!starts_with(class, streams[i]))
			continue;
		const char *arguments = class + strlen(streams[i]), *end = arguments;

		for (; *end && depth >= 0; end++) {
			depth += *end == '<';
			depth -= *end == '>';
			commas += *end == ',' && !depth;
			if (commas == 2 || depth < 0)
				break;
		}
		size_t length = (size_t)(end - arguments);

		return xasprintf("std::basic_ios<%.*s%s>", (int)length, arguments,
				 length && end[-1] == '>' ? " " : "");
	}
	return NULL;
}

const struct type *virtual_table_base(const struct solver *solver, const struct state *state,
				      const struct insn *insn)
{
	static const char prefix[] = "VTT for ";
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];

	if (insn->operation != OP_MOVE || to->kind != OPERAND_MEMORY || to->size != WORD ||
	    !reg_is_general(to->index) || !reg_is_general(to->base) || to->scale != 1 ||
	    !operand_is_general(from) ||
	    (!virtual_table_holds_base_offset(solver, &state->values[to->index]) &&
	     !virtual_table_holds_base_offset(solver, &state->values[to->base])))
		return NULL;
	const char *tables = loaded_from_tables(solver, &state->values[from->reg]);
	_cleanup_free_ char *text = tables ? symbol_demangle(tables) : NULL;
	const char *name = text && starts_with(text, prefix) ? text + strlen(prefix) : NULL;

	if (!name)
		return NULL;
	const struct type *class = class_named(solver, name);
	size_t count = 0;
	const struct type *const *bases =
		class ? type_virtual_bases(type_strip(class), &count) : NULL;

	if (count)
		return count == 1 ? type_canonical(bases[0]) : NULL;
	_cleanup_free_ char *base = base_of_stream(name);

	return class_named(solver, base);
}

/* Itanium C++ ABI 2.5.2: a virtual table has the offsets of the virtual bases before the offset to
 * the top and the type, which are the two words before its address. */
#define FIRST_BASE_OFFSET (-24)

/* True if the register points into the frame throughout the function. */
static bool is_of_frame(const struct solver *solver, uint8_t reg)
{
	const struct function *function = solver->function;

	if (reg == solver->arch->stack_pointer)
		return true;
	if (!function || reg != solver->arch->frame_pointer)
		return false;
	return any_of(i, 0, function->frame_row_count,
		      function->frame_rows[i].kind != CFA_UNKNOWN &&
			      arch_reg_from_dwarf(solver->arch, function->frame_rows[i].reg) ==
				      reg);
}

bool virtual_table_is_base_offset(const struct solver *solver, const struct operand *operand)
{
	return operand->kind == OPERAND_MEMORY && operand->size == 8 &&
	       operand->index == REG_NONE && reg_is_general(operand->base) &&
	       operand->value <= FIRST_BASE_OFFSET && operand->value % 8 == 0 &&
	       !is_of_frame(solver, operand->base);
}

bool virtual_table_holds_base_offset(const struct solver *solver, const struct value *value)
{
	uint32_t index;

	return value->kind == VALUE_UNKNOWN && !value->offset && !value->stride && value->origin &&
	       origin_insn(&solver->origins.items[value->origin], &index) &&
	       solver->code->insns[index].operation == OP_MOVE &&
	       virtual_table_is_base_offset(solver, &solver->code->insns[index].operands[1]);
}
