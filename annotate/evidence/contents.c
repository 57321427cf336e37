// SPDX-License-Identifier: GPL-2.0-or-later
/* Memory that nothing declares: see contents.h. */
#include "annotate/evidence/contents.h"

#include "annotate/facts/scope_types.h"
#include "annotate/flow/solver.h"
#include "annotate/rule.h"
#include "annotate/types/field.h"
#include "base/memory.h"

/* ---- misreads */

/* How many blocks after an access are looked at for what always runs after it. */
#define STEPS_MAX 8

/* Returns the only block that runs after a block unless the program ends; UINT32_MAX: there is
 * none, or several. */
static uint32_t only_next(const struct cfg *code, uint32_t block)
{
	uint32_t next = UINT32_MAX;

	each_successor (to, code, &code->blocks[block]) {
		if (code->blocks[to].flags & BLOCK_NO_RETURN)
			continue;
		if (next != UINT32_MAX)
			return UINT32_MAX;
		next = to;
	}
	return next;
}

static bool leads_to(const struct cfg *code, uint32_t block, uint32_t to)
{
	for (unsigned int i = 0; i < STEPS_MAX && block != UINT32_MAX && block != to; i++)
		block = only_next(code, block);
	return block == to;
}

bool misreads_concern(struct solver *solver, uint32_t origin)
{
	const struct misreads *misreads = &solver->evidence.misreads;
	uint32_t block = cfg_block_of(solver->code, solver->pass.current);

	for (uint32_t i = 0; i < misreads->count && origin; i++) {
		if (misreads->items[i].origin != origin)
			continue;
		uint32_t at = cfg_block_of(solver->code, misreads->items[i].insn);

		if (tags_dominates(solver, at, block) || leads_to(solver->code, block, at))
			return true;
	}
	return false;
}

/* ---- gathering */

static bool has_vector(const struct insn *insn)
{
	return any_of(i, 0, insn->operand_count,
		      insn->operands[i].kind == OPERAND_REGISTER &&
			      reg_is_vector(insn->operands[i].reg));
}

static bool is_vector_copy(const struct insn *insn)
{
	return (insn->operation == OP_MOVE || insn->operation == OP_MOVE_ZERO) && has_vector(insn);
}

void contents_note(struct solver *solver, const struct value *address,
		   const struct operand *operand)
{
	const struct insn *insn = &solver->code->insns[solver->pass.current];
	struct untyped_access access = { .offset = address->offset,
					 .origin = address->origin,
					 .stride = address->stride,
					 .size = operand->size,
					 .may_be_float = has_vector(insn),
					 .may_be_other = !is_vector_copy(insn) };

	if (!address->origin || operand->size > WORD || operand->segment != SEGMENT_NONE)
		return;
	struct untyped_accesses *list = &solver->evidence.untyped;

	array_add(list->items, list->count, list->capacity) = access;
}

/* ---- conclusions */

/* A summary of all accesses whose addresses have one origin. */
struct object_accesses {
	const struct untyped_access *items;
	uint32_t count;
	uint32_t stride; /* the greatest common divisor of all; 0: no address has an index */
};

/* Arrays with more accesses than this are not taken for those of an unrolled loop, because each
 * access is compared with all others. Only generated code has more in one function. */
#define UNROLLED_MAX 256

/* True if some access goes to the same offset in the next element as `access` in its own. */
static bool has_next(const struct object_accesses *object, const struct untyped_access *access,
		     uint32_t size)
{
	return any_of(i, 0, object->count,
		      (object->items[i].offset - access->offset - (int64_t)size) % object->stride ==
			      0);
}

/* True if the addresses advance by elements of this size, or by several of them in an unrolled
 * loop: then each access is repeated for the next element. */
static bool advances_by(const struct object_accesses *object, uint64_t size)
{
	if (object->stride == size)
		return true;
	if (!size || !object->stride || object->stride % size || object->count > UNROLLED_MAX)
		return false;
	return !any_of(i, 0, object->count,
		       object->items[i].stride &&
			       !has_next(object, &object->items[i], (uint32_t)size));
}

