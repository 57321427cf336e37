/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A type's layout in the form of pahole: offsets and sizes, holes, padding, gaps between bitfields and the
 * boundaries of cachelines; with the figures of each field beside it, and below the heat of each cacheline.
 */
#ifndef DTPROF_REPORT_PRINT_STRUCT_LAYOUT_H
#define DTPROF_REPORT_PRINT_STRUCT_LAYOUT_H

#include "report/print/annotated.h"

void print_struct_layout(const struct annotated_type *type, const struct annotated_options *options,
			 struct strbuf *buffer);

/*
 * What lies before a member, or behind the last one, as pahole counts it: what a bitfield leaves of its
 * storage unit are bits, the rest are bytes.
 */
struct layout_gap {
	uint64_t bits;
	uint64_t bytes;
};

/* How far a record is taken up by the members so far; bits from its start. */
struct layout_fill {
	uint64_t end;
	uint64_t unit_end; /* of the storage unit of the bitfield that ends there; 0: it is no bitfield */
};

/* Where the storage unit of a bitfield begins, in a record that begins at `base`: bits from there. A packed
 * bitfield may end behind its unit. */
uint64_t layout_unit_start(const struct annotated_line *line, int64_t base);
/* The gap before a member; NULL: up to `size`, the end of the record in bytes. */
struct layout_gap layout_gap(const struct layout_fill *fill, const struct annotated_line *line, int64_t base,
			     uint64_t size);
void layout_take(struct layout_fill *fill, const struct annotated_line *line, int64_t base);

/* A record without data (an empty base class): it has a size in C++, but may take up nothing. */
bool layout_is_empty(const struct annotated_type *type, size_t index);
/* The lines of a record's members in the order of their places: Rust's are declared in another one. To be
 * freed. */
size_t *layout_members(const struct annotated_type *type, size_t record, size_t *count);

#endif
