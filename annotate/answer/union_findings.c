// SPDX-License-Identifier: GPL-2.0-or-later
/* The knowledge of a value that an access to a union moves: see union_findings.h. */
#include "annotate/answer/union_findings.h"

#include "annotate/objects/objects.h"
#include "annotate/types/field.h"

void findings_class(struct findings *findings, uint8_t value_class)
{
	uint8_t *known = &findings->evidence->value_class;

	if (*known != VALUE_CLASS_ANY && *known != value_class)
		findings->refused = true;
	*known = value_class;
}

void findings_name(struct findings *findings, const char *name)
{
	const char **names = findings->evidence->names;

	for (size_t i = 0; name && i < UNION_NAMES_MAX && names[i] != name; i++)
		if (!names[i]) {
			names[i] = name;
			return;
		}
}

/* True if what one pointer points to begins with what the other points to. */
static bool points_to_start(const struct type *start, const struct type *whole)
{
	return type_is_pointer(type_strip(start)) && type_is_pointer(type_strip(whole)) &&
	       field_contains(type_target(type_strip(whole)), 0, type_target(type_strip(start)));
}

void findings_type(struct findings *findings, const struct type *type, uint64_t size)
{
	const struct type *bare = type_strip(type), **known = &findings->evidence->type;

	if (field_size(bare) != size || type_is_record(bare) || bare->kind == TYPE_ARRAY)
		return;
	/* any pointer is converted to void * without a cast, and back */
	if (field_is_void_pointer(bare)) {
		if (!findings->received)
			findings_class(findings, VALUE_CLASS_POINTER);
		return;
	}
	if (findings->received) {
		if (points_to_start(*known, type))
			findings->evidence->whole = type;
		return;
	}
	findings->said++;
	if (*known && !field_same_type(*known, type) && !points_to_start(*known, type) &&
	    !points_to_start(type, *known))
		findings->type_refused = true;
	if (!*known || points_to_start(*known, type))
		*known = type;
}

void findings_variable(struct findings *findings, const struct variable *variable, uint64_t size)
{
	findings->passed |= variable->flags & VARIABLE_PARAMETER && variable->scope;
	findings_name(findings, variable->name);
	findings_type(findings, variable->type, size);
}

void findings_sum_type(struct findings *findings, const struct type *type)
{
	findings->moved |= type_is_pointer(type_strip(type));
}

/* True for an unsigned integer in which code keeps pointers: of a word, and no size. */
static bool is_word_for_pointer(const struct type *type)
{
	const struct type *bare = type_strip(type);

	for (unsigned int depth = 0; type != bare && depth < TYPE_DEPTH_MAX; depth++) {
		if (type->name && strcmp(type->name, "size_t") == 0)
			return false;
		type = type_target(type);
	}
	return bare->kind == TYPE_INTEGER && !(bare->flags & TYPE_SIGNED) &&
	       field_size(bare) == WORD;
}

void findings_conclude(struct findings *findings)
{
	struct union_evidence *evidence = findings->evidence;
	const struct type *bare;

	if (findings->type_refused)
		evidence->type = NULL;
	/* what is copied to another union is of any member: other uses are of values that some
	 * test has chosen, and share the load */
	if (findings->copied || findings->sided)
		evidence->access_count = findings->own_accesses;
	if (findings->sided && findings->untyped)
		evidence->type = findings->own_type;
	evidence->has_sign = findings->has_sign;
	bare = evidence->type ? type_strip(evidence->type) : NULL;
	evidence->cast = findings->passed && bare && is_word_for_pointer(evidence->type);
	if (findings->refused)
		evidence->value_class = VALUE_CLASS_ANY;
	else if (bare && evidence->value_class == VALUE_CLASS_ANY)
		evidence->value_class = type_is_pointer(bare)        ? VALUE_CLASS_POINTER
					: bare->kind == TYPE_FLOAT   ? VALUE_CLASS_FLOAT
					: evidence->cast             ? VALUE_CLASS_ANY
					: bare->kind == TYPE_INTEGER ? VALUE_CLASS_NUMBER
								     : VALUE_CLASS_ANY;
	else if (evidence->value_class == VALUE_CLASS_ANY && findings->moved)
		evidence->value_class = VALUE_CLASS_POINTER;
	else if (evidence->value_class == VALUE_CLASS_ANY && !findings->tagged &&
		 (findings->computed || findings->summed))
		evidence->value_class = VALUE_CLASS_NUMBER;
}

