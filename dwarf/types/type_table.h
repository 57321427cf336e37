/* SPDX-License-Identifier: GPL-2.0-or-later */
/* SEE */
#ifndef DTPROF_DWARF_TYPES_TYPE_TABLE_H
#define DTPROF_DWARF_TYPES_TYPE_TABLE_H

#include <pthread.h>

#include "dwarf/types/type.h"
#include "profiler/base/concurrent_map.h"
#include "profiler/base/hash.h"
#include "profiler/base/memory.h"

/*
 * Where the types of one object are interned, whatever loader (DWARF, BTF) finds them.
 *
 * A loader describes a type by a key and gets the one node for it. Members are not part of a key but for a
 * fingerprint: they are loaded when first asked for. Interning is under the table's lock (recursive: loading
 * one type interns others); nodes are immutable but for three pointers that are published atomically, so
 * reading needs no lock.
 */

/* No type is nested deeper in pointers, arrays, typedefs and qualifiers: what is deeper is the unknown type.
 */
#define TYPE_MAXIMUM_DEPTH 64
/* An array of more dimensions is one of all their elements. */
#define TYPE_MAXIMUM_DIMENSIONS 16

struct type_members {
	const struct member *items;
	size_t count;
	const struct type **virtual_bases;
	size_t virtual_base_count;
	/* Of records with many members, made by type.c: by member, where it and all before it end at the
	 * latest. NULL: there are few. */
	const int64_t *reach;
	bool ascending; /* by offset */
};

struct type_node {
	struct type type; /* `detail` is its struct type_members, once loaded */
	uint64_t fingerprint;
	const struct type *target;
	uint64_t array_count;
	const uint64_t *dimensions; /* of arrays with several: the outermost first; else NULL */
	uint32_t dimension_count;   /* 0, or 2 and more */
	const struct parameter *parameters;
	uint32_t parameter_count;
	uint16_t depth;
	const struct type *canonical; /* atomic, once known */
	const char *printed_name;     /* atomic, once known */
};

/* What makes types equal. Strings and arrays are copied if the type is new. */
struct type_key {
	enum type_kind kind;
	uint8_t qualifier;
	uint16_t flags;
	uint64_t size;
	const char *name;     /* NULL or not empty */
	uint64_t fingerprint; /* of a record's members or an anonymous enum's enumerators */
	const struct type *target;
	uint64_t array_count;
	const uint64_t *dimensions;
	uint32_t dimension_count; /* of one dimension: 0 or 1 */
	const struct parameter *parameters;
	size_t parameter_count;
	uint64_t source;
};

/* What a key points to while a loader fills it. */
struct type_key_parts {
	struct parameter *parameters; /* to be freed */
	uint64_t dimensions[TYPE_MAXIMUM_DIMENSIONS];
};

struct type_loader {
	/* Before load_members(), without the lock: what takes long. NULL: nothing does. Several threads may
	 * do it for one type. */
	void (*prepare_members)(void *data, const struct type *type);
	/* The members of a record; the items are allocated in the table's arena. Called once a type, under
	 * the lock. */
	void (*load_members)(void *data, const struct type *type, struct type_members *members);
};

struct type_table {
	pthread_mutex_t lock;
	struct arena arena;
	struct string_pool names;
	struct type_node **slots;
	size_t count;
	size_t capacity;
	const struct type_loader *loader;
	void *loader_data;
	const struct type *void_type;
	const struct type *unknown_type; /* what cannot be read; TYPE_UNSPECIFIED without name and size */
};

struct type_table *type_table_create(const struct type_loader *loader, void *loader_data);
void type_table_destroy(struct type_table *table);

void type_table_lock(struct type_table *table);
void type_table_unlock(struct type_table *table);
/* Inserts `value` into the map under the lock, unless there is one for the key already. Returns the one that
 * is there. */
void *type_table_publish(struct type_table *table, struct concurrent_map *map, uint64_t key, void *value);
/* Under the lock. */
const struct type *type_table_intern(struct type_table *table, const struct type_key *key);

static inline struct type_node *type_node_of(const struct type *type)
{
	return (struct type_node *)type; /* `type` is its first member */
}

/* What a reader of reports calls types, "struct foo", "robj", "a::b<int>*", and the types that are found for
 * it. Private to dwarf/. */

struct type_query {
	char *text;                /* without the stars behind it; freed by type_query_deinit() */
	const char *name;          /* without the keyword before it */
	unsigned int kinds;        /* that the keyword allows: a set of 1 << enum type_kind */
	size_t pointers;           /* stars */
	const struct type **types; /* found, the caller's */
	size_t count;              /* found, also beyond capacity */
	size_t capacity;
};

void type_query_init(struct type_query *query, const char *name, const struct type **types, size_t capacity);
void type_query_deinit(struct type_query *query);
/* Adds the type if it is what was asked for, and not there yet. */
void type_query_offer(struct type_query *query, const struct type *type);

#endif
