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
#include "dwarf/dwarf_plan.h"

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
	uint32_t *slots; /* index + 1, by identity */
	size_t slot_count;
};

/* Zero-initialized is empty. */
struct variable_list {
	struct variable_entry *items;
	size_t count;
	size_t capacity;
	size_t thread_local_count;
};

/* What a thread keeps from unit to unit. Zero-initialized is empty. */
struct scan {
	struct plan_table plans;
};

/*
 * Adds the unit's types, its external functions and its external variables. False: not a unit that can be
 * read so (another language than C, whose names may be nested; split debug information): use
 * unit_index_get().
 */
bool scan_names(struct scan *scan, struct unit *unit, struct name_scan *names);
/* Adds the unit's static variables, those in functions too. False: as above. */
bool scan_variables(struct scan *scan, struct unit *unit, struct variable_list *variables);
/* Calls `visit` for each function and variable of the file level. False: as above. */
bool scan_level(struct scan *scan, struct unit *unit, void (*visit)(void *data, uint64_t offset), void *data);
void scan_release(struct scan *scan);

void variable_list_add(struct variable_list *list, const struct variable_entry *variable);
void name_scan_release(struct name_scan *scan);

#endif
