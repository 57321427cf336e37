/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types made up in a test, without any object file. */
#pragma once

#include <assert.h>
#include <string.h>

#include "dwarf/types/type_table.h"

#define MADE_RECORDS 64
#define MADE_MEMBERS 16

struct made_types {
	struct type_table *table;
	struct type_members members[MADE_RECORDS]; /* by struct type.source */
	size_t record_count;
};

static inline void made_types_load(void *data, const struct type *type,
				   struct type_members *members)
{
	const struct made_types *types = data;

	*members = types->members[type->source];
}

static const struct type_loader made_types_loader = { .load_members = made_types_load };

static inline void made_types_init(struct made_types *types)
{
	*types = (struct made_types){ 0 };
	types->table = type_table_create(&made_types_loader, types);
}

static inline void made_types_deinit(struct made_types *types)
{
	type_table_destroy(types->table);
}

static inline const struct type *made_intern(struct made_types *types, struct type_key key)
{
	type_table_lock(types->table);

	const struct type *type = type_table_intern(types->table, &key);

	type_table_unlock(types->table);
	return type;
}

static inline const struct type *made_integer(struct made_types *types, const char *name,
					      uint64_t size)
{
	return made_intern(types, (struct type_key){ .kind = TYPE_INTEGER,
						     .flags = TYPE_SIGNED,
						     .name = name,
						     .size = size });
}

static inline const struct type *made_pointer(struct made_types *types, const struct type *target)
{
	return made_intern(types,
			   (struct type_key){ .kind = TYPE_POINTER, .size = 8, .target = target });
}

/* A count of 0 makes a flexible array. */
static inline const struct type *made_array(struct made_types *types, const struct type *element,
					    uint64_t count)
{
	return made_intern(types, (struct type_key){ .kind = TYPE_ARRAY,
						     .size = count * type_size_or(element, 0),
						     .array_count = count,
						     .target = element });
}

static inline const struct type *made_typedef(struct made_types *types, const char *name,
					      const struct type *target)
{
	return made_intern(types, (struct type_key){ .kind = TYPE_TYPEDEF,
						     .name = name,
						     .size = type_size_or(target, 0),
						     .target = target });
}

/* `members` end with one without a type, and must live as long as the types. */
static inline const struct type *made_record(struct made_types *types, enum type_kind kind,
					     const char *name, uint64_t size,
					     const struct member *members)
{
	size_t count = 0, number = types->record_count++;

	assert(number < MADE_RECORDS);
	while (members[count].type)
		count++;
	types->members[number] = (struct type_members){ .items = members, .count = count };
	return made_intern(types, (struct type_key){ .kind = kind,
						     .name = name,
						     .size = size,
						     .fingerprint = number + 1,
						     .source = number });
}

#define MADE_STRUCT(types, name, size, ...)                                                        \
	made_record(types, TYPE_STRUCT, name, size, MADE_LIST(types, __VA_ARGS__))
#define MADE_UNION(types, name, size, ...)                                                         \
	made_record(types, TYPE_UNION, name, size, MADE_LIST(types, __VA_ARGS__))
#define MADE_LIST(types, ...)                                                                      \
	arena_copy(&(types)->table->arena, (struct member[]){ __VA_ARGS__, { .type = NULL } },     \
		   sizeof((struct member[]){ __VA_ARGS__, { .type = NULL } }))
