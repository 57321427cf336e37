/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How long attribute values are (DWARF 5, section 7.5.6).
 *
 * libdw tells where each value of a DIE begins, but not where the last one ends, which is where the next DIE
 * begins; and the pass over all units (dwarf_pass.h) does without libdw.
 */
#ifndef DTPROF_DWARF_DWARF_FORM_H
#define DTPROF_DWARF_DWARF_FORM_H

#include <stdint.h>

/* The bytes that a value of this form takes in every DIE of a unit with these sizes; -1 if they vary. */
int form_fixed_size(unsigned int form, uint8_t version, uint8_t offset_size, uint8_t address_size);

/* An unsigned LEB128 number and the first byte behind it. `next` is the limit, and the value 0, if the number
 * goes past that. */
struct uleb {
	uint64_t value;
	const uint8_t *next;
};

struct uleb uleb_read_long(const uint8_t *at, const uint8_t *end);

static inline struct uleb uleb_read(const uint8_t *at, const uint8_t *end)
{
	if (at < end && !(*at & 0x80)) /* nearly all are of one byte */
		return (struct uleb){ *at, at + 1 };
	return uleb_read_long(at, end);
}

/* The bytes of a block or string, and where they begin; of a LEB128 number 0 bytes, and its end. */
struct form_extent {
	uint64_t length;   /* not checked against the end */
	const uint8_t *at; /* NULL: the form is unknown, or the value does not fit */
};

/* The extent of a value at `at` whose form has no fixed size. */
struct form_extent form_extent(unsigned int form, const uint8_t *at, const uint8_t *end);

#endif
