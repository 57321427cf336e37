// SPDX-License-Identifier: GPL-2.0-or-later
/* `this` and references of C++: see selves.h. */
#include "annotate/facts/selves.h"

#include "annotate/access.h"
#include "annotate/policy.h"
#include "annotate/types/field.h"
#include "base/memory.h"

static void add_to(struct stack_fact_list *list, const struct stack_fact *fact)
{
	array_add(list->items, list->count, list->capacity) = *fact;
}

/* ---- where the objects are */

bool selves_is_this(const struct variable *variable)
{
	/* all variables are asked, and most begin with another letter */
	return variable->name && *variable->name == 't' && strcmp(variable->name, "this") == 0;
}

bool selves_is_self(const struct function *function, const struct variable *variable)
{
	return language_has(function, FACT_SELVES) &&
	       (type_strip(variable->type)->kind == TYPE_REFERENCE || selves_is_this(variable));
}

/* Returns the class that a pointer or reference of this type points to; NULL: it points to no
 * class, or to one that is too small to matter. */
static const struct type *self_class(const struct type *pointer)
{
	const struct type *bare = type_strip(pointer);
	const struct type *object = type_is_pointer(bare) ? type_target(bare) : NULL;

	if (!object || !type_is_record(type_strip(object)))
		return NULL;
	object = type_canonical(object);
	return field_size(object) >= 2 || field_is_named_only(object) ? object : NULL;
}

/* Finds the base and offset that a location gives a pointer: REG_NONE for the CFA, or a general
 * register. */
static bool selves_place_of(const struct arch *arch, const struct function *function,
			    const struct location *location, uint8_t *base, int64_t *offset)
{
	*base = REG_NONE;
	*offset = location->offset;
	switch (location->kind) {
	case LOCATION_REGISTER: *offset = 0; break;
	case LOCATION_REGISTER_VALUE: break;
	case LOCATION_CFA_VALUE: return true;
	case LOCATION_FRAME_VALUE:
		if (function->frame_base.kind == FRAME_BASE_CFA)
			return true;
		if (function->frame_base.kind != FRAME_BASE_REGISTER)
			return false;
		*base = arch_reg_from_dwarf(arch, function->frame_base.reg);
		*offset += function->frame_base.offset;
		return reg_is_general(*base);
	default: return false;
	}
	*base = arch_reg_from_dwarf(arch, location->reg);
	return reg_is_general(*base);
}

static void find_objects(struct selves *selves, const struct arch *arch,
			 const struct function *function, uint32_t index)
{
	const struct variable *variable = &function->variables[index];
	const struct type *object =
		selves_is_self(function, variable) ? self_class(variable->type) : NULL;

	for (size_t i = 0; object && i < variable->location_count; i++) {
		const struct location *location = &variable->locations[i];
		struct stack_fact fact = {
			.low = location->low,
			.high = location->high,
			.size = field_size(object),
			.variable = index,
			.depth = function->scopes[variable->scope].depth,
			.type = object,
			.how = HOW_VARIABLE,
			.is_self = true,
			.open = field_is_named_only(object),
		};

		if (!location->piece_size &&
		    selves_place_of(arch, function, location, &fact.base_reg, &fact.offset))
			add_to(&selves->objects, &fact);
	}
}

/* True if this address of the frame is all that the debug information says of a pointer's value. */
static bool is_only_place(const struct stack_fact_list *objects, const struct stack_fact *fact)
{
	array_each (const struct stack_fact, other, objects->items, objects->count) {
		if (other->variable == fact->variable && other->base_reg == REG_NONE &&
		    other->offset != fact->offset)
			return false;
	}
	return true;
}

static bool is_known_place(const struct stack_fact_list *places, const struct stack_fact *fact)
{
	return any_of(i, 0, places->count,
		      places->items[i].offset == fact->offset &&
			      field_same_type(places->items[i].type, fact->type));
}

/* Adds the fact once for each range of the scope. */
static void add_in_scope(struct stack_fact_list *list, const struct scope *scope,
			 struct stack_fact fact)
{
	for (size_t i = 0; i < scope->range_count; i++) {
		fact.low = scope->ranges[i].low;
		fact.high = scope->ranges[i].high;
		if (fact.low < fact.high)
			add_to(list, &fact);
	}
}

/* `this` and references never change. If one has an address of the frame anywhere in its scope, it
 * has it everywhere there, also where the compiler has dropped it. */
static void extend_to_scopes(struct selves *selves, const struct function *function)
{
	size_t count = selves->objects.count;
	uint32_t last = NO_VARIABLE;

	for (size_t i = 0; i < count; i++) {
		const struct stack_fact fact = selves->objects.items[i];

		if (fact.base_reg != REG_NONE)
			continue;
		if (!is_known_place(&selves->places, &fact))
			add_to(&selves->places, &fact);
		if (fact.variable != last && function->variables[fact.variable].scope &&
		    is_only_place(&selves->objects, &fact))
			add_in_scope(&selves->objects,
				     &function->scopes[function->variables[fact.variable].scope],
				     fact);
		last = fact.variable;
	}
}

/* ---- the class of code */

/* Returns the class, if the scope is an inlined call of one of its member functions; NULL
 * otherwise. */