/* True if each access goes to a whole member of an element, of a suitable kind. */
static bool is_array_of(const struct type *record, const struct object_accesses *object)
{
	int64_t size = (int64_t)field_size(record);

	array_each (const struct untyped_access, access, object->items, object->count) {
		int64_t within = access->offset % size;
		const struct type *member =
			field_scalar(record, within < 0 ? within + size : within, access->size);

		if (!member || !(type_strip(member)->kind == TYPE_FLOAT ? access->may_be_float
									: access->may_be_other))
			return false;
	}
	return true;
}

/* True if the accesses go to more than one offset in an element of `size` bytes. */
static bool goes_to_several(const struct object_accesses *object, uint64_t size)
{
	return any_of(i, 1, object->count,
		      (object->items[i].offset - object->items[0].offset) % (int64_t)size);
}

/* True if the unit defines several records of this size: a cast may lead to the other one. Applies
 * to C alone, because a cast in C++ goes to a class that is among the function's types. */
static bool has_twin(const struct solver *solver, uint64_t size)
{
	return language_has(solver->function, FACT_FEW_RECORDS) && solver->reader &&
	       debug_reader_records_of_size(solver->reader, solver->code->insns[0].address, size) >
		       1;
}

/* True if the accesses can be to an array of such records. */
static bool may_be_elements(const struct solver *solver, const struct type *record,
			    const struct object_accesses *object)
{
	uint64_t size = field_size(record);

	/* one offset is too little evidence, because two equal halves of a larger record look like
	 * two records */
	return size > WORD && advances_by(object, size) && is_array_of(record, object) &&
	       (goes_to_several(object, size) ||
		(object->stride == size && !has_twin(solver, size)));
}

/* Finds the one record of a list that all elements can be. *found is NULL if there is none. False:
 * there are several. */
static bool find_record(const struct solver *solver, const struct type *const *records,
			size_t count, const struct object_accesses *object,
			const struct type **found)
{
	*found = NULL;
	for (size_t i = 0; i < count; i++) {
		if (!may_be_elements(solver, records[i], object))
			continue;
		if (*found && !field_same_type(*found, records[i]))
			return false;
		*found = records[i];
	}
	return true;
}

/* Returns the one record that all elements can be: one in scope (rule record-array), or one to
 * which a pointer at file scope without a place points (rule placeless-array). NULL: there is none,
 * or there are several. */
static const struct type *record_of_all(struct solver *solver, const struct object_accesses *object,
					uint8_t *rule)
{
	const struct type *found = NULL, *placeless = NULL;
	size_t count;

	if (object->stride <= WORD || !solver->function)
		return NULL;
	scope_types_build(solver->caches.scope_types, solver->function);
	const struct type *const *records =
		scope_types_reachable(solver->caches.scope_types, &count);

	if (!find_record(solver, records, count, object, &found))
		return NULL;
	if (!solver->reader)
		return found;
	records = debug_reader_placeless_pointees(solver->reader, solver->code->insns[0].address,
						  &count);
	if (!find_record(solver, records, count, object, &placeless) ||
	    (found && placeless && !field_same_type(found, placeless)))
		return NULL;
	if (!found)
		*rule = RULE_PLACELESS_ARRAY;
	return found ? found : placeless;
}

static int by_origin(const void *a, const void *b)
{
	const struct untyped_access *x = a, *y = b;

	return x->origin < y->origin ? -1 : x->origin > y->origin;
}

bool contents_use(struct solver *solver)
{
	struct untyped_accesses *list = &solver->evidence.untyped;
	bool changed = false;

	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), by_origin);
	for (uint32_t next, first = 0; first < list->count; first = next) {
		struct object_accesses object = { .items = &list->items[first] };
		const struct value pointer = value_unknown(object.items->origin);
		const struct origin *origin = &solver->origins.items[pointer.origin];

		for (next = first; next < list->count && list->items[next].origin == pointer.origin;
		     next++)
			object.stride =
				(uint32_t)common_divisor(object.stride, list->items[next].stride);
		object.count = next - first;
		if (!object.stride || origin->refused || origin->use.type || origin->inferred.type)
			continue;
		uint8_t rule = RULE_RECORD_ARRAY;
		const struct type *element = record_of_all(solver, &object, &rule);

		changed |= element && origins_use_by(&solver->origins, rule, &pointer, element, 0);
	}
	list->count = 0;
	return changed;
}
