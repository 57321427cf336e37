/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names that units declare at file level, in one quick pass that looks into no function and keeps nothing
 * else: for finding which of many units has a definition. A large object (a kernel) has each of its types in
 * thousands of units; equal looking definitions are taken once.
 *
 * Private to dwarf_names.c.
 */
#ifndef DTPROF_DWARF_DWARF_SCAN_H
#define DTPROF_DWARF_DWARF_SCAN_H

#include "dwarf/dwarf_index.h"
#include "dwarf/dwarf_pass.h"

struct scanned_name {
	uint64_t identity; /* of equal kind, name and look: equal */
	uint64_t die;      /* the first that has it */
	uint32_t hash;     /* name_hash() */
	uint8_t kind;      /* enum name_kind */
};

/* Zero-initialized is empty. */
struct name_scan {
	struct scanned_name *names; /* in the order of the units */
	size_t count;
	size_t capacity;
	uint64_t *slots; /* identities, hashed; 0: free */
	size_t slot_count;
};

/* Adds the unit's types, its external functions and its external variables. False: pass_start() says so. */
bool scan_names(struct pass *pass, const struct unit *unit, struct name_scan *names);
void name_scan_deinit(struct name_scan *scan);

#endif
