// SPDX-License-Identifier: GPL-2.0-or-later
/* Uses of values, and the objects that they show: see uses.h. */
#include "annotate/evidence/uses.h"

#include "annotate/flow/solver.h"
#include "annotate/types/field.h"
#include "base/text.h"
#include "base/memory.h"

/* The most objects of a function that are kept. Functions written by hand have fewer. */
#define OBJECTS_MAX 256

/* Few variables have a stricter alignment than this. */
#define CACHE_LINE UINT64_C(64)

static bool uses_overlap(const struct object_use *a, const struct object_use *b)
{
	return a->on_stack == b->on_stack && a->offset < b->offset + (int64_t)b->size &&
	       b->offset < a->offset + (int64_t)a->size;
}

/* True if `general` is the Go runtime's type of all maps, and `special` the one that the debug
 * information has for maps of certain keys and elements. */
static bool is_map_of(const struct type *general, const struct type *special)
{
	/* the names of Go 1.24 and later, and those before */
	static const struct {
		const char *general, *special;
	} names[] = { { "internal/runtime/maps.Map", "map<" }, { "runtime.hmap", "hash<" } };

	general = type_strip(general);
	special = type_strip(special);
	return any_of(i, 0, COUNT_OF(names),
		      general->name && special->name &&
			      type_size_or(general, 0) == type_size_or(special, 0) &&
			      strcmp(general->name, names[i].general) == 0 &&
			      starts_with(special->name, names[i].special));
}

/* True if `part` is all of `whole`, or a member of it at that offset. Units have types of their own
 * for one array, so arrays are compared by their first and last elements. */
static bool use_holds(const struct object_use *whole, const struct object_use *part)
{
	const struct type *bare = type_strip(part->type),
			  *element = bare->kind == TYPE_ARRAY ? type_target(bare) : NULL;
	int64_t first = part->offset - whole->offset,
		last = element ? first + (int64_t)(part->size - field_size(element)) : 0;

	return (!first &&
		(field_same_type(whole->type, part->type) || is_map_of(part->type, whole->type))) ||
	       field_contains(whole->type, first, part->type) ||
	       (element && field_size(element) <= part->size &&
		field_contains(whole->type, first, element) &&
		field_contains(whole->type, last, element));
}

static void uses_add_use(struct object_uses *uses, struct object_use use)
{
	for (uint32_t i = 0; i < uses->count; i++) {
		struct object_use *old = &uses->items[i];

		if (!uses_overlap(old, &use))
			continue;
		if (use_holds(old, &use))
			return;
		if (use_holds(&use, old)) {
			use.refused |= old->refused;
			*old = uses->items[--uses->count];
			i--;
			continue;
		}
		old->refused = use.refused = true;
	}
	if (uses->count == OBJECTS_MAX)
		return;
	array_add(uses->items, uses->count, uses->capacity) = use;
	uses->changed = true;
}

/* At a fixed address the object must be all that the symbol stands for, or it may be a part of
 * something larger (&group.lock). Symbols of a list have no sizes: each goes up to the next one,
 * which may have been moved up to be aligned. */
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

/* True if each declared variable that overlaps the object is a part of it. */
static bool goes_with_declared(const struct solver *solver, const struct object_use *use)
{
	array_each (const struct stack_fact, fact, solver->facts.stack, solver->facts.stack_count) {
		const struct object_use declared = { .on_stack = true,
						     .offset = fact->offset - fact->piece_offset,
						     .size = field_size(fact->type),
						     .type = fact->type };

		if (fact->how != HOW_INFERRED && fact->base_reg == REG_NONE &&
		    uses_overlap(&declared, use) && !use_holds(use, &declared))
			return false;
	}
	return true;
}

static bool uses_is_void_pointer(const struct type *object)
{
	const struct type *bare = type_strip(object);

	return type_is_pointer(bare) && !field_pointee(bare);
}

void object_uses_note(struct solver *solver, const struct value *value, const struct type *object)
{
	object_uses_note_sized(solver, value, object, field_size(object));
}

