// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pointers with several pointees: see alternatives.h. In order: the types that a member may point
 * to, the accesses through such pointers, the pointers that the function stores
 * in members, and the conclusions.
 */
#include "annotate/evidence/alternatives.h"

#include "annotate/facts/scope_types.h"
#include "annotate/flow/solver.h"
#include "annotate/rule.h"
#include "annotate/types/field.h"
#include "annotate/types/flexible_array.h"
#include "annotate/types/union_member.h"
#include "base/memory.h"

/* ---- the types that a member may point to */

/* Adds the type to which a pointer of this `type` points, unless the list has it already. False if
 * there is no room. */
static bool alternatives_add_pointee(const struct type *type, const struct type **pointees,
				     size_t *count, size_t limit)
{
	const struct type *pointee = field_pointee(type);

	for (size_t i = 0; pointee && i < *count; i++)
		if (field_same_type(pointees[i], pointee))
			return true;
	if (!pointee)
		return true;
	if (*count == limit)
		return false;
	pointees[(*count)++] = pointee;
	return true;
}

/* Adds the pointees of all pointers at `offset` of a type. False if there is no room for them, or
 * if types are nested too deeply. */
static bool alternatives_find_pointees(const struct type *type, int64_t offset, unsigned int depth,
				       const struct type **pointees, size_t *count, size_t limit)
{
	const struct type *bare = type_strip(type);

	if (depth > TYPE_DEPTH_MAX)
		return false;
	if (bare->kind == TYPE_ARRAY) {
		const struct type *element = type_target(bare);
		uint64_t size = field_size(element);

		return !size || alternatives_find_pointees(element, offset % (int64_t)size,
							   depth + 1, pointees, count, limit);
	}
	if (!type_is_record(bare))
		return offset || alternatives_add_pointee(type, pointees, count, limit);
	size_t member_count;
	const struct member *members = type_members_near(bare, offset, &member_count);

	return !any_of(i, 0, member_count,
		       !members[i].bit_size && field_member_has(bare, &members[i], offset) &&
			       !alternatives_find_pointees(members[i].type,
							   offset - members[i].offset, depth + 1,
							   pointees, count, limit));
}

/* Lists the distinct pointees of the pointers at `offset` of a type; a union may have several
 * there. Returns their number, or 0 if there are none or more than `limit`. */
static size_t pointees_at(const struct type *type, int64_t offset, const struct type **pointees,
			  size_t limit)
{
	size_t count = 0;

	return offset >= 0 && alternatives_find_pointees(type, offset, 0, pointees, &count, limit)
		       ? count
		       : 0;
}

struct alternatives *alternatives_find(const struct alternative_list *list, uint32_t origin)
{
	const uint32_t *index = hash_map_find(&list->index, origin);

	return index ? &list->items[*index - 1] : NULL;
}

/* Adds those of the unit's cast types (UNIT_CAST_TYPES) that begin with one of the
 * pointees (rule cast-down). */
static void add_cast_types(const struct solver *solver, struct alternatives *alternatives)
{
	uint32_t declared = alternatives->count;

	/* a kernel's units have too many cast types (casts.c) */
	if (solver->options.kernel)
		return;
	const struct unit_type_list types = solver_unit_types(solver, UNIT_CAST_TYPES);

	for (size_t i = 0; i < types.count && alternatives->count < ALTERNATIVES_MAX; i++)
		for (uint32_t k = 0; k < declared; k++)
			if (field_contains(types.items[i], 0, alternatives->pointees[k])) {
				alternatives->added |= UINT32_C(1) << alternatives->count;
				alternatives->pointees[alternatives->count++] = types.items[i];
				break;
			}
}

static void alternatives_add_type(struct alternatives *alternatives, const struct type *type)
{
	for (uint32_t i = 0; i < alternatives->count; i++)
		if (field_same_type(alternatives->pointees[i], type))
			return;
	if (alternatives->count < ALTERNATIVES_MAX)
		alternatives->pointees[alternatives->count++] = type;
}

/* Returns a new entry of the origin; NULL: there is no origin, or it has an entry. */
static struct alternatives *add_alternatives(struct alternative_list *list, uint32_t origin,
					     struct alternatives entry)
{
	bool created;

	if (!origin || alternatives_find(list, origin))
		return NULL;
	entry.origin = origin;
	entry.possible = entry.whole = UINT32_MAX;
	array_add(list->items, list->count, list->capacity) = entry;
	*hash_map_insert(&list->index, origin, &created) = list->count;
	return &list->items[list->count - 1];
}

