/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Raw storage of C++: room for an object that is constructed later. Private to dwarf/. */
#ifndef DTPROF_DWARF_DWARF_STORAGE_H
#define DTPROF_DWARF_DWARF_STORAGE_H

#include "dwarf/dwarf_type.h"

/*
 * A class template that has nothing but bytes, as many as its one type argument, is room for that: the nodes
 * of libstdc++'s containers (__gnu_cxx::__aligned_membuf<T>, __aligned_buffer<T>) have their elements in
 * such. If `members`, those of `record`, are of that kind, the bytes get the type of what is kept in them.
 * Under the table's lock.
 */
void dwarf_storage_of_argument(struct dwarf_types *types, const struct die *record, uint64_t size,
			       struct member *members, size_t count);

#endif