void object_uses_note_sized(struct solver *solver, const struct value *value,
			    const struct type *object, uint64_t size)
{
	struct object_use use = { .on_stack = value->kind == VALUE_FRAME,
				  .offset = value->offset,
				  .size = size,
				  .type = type_canonical(object) };

	if (!solver->pass.gather || !solver->options.infer || !solver->function || value->stride)
		return;
	/* LLVM lets many unnamed objects of Rust share one place */
	if (value->kind == VALUE_FRAME && language_has(solver->function, FACT_SHARED_PLACES))
		return;
	/* where variables are declared, only objects without a name are of interest: a call's
	 * result, a copy of a variable, or the array of a slice of Go */
	if (!solver->function->arguments_by_abi &&
	    (!use.on_stack || !(type_is_record(type_strip(object)) ||
				(object->kind == TYPE_ARRAY && solver->abi->goroutine_type))))
		return;
	/* bytes are buffers of any length; a void ** is room for a pointer to anything */
	if (use.size < 2 || use.size > INT32_MAX || uses_is_void_pointer(object))
		return;
	if (value->kind == VALUE_FRAME) {
		if (value->frame != FRAME_CFA ||
		    use.offset + (int64_t)use.size > arch_frame_end(solver->arch))
			return;
	} else if (value->kind != VALUE_ADDRESS || !is_whole_symbol(solver, &use)) {
		return;
	}
	if (!goes_with_declared(solver, &use))
		return;
	uses_add_use(&solver->evidence.objects, use);
}

static void forget_inferred(struct facts *facts)
{
	array_keep(i, facts->stack, facts->stack_count, facts->stack[i].how != HOW_INFERRED);
}

bool object_uses_infer(struct solver *solver)
{
	struct object_uses *uses = &solver->evidence.objects;
	struct facts *facts = &solver->facts;
	bool learned = uses->changed;

	uses->changed = false;
	if (!learned)
		return false;
	forget_inferred(facts);
	array_each (const struct object_use, use, uses->items, uses->count) {
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
	array_each (const struct object_use, use, solver->evidence.objects.items,
		    solver->evidence.objects.count) {
		if (!use->on_stack && !use->refused && address >= use->offset &&
		    address - use->offset < (int64_t)use->size)
			return use;
	}
	return NULL;
}

bool solver_is_walked(const struct solver *solver, const struct type *type)
{
	return any_of(i, 0, solver->evidence.walked_count,
		      field_same_type(solver->evidence.walked[i], type));
}

void solver_note_walk(struct solver *solver, const struct type *type, int64_t apart)
{
	const struct type *bare = type_strip(type);

	/* A pointer to bytes counts only if a variable advances by one, as in *p++: p[-1] is then
	 * the byte just passed. An index proves nothing, because every text is indexed. */
	bool steps = type_is_record(bare) || (type_size_or(bare, 0) == 1 && apart == 1);

	if (!solver->pass.gather || !steps || !type_size_or(bare, 0) || !apart ||
	    apart % (int64_t)type_size_or(bare, 0) || solver_is_walked(solver, type))
		return;
	array_add(solver->evidence.walked, solver->evidence.walked_count,
		  solver->evidence.walked_capacity) = type;
}

bool go_is_interface_data(const struct solver *solver, const struct value *value)
{
	return solver->abi->goroutine_type && value->kind == VALUE_UNKNOWN && value->type &&
	       field_is_void_pointer(value->type);
}

void solver_note_use(struct solver *solver, const struct value *value, const struct type *object)
{
	if (go_is_interface_data(solver, value))
		return;
	/* An inferred type of one place in a record says nothing of another place in it. */
	if (value->kind == VALUE_POINTER && value->how != HOW_INFERRED &&
	    field_same_type(value->type, object))
		solver_note_walk(solver, object, value->offset);
	object_uses_note(solver, value, object);
	if (solver->tags.casting)
		tags_note_cast(solver, value, object);
	origins_use(&solver->origins, value, object, 0);
}
