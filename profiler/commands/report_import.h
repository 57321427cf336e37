/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report --import: tables of histograms of types that were written earlier, or by another program
 * (Documentation/data-types.schema.json). */
#pragma once

#include "base/error.h"
#include "base/hash.h"
#include "report/print/print.h"
#include "report/table.h"

/* The samples of one event. */
struct imported_event {
	const char *name;
	struct table *table;
	struct coverage coverage;
};

struct imported {
	struct string_pool strings;
	struct result_place *places; /* of all results */
	struct hash_map
		event_numbers; /* by the addresses of their names, which the pool has once */
	struct imported_event *events;
	size_t event_count, event_capacity;
};

/* Reads the file at `path`, and makes a table of each event. `layout` must outlive them. */
struct error *report_import(const char *path, const struct layout *layout,
			    struct imported *imported);
void imported_deinit(struct imported *imported);
