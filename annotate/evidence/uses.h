/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects that nothing declares.
 *
 * BTF has no local variables and few global ones, and DWARF does not have objects that the compiler
 * made or took apart. If code passes the address of one as a `struct foo *`, stores it as one, or
 * has a struct foo returned there, the object is a struct foo.
 */
#pragma once

#include "annotate/types/field.h"
#include "annotate/values/value.h"
#include "dwarf/types/type.h"

struct solver;

struct object_use {
	bool on_stack;  /* on the stack; otherwise at a fixed address */
	int64_t offset; /* from the CFA, or the address */
	uint64_t size;
	const struct type *type;
	bool refused; /* it overlaps another object, and neither is a part of the other */
};

struct object_uses {
	struct object_use *items;
	uint32_t count;
	uint32_t capacity;
	bool changed; /* since the last object_uses_infer() */
};

/* Notes that the value is used as a pointer to `object`. */
void object_uses_note(struct solver *solver, const struct value *value, const struct type *object);
/* The same for an object of `size` bytes that begins with an `object`. */
void object_uses_note_sized(struct solver *solver, const struct value *value,
			    const struct type *object, uint64_t size);
/* Adds the objects on the stack to the solver's facts. True if any of them is new. */
bool object_uses_infer(struct solver *solver);
/* Returns the object at a fixed address; NULL if none is known. */
const struct object_use *object_uses_find(const struct solver *solver, int64_t address);

/* Notes that `value` is given where a pointer to `object` is wanted. */
void solver_note_use(struct solver *solver, const struct value *value, const struct type *object);
/* Notes that a pointer to a record of this type is `apart` bytes from another. */
void solver_note_walk(struct solver *solver, const struct type *type, int64_t apart);
/* True if a pointer to a record of this type moves by the record's size. */
bool solver_is_walked(const struct solver *solver, const struct type *type);

/* True for a value of Go that is declared as unsafe.Pointer, like the data of an interface. It has
 * another type in each case of a type switch, so its use in one says nothing about the others. */
bool go_is_interface_data(const struct solver *solver, const struct value *value);
