/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The layout of a type in the form of pahole: offsets and sizes, holes, padding, gaps between
 * bitfields and boundaries of cachelines, with the figures of each field beside it and the heat of
 * each cacheline below.
 *
 * Positions inside a record are in bits from its start. `base` is the record's offset in the whole
 * type, in bytes.
 */
#ifndef DTPROF_REPORT_PRINT_STRUCT_LAYOUT_H
#define DTPROF_REPORT_PRINT_STRUCT_LAYOUT_H

#include "report/print/annotated.h"

/* Prints the layout and, unless options->cacheline is 0, the heat of its cachelines. */
void print_struct_layout(const struct annotated_type *type, const struct annotated_options *options,
			 struct strbuf *buffer);

/* The unused space before a member or after the last one, as pahole counts it: the rest of a
 * bitfield's storage unit in bits, anything else in bytes. */
struct layout_gap {
	uint64_t bits;
	uint64_t bytes;
};

/* How much of a record the members so far occupy. */
struct layout_fill {
	uint64_t end;
	uint64_t unit_end; /* end of the last bitfield's storage unit; 0: the last member is no
			      bitfield */
};

/* Returns where the storage unit of a bitfield begins. A packed bitfield may end after its unit. */
uint64_t layout_unit_start(const struct annotated_line *line, int64_t base);
/* Returns the gap before `line`, or if it is NULL, the gap before the end of a record of `size`
 * bytes. */
struct layout_gap layout_gap(const struct layout_fill *fill, const struct annotated_line *line,
			     int64_t base, uint64_t size);
/* Adds a member to `fill`. */
void layout_take(struct layout_fill *fill, const struct annotated_line *line, int64_t base);

/* Returns whether the member is a record without data, such as an empty base class: in C++ it has a
 * size, but may occupy no bytes. */
bool layout_is_empty(const struct annotated_type *type, size_t index);
/* Returns the indices of a record's members, sorted by offset, which the caller frees. Members of
 * Rust types are declared in another order. */
size_t *layout_members(const struct annotated_type *type, size_t record, size_t *count);

#endif