/* Adds the pointer at this field, unless it can have only one type. */
static void add_declared(struct solver *solver, uint32_t origin, const struct field_ref *field)
{
	struct alternatives found = { .elements = UINT32_MAX,
				      .record = field->type,
				      .offset = field->offset };

	if (!origin || alternatives_find(&solver->evidence.alternatives, origin))
		return;
	found.count =
		(uint32_t)pointees_at(field->type, field->offset, found.pointees, ALTERNATIVES_MAX);
	if (found.count && solver->reader)
		add_cast_types(solver, &found);
	if (found.count >= 2)
		add_alternatives(&solver->evidence.alternatives, origin, found);
}

void alternatives_note(struct solver *solver, struct value *value, const struct field_ref *field)
{
	struct union_place place;

	add_declared(solver, value->origin, field);
	if (!alternatives_of_union(&solver->evidence.alternatives, value->origin))
		return;
	place = union_outermost(field->type, field->offset, 0);
	if (place.type && !place.offset)
		value->type = type_canonical(place.type);
}

bool alternatives_of_union(const struct alternative_list *list, uint32_t origin)
{
	const struct alternatives *found = alternatives_find(list, origin);

	return found && found->record && found->count && !found->pending;
}

/* Adds a pointer whose pointees are looked up at the first access. NULL as above. */
static struct alternatives *add_pending(struct solver *solver, uint32_t origin,
					const struct field_ref *field)
{
	return add_alternatives(&solver->evidence.alternatives, origin,
				(struct alternatives){ .record = field->type,
						       .offset = field->offset,
						       .pending = true });
}

void alternatives_note_distant(struct solver *solver, uint32_t origin,
			       const struct field_ref *field)
{
	add_pending(solver, origin, field);
}

void alternatives_note_word(struct solver *solver, uint32_t origin, const struct type *record)
{
	const struct field_ref field = { type_canonical(record), 0 };
	struct alternatives *added =
		solver->options.infer && solver->reader && !solver->options.kernel &&
				language_has(solver->function, FACT_FEW_RECORDS)
			? add_pending(solver, origin, &field)
			: NULL;

	if (added)
		added->word = true;
}

void alternatives_note_variables(struct solver *solver, uint32_t origin,
				 const struct type *const *pointees, size_t count)
{
	struct alternatives found = { 0 };

	for (size_t i = 0; i < count && i < ALTERNATIVES_MAX; i++)
		found.pointees[found.count++] = pointees[i];
	if (solver->options.infer)
		add_alternatives(&solver->evidence.alternatives, origin, found);
}

/* Adds the types to which the member points according to other functions (rule member-types). */
static void find_distant(struct solver *solver, struct alternatives *alternatives)
{
	const struct field_ref field = { alternatives->record, alternatives->offset };
	const struct distant_fact *fact = solver_distant_fact(solver, &field);

	if (!fact || !distant_fact_has_types(fact))
		return;
	alternatives->distant = true;
	for (size_t i = 0; i < fact->type_count; i++)
		alternatives_add_type(alternatives, fact->types[i]);
}

/* Looks in the unions of the unit that have the record of one word as a member, and adds the
 * records that their pointers point to. */
static void find_beside_word(struct solver *solver, struct alternatives *alternatives)
{
	const struct type *pointees[ALTERNATIVES_MAX];
	const struct unit_type_list holders = solver_unit_types(solver, UNIT_HOLDERS);

	for (size_t i = 0; i < holders.count; i++) {
		const struct type *holder = holders.items[i];
		const bool has = type_strip(holder)->kind == TYPE_UNION &&
				 field_contains(holder, 0, alternatives->record);
		size_t found = has ? pointees_at(holder, 0, pointees, ALTERNATIVES_MAX) : 0;

		for (size_t k = 0; k < found; k++)
			if (type_is_record(type_strip(pointees[k])))
				alternatives_add_type(alternatives, pointees[k]);
	}
}

/* Finds the pointees of a record of one word from the unions of the unit. If there are none, and
 * for a pointer to void, takes them from distant facts (distant.h). */
static void find_late_pointees(struct solver *solver, struct alternatives *alternatives)
{
	alternatives->pending = false;
	if (alternatives->word)
		find_beside_word(solver, alternatives);
	if (!alternatives->count)
		find_distant(solver, alternatives);
}

/* ---- accesses through the pointers */

