/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "annotate/object_use.h"

#include "annotate/place.h"
#include "annotate/solver.h"

/* More than any function has that was written by a person. */
#define MAXIMUM_OBJECTS 256

/* The strictest alignment that most variables are given. */
#define CACHE_LINE UINT64_C(64)

/* The return address lies there: no object of this function's reaches so far. */
#define FRAME_END (-8)

static bool overlap(const struct object_use *a, const struct object_use *b)
{
	return a->on_stack == b->on_stack && a->offset < b->offset + (int64_t)b->size &&
	       b->offset < a->offset + (int64_t)a->size;
}

/* Is `part` all that `whole` is, or a member of it, just there? */
static bool holds(const struct object_use *whole, const struct object_use *part)
{
	return (whole->offset == part->offset && place_same_type(whole->type, part->type)) ||
	       place_contains(whole->type, part->offset - whole->offset, part->type);
}

static void add(struct object_uses *uses, struct object_use use)
{
	for (uint32_t i = 0; i < uses->count; i++) {
		struct object_use *old = &uses->items[i];

		if (!overlap(old, &use))
			continue;
		if (holds(old, &use))
			return;
		if (holds(&use, old)) {
			use.refused |= old->refused;
			*old = uses->items[--uses->count];
			i--;
			continue;
		}
		old->refused = use.refused = true;
	}
	if (uses->count == MAXIMUM_OBJECTS)
		return;
	array_reserve(uses->items, uses->count, uses->capacity);
	uses->items[uses->count++] = use;
	uses->changed = true;
}

/*
 * At a fixed address, the object must be all that the symbol stands for: else it may be a part of something
 * larger (&group.lock). Symbols from a list have no sizes: they go up to the next one, which may have been
 * moved on to be aligned.
 */
static bool is_whole_symbol(const struct solver *solver, const struct object_use *use)
{
	const struct symbol *symbol = elf_image_object_at(solver->image, (uint64_t)use->offset);

	if (!symbol || symbol->address != (uint64_t)use->offset || use->size > symbol->size)
		return false;
	if (use->size == symbol->size)
		return true;
	uint64_t end = symbol->address + symbol->size, alignment = end & -end;

	return elf_image_was_given_symbols(solver->image) &&
	       symbol->size - use->size < (alignment < CACHE_LINE ? alignment : CACHE_LINE);
}

/* Where variables are declared, one that has some of these bytes must be a part of the object. */
static bool goes_with_declared(const struct solver *solver, const struct object_use *use)
{
	for (size_t i = 0; i < solver->facts.stack_count; i++) {
		const struct stack_fact *fact = &solver->facts.stack[i];
		const struct object_use declared = { .on_stack = true,
						     .offset = fact->offset - fact->piece_offset,
						     .size = place_size(fact->type),
						     .type = fact->type };

		if (fact->how != HOW_INFERRED && fact->base_reg == REG_NONE && overlap(&declared, use) &&
		    !holds(use, &declared))
			return false;
	}
	return true;
}

static bool is_void_pointer(const struct type *object)
{
	const struct type *bare = type_strip(object);

	return type_is_pointer(bare) && !place_pointee(bare);
}

void object_uses_note(struct solver *solver, const struct value *value, const struct type *object)
{
	struct object_use use = { .on_stack = value->kind == VALUE_FRAME,
				  .offset = value->offset,
				  .size = place_size(object),
				  .type = type_canonical(object) };

	if (!solver->gather || !solver->infer || !solver->function || value->stride ||
	    !rule_is_on(RULE_OBJECT_BY_USE))
		return;
	/* a local variable without a name: the result of a call, or a copy of one that has a name */
	if (!solver->function->arguments_by_abi && (!use.on_stack || !type_is_record(type_strip(object))))
		return;
	/* bytes are buffers of any length; a void ** is given room for a pointer, whatever it points to */
	if (use.size < 2 || use.size > INT32_MAX || is_void_pointer(object))
		return;
	if (value->kind == VALUE_FRAME) {
		if (value->frame != FRAME_CFA || use.offset + (int64_t)use.size > FRAME_END)
			return;
	} else if (value->kind != VALUE_ADDRESS || !is_whole_symbol(solver, &use)) {
		return;
	}
	if (!goes_with_declared(solver, &use))
		return;
	add(&solver->objects, use);
}

static void forget_inferred(struct facts *facts)
{
	size_t kept = 0;

	for (size_t i = 0; i < facts->stack_count; i++) {
		if (facts->stack[i].how != HOW_INFERRED)
			facts->stack[kept++] = facts->stack[i];
	}
	facts->stack_count = kept;
}

bool object_uses_infer(struct solver *solver)
{
	struct object_uses *uses = &solver->objects;
	struct facts *facts = &solver->facts;
	bool learned = uses->changed;

	uses->changed = false;
	if (!learned)
		return false;
	forget_inferred(facts);
	for (uint32_t i = 0; i < uses->count; i++) {
		const struct object_use *use = &uses->items[i];

		if (!use->on_stack || use->refused)
			continue;
		facts_add_stack(facts, &(struct stack_fact){ .high = UINT64_MAX,
							     .offset = use->offset,
							     .size = use->size,
							     .base_reg = REG_NONE,
							     .variable = NO_VARIABLE,
							     .type = use->type,
							     .how = HOW_INFERRED });
	}
	facts_index_stack(facts);
	return true;
}

const struct object_use *object_uses_find(const struct solver *solver, int64_t address)
{
	for (uint32_t i = 0; i < solver->objects.count; i++) {
		const struct object_use *use = &solver->objects.items[i];

		if (!use->on_stack && !use->refused && address >= use->offset &&
		    address - use->offset < (int64_t)use->size)
			return use;
	}
	return NULL;
}
