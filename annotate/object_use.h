/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects that nothing declares, by what their address is used as: BTF has neither local variables nor
 * (mostly) global ones, and DWARF does not have those that the compiler made, or took apart in its accounts
 * but not in memory. But who passes the address of one as a `struct foo *`, as the place for a struct foo to
 * be returned in, or stores it as one, has a struct foo there. Private to annotate/.
 */
#ifndef DTPROF_ANNOTATE_OBJECT_USE_H
#define DTPROF_ANNOTATE_OBJECT_USE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dwarf/type.h"

struct solver;
struct value;

struct object_use {
	bool on_stack;  /* else at a fixed address */
	int64_t offset; /* from the CFA; or the address */
	uint64_t size;
	const struct type *type;
	bool refused; /* it has part of its place in common with another that it does not go with */
};

struct object_uses {
	struct object_use *items;
	uint32_t count;
	uint32_t capacity;
	bool changed; /* since the last object_uses_infer() */
};

/* The value is used as a pointer to `object`. */
void object_uses_note(struct solver *solver, const struct value *value, const struct type *object);
/* Makes the objects on the stack known to the solver. True: there is something new. */
bool object_uses_infer(struct solver *solver);
/* The object at a fixed address; NULL: none is known. */
const struct object_use *object_uses_find(const struct solver *solver, int64_t address);

#endif