void findings_set_moved(struct union_dereference *access, struct findings *findings)
{
	findings->moved = findings->summed = false;
	findings_conclude(findings);
	access->value_class = findings->evidence->value_class;
	access->type = findings->evidence->type;
	access->pointee = findings->evidence->pointee;
}

/* ---- values in the state before the access */

bool findings_is_of_union(const struct solver *solver, const struct value *value)
{
	const struct origin *origin = value->origin ? &solver->origins.items[value->origin] : NULL;

	return origin && origin->object && union_outermost(origin->object, origin->offset, 0).type;
}

bool findings_is_code(const struct solver *solver, uint64_t address)
{
	struct elf_section section;

	return elf_image_section_at(solver->image, address, &section) && section.executable;
}

void findings_from_state(struct solver *solver, const struct value *value, uint64_t size,
			 struct findings *findings)
{
	struct value global;

	switch ((enum value_kind)value->kind) {
	case VALUE_POINTER:
		if (findings_is_of_union(solver, value))
			return;
		findings_class(findings, VALUE_CLASS_POINTER);
		/* a pointer to a scalar points to an array of them */
		if (value->how != HOW_INFERRED && ((!value->offset && !value->stride) ||
						   field_is_scalar(type_strip(value->type))))
			findings->evidence->pointee = value->type;
		return;
	case VALUE_FRAME: findings_class(findings, VALUE_CLASS_POINTER); return;
	case VALUE_ADDRESS:
		findings_class(findings, findings_is_code(solver, (uint64_t)value->offset)
						 ? VALUE_CLASS_CODE
						 : VALUE_CLASS_POINTER);
		if (!value->stride && solver_global(solver, value->offset, &global) &&
		    !global.offset && type_is_record(type_strip(global.type)))
			findings->evidence->pointee = global.type;
		return;
	case VALUE_NUMBER:
		/* No address in a process or a kernel (x86-64, arm64): code that deletes an object
		 * stores such a pointer, but it may be a number as well. */
		if (size == WORD && value->offset >> 55 != 0 && value->offset >> 55 != -1)
			findings_class(findings, VALUE_CLASS_DATA);
		else
			findings->computed |=
				!value_is_null(value) || (value->offset && size < WORD);
		return;
	case VALUE_UNKNOWN:
		if (value->type && !value->offset && !value->conflict)
			findings_type(findings, value->type, size);
		return;
	case VALUE_BOTTOM: return;
	}
}

static void take_largest(void *data, const struct type *record, int64_t within)
{
	const struct type **largest = data;

	if (!within && (!*largest || field_size(record) > field_size(*largest)))
		*largest = record;
}

/* The value is a pointer into an object: it points to the record that begins there. */
static void findings_part(struct findings *findings, const struct value *value)
{
	const struct type *record = NULL;

	if (value->kind != VALUE_POINTER || value->stride || value->offset < 0 ||
	    (uint64_t)value->offset >= field_size(value->type))
		return;
	field_each_record(value->type, value->offset, take_largest, &record);
	if (record)
		findings->evidence->pointee = record;
}

void findings_from_facts(const struct solver *solver, uint8_t reg, uint64_t address, uint64_t low,
			 uint64_t size, struct findings *findings)
{
	const struct register_fact *fact = facts_register(&solver->facts, reg, address);

	if (!fact || fact->low < low || fact->weak || fact->everywhere || solver->facts.untracked ||
	    fact->variable >= solver->function->variable_count)
		return;
	const struct variable *variable = &solver->function->variables[fact->variable];

	if (fact->value.offset) {
		findings_part(findings, &fact->value);
		return;
	}
	findings_variable(findings, variable, size);
}
