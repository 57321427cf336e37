// SPDX-License-Identifier: GPL-2.0-or-later
/* Functions, variables and types by name. */
#include <elf.h>
#include <string.h>

#include "dwarf/dwarf_global.h"
#include "dwarf/type_query.h"
#include "profiler/base/memory.h"

uint64_t dwarf_find_in_unit(struct debug_object *object, struct unit *unit, const char *name,
			    enum name_kind kind)
{
	const struct unit_index *index = unit ? unit_level_get(unit) : NULL;
	uint32_t hash = name_hash(name), position = 0;
	uint64_t reference;
	struct die die;

	while (index && (reference = unit_index_next(index, hash, kind, &position)))
		if (die_at(object->files, reference, &die) && dwarf_die_is_named(object->files, &die, name))
			return reference;
	return 0;
}

/* How well a DIE answers for a name in other units than its own. */
enum rank { RANK_NONE, RANK_DECLARATION, RANK_DEFINITION };

static enum rank rank(struct debug_object *object, const struct die *die)
{
	struct die other;
	const struct die *declared = die_integrate(object->files, die, SLOT_EXTERNAL, &other);

	/* what is static elsewhere is out of sight */
	if (!declared || !die_flag(declared, SLOT_EXTERNAL))
		return RANK_NONE;
	return die_flag(die, SLOT_DECLARATION) ? RANK_DECLARATION : RANK_DEFINITION;
}

uint64_t dwarf_find_named(struct debug_object *object, const char *name, enum name_kind kind,
			  uint64_t from_address)
{
	struct unit *from = from_address ? dwarf_unit_at(object, from_address) : NULL;
	uint64_t best = dwarf_find_in_unit(object, from, name, kind), reference;
	enum rank best_rank = best ? RANK_DEFINITION : RANK_NONE;
	uint32_t position = 0;
	struct die die;

	while (best_rank < RANK_DEFINITION &&
	       (reference = dwarf_names_next(object->names, name, kind, &position))) {
		if (!die_at(object->files, reference, &die))
			continue;

		enum rank found = rank(object, &die);

		if (found > best_rank) {
			best_rank = found;
			best = reference;
		}
	}
	return best;
}

static const struct prototype *prototype_of(struct debug_object *object, uint64_t reference)
{
	const struct dwarf_prototype *found = dwarf_prototype(object, reference);

	return found ? &found->prototype : NULL;
}

const struct prototype *dwarf_prototype_named(struct debug_object *object, const char *name,
					      uint64_t from_address)
{
	return prototype_of(object, dwarf_find_named(object, name, NAME_FUNCTION, from_address));
}

/* The external function of that name as the unit declares it. Without this the unit that defines it would
 * have to be read for each call. */
static const struct prototype *declared_in_unit(struct debug_object *object, uint64_t from_address,
						const struct symbol *symbol)
{
	uint64_t reference;
	const struct die *declared;
	struct die die, other;

	/* names of clones (foo.isra.0) and of static functions are not those of the declaration */
	if (!from_address || symbol->binding == STB_LOCAL)
		return NULL;
	reference =
		dwarf_find_in_unit(object, dwarf_unit_at(object, from_address), symbol->name, NAME_FUNCTION);
	if (!reference || !die_at(object->files, reference, &die) ||
	    !(declared = die_integrate(object->files, &die, SLOT_EXTERNAL, &other)) ||
	    !die_flag(declared, SLOT_EXTERNAL))
		return NULL;
	const struct prototype *prototype = prototype_of(object, reference);

	return prototype && prototype->prototyped ? prototype : NULL;
}

const struct prototype *dwarf_prototype_at(struct debug_object *object, uint64_t address,
					   uint64_t from_address)
{
	const struct symbol *symbol = elf_image_function_at(object->image, address);
	bool begins = symbol && symbol->address == address;
	const struct prototype *declared = begins ? declared_in_unit(object, from_address, symbol) : NULL;

	if (declared)
		return declared;

	const struct function_entry *entry = dwarf_function_entry(object, address);

	if (entry)
		return entry->entry == address ? prototype_of(object, entry->die) : NULL;
	/* code without debug information that somebody declares (assembly) */
	return begins ? dwarf_prototype_named(object, symbol->name, 0) : NULL;
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

typedef uint64_t (*next_name)(struct dwarf_names *names, const char *name, enum name_kind kind,
			      uint32_t *position);

static void offer_named(struct debug_object *object, next_name next, const char *name,
			struct type_query *query)
{
	static const enum name_kind kinds[] = { NAME_RECORD, NAME_ENUM, NAME_TYPEDEF };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		uint64_t reference;
		uint32_t position = 0;

		while ((reference = next(object->names, name, kinds[i], &position)))
			type_query_offer(query, dwarf_type(&object->types, reference));
	}
}

size_t dwarf_types_named(struct debug_object *object, const char *name, const struct type **types,
			 size_t capacity)
{
	struct type_query query;

	type_query_init(&query, name, types, capacity);

	const char *plain = plain_name(query.name);
	_cleanup_free_ char *template = xstrndup(plain, strcspn(plain, "<"));

	offer_named(object, dwarf_names_next, plain, &query);
	/* names that come without their template arguments */
	if (!query.count && *template && strcmp(template, plain) != 0)
		offer_named(object, dwarf_names_next, template, &query);
	/* types of functions */
	if (!query.count)
		offer_named(object, dwarf_names_next_of_all, plain, &query);
	type_query_deinit(&query);
	return query.count;
}