/* True if just one of the pointees is a record. */
static bool has_one_record(const struct alternatives *alternatives)
{
	uint32_t records = sum_over(uint32_t, i, 0, alternatives->count,
				    type_is_record(type_strip(alternatives->pointees[i])));

	return records == 1;
}

/* True if the type may have a field where the access goes. That is always so for a type that is
 * only declared, or that is no record. But if there is `one_record`, scalars are excluded as well:
 * text has no words far from its start. Among several records the largest would fit everything. */
static bool is_possible(const struct type *type, int64_t offset, const struct pointer_use *use,
			bool one_record)
{
	struct field_ref field;
	const struct type *bare = type_strip(type);

	if (bare->kind == TYPE_FUNCTION)
		return false;
	if ((!type_is_record(bare) && !(one_record && field_is_scalar(bare))) ||
	    !type_size_or(bare, 0))
		return true;
	const struct fit fit = fit_at(type, offset, use->size);

	/* compilers narrow loads and operations on bits, but no other stores */
	if (use->stored && fit.kind == FIT_PART && !fit.integers.room)
		return false;
	return field_find(type, offset, 0, use->size, &field) == REASON_NONE &&
	       fit.kind != FIT_PART_OF_POINTER;
}

/* True if the access is to a whole member, in a union of any alternative. */
static bool is_whole(const struct type *type, int64_t offset, uint64_t size)
{
	const struct fit fit = fit_at(type, offset, size);

	return fit.whole || (size <= 4 && fit.bits);
}

/* True if the access is to a whole member of a record in an array of them. */
static bool is_in_element(const struct type *type, int64_t offset, uint64_t size)
{
	uint64_t step = type_is_record(type_strip(type)) ? field_size(type) : 0;
	struct field_ref field;

	return step && step <= UINT32_MAX &&
	       field_find(type, offset, (uint32_t)step, size, &field) == REASON_NONE &&
	       is_whole(field.type, field.offset, size);
}

/* Lists the records to which static variables without a place point, if the origin is the result of
 * a call. Returns their number. */
static size_t promoted_pointees(const struct solver *solver, uint32_t origin,
				const struct type **pointees)
{
	const struct insn *insns = solver->code->insns;
	const struct type *const *records;
	uint32_t insn;
	size_t count = 0;

	if (!origin_insn(&solver->origins.items[origin], &insn) || insns[insn].operation != OP_CALL)
		return 0;
	records = debug_reader_unit_list(solver->reader, UNIT_PROMOTED_RECORDS, insns[insn].address,
					 &count);
	if (count > ALTERNATIVES_MAX)
		return 0;
	if (count)
		memcpy(pointees, records, count * sizeof(*records));
	return count;
}

/* Returns the entry of a pointer to void that may be a variable without a location at the access:
 * one of a function whose variables were not followed, or a static variable that a call's result
 * was assigned to. NULL: there is none. */
static struct alternatives *note_unlocated(struct solver *solver, uint32_t origin)
{
	const struct type *pointees[ALTERNATIVES_MAX];
	size_t count =
		solver->facts.untracked
			? unlocated_pointees(solver->function,
					     solver->code->insns[solver->pass.current].address,
					     pointees, ALTERNATIVES_MAX)
			: promoted_pointees(solver, origin, pointees);

	if (!count)
		return NULL;
	alternatives_note_variables(solver, origin, pointees, count);
	struct alternatives *found = alternatives_find(&solver->evidence.alternatives, origin);

	if (found) {
		found->unlocated = true;
		found->lone = !solver->facts.untracked;
	}
	return found;
}

/* Returns the entry of a join at which only pointers out of one union meet, wherever it is. NULL:
 * it is none. */
static struct alternatives *note_joined_unions(struct solver *solver, const struct value *address)
{
	const struct field_ref field = { address->type, 0 };

	if (!address->origin || !address->type || type_strip(address->type)->kind != TYPE_UNION)
		return NULL;
	add_declared(solver, address->origin, &field);
	return alternatives_find(&solver->evidence.alternatives, address->origin);
}

/* Leaves the records of variables into which an access may go. A vector goes to several members,
 * and a constant index to a later element. */
static void keep_fitting(struct alternatives *alternatives, const struct value *address,
			 uint64_t size, bool vector)
{
	struct field_ref field;

	for (uint32_t i = 0; i < alternatives->count; i++) {
		const struct type *type = alternatives->pointees[i];
		int64_t step = (int64_t)field_size(type);
		int64_t offset =
			step && !address->stride ? address->offset % step : address->offset;
		bool possible =
			address->offset >= 0 &&
			field_find(type, offset, address->stride, size, &field) == REASON_NONE &&
			fit_at(field.type, field.offset, size).kind <= FIT_SEVERAL;

		if (!possible)
			alternatives->possible &= ~(1u << i);
		if (!possible || (!vector && !is_whole(type, field.offset, size)))
			alternatives->whole &= ~(1u << i);
	}
}

