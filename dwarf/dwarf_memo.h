/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is called and which variable is meant, of the addresses that were asked for lately: the functions of a
 * unit ask for the same ones again and again. Private to dwarf/; one thread's.
 */
#ifndef DTPROF_DWARF_DWARF_MEMO_H
#define DTPROF_DWARF_DWARF_MEMO_H

#include "dwarf/dwarf_object.h"

struct dwarf_memo;

/* Owned by the caller: dwarf_memo_destroy(). */
struct dwarf_memo *dwarf_memo_create(void);
void dwarf_memo_destroy(struct dwarf_memo *memo);

/* dwarf_prototype_at() and dwarf_global_at(), always of the same object. */
const struct prototype *dwarf_memo_prototype_at(struct dwarf_memo *memo, struct debug_object *object,
						uint64_t address, uint64_t from_address);
bool dwarf_memo_global_at(struct dwarf_memo *memo, struct debug_object *object, uint64_t address,
			  uint64_t from_address, struct global *result);

#endif
