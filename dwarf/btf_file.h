/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTF as it lies in a file (the kernel's Documentation/bpf/btf.rst): types by id, and their names.
 *
 * Opening checks the header, and that every type's record lies within the file; references between types and
 * names are checked when they are followed. Immutable once open, so all threads may use it.
 *
 * A module's BTF is split: its ids and names go on from those of the kernel, its base. Newer modules bring a
 * digest of their base along (.BTF.base), because the kernel may have been built anew since: what they need
 * of the base is then found in the kernel's own BTF by name. Here there is one space of ids in all these
 * cases: those of the base come first, the module's own after them.
 */
#ifndef DTPROF_DWARF_BTF_FILE_H
#define DTPROF_DWARF_BTF_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profiler/base/cursor.h"
#include "profiler/base/error.h"

struct btf_file;

/* What stands for a reference that leads nowhere; the id of void is 0. */
#define BTF_NOWHERE UINT32_MAX

/* Bytes that belong to the caller and must outlive the file. */
struct btf_bytes {
	const void *data; /* NULL: none */
	size_t size;
};

/*
 * `base`, if not NULL, is what a split file is on top of, and must outlive it; `digest` is its .BTF.base, if
 * it has one. `name` is for messages.
 */
struct error *btf_file_open(struct btf_bytes bytes, struct btf_bytes digest, const struct btf_file *base,
			    const char *name, struct btf_file **result);
void btf_file_close(struct btf_file *file);

/* Ids are in [1, end). */
uint32_t btf_file_end(const struct btf_file *file);
/* The first id that is not the base's. */
uint32_t btf_file_first(const struct btf_file *file);

/* One type, as it is recorded. */
struct btf_record {
	const struct btf_file *file; /* that holds it: the base of the one that was asked, or that itself */
	uint8_t kind;                /* BTF_KIND_* */
	bool kind_flag;
	uint32_t count;     /* of members, enumerators, parameters ... */
	uint32_t size;      /* of those that have one */
	uint32_t type;      /* of those that refer to one: id, or BTF_NOWHERE */
	const char *name;   /* NULL: none */
	struct cursor rest; /* what follows the common part */
};

/* False: no such id. */
bool btf_record_at(const struct btf_file *file, uint32_t id, struct btf_record *record);

struct btf_item {
	const char *name;              /* NULL: none */
	uint32_t type;                 /* of members, parameters and variables of a section */
	uint32_t bit_offset, bit_size; /* of members; bit_size is 0 where the record does not say */
	uint32_t offset, size;         /* of variables of a section */
};

/* The next member, enumerator, parameter or variable of a record; false: there are no more. */
bool btf_record_next(struct btf_record *record, struct btf_item *item);

struct btf_array_shape {
	uint32_t element; /* id, or BTF_NOWHERE */
	uint32_t count;
};
struct btf_array_shape btf_record_array(struct btf_record *record);

/* What BTF_KIND_INT says of its value. */
struct btf_integer {
	uint8_t encoding; /* BTF_INT_SIGNED ... */
	uint8_t bit_offset;
	uint8_t bits;
};
struct btf_integer btf_record_integer(struct btf_record *record);

#endif
