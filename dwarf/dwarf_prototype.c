// SPDX-License-Identifier: GPL-2.0-or-later
/* What a function's DIEs say of it from outside. */
#include <dwarf.h>

#include "dwarf/dwarf_object.h"
#include "profiler/base/memory.h"

#define CHAIN_MAX      8
#define PARAMETERS_MAX 4096

/* The DIEs of a function from the concrete to the most abstract one. */
struct chain {
	struct die dies[CHAIN_MAX];
	size_t count;
};

static void follow(struct dwarf_files *files, uint64_t reference, struct chain *chain)
{
	chain->count = 0;
	while (reference && chain->count < CHAIN_MAX) {
		struct die *die = &chain->dies[chain->count];

		if (!die_at(files, reference, die) || die->tag != DW_TAG_subprogram)
			return;
		chain->count++;
		reference = die_target(die, SLOT_ORIGIN);
		if (!reference)
			reference = die_target(die, SLOT_SPECIFICATION);
	}
}

struct parameters {
	struct parameter *items;
	uint64_t *dies;
	size_t count, capacity, die_capacity;
	bool variadic;
};

static void read_parameters(struct debug_object *object, const struct die *function,
			    struct parameters *parameters)
{
	struct cursor cursor = die_children(function);
	struct die die;

	if (!function->has_children)
		return;
	while (die_read(function->unit, &cursor, &die) && die.tag) {
		die_skip_children(&die, &cursor);
		if (die.tag == DW_TAG_unspecified_parameters)
			parameters->variadic = true;
		if (die.tag != DW_TAG_formal_parameter || parameters->count >= PARAMETERS_MAX)
			continue;

		struct die other;
		const struct die *named = die_integrate(object->files, &die, SLOT_NAME, &other);
		const char *name = named ? die_name(named) : NULL;

		array_reserve(parameters->dies, parameters->count, parameters->die_capacity);
		array_reserve(parameters->items, parameters->count, parameters->capacity);
		parameters->dies[parameters->count] = die_reference(&die);
		parameters->items[parameters->count++] = (struct parameter){
			.name = name && *name ? name : NULL,
			.type = dwarf_type_of(&object->types, &die),
		};
	}
}

static bool any_flag(const struct chain *chain, enum attribute_slot slot)
{
	for (size_t i = 0; i < chain->count; i++) {
		if (die_flag(&chain->dies[i], slot))
			return true;
	}
	return false;
}

static const struct die *first_with(const struct chain *chain, enum attribute_slot slot)
{
	for (size_t i = 0; i < chain->count; i++) {
		if (die_has(&chain->dies[i], slot))
			return &chain->dies[i];
	}
	return NULL;
}

/* In C, a declaration without parameters that is no prototype says nothing of them. */
static bool parameters_are_known(const struct chain *chain, size_t count)
{
	const struct die *last = &chain->dies[chain->count - 1];

	return count || last->unit->language != LANGUAGE_C || any_flag(chain, SLOT_PROTOTYPED) ||
	       !any_flag(chain, SLOT_DECLARATION);
}

/* Its parameters are the caller's. */
static struct prototype read_prototype(struct debug_object *object, const struct chain *chain,
				       struct parameters *parameters)
{
	const struct die *typed = first_with(chain, SLOT_TYPE), *named = first_with(chain, SLOT_NAME);

	/* The most abstract DIE has the parameters as they were written: an optimized instance may lack some.
	 */
	for (size_t i = chain->count; i-- > 0 && !parameters->count && !parameters->variadic;)
		read_parameters(object, &chain->dies[i], parameters);
	return (struct prototype){
		.name = named ? die_name(named) : NULL,
		.return_type = dwarf_type(&object->types, typed ? die_type_target(typed) : 0),
		.parameters = parameters->items,
		.parameter_count = parameters->count,
		.variadic = parameters->variadic,
		.no_return = any_flag(chain, SLOT_NO_RETURN),
		.prototyped = parameters_are_known(chain, parameters->count),
	};
}

/* Under the lock. */
static struct dwarf_prototype *keep(struct debug_object *object, const struct prototype *prototype,
				    const struct parameters *parameters)
{
	struct arena *arena = &object->types.table->arena;
	struct dwarf_prototype *result = arena_alloc(arena, sizeof(*result));

	result->parameter_dies =
		arena_copy(arena, parameters->dies, parameters->count * sizeof(*parameters->dies));
	result->prototype = *prototype;
	result->prototype.parameters =
		arena_copy(arena, parameters->items, parameters->count * sizeof(*parameters->items));
	return result;
}

const struct dwarf_prototype *dwarf_prototype(struct debug_object *object, uint64_t reference)
{
	struct dwarf_prototype *found =
		reference ? concurrent_map_find(&object->prototypes, reference) : NULL;

	if (found || !reference)
		return found;

	struct chain chain;

	follow(object->files, reference, &chain);
	if (!chain.count)
		return NULL;

	/* instances share what the most abstract DIE says, unless they say more themselves */
	struct parameters parameters = { 0 };
	struct prototype prototype = read_prototype(object, &chain, &parameters);

	/* read without the lock, which others wait for: who comes second drops what it read */
	type_table_lock(object->types.table);
	found = concurrent_map_find(&object->prototypes, reference);
	if (!found) {
		found = keep(object, &prototype, &parameters);
		concurrent_map_insert(&object->prototypes, reference, found);
	}
	type_table_unlock(object->types.table);
	free(parameters.items);
	free(parameters.dies);
	return found;
}