static const struct type *method_class(const struct scope *scope)
{
	const struct prototype *prototype = scope->inlined ? scope->prototype : NULL;
	const struct parameter *self =
		prototype && prototype->parameter_count ? &prototype->parameters[0] : NULL;

	return self && self->artificial ? self_class(self->type) : NULL;
}

bool selves_is_constructor(const char *own, const struct type *class)
{
	const char *name = type_strip(class)->name;
	const char *arguments = name ? strchr(name, '<') : NULL;
	size_t end = name ? (arguments ? (size_t)(arguments - name) : strlen(name)) : 0,
	       start = end;

	while (start > 0 && name[start - 1] != ':')
		start--;
	return start != end && strncmp(own, name + start, end - start) == 0 &&
	       (own[end - start] == '\0' || own[end - start] == '<');
}

/* True for constructors and destructors, which are named like their class. */
static bool is_maker(const struct scope *scope, const struct type *class)
{
	return scope->name && selves_is_constructor(scope->name + (*scope->name == '~'), class);
}

static uint32_t made_at(const struct scope *scope, const struct type *class)
{
	return scope->name && selves_is_constructor(scope->name, class) ? scope->line : 0;
}

static void find_methods(struct selves *selves, const struct function *function)
{
	_cleanup_free_ uint32_t *variables =
		xrealloc_array(NULL, function->scope_count, sizeof(*variables));

	for (size_t i = 0; i < function->scope_count; i++)
		variables[i] = NO_VARIABLE;
	for (uint32_t i = 0; i < function->variable_count; i++)
		if (selves_is_this(&function->variables[i]))
			variables[function->variables[i].scope] = i;
	for (uint32_t i = 1; i < function->scope_count; i++) {
		const struct scope *scope = &function->scopes[i];
		const struct type *object = method_class(scope);

		if (object)
			add_in_scope(&selves->methods, scope,
				     (struct stack_fact){ .size = field_size(object),
							  .base_reg = REG_NONE,
							  .variable = variables[i],
							  .depth = scope->depth,
							  .type = object,
							  .how = HOW_VARIABLE,
							  .is_self = true,
							  .is_maker = is_maker(scope, object),
							  .made_at = made_at(scope, object),
							  .open = field_is_named_only(object) });
	}
}

/* ---- lists by address */

COMPARISON(compare_lows, struct stack_fact, ASCENDING(low) ASCENDING(variable))

static void sort_by_low(struct stack_fact_list *list)
{
	uint64_t reach = 0;

	array_sort(list->items, list->count, compare_lows);
	for (size_t i = 0; i < list->count; i++) {
		reach = list->items[i].high > reach ? list->items[i].high : reach;
		list->items[i].reach = reach;
	}
}

void selves_build(struct selves *selves, const struct arch *arch, const struct function *function)
{
	*selves = (struct selves){ 0 };
	if (!language_has(function, FACT_SELVES))
		return;
	for (uint32_t i = 0; i < function->variable_count; i++)
		find_objects(selves, arch, function, i);
	extend_to_scopes(selves, function);
	find_methods(selves, function);
	sort_by_low(&selves->objects);
	sort_by_low(&selves->methods);
}

void selves_deinit(struct selves *selves)
{
	free_all(selves->objects.items, selves->places.items, selves->methods.items);
	*selves = (struct selves){ 0 };
}

size_t selves_begin(const struct stack_fact_list *list, uint64_t address)
{
	return partition_point(0, list->count, i, list->items[i].low <= address);
}

const struct stack_fact *selves_next(const struct stack_fact_list *list, uint64_t address,
				     size_t *at)
{
	while (*at > 0 && list->items[*at - 1].reach > address)
		if (list->items[--*at].high > address)
			return &list->items[*at];
	return NULL;
}

const struct stack_fact *selves_method(const struct selves *selves, uint64_t address,
				       uint32_t above, uint32_t below)
{
	size_t at = selves_begin(&selves->methods, address);
	const struct stack_fact *best = NULL, *method;

	while ((method = selves_next(&selves->methods, address, &at)))
		if (method->depth > above && method->depth < below &&
		    (!best || method->depth > best->depth))
			best = method;
	return best;
}

bool selves_share_address(const struct selves *selves, const struct type *a, const struct type *b)
{
	const struct stack_fact_list *objects = &selves->objects;

	array_indexed (const struct stack_fact, self, i, objects->items, objects->count) {
		bool is_a = field_same_type(self->type, a);
		const struct type *wanted = is_a ? b : a;

		if (!is_a && !field_same_type(self->type, b))
			continue;
		for (size_t j = i + 1; j < objects->count && objects->items[j].low < self->high;
		     j++)
			if (field_same_type(objects->items[j].type, wanted) &&
			    objects->items[j].base_reg == self->base_reg &&
			    objects->items[j].offset == self->offset)
				return true;
	}
	return false;
}

uint32_t selves_inlined_depth(const struct function *function, uint64_t address)
{
	inlined_each (scope, function, address)
		return scope->depth;
	return 0;
}

bool selves_is_in_method(const struct selves *selves, const struct function *function,
			 uint64_t address)
{
	uint32_t depth = selves_inlined_depth(function, address);
	const struct stack_fact *method = selves_method(selves, address, 0, UINT32_MAX);
	const struct prototype *own = function->prototype;

	if (depth)
		return method && method->depth == depth;
	return own && own->parameter_count && own->parameters[0].artificial;
}