/* If there are pointees as large as the steps of the index, or arrays of such elements, with a
 * whole member where the access goes, the pointer is to one of these. Nothing is known of others,
 * and of bytes. */
static void keep_elements(struct alternatives *alternatives, const struct value *address,
			  uint64_t size)
{
	const int64_t offset = positive_remainder(address->offset, address->stride);
	uint32_t counted = 0;

	for (uint32_t i = 0; i < alternatives->count && address->stride > 1; i++) {
		const struct type *bare = type_strip(alternatives->pointees[i]);
		const struct type *element = bare->kind == TYPE_ARRAY ? type_target(bare) : bare;

		if (field_size(element) == address->stride && is_whole(element, offset, size))
			counted |= UINT32_C(1) << i;
	}
	alternatives->whole &= counted;
	if (!counted)
		return;
	alternatives->possible &= counted;
	alternatives->elements &= counted;
}

void alternatives_access(struct solver *solver, const struct value *address,
			 const struct pointer_use *use)
{
	const uint64_t size = use->size;
	struct alternatives *alternatives =
		address->origin ? alternatives_find(&solver->evidence.alternatives, address->origin)
				: NULL;

	if (!alternatives && address->origin && address->type &&
	    field_is_void_pointer(address->type))
		alternatives = note_unlocated(solver, address->origin);
	else if (!alternatives)
		alternatives = note_joined_unions(solver, address);
	if (!alternatives)
		return;
	if (alternatives->pending)
		find_late_pointees(solver, alternatives);
	if (!alternatives->accessed || address->offset < alternatives->low)
		alternatives->low = address->offset;
	if (!alternatives->accessed || address->offset > alternatives->high)
		alternatives->high = address->offset;
	alternatives->accessed = true;
	if (alternatives->unlocated) {
		if (address->stride > 1 || alternatives->low != alternatives->high)
			alternatives->lone = false;
		keep_fitting(alternatives, address, size, use->vector);
		return;
	}
	if (address->stride)
		keep_elements(alternatives, address, size);
	bool one_record = has_one_record(alternatives);

	for (uint32_t i = 0; i < alternatives->count && !address->stride; i++) {
		const struct type *type = alternatives->pointees[i];

		if (!is_possible(type, address->offset, use, one_record))
			alternatives->possible &= ~(1u << i);
		if (!is_in_element(type, address->offset, size))
			alternatives->elements &= ~(1u << i);
		if (!type_is_record(type_strip(type)) || address->offset < 0 ||
		    !is_whole(type, address->offset, size))
			alternatives->whole &= ~(1u << i);
	}
}

/* ---- conclusions */

/* True if a pointer that is used as `use` may point to a `type`: the types are the same, or one
 * contains the other. A use as a scalar excludes no type. */
static bool agrees_with(const struct field_ref *use, const struct type *type)
{
	return !origin_is_whole(use->type) || (!use->offset && field_same_type(use->type, type)) ||
	       field_contains(type, -use->offset, use->type) ||
	       field_contains(use->type, use->offset, type);
}

/* Returns a bit for each pointee of which all accesses may be to the same element of an array. */
static uint32_t in_one_element(const struct alternatives *alternatives)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < alternatives->count; i++) {
		int64_t size = (int64_t)field_size(alternatives->pointees[i]);

		if ((alternatives->elements >> i & 1) && size &&
		    alternatives->low / size == alternatives->high / size)
			found |= UINT32_C(1) << i;
	}
	return found;
}

/* Returns a bit for each pointee that neither the accesses nor the other uses of the origin
 * exclude. */
static uint32_t pointees_left(const struct alternatives *alternatives,
			      const struct origins *origins)
{
	const struct field_ref *use = &origins->items[alternatives->origin].use;
	uint32_t every = (uint32_t)low_bits(alternatives->count);
	uint32_t left = alternatives->possible & every;

	for (uint32_t i = 0; use->type && i < alternatives->count; i++)
		if (!agrees_with(use, alternatives->pointees[i]))
			left &= ~(1u << i);
	/* pointees that a member declares come before cast types */
	uint32_t declared = left & ~alternatives->added;
	uint32_t arrays = in_one_element(alternatives) & every & ~alternatives->added & ~left;

	/* the accesses may also be to one element of an array of what another member points to */
	if (arrays && has_one_bit(declared))
		return 0;
	return declared ? declared : left;
}

