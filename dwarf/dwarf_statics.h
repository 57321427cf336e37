/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The variables of units that are at one place in the object or in thread-local memory, in functions too. */
#ifndef DTPROF_DWARF_DWARF_STATICS_H
#define DTPROF_DWARF_DWARF_STATICS_H

#include "dwarf/dwarf_pass.h"

struct variable_entry {
	uint64_t address; /* or offset in the TLS block */
	uint64_t die;
	bool thread_local_;
};

/* Zero-initialized is empty. */
struct variable_list {
	struct variable_entry *items;
	size_t count;
	size_t capacity;
	size_t thread_local_count;
};

void variable_list_add(struct variable_list *list, const struct variable_entry *variable);
/* All of `others`. */
void variable_list_append(struct variable_list *list, const struct variable_list *others);
/* By address, thread-local ones after the others; then by DIE. */
void variable_list_sort(struct variable_list *list);
void variable_list_deinit(struct variable_list *list);

/* Adds the unit's in one quick pass. False: pass_start() says so. */
bool scan_variables(struct pass *pass, const struct unit *unit, struct variable_list *variables);

#endif
