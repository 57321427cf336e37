/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTF as it is in a file (the kernel's Documentation/bpf/btf.rst): types by id, and their names.
 * Private to dwarf/btf/.
 *
 * Opening checks the header, and that the record of each type lies within the file. References
 * between types, and names, are checked when they are followed. An open file is immutable, so all
 * threads may use it.
 *
 * A module's BTF is split: its ids and names continue those of the kernel, its base. Newer modules
 * carry a digest of their base (.BTF.base), because the kernel may have been rebuilt since: the
 * types of the base that the module needs are then found by name in the BTF of the kernel that
 * runs. In all these cases there is one space of ids here: first those of the base, then the
 * module's own.
 */
#pragma once

#include "dwarf/btf/btf.h"
#include "dwarf/types/function.h"
#include "dwarf/types/type_table.h"
#include "base/cursor.h"

/* Kinds by their numbers: <linux/btf.h> of older systems lacks the newer ones. */
enum {
	KIND_FLOAT = 16,
	KIND_DECL_TAG = 17,
	KIND_TYPE_TAG = 18,
	KIND_ENUM64 = 19,
	/* places of inlined calls and of their arguments, as linux-next has them */
	KIND_LOC_PARAM = 20,
	KIND_LOC_PROTO = 21,
	KIND_LOCSEC = 22,
};

/* ---- records ---- */

struct btf_file;

/* Stands for a reference that leads nowhere. The id of void is 0. */
#define BTF_NOWHERE UINT32_MAX

/* Bytes that belong to the caller and must outlive the file. */
struct btf_bytes {
	const void *data; /* NULL: none */
	size_t size;
};

/* Opens a file. `base`, if not NULL, is the file that a split one continues, and must outlive it.
 * `digest` is the file's .BTF.base, if it has one. `name` is for messages. */
struct error *btf_file_open(struct btf_bytes bytes, struct btf_bytes digest,
			    const struct btf_file *base, const char *name,
			    struct btf_file **result);
void btf_file_close(struct btf_file *file);

/* Ids are in [1, end). */
uint32_t btf_file_end(const struct btf_file *file);
/* Returns the first id that does not belong to the base. */
uint32_t btf_file_first(const struct btf_file *file);

/* The record of one type. */
struct btf_record {
	const struct btf_file *file; /* that holds it: the file that was asked, or its base */
	uint8_t kind;                /* BTF_KIND_* */
	bool kind_flag;
	uint32_t count;     /* of members, enumerators, parameters ... */
	uint32_t size;      /* for kinds that have one */
	uint32_t type;      /* for kinds that refer to a type: its id, or BTF_NOWHERE */
	const char *name;   /* NULL: none */
	struct cursor rest; /* what follows the common part */
};

/* Reads the record of an id. False: there is no such id. */
bool btf_record_at(const struct btf_file *file, uint32_t id, struct btf_record *record);

struct btf_item {
	const char *name; /* NULL: none */
	uint32_t type;    /* of members, parameters and variables of a section */
	uint32_t bit_offset,
		bit_size;      /* of members; bit_size is 0 where the record does not give it */
	uint32_t offset, size; /* of variables of a section */
	int64_t value;         /* of enumerators */
};

/* Reads the next member, enumerator, parameter or variable of a record; false: no more. */
bool btf_record_next(struct btf_record *record, struct btf_item *item);

struct btf_array_shape {
	uint32_t element; /* id, or BTF_NOWHERE */
	uint32_t count;
};
struct btf_array_shape btf_record_array(struct btf_record *record);

struct btf_integer {
	uint8_t encoding; /* BTF_INT_SIGNED ... */
	uint8_t bit_offset;
	uint8_t bits;
};
struct btf_integer btf_record_integer(struct btf_record *record);

/* ---- names ---- */

/* The most ids of one name that are looked at. No kernel has as many. */
#define BTF_NAMESAKES_MAX 64

/* Finds the file's own ids, without those of its base, of this name and one of these kinds (a set
 * of 1 << BTF_KIND_*), the smallest first, up to BTF_NAMESAKES_MAX. Returns how many there are. */
size_t btf_names_find(const struct btf_file *file, const char *name, uint32_t kinds,
		      uint32_t ids[BTF_NAMESAKES_MAX]);

struct btf {
	const struct btf *base;
	struct btf_file *file;
	struct btf_file *inlined; /* .BTF.inline, which continues `file`; NULL: none */
	char *path;
	void *storage;           /* the bytes that were read from a plain BTF file; or NULL */
	struct elf_image *image; /* that was opened for its section; or NULL */
};

/* Like btf_names_find(), but looks in the base if the file itself has none. */
size_t btf_find(const struct btf *btf, const char *name, uint32_t kinds,
		uint32_t ids[BTF_NAMESAKES_MAX]);

/* ---- types.c: BTF's types as the type graph ---- */

struct btf_types {
	const struct btf *btf;
	/* Constants of enums are read, and sections of variables are structs. Objects do without:
	 * their variables have addresses. */
	bool is_whole;
	struct type_table *table;
	const struct type **by_id;    /* atomic; NULL: not loaded yet */
	struct hash_map fingerprints; /* under the table's lock: see fingerprint_of() */
	unsigned int fingerprint_depth;
	/* under the lock: ids that are being loaded, the outermost first */
	uint32_t loading[TYPE_NESTING_MAX];
	size_t loading_count;
};

void btf_types_init(struct btf_types *types, const struct btf *btf);
void btf_types_deinit(struct btf_types *types);

/* Returns the type of an id: void for 0, the unknown type where the id is no type, never NULL.
 * Thread-safe; takes no lock for a type that is known. */
const struct type *btf_type(struct btf_types *types, uint32_t id);

/* ---- inlined calls ---- */

struct btf_inlined {
	uint64_t address;
	uint32_t function, locations; /* ids */
};

/* A zero-initialized list is empty. Its items must be freed. */
struct btf_inlined_calls {
	const struct btf_file *file; /* that the ids are in */
	struct btf_inlined *items;   /* sorted by address */
	size_t count, capacity;
};
