/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The types in scope: the records to which a function's variables, and the parameters and results
 * of what is inlined in it, point. Code may reach more through a pointer than its declared type has
 * (container_of(), a cast from a header to a larger record, a cast from void *). The type that it
 * is cast to is in scope then: it was named there, even if no variable of that type is left.
 *
 * Some of these variables are unlocated: the debug information has no place for them at the
 * instruction, because the compiler kept the value in registers or as a part of an address, and
 * lost track of it.
 */
#pragma once

#include "annotate/types/candidates.h"
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

/* Adds the types in scope that have an `inner` to the candidates for an access outside of it. If
 * several fit, those of the innermost block around the code address are left to which a variable of
 * the block points: each branch of a switch casts to another type. */
void scope_types_enclosing(const struct scope_types *scope_types, uint64_t address,
			   const struct outside_access *access, struct candidates *list);

/* Returns whether a record in scope begins with a `head`, and has a `part` at `distance`. */
bool scope_types_have_both(const struct scope_types *scope_types, const struct type *head,
			   const struct type *part, int64_t distance);

/*
 * Returns the type to which a void pointer at `offset` of a `record` points: the result of the
 * inlined function that fetches it (EXT4_SB() returns sb->s_fs_info). If none is left here, it is
 * the result of the only inline function of the unit that may do so. NULL if it is not known.
 */
const struct type *scope_types_of_private(const struct function *function, const struct cfg *code,
					  const struct inline_cast *casts, size_t cast_count,
					  const struct type *record, int64_t offset);

/* ---- unlocated variables */

/* The origin of the address of an access. */
enum unlocated_address {
	UNLOCATED_REGISTER, /* a register has it */
	UNLOCATED_NUMBER,   /* it was computed from a number (page_address()) */
	UNLOCATED_CAST,     /* it was cast from a pointer to something else */
	UNLOCATED_SUM /* the instruction adds a number to a pointer: no register has the sum */
};

/*
 * Adds the pointees of the unlocated variables of the inlined function that the instruction comes
 * from, for an access at `offset`. Those of its other variables contest them; of a sum, not those
 * of variables whose place at the address is known. A cast pointer may be passed as a parameter
 * that only the prototype has. If the address was computed from a number, and the inlined function
 * has only pointers to bytes (get_unaligned_le32()), its caller's variables are searched. Before
 * the address (a negative offset) is a record's end, to which no parameter points.
 */
void unlocated_pointer(const struct function *function, uint64_t address,
		       enum unlocated_address from, int64_t offset, struct candidates *list);

/* Adds the records with a pointer to a `target` at `offset` to which variables point that are alive
 * at the address, but in no known place, or in one up to this instruction. */
void unlocated_holder(const struct function *function, uint64_t address, int64_t offset,
		      const struct type *target, struct candidates *list);

/* Lists the records to which unlocated variables of the inlined function point that the instruction
 * comes from. Returns their number. */
size_t unlocated_pointees(const struct function *function, uint64_t address,
			  const struct type **pointees, size_t limit);
/* Returns the one of these records that repeats the members of `head` and has a scalar of `size`
 * bytes at `offset`. NULL: none does, or the pointee of another variable does, too. */
const struct type *unlocated_after_head(const struct function *function, uint64_t address,
					const struct type *head, int64_t offset, uint64_t size);

/* Adds the records to which variables without a location there point; those of inner blocks go
 * first. */
void unlocated_in_block(const struct function *function, uint64_t address, int64_t offset,
			struct candidates *list);

/* Returns the type to which a pointer to a `whole` was cast, for an access to bytes of a buffer in
 * it: the type of the only variable in scope, located or not, for which field_unpacks() holds. NULL
 * if there is none, or if there are several. */
const struct type *unlocated_cast(const struct function *function, uint64_t address,
				  const struct type *whole, int64_t offset, uint64_t size);

/*
 * Adds the objects that may be allocated together with a `front`, after it (netdev_priv()):
 * 1. if `in_scope` is set, the pointees of variables in scope that have a location with such an
 *    address, or no location at all;
 * 2. the pointees of variables anywhere in the function that have such a location, if another
 *    variable points to a `front`.
 */
void unlocated_after(const struct function *function, uint64_t address, const struct type *front,
		     int64_t offset, bool in_scope, struct candidates *list);

/* Returns the only type of this name, canonical; NULL if there is none, or more than one. */
const struct type *solver_type_named(const struct solver *solver, const char *name);