/* Returns a bit for each record that is left; 0 if some access may be to a part of a member of one
 * of them. */
static uint32_t records_left(const struct alternatives *alternatives, const struct origins *origins)
{
	uint32_t left = pointees_left(alternatives, origins), records = 0;

	for (uint32_t i = 0; i < alternatives->count; i++)
		if (left >> i & 1 && type_is_record(type_strip(alternatives->pointees[i])))
			records |= UINT32_C(1) << i;
	return records & ~alternatives->whole ? 0 : records;
}

/* True if the pointee `whole` begins with the members of the pointee `head`. */
static bool is_head_of(const struct alternatives *alternatives, uint32_t head, uint32_t whole)
{
	return field_is_head(alternatives->pointees[head], alternatives->pointees[whole]) ||
	       field_contains(alternatives->pointees[whole], 0, alternatives->pointees[head]);
}

/* Returns the bit of the pointee with which all others of `bits` begin; 0: there is none. */
static uint32_t common_head(const struct alternatives *alternatives, uint32_t bits)
{
	for (uint32_t i = 0; i < alternatives->count; i++) {
		bool head = bits >> i & 1;

		for (uint32_t k = 0; head && k < alternatives->count; k++)
			head = k == i || !(bits >> k & 1) || is_head_of(alternatives, i, k);
		if (head)
			return UINT32_C(1) << i;
	}
	return 0;
}

/* Returns the bit of the only pointee of `left` of which all accesses are to whole members; in the
 * others some are to parts of integers. Returns 0 if one place is accessed, which may be such a
 * part, and if another pointee is the head of this one: then not all accesses need be to one type.
 */
static uint32_t only_whole(const struct alternatives *alternatives, uint32_t left)
{
	uint32_t whole = left & alternatives->whole;

	if (!has_one_bit(whole) || alternatives->low == alternatives->high)
		return 0;
	uint32_t chosen = (uint32_t)__builtin_ctz(whole);

	return any_of(i, 0, alternatives->count, i != chosen && is_head_of(alternatives, i, chosen))
		       ? 0
		       : whole;
}

/* Returns the bit of the accessed record with which most of the other records of `bits` begin; 0:
 * there is none. */
static uint32_t head_of_records(const struct alternatives *alternatives, uint32_t bits)
{
	const struct type *records[ALTERNATIVES_MAX] = { 0 };

	for (uint32_t i = 0; i < alternatives->count; i++)
		if (bits >> i & 1 && type_is_record(type_strip(alternatives->pointees[i])))
			records[i] = alternatives->pointees[i];
	return (uint32_t)field_head_of(records, alternatives->count, alternatives->whole);
}

/* True if both pointers were loaded from the same member, of any object of the record, and have the
 * same pointees: variables in other scopes may have added others. */
static bool alternatives_is_same_member(const struct alternatives *a, const struct alternatives *b)
{
	if (!a->record || !b->record || a->offset != b->offset || a->count != b->count ||
	    !field_same_type(a->record, b->record))
		return false;
	return all_of(i, 0, a->count, field_same_type(a->pointees[i], b->pointees[i]));
}

/* Returns a bit for each pointee that is left for all accessed pointers from the same member.
 * Returns 0 if none of these pointers has exactly one pointee left, because then nothing shows that
 * they have one type. */
static uint32_t shared_pointees(const struct alternative_list *list,
				const struct alternatives *alternatives,
				const struct origins *origins)
{
	uint32_t shared = UINT32_MAX;
	bool witness = false;

	array_each (const struct alternatives, other, list->items, list->count) {
		if (!other->accessed || !alternatives_is_same_member(alternatives, other))
			continue;
		uint32_t left = pointees_left(other, origins);

		shared &= left;
		witness |= has_one_bit(left);
	}
	return witness ? shared : 0;
}

/* Returns the rule that chose a pointee. */
static enum rule_id rule_of(const struct alternatives *alternatives)
{
	if (alternatives->word)
		return RULE_ONE_WORD_RECORD;
	if (alternatives->unlocated)
		return RULE_UNLOCATED_VARIABLE;
	if (alternatives->distant)
		return RULE_MEMBER_TYPES;
	if (alternatives->chosen & alternatives->added)
		return RULE_CAST_DOWN;
	/* that of a variable is declared */
	return alternatives->record ? RULE_UNION_POINTER : RULE_NONE;
}

