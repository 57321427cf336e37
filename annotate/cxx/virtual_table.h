/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The virtual tables of C++: accesses to them, and the objects that get their addresses. */
#pragma once

#include "annotate/flow/solver.h"
#include "annotate/types/field.h"

/* Finds the table at an address that the compiler made for a class, as a
 * pointer into an array of addresses. False: there is none. */
bool virtual_table_at(struct solver *solver, int64_t address, struct value *pointer);

/* The same rule, for the table of a library: finds the address that stands for the table of this
 * name in the function at hand. False: the name is not that of a table. */
bool virtual_table_imported(struct solver *solver, const char *name, struct value *address);

/* Returns the table whose address the instruction stores in memory; NULL: it stores something
 * else. *offset is where in the table the address is. */
const struct symbol *virtual_table_stored(const struct solver *solver, const struct state *state,
					  const struct insn *insn, int64_t *offset);

/* True if the instruction stores the address of a table, which may be one that was loaded from a
 * table of tables. */
bool virtual_table_is_stored(const struct solver *solver, const struct state *state,
			     const struct insn *insn);

/* The table whose address an instruction stores. */
struct stored_table {
	const struct symbol *symbol; /* NULL: not known */
	int64_t offset;              /* of the address in the table */
	uint64_t slot; /* the address was loaded from here, in a table of tables; 0: it was not */
};

/* Returns the table whose address instruction `index` stores, as far as the instructions of its
 * block show it. Without a symbol and a slot: it is not known. */
struct stored_table virtual_table_source(const struct solver *solver, uint32_t index);
/* Returns the class of a table whose symbol is known; NULL: it is not known. *place becomes the
 * offset in its objects at which they have the address. */
const struct type *virtual_table_begins(const struct solver *solver,
					const struct stored_table *stored, int64_t *place);

/* Rule stored-class: returns the class whose table the instruction stores in memory, *place bytes
 * into an object of it; NULL: it stores something else, or the class is not known. */
const struct type *virtual_table_class(const struct solver *solver, const struct state *state,
				       const struct insn *insn, int64_t *place);

/* Rule class-table: returns the table that a word of an object points to, which is the table of the
 * class that has the word. `declared` is its declared type. NULL: the word is something else. */
const struct virtual_table *virtual_table_pointed(const struct solver *solver,
						  const struct field_ref *field,
						  const struct type *declared);

/* Returns the virtual base in which the instruction stores the address of its
 * virtual table. The distance of the base comes from the object's table, and the address from the
 * table of tables of the object's class. NULL: it does something else. */
const struct type *virtual_table_base(const struct solver *solver, const struct state *state,
				      const struct insn *insn);

/* Finds the address that is `displacement` bytes after the sum of an object's
 * address and of the offset of a virtual base, as it was read from the table of the object's class.
 * False: the offset is something else, or the object is not known. */
bool virtual_table_in_base(const struct solver *solver, const struct value *object,
			   const struct value *offset, int64_t displacement, struct value *address);
/* The same rule: finds the address that instruction `index` adds up from two terms, if one of them
 * is such an offset. False: it adds something else. */
bool virtual_table_base_sum(const struct solver *solver, uint32_t index, const struct value *a,
			    const struct value *b, struct value *sum);

/* Rule stored-class: notes the class of the object at `address`, if that is unknown: the one whose
 * table the instruction stores there. */
void virtual_table_gather(struct solver *solver, const struct state *state, const struct insn *insn,
			  const struct value *address);

/* True for an operand at a place where a virtual table has the offset of a virtual base. */
bool virtual_table_is_base_offset(const struct solver *solver, const struct operand *operand);
/* True if the value was loaded as the offset of a virtual base. */
bool virtual_table_holds_base_offset(const struct solver *solver, const struct value *value);
