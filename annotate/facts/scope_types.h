/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The types in scope: the records to which a function's variables, and the parameters and results
 * of what is inlined in it, point. If a pointer is used to reach more than its declared type has
 * (container_of(), a cast from a header to a larger record), or is declared as void *, the type
 * that it was cast to is among them: the cast names the type, even if no variable of that type is
 * left.
 *
 * Some of these variables are unlocated: the debug information has no place for them at the
 * instruction, because the compiler kept the value in registers or as a part of an address, and
 * lost track of it.
 */
#ifndef DTPROF_ANNOTATE_FACTS_SCOPE_TYPES_H
#define DTPROF_ANNOTATE_FACTS_SCOPE_TYPES_H

#include "annotate/types/field.h"
#include "disasm/cfg.h"
#include "dwarf/debug.h"
#include "dwarf/types/function.h"

struct solver;
struct value;
struct scope_types;

/* The caller owns the result: scope_types_destroy(). */
struct scope_types *scope_types_create(void);
void scope_types_destroy(struct scope_types *scope_types);
/* Forgets the types, for the next function. */
void scope_types_clear(struct scope_types *scope_types);
/*
 * Collects the types of the function. Only the first call after scope_types_clear() does anything.
 */
void scope_types_build(struct scope_types *scope_types, const struct function *function);

/* Returns the records in scope, and those to which their members point. */
const struct type *const *scope_types_reachable(struct scope_types *scope_types, size_t *count);

/* The number of records that fit. */
enum scope_choice { SCOPE_NONE, SCOPE_ONE, SCOPE_SEVERAL };

/* An access through a pointer to an `inner` that goes to bytes outside of it: offset + stride * x
 * bytes from its start, with any x. */
struct outside_access {
	const struct type *inner;
	int64_t offset;
	uint32_t stride;
	uint64_t size;
	/* a record in which it goes to a part of a scalar makes the choice SCOPE_SEVERAL */
	bool parts;
};

/* Looks for the one record that has an `inner` and a scalar of the access's size where the access
 * goes. Records that disagree are SCOPE_SEVERAL. If one of two records is a part of the other at
 * the same field, the smaller is found. */
enum scope_choice records_enclosing(const struct type *const *records, size_t count,
				    const struct outside_access *access, struct field_ref *field);
/* The same among the types in scope. */
enum scope_choice scope_types_enclosing(const struct scope_types *scope_types,
					const struct outside_access *access,
					struct field_ref *field);

/* Looks for the one type in scope that has an `inner` at offset `at`, and a scalar of `size` bytes
 * at `offset`. False if there is none, or if several disagree. */
bool scope_types_around(const struct scope_types *scope_types, const struct type *inner, int64_t at,
			int64_t offset, uint64_t size, struct field_ref *field);

/* The same as scope_types_enclosing() among the types to which the unit's inline functions cast an
 * `inner`. False if there is none, or if several disagree. */
bool scope_types_cast(const struct inline_cast *casts, size_t count,
		      const struct outside_access *access, struct field_ref *field);

/*
 * Returns the type to which a void pointer at `offset` of a `record` points: the result of the
 * inlined function that fetches it (EXT4_SB() returns sb->s_fs_info). If none is left here, it is
 * the result of the only inline function of the unit that may do so. NULL if it is not known.
 */
const struct type *scope_types_of_private(const struct function *function, const struct cfg *code,
					  const struct inline_cast *casts, size_t cast_count,
					  const struct type *record, int64_t offset);

/* ---- unlocated variables */

/*
 * Looks for the one unlocated variable, of the inlined function that the instruction comes from,
 * whose pointee has a scalar of `size` bytes at `offset`. False if there is none, or if the pointee
 * of another of its variables has one, too. If the address was computed from a `number`
 * (page_address()) and the inlined function has only pointers to bytes (get_unaligned_le32()), its
 * caller's variables are searched.
 */
bool unlocated_pointer(const struct function *function, uint64_t address, bool number,
		       int64_t offset, uint64_t size, struct field_ref *field);

/*
 * Looks for the one record, of those to which variables point that are alive at the address but in
 * no known place, or in one up to this instruction, that has a pointer to a `target` at `offset`.
 * False if there is none, or if there are several.
 */
bool unlocated_holder(const struct function *function, uint64_t address, int64_t offset,
		      const struct type *target, struct field_ref *field);

/* Lists the records to which unlocated variables of the inlined function point that the instruction
 * comes from. Returns their number. */
size_t unlocated_pointees(const struct function *function, uint64_t address,
			  const struct type **pointees, size_t limit);

/*
 * Looks for the record to which a pointer to something else was cast, where nothing says where the
 * variable of the cast is: among the records that variables of the inlined function are or point to
 * that are alive at the address, but in no known register or memory. Only records with a scalar of
 * `size` bytes at the place count, which is at `displacement`, or in an element of an array if the
 * strides of `place` are whole records.
 */
enum scope_choice unlocated_record(const struct function *function, uint64_t address,
				   const struct value *place, int64_t displacement, uint64_t size,
				   struct field_ref *field);

/*
 * Looks for the field at `offset` among the pointees of the variables that have no location at
 * `address`. Only records with a scalar of `size` bytes there count. The innermost block that has
 * such a variable decides; the function's outermost block is not searched. False if there is none,
 * or if variables of the block disagree.
 */
bool unlocated_in_block(const struct function *function, uint64_t address, int64_t offset,
			uint64_t size, struct field_ref *field);

/* Returns the type to which a pointer to a `whole` was cast, for an access to bytes of a buffer in
 * it: the type of the only variable in scope, located or not, for which field_unpacks() holds. NULL
 * if there is none, or if there are several. */
const struct type *unlocated_cast(const struct function *function, uint64_t address,
				  const struct type *whole, int64_t offset, uint64_t size);

/* container_of(): the same as scope_types_enclosing(), scope by scope from the inside out. False if
 * the first scope with such a type has several. */
bool unlocated_enclosing(const struct function *function, uint64_t address,
			 const struct outside_access *access, struct field_ref *field);

/*
 * Looks for an object that is allocated together with a `front`, after it (netdev_priv()): the
 * pointee of a variable in scope (if `in_scope` is set) that some location puts there, or that has
 * no location at all. If there is none, looks for the pointee of a variable anywhere in the
 * function that some location puts there, after a `front` that another variable points to. False if
 * there is none, or several.
 */
bool unlocated_after(const struct function *function, uint64_t address, const struct type *front,
		     int64_t offset, uint64_t size, bool in_scope, struct field_ref *field);

/* Returns the only type of this name, canonical; NULL if there is none, or more than one. */
const struct type *solver_type_named(const struct solver *solver, const char *name);

#endif
