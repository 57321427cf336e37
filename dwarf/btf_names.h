/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types, functions and variables of BTF by name. Private to dwarf/. */
#ifndef DTPROF_DWARF_BTF_NAMES_H
#define DTPROF_DWARF_BTF_NAMES_H

#include "dwarf/btf_file.h"

/* Of one name no more are looked at: no kernel has so many. */
#define BTF_NAMESAKES 64

/* The file's own ones; those of its base have an index of their own. Immutable. */
struct btf_names {
	const struct btf_file *file;
	uint32_t *heads; /* by hash: the first id, 0: none */
	uint32_t *next;  /* by own id */
	uint32_t mask;   /* of the hash */
};

void btf_names_build(struct btf_names *names, const struct btf_file *file);
void btf_names_release(struct btf_names *names);

/* Ids of this name and one of these kinds (a set of 1 << BTF_KIND_*), smallest first, up to BTF_NAMESAKES.
 * Returns how many. */
size_t btf_names_find(const struct btf_names *names, const char *name, uint32_t kinds,
		      uint32_t ids[BTF_NAMESAKES]);

#endif
