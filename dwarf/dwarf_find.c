/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions, variables and types by name. */
#include <string.h>

#include "dwarf/dwarf_global.h"
#include "profiler/base/memory.h"

/* How well a DIE answers for a name. */
enum rank { RANK_NONE, RANK_DECLARATION, RANK_DEFINITION, RANK_SAME_UNIT };

static enum rank rank(struct debug_object *object, const struct die *die, const struct unit *from)
{
	struct die declared;

	if (from && die->unit == from)
		return RANK_SAME_UNIT;
	/* what is static elsewhere is out of sight */
	if (!die_integrate(object->files, die, SLOT_EXTERNAL, &declared) ||
	    !die_flag(&declared, SLOT_EXTERNAL))
		return RANK_NONE;
	return die_flag(die, SLOT_DECLARATION) ? RANK_DECLARATION : RANK_DEFINITION;
}

uint64_t dwarf_find_named(struct debug_object *object, const char *name, enum name_kind kind,
			  uint64_t from_address)
{
	const struct unit *from = from_address ? dwarf_unit_at(object, from_address) : NULL;
	enum rank best_rank = RANK_NONE;
	uint64_t best = 0, reference;
	uint32_t position = 0;
	struct die die;

	if (from && from->split)
		from = from->split;
	while ((reference = dwarf_names_next(object->names, name, kind, &position))) {
		if (!die_at(object->files, reference, &die))
			continue;

		enum rank found = rank(object, &die, from);

		if (found > best_rank) {
			best_rank = found;
			best = reference;
		}
		if (best_rank == RANK_SAME_UNIT)
			break;
	}
	return best;
}

const struct prototype *dwarf_prototype_named(struct debug_object *object, const char *name,
					      uint64_t from_address)
{
	const struct dwarf_prototype *found =
		dwarf_prototype(object, dwarf_find_named(object, name, NAME_FUNCTION, from_address));

	return found ? &found->prototype : NULL;
}

const struct prototype *dwarf_prototype_at(struct debug_object *object, uint64_t address)
{
	const struct function_entry *entry = dwarf_function_entry(object, address);

	if (entry) {
		const struct dwarf_prototype *found =
			entry->entry == address ? dwarf_prototype(object, entry->die) : NULL;

		return found ? &found->prototype : NULL;
	}

	/* code without debug information that somebody declares (assembly) */
	const struct symbol *symbol = elf_image_function_at(object->image, address);

	if (!symbol || symbol->address != address)
		return NULL;
	return dwarf_prototype_named(object, symbol->name, 0);
}

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

/* What comes after the last "::" that is not between < and >. */
static const char *plain_name(const char *name)
{
	const char *plain = name;
	int depth = 0;

	for (const char *at = name; *at; at++) {
		depth += *at == '<' ? 1 : *at == '>' ? -1 : 0;
		if (depth == 0 && at[0] == ':' && at[1] == ':' && at[2])
			plain = at + 2;
	}
	return plain;
}

struct type_list {
	const struct type **types;
	size_t count;
	size_t capacity;
};

static void add_type(struct type_list *list, const struct type *type)
{
	for (size_t i = 0; i < list->count && i < list->capacity; i++) {
		if (list->types[i] == type)
			return;
	}
	if (list->count < list->capacity)
		list->types[list->count] = type;
	list->count++;
}

static const struct type *pointer_to(struct type_table *table, const struct type *type, size_t levels)
{
	type_table_lock(table);
	for (size_t i = 0; i < levels; i++) {
		struct type_key key = { .kind = TYPE_POINTER, .size = 8, .target = type };

		type = type_table_intern(table, &key);
	}
	type_table_unlock(table);
	return type;
}

static void add_named(struct debug_object *object, const char *name, unsigned int kinds, enum name_kind kind,
		      size_t pointers, struct type_list *list)
{
	uint64_t reference;
	uint32_t position = 0;

	while ((reference = dwarf_names_next(object->names, plain_name(name), kind, &position))) {
		const struct type *type = dwarf_type(&object->types, reference);

		if (!(kinds >> type->kind & 1) || !type->name || strcmp(type->name, name) != 0)
			continue;
		add_type(list, pointer_to(object->types.table, type_canonical(type), pointers));
	}
}

size_t dwarf_types_named(struct debug_object *object, const char *name, const struct type **types,
			 size_t capacity)
{
	struct type_list list = { .types = types, .capacity = capacity };
	_cleanup_free_ char *base = xstrdup(name);
	size_t length = strlen(base), pointers = 0;
	unsigned int kinds;

	while (length && (base[length - 1] == '*' || base[length - 1] == ' ')) {
		pointers += base[length - 1] == '*';
		base[--length] = '\0';
	}

	const char *tag = cut_keyword(base, &kinds);

	add_named(object, tag, kinds, NAME_RECORD, pointers, &list);
	add_named(object, tag, kinds, NAME_ENUM, pointers, &list);
	add_named(object, tag, kinds, NAME_TYPEDEF, pointers, &list);
	return list.count;
}
