// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/type_query.h"

#include <string.h>

/* "struct foo" asks for a struct: the keyword is cut off, and the kinds that it allows are given. */
static const char *cut_keyword(const char *name, unsigned int *kinds)
{
	static const struct {
		const char *keyword;
		unsigned int kinds;
	} keywords[] = {
		{ "struct ", 1u << TYPE_STRUCT | 1u << TYPE_CLASS },
		{ "class ", 1u << TYPE_STRUCT | 1u << TYPE_CLASS },
		{ "union ", 1u << TYPE_UNION },
		{ "enum ", 1u << TYPE_ENUM },
	};

	*kinds = UINT32_MAX;
	for (size_t i = 0; i < sizeof(keywords) / sizeof(*keywords); i++) {
		size_t length = strlen(keywords[i].keyword);

		if (strncmp(name, keywords[i].keyword, length) == 0) {
			*kinds = keywords[i].kinds;
			return name + length;
		}
	}
	return name;
}

void type_query_init(struct type_query *query, const char *name, const struct type **types, size_t capacity)
{
	size_t length = strlen(name);

	*query = (struct type_query){ .text = xstrdup(name), .types = types, .capacity = capacity };
	while (length && (query->text[length - 1] == '*' || query->text[length - 1] == ' ')) {
		query->pointers += query->text[length - 1] == '*';
		query->text[--length] = '\0';
	}
	query->name = cut_keyword(query->text, &query->kinds);
}

void type_query_deinit(struct type_query *query)
{
	free(query->text);
}

static const struct type *pointer_to(const struct type *type, size_t levels)
{
	struct type_table *table = type->table;

	type_table_lock(table);
	for (size_t i = 0; i < levels; i++) {
		struct type_key key = { .kind = TYPE_POINTER, .size = 8, .target = type };

		type = type_table_intern(table, &key);
	}
	type_table_unlock(table);
	return type;
}

void type_query_offer(struct type_query *query, const struct type *type)
{
	if (!(query->kinds >> type->kind & 1) || !type->name || strcmp(type->name, query->name) != 0)
		return;
	type = pointer_to(type_canonical(type), query->pointers);
	for (size_t i = 0; i < query->count && i < query->capacity; i++) {
		if (query->types[i] == type)
			return;
	}
	if (query->count < query->capacity)
		query->types[query->count] = type;
	query->count++;
}
