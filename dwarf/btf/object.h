/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The declarations that BTF has for one object: answers to debug.h's questions, as far as BTF has them.
 * Private to dwarf/.
 *
 * BTF has no addresses except those of variables in sections. Functions are found by name through the
 * object's symbols. So nothing is known of functions that share a name, and the arguments of a clone that the
 * compiler made for itself (.isra, .constprop, .part) are not known.
 */
#ifndef DTPROF_DWARF_BTF_OBJECT_H
#define DTPROF_DWARF_BTF_OBJECT_H

#include "dwarf/btf/btf_private.h"
#include "dwarf/btf/types.h"
#include "profiler/base/concurrent_map.h"
#include "dwarf/debug.h"

struct btf_variable {
	uint64_t address;
	uint64_t size;
	uint32_t id; /* of its BTF_KIND_VAR */
};

struct btf_object {
	const struct elf_image *image;
	const struct btf *btf;
	struct btf_types types;
	struct concurrent_map
		prototypes; /* id of BTF_KIND_FUNC * 2 + whether it is of a clone -> struct prototype */
	bool is_kernel;     /* the object is a vmlinux */
	struct btf_variable *variables; /* sorted by address */
	size_t variable_count;
	struct hash_map symbols; /* hash of a function symbol's name -> 2 * its index, + 1 if other addresses
				    have it, too */
};

struct btf_object *btf_object_create(const struct elf_image *image, const struct btf *btf);
void btf_object_destroy(struct btf_object *object);

/* As debug_reader_function() and its like. */
struct function *btf_object_function(struct btf_object *object, uint64_t address);
bool btf_object_function_entry(const struct btf_object *object, uint64_t address, uint64_t *entry);
const struct prototype *btf_object_prototype_at(struct btf_object *object, uint64_t address);
const struct prototype *btf_object_prototype_named(struct btf_object *object, const char *name);
bool btf_object_global_at(struct btf_object *object, uint64_t address, struct global *result);
bool btf_object_global_named(struct btf_object *object, const char *name, struct global *result);
size_t btf_object_types_named(struct btf_object *object, const char *name, const struct type **types,
			      size_t capacity);

/* Returns an error that says why the BTF cannot belong to this object, or NULL. */
struct error *btf_object_check(const struct btf_object *object);

#endif
