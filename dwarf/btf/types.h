/* SPDX-License-Identifier: GPL-2.0-or-later */
/* BTF's types as the type graph. Private to dwarf/. */
#ifndef DTPROF_DWARF_BTF_TYPE_H
#define DTPROF_DWARF_BTF_TYPE_H

#include "dwarf/btf/btf_private.h"
#include "dwarf/types/type_table.h"

struct btf_types {
	const struct btf *btf;
	struct type_table *table;
	const struct type **by_id;            /* atomic; NULL: not loaded yet */
	struct hash_map fingerprints;         /* under the table's lock: see fingerprint_of() */
	uint32_t loading[TYPE_MAXIMUM_DEPTH]; /* under the lock: ids that are being loaded, the outermost
						 first */
	size_t loading_count;
};

void btf_types_init(struct btf_types *types, const struct btf *btf);
void btf_types_deinit(struct btf_types *types);

/* Returns the type of an id: void for 0, the unknown type where the id is no type, never NULL. Thread-safe;
 * takes no lock for a type that is known. */
const struct type *btf_type(struct btf_types *types, uint32_t id);

#endif