void alternatives_note_joined(struct alternative_list *list, uint32_t join,
			      const struct value *pointer)
{
	if (list->count && join && !pointer->offset && !pointer->stride)
		array_add(list->joined, list->joined_count, list->joined_capacity) =
			(struct joined_pointer){ join, pointer->type };
}

/* At most this many joins are looked at for pointers out of unions. */
#define JOINED_MAX 64

/* Adds the joins whose values reach the joins in the list: known pointers that meet there are
 * joined first. */
static void find_joins_before(struct alternative_list *list, const struct origins *origins)
{
	for (uint32_t k = 0; k < list->joined_count; k++) {
		const struct joined_pointer after = list->joined[k];

		array_each (const struct origin_flow, flow, origins->flows, origins->flow_count) {
			uint32_t before = flow->input.origin;

			if (flow->phi != after.join || flow->input.offset || flow->input.stride ||
			    !origin_is_join(&origins->items[before]) ||
			    any_of(n, 0, list->joined_count, list->joined[n].join == before))
				continue;
			if (list->joined_count >= JOINED_MAX)
				return;
			array_add(list->joined, list->joined_count, list->joined_capacity) =
				(struct joined_pointer){ before, after.type };
		}
	}
}

/* Sets `met` of the pointers out of unions that lead from a record to another one of its type. */
static void find_met(struct alternative_list *list, const struct origins *origins)
{
	find_joins_before(list, origins);
	for (uint32_t i = 0; i < origins->flow_count && list->joined_count; i++) {
		const struct origin_flow *flow = &origins->flows[i];
		struct alternatives *input = flow->input.offset || flow->input.stride
						     ? NULL
						     : alternatives_find(list, flow->input.origin);

		for (uint32_t k = 0; input && input->record && k < list->joined_count; k++)
			for (uint32_t t = 0; t < input->count; t++)
				if (list->joined[k].join == flow->phi &&
				    field_same_type(list->joined[k].type, input->record) &&
				    field_same_type(input->record, input->pointees[t]))
					input->met |= UINT32_C(1) << t;
	}
	list->joined_count = 0;
}

static void choose_pointee(struct alternative_list *list, struct alternatives *alternatives,
			   const struct origins *origins)
{
	uint32_t left = pointees_left(alternatives, origins);

	if (alternatives->lone)
		return;
	/* of variables, each has a type of its own, and none is cast */
	if (!alternatives->record)
		left &= alternatives->whole;
	if (!has_one_bit(left) && alternatives->record) {
		bool several = alternatives->distant || alternatives->word;
		uint32_t known = several ? 0 : left & shared_pointees(list, alternatives, origins);

		if (!known)
			known = only_whole(alternatives, left);
		if (!known)
			known = several ? common_head(alternatives, left)
					: head_of_records(alternatives, left);
		left = known;
	}
	if (has_one_bit(left))
		alternatives->chosen = left & alternatives->whole;
}

void alternatives_use(struct alternative_list *list, struct origins *origins)
{
	find_met(list, origins);
	array_each (struct alternatives, alternatives, list->items, list->count) {
		alternatives->chosen = 0;
		if (has_one_bit(alternatives->met & alternatives->possible))
			alternatives->chosen = alternatives->met & alternatives->possible;
		else if (alternatives->accessed)
			choose_pointee(list, alternatives, origins);
		alternatives->left = alternatives->record && alternatives->accessed &&
						     !alternatives->chosen && !alternatives->word
					     ? records_left(alternatives, origins)
					     : 0;
	}
	array_each (struct alternatives, alternatives, list->items, list->count) {
		const struct value pointer = value_unknown(alternatives->origin);

		if (alternatives->chosen)
			origins_use_by(origins, rule_of(alternatives), &pointer,
				       alternatives->pointees[__builtin_ctz(alternatives->chosen)],
				       0);
		alternatives->accessed = false;
		alternatives->met = 0;
		alternatives->possible = alternatives->whole = alternatives->elements = UINT32_MAX;
	}
}

bool alternatives_tell(const struct alternatives *alternatives, struct origins *origins,
		       const struct type *pointee)
{
	return any_of(i, 0, alternatives->count,
		      alternatives->left >> i & 1 &&
			      field_same_type(alternatives->pointees[i], pointee)) &&
	       origins_infer_by(origins, RULE_UNION_POINTER, alternatives->origin, pointee);
}
