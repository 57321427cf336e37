/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table in which the types of one object are interned, whatever loader (DWARF, BTF) finds them.
 *
 * A loader describes a type by a key and gets the one node for it. Of the members of a record the
 * key has only a fingerprint, because they are loaded when they are first asked for. Interning is
 * under the table's lock, which is recursive because loading one type interns others. Nodes are
 * immutable except for three pointers and a byte that are published atomically, so reading needs no
 * lock.
 */
#pragma once

#include <pthread.h>

#include "dwarf/types/type.h"
#include "base/parallel.h"
#include "base/hash.h"
#include "base/memory.h"

/* Pointers, arrays, typedefs and qualifiers that are nested deeper become the unknown type. */
#define TYPE_NESTING_MAX 64
/* An array of more dimensions counts as one dimension of all their elements. */
#define TYPE_DIMENSIONS_MAX 16

struct type_members {
	const struct member *items;
	size_t count;
	const struct type **virtual_bases;
	size_t virtual_base_count;
	/* By index of a member: the furthest end of the members up to this one. Only for records
	 * with many members; else NULL. */
	const int64_t *reach;
	bool ascending; /* by offset */
	bool variants;  /* a member is a variant of a Rust enum */
	bool apart;     /* no two share bytes, so the type is not tangled; false: not known */
};

struct type_enumerators {
	const struct enumerator *items;
	size_t count;
};

/* How a record is passed in a call. */
enum type_passing {
	PASSING_UNKNOWN, /* not asked yet */
	PASSING_BY_VALUE,
	PASSING_BY_ADDRESS,
	PASSING_AS_MEMBERS, /* by its address if one of its members or bases is */
};

struct type_node {
	struct type type;
	uint64_t fingerprint;
	const struct type *target;
	uint64_t array_count;
	const uint64_t *dimensions; /* of an array with several, the outermost first; else NULL */
	uint32_t dimension_count;   /* 0, or 2 and more */
	const struct parameter *parameters;
	uint32_t parameter_count;
	uint16_t depth;
	uint32_t line;                /* as in struct type_key */
	uint64_t first_source;        /* atomic; see type_first_source() */
	uint64_t members_source;      /* the declaration that the members are from */
	const struct type *canonical; /* atomic, once known */
	const char *printed_name;     /* atomic, once known */
	uint8_t passing;              /* atomic, once known: by value or by address */
	bool made;                    /* by type_table_make_record() */
	/* atomic; see type_result(): each plus 1, 0 is not known */
	uint32_t results[TYPE_RESULTS];
};

/* Types with equal keys are equal, whatever their source. */
struct type_key {
	enum type_kind kind;
	uint8_t qualifier;
	uint16_t flags;
	uint64_t size;
	uint64_t alignment;   /* as in struct type; not a part of its identity */
	const char *name;     /* NULL or not empty */
	uint64_t fingerprint; /* of a record's members or an anonymous enum's enumerators */
	const struct type *target;
	uint64_t array_count;
	const uint64_t *dimensions;
	uint32_t dimension_count; /* 0 or 1 for one dimension */
	const struct parameter *parameters;
	size_t parameter_count;
	uint32_t line; /* of a record without a name: two of them are two types, each with its place
			*/
	uint64_t source;
};

struct type_key_parts {
	struct parameter *parameters; /* to be freed */
	uint64_t dimensions[TYPE_DIMENSIONS_MAX];
};

struct type_loader {
	/* Prepares load_members(): does the slow part of its work without the lock. May be NULL.
	 * Several threads may do it for one type. */
	void (*prepare_members)(void *data, const struct type *type);
	/* Loads the members of a record into the table's arena, once, under the lock. */
	void (*load_members)(void *data, const struct type *type, struct type_members *members);
	/* The same for the constants of an enum. May be NULL. */
	void (*load_enumerators)(void *data, const struct type *type,
				 struct type_enumerators *enumerators);
	/* Returns how a record is passed, as far as its own declarations say. May be NULL: by
	 * value. Called without the lock. */
	enum type_passing (*passing)(void *data, const struct type *type);
};

struct type_table {
	pthread_mutex_t lock;
	struct arena arena;
	struct string_pool names;
	struct type_node **slots;
	size_t count, capacity;
	const struct type_loader *loader;
	void *loader_data;
	const struct type *void_type;
	/* TYPE_UNSPECIFIED without name and size, for types that cannot be read */
	const struct type *unknown_type;
};

struct type_table *type_table_create(const struct type_loader *loader, void *loader_data);
void type_table_destroy(struct type_table *table);

void type_table_lock(struct type_table *table);
void type_table_unlock(struct type_table *table);
/* Inserts `value` under the lock, unless the key has a value. Returns the one that it has. */
void *type_table_publish(struct type_table *table, struct concurrent_map *map, uint64_t key,
			 void *value);
/* Returns whether there is a type of a key. Call it under the lock. */
bool type_table_has(struct type_table *table, const struct type_key *key);
/* Returns the type of a key. Call it under the lock. */
const struct type *type_table_intern(struct type_table *table, const struct type_key *key);
/* The same for a caller that does not hold the lock. */
const struct type *type_table_find(struct type_table *table, const struct type_key *key);

/* Returns the smallest source of the type so far, of all units that declare it. */
uint64_t type_first_source(const struct type *type);
/* Takes a record's members from there. Threads load them from whichever of the equal declarations
 * they see first; these may differ in what their members point to in turn. Call it once all
 * declarations have been read; members that were asked for before stay valid. */
void type_settle_members(const struct type *type);
/* Returns whether two members of a record share bytes. Bitfields share those of a unit. */
bool type_members_overlap(const struct type *record, const struct member *members, size_t count);

/* Returns a record that is like `record`, but has this size. Its target is `record`; no other
 * record has one. Call it under the lock. */
const struct type *type_table_resize(struct type_table *table, const struct type *record,
				     uint64_t size);

/* Returns the record with this key and these members, for a record that no declaration describes.
 * Sets the fingerprint of the key, and copies the members. Thread-safe. */
const struct type *type_table_make_record(struct type_table *table, struct type_key *key,
					  const struct member *members, size_t count);

/* Returns the size in a type's key, for who writes the key: type_size() says what it means. */
uint64_t type_table_key_size(const struct type *type);

static inline struct type_node *type_node_of(const struct type *type)
{
	return (struct type_node *)type; /* `type` is its first member */
}

/* A type as a user writes it, "struct foo", "robj", "a::b<int>*", and the types found for it. */

struct type_query {
	char *text;                /* without the stars after it; freed by type_query_deinit() */
	const char *name;          /* without the keyword before it */
	unsigned int kinds;        /* that the keyword allows: a set of 1 << enum type_kind */
	size_t pointers;           /* number of stars */
	bool ends;                 /* `name` may lack leading scopes, and blanks do not count */
	bool as_written;           /* names that compilers change count, too: type_name_matches() */
	const struct type **types; /* found, the caller's */
	size_t count;              /* found, also beyond capacity */
	size_t capacity;
};

void type_query_init(struct type_query *query, const char *name, const struct type **types,
		     size_t capacity);
void type_query_deinit(struct type_query *query);
/* Adds the type if it is what the user asked for and is not there yet. */
void type_query_offer(struct type_query *query, const struct type *type);
