// SPDX-License-Identifier: GPL-2.0-or-later
/* Distant facts: see distant.h. In order: places, the table of facts, members in several units,
 * calls. distant_evidence.c collects the evidence of one function, type_resolver.c that of an
 * object. */
#include "annotate/evidence/distant.h"

#include "annotate/facts/abi.h"
#include "annotate/types/field.h"
#include "annotate/types/flexible_array.h"
#include "base/memory.h"

/* ---- places */

bool distant_place_is_same(const struct distant_place *a, const struct distant_place *b)
{
	return a->kind == b->kind && a->reg == b->reg && a->pointer == b->pointer &&
	       a->code == b->code && a->offset == b->offset && a->mask == b->mask &&
	       a->tag == b->tag && a->target == b->target &&
	       (a->record == b->record ||
		(a->record && b->record && field_same_type(a->record, b->record)));
}

static uint64_t hash_place(const struct distant_place *place)
{
	uint64_t hash = hash_combine(place->kind, place->reg);

	hash = hash_combine(hash_combine(hash, place->code), (uint64_t)place->offset);
	return place->kind == DISTANT_TAG || place->kind == DISTANT_UNION
		       ? hash_combine(hash_combine(hash, place->mask ^ (uint64_t)place->target),
				      place->tag)
		       : hash;
}

void distant_places_add(struct distant_places *places, const struct distant_place *place)
{
	for (size_t i = 0; i < places->count; i++)
		if (distant_place_is_same(&places->items[i], place))
			return;
	array_add(places->items, places->count, places->capacity) = *place;
}

void distant_places_deinit(struct distant_places *places)
{
	free(places->items);
	*places = (struct distant_places){ 0 };
}

void distant_evidence_add(struct distant_evidence_list *list,
			  const struct distant_evidence *evidence)
{
	array_add(list->items, list->count, list->capacity) = *evidence;
}

/* Returns the member or element that contains *offset of a struct or array, if it is a record or an
 * array itself, and makes *offset relative to it; NULL otherwise. */
static const struct type *part_with(const struct type *type, int64_t *offset)
{
	const struct type *bare = type_strip(type);

	if (bare->kind == TYPE_ARRAY)
		return field_element_at(bare, offset);
	if (bare->kind == TYPE_UNION)
		return NULL;

	members_each (item, type_members_near, bare, *offset) {
		const struct type *member = type_strip(item->type);

		if (item->bit_size || !field_member_has(bare, item, *offset))
			continue;
		if (!type_is_record(member) && member->kind != TYPE_ARRAY)
			return NULL;
		/* a union without a name is part of the record around it */
		if (member->kind == TYPE_UNION && !member->name)
			return NULL;
		*offset -= item->offset;
		return member;
	}
	return NULL;
}

bool distant_member_place(const struct field_ref *field, struct distant_place *place)
{
	const struct type *record = field->type, *found = NULL;
	int64_t offset = field->offset, found_offset = 0;

	for (int depth = 0; record && depth < TYPE_DEPTH_MAX; depth++) {
		if (type_is_record(type_strip(record))) {
			found = record;
			found_offset = offset;
		}
		record = part_with(record, &offset);
	}
	if (!found)
		return false;
	*place = (struct distant_place){ .kind = DISTANT_MEMBER,
					 .record = type_canonical(found),
					 .offset = found_offset };
	return true;
}

/* ---- the table of facts */

static uint32_t *distant_find_slot(const struct distant_facts *facts,
				   const struct distant_place *place, uint64_t *key)
{
	/* places with the same hash follow each other */
	for (*key = hash_place(place);; (*key)++) {
		uint32_t *slot = hash_map_find(&facts->index, *key);

		if (!slot || distant_place_is_same(&facts->items[*slot - 1].place, place))
			return slot;
	}
}

struct distant_fact *distant_facts_add(struct distant_facts *facts,
				       const struct distant_place *place)
{
	uint64_t key;
	uint32_t *slot = distant_find_slot(facts, place, &key);
	bool created;

	if (slot)
		return &facts->items[*slot - 1];
	array_add(facts->items, facts->count, facts->capacity) =
		(struct distant_fact){ .place = *place };
	*hash_map_insert(&facts->index, key, &created) = (uint32_t)facts->count;
	if (place->kind == DISTANT_ARGUMENT)
		*hash_map_insert(&facts->called, place->code, &created) = (uint32_t)facts->count;
	return &facts->items[facts->count - 1];
}

const struct distant_fact *distant_facts_find(const struct distant_facts *facts,
					      const struct distant_place *place)
{
	uint64_t key;
	const uint32_t *slot = distant_find_slot(facts, place, &key);

	return slot ? &facts->items[*slot - 1] : NULL;
}

bool distant_fact_asks(const struct distant_fact *fact, uint64_t function)
{
	size_t at = partition_point(0, fact->function_count, i, fact->functions[i] < function);

	return fact->callers || (at < fact->function_count && fact->functions[at] == function);
}

bool distant_asks(const struct distant_question *question, const struct distant_place *place)
{
	const struct distant_fact *fact = distant_facts_find(question->facts, place);

	return fact && distant_fact_asks(fact, question->function);
}

bool distant_asks_kind(const struct distant_question *question, enum distant_kind kind)
{
	const struct distant_facts *facts = question->facts;

	return any_of(i, 0, facts->count,
		      facts->items[i].place.kind == kind &&
			      distant_fact_asks(&facts->items[i], question->function));
}

void distant_find_unions(struct distant_question *question)
{
	array_each (const struct distant_fact, fact, question->facts->items,
		    question->facts->count) {
		const struct distant_place *place = &fact->place;

		if (place->kind != DISTANT_UNION || !distant_fact_asks(fact, question->function))
			continue;
		question->unions = true;
		question->inner_unions |= place->tag > 0;
		question->pointer_tags |= place->pointer;
	}
}

bool distant_asks_call(const struct distant_question *question, uint64_t target)
{
	const uint32_t *last = hash_map_find(&question->facts->called, target);

	/* all arguments of a function are asked about, or none */
	return last && question->facts->items[*last - 1].callers;
}

/* Merges two pieces of evidence on what a member points to. If one is an object and the other the
 * part at its start, the result is the object. UNKNOWN: they disagree. */
static struct value merge_objects(const struct value *known, const struct value *said)
{
	int64_t apart = known->offset - said->offset;

	if (field_same_type(known->type, said->type) && !apart)
		return *known;
	if (field_contains(known->type, apart, said->type))
		return *known;
	return field_contains(said->type, -apart, known->type) ? *said : value_unknown(0);
}

/* True if the pointer says what the value at a place may point to. A pointer to bytes does not,
 * because anything can be passed on as bytes; nor does one that points outside of its object.
 * Except for an argument, only pointers to records count, because code may use a member as a
 * pointer to the scalar at a record's start. A pointer into the middle of a record does not count
 * for a tag. */
static bool is_evidence(const struct distant_place *place, const struct value *said)
{
	uint64_t size = said->kind == VALUE_POINTER ? field_size(said->type) : 0;

	if (place->kind == DISTANT_TAG && (said->offset || said->stride))
		return false;
	return size > 1 && said->offset >= 0 && (uint64_t)said->offset < size &&
	       (place->kind == DISTANT_ARGUMENT || type_is_record(type_strip(said->type)));
}

/* Adds the record to which a member points, or that is behind a tag, according to a piece of
 * evidence. */
static void distant_add_type(struct distant_fact *fact, const struct value *said)
{
	if ((fact->place.kind != DISTANT_MEMBER && fact->place.kind != DISTANT_TAG) ||
	    !is_evidence(&fact->place, said))
		return;
	for (size_t i = 0; i < fact->type_count; i++)
		if (field_same_type(fact->types[i], said->type))
			return;
	if (said->offset || fact->type_count == DISTANT_TYPES_MAX)
		fact->too_many = true;
	else
		fact->types[fact->type_count++] = said->type;
}

/* Adds a read through a member: a NUMBER, see struct distant_evidence. */
static void add_read(struct distant_fact *fact, const struct value *read)
{
	for (size_t i = 0; i < fact->read_count; i++)
		if (fact->reads[i].offset == read->offset && fact->reads[i].size == read->stride)
			return;
	if (fact->read_count < DISTANT_READS_MAX)
		fact->reads[fact->read_count++] =
			(struct distant_read){ read->offset, read->stride };
}

/* True if a read through a pointer to the byte at `offset` of a type goes to a field, and not to a
 * part of a pointer. For a tag, it must stay within one member. */
static bool read_fits(const struct distant_fact *fact, const struct distant_read *read,
		      const struct type *type, int64_t offset)
{
	struct field_ref field;

	offset += read->offset;
	if (field_find(type, offset, 0, read->size, &field) != REASON_NONE)
		return false;
	const struct fit fit = fit_at(type, offset, read->size);

	return fit.kind != FIT_PART_OF_POINTER && (fact->place.kind != DISTANT_TAG || fit.holds);
}

/* True if all reads through a member go to fields of the object that the pointer points to. */
static bool reads_fit(const struct distant_fact *fact, const struct value *pointer)
{
	return all_of(i, 0, fact->read_count,
		      read_fits(fact, &fact->reads[i], pointer->type, pointer->offset));
}

/* Adds what one function, or another place, says of the value at a place. */
static void merge_value(const struct distant_place *place, struct value *known,
			const struct value *said)
{
	if (!is_evidence(place, said) || known->kind == VALUE_UNKNOWN)
		return;
	if (known->kind == VALUE_BOTTOM)
		*known = *said;
	else if (place->kind != DISTANT_MEMBER && place->kind != DISTANT_TAG)
		*known = value_join(known, said, 0);
	else
		*known = merge_objects(known, said);
	if (known->kind != VALUE_POINTER) {
		*known = value_unknown(0);
		return;
	}
	known->origin = 0;
	known->alternative = NULL;
	known->alternative_delta = 0;
	known->how = HOW_INFERRED;
}

/* If only some of the functions that may know a fact were asked, this many of them must agree on
 * it. */
#define WITNESSES 3

bool distant_fact_is_known(const struct distant_fact *fact)
{
	return fact->value.kind == VALUE_POINTER && !fact->misread &&
	       (!fact->sampled || fact->witnesses >= WITNESSES);
}

bool distant_fact_may_choose(const struct distant_fact *fact, const struct distant_read *access)
{
	size_t fitting = sum_over(size_t, i, 0, fact->type_count,
				  fit_at(fact->types[i], access->offset, access->size).whole);

	return fitting && fitting < fact->type_count && distant_fact_has_types(fact);
}

bool distant_fact_has_types(const struct distant_fact *fact)
{
	if (fact->type_count < 2 || fact->too_many)
		return false;
	/* a read that fits none of the types shows that there is another type */
	return all_of(i, 0, fact->read_count,
		      any_of(k, 0, fact->type_count,
			     read_fits(fact, &fact->reads[i], fact->types[k], 0)));
}

/* So many different reads tell the record: fewer fit records that are not meant. */
#define TELLING_READS 3

bool distant_fact_is_read_only(const struct distant_fact *fact)
{
	return fact->place.kind == DISTANT_MEMBER && fact->value.kind == VALUE_BOTTOM &&
	       !fact->same.count && fact->read_count >= TELLING_READS;
}

void distant_fact_choose(struct distant_fact *fact, const struct type *const *types, size_t count)
{
	const struct type *only = NULL;
	size_t others = 0; /* the most reads that another record has fields for */

	for (size_t i = 0; i < count; i++) {
		const size_t fitting = sum_over(size_t, k, 0, fact->read_count,
						read_fits(fact, &fact->reads[k], types[i], 0));

		if (fitting == fact->read_count && !only)
			only = types[i];
		else
			raise_to(others, fitting);
	}
	/* several records may be kept there, and their members may be at the same places */
	if (!only || 2 * others >= fact->read_count)
		return;
	fact->value = value_pointer(only, 0, HOW_INFERRED);
	fact->witnesses = WITNESSES;
}

/* True if one of the first `count` pieces of evidence gives a value for the place. */
static bool has_said(const struct distant_evidence *items, size_t count,
		     const struct distant_place *place)
{
	return any_of(i, 0, count,
		      distant_place_is_same(&items[i].place, place) &&
			      is_evidence(place, &items[i].value));
}

static void add_vote(struct tag_votes **votes, uint64_t members)
{
	*votes = *votes ?: xcalloc(1, sizeof(**votes));
	if ((*votes)->count == UINT16_MAX)
		return;
	(*votes)->count++;
	bits_each (member, members)
		(*votes)->with[member]++;
}

/* One in so many pieces of evidence may be wrong: some code has a tag that is not set yet, or that
 * a function has changed. */
#define VOTES_FOR_ERROR 16

/* Returns the members that most of the evidence has, if all but errors of it has them; 0: they have
 * too little. */
static uint64_t voted_members(const struct tag_votes *votes)
{
	unsigned int most = votes->count - votes->count / VOTES_FOR_ERROR;
	uint64_t members = 0;

	for (unsigned int i = 0; i < COUNT_OF(votes->with); i++) {
		if (votes->with[i] > most) {
			most = votes->with[i];
			members = 0;
		}
		if (votes->with[i] == most)
			members |= UINT64_C(1) << i;
	}
	return members;
}

/* Adds what one function says of the members of a union. */
static void merge_members(struct distant_fact *fact, const struct distant_evidence *evidence)
{
	if (!fact->members) {
		fact->members = xcalloc(3 * TAG_VALUES_MAX, sizeof(*fact->members));
		fact->hinted = fact->members + TAG_VALUES_MAX;
		fact->hint_by = fact->hinted + TAG_VALUES_MAX;
		memset(fact->members, 0xff, 2 * TAG_VALUES_MAX * sizeof(*fact->members));
		fact->votes = xcalloc(TAG_VALUES_MAX, sizeof(*fact->votes));
	}
	for (unsigned int i = 0; i < TAG_VALUES_MAX; i++)
		if (tag_values_has(&evidence->values, i)) {
			fact->members[i] &= evidence->members;
			add_vote(&fact->votes[i], evidence->members);
			fact->hinted[i] &= evidence->hinted;
			if (evidence->hinted != evidence->members)
				fact->hint_by[i] =
					!fact->hint_by[i] ||
							fact->hint_by[i] == evidence->place.address
						? evidence->place.address
						: UINT64_MAX;
		}
}

void distant_facts_merge(struct distant_facts *facts, const struct distant_evidence_list *list)
{
	array_indexed (const struct distant_evidence, evidence, i, list->items, list->count) {
		struct distant_fact *fact = distant_facts_add(facts, &evidence->place);

		if (evidence->place.kind == DISTANT_UNION) {
			merge_members(fact, evidence);
			continue;
		}
		fact->witnesses += is_evidence(&evidence->place, &evidence->value) &&
				   !has_said(list->items, i, &evidence->place);
		if (evidence->value.kind == VALUE_NUMBER) {
			add_read(fact, &evidence->value);
			continue;
		}
		distant_add_type(fact, &evidence->value);
		if (evidence->value.kind == VALUE_BOTTOM) {
			distant_places_add(&fact->same, &evidence->same);
			distant_facts_add(facts, &evidence->same);
		} else {
			merge_value(&evidence->place, &fact->value, &evidence->value);
		}
	}
}

/* ---- conclusions */

void distant_facts_end_round(struct distant_facts *facts)
{
	array_each (struct distant_fact, fact, facts->items, facts->count) {
		free(fact->functions);
		fact->functions = NULL;
		fact->function_count = 0;
		fact->callers = false;
	}
}

/* Merges the values of the places that have the fact's value, too. Returns whether it is new. */
static bool merge_same(const struct distant_facts *facts, struct distant_fact *fact)
{
	const struct value before = fact->value;

	for (size_t i = 0; i < fact->same.count; i++) {
		const struct distant_fact *other = distant_facts_find(facts, &fact->same.items[i]);

		if (other && other->value.kind == VALUE_UNKNOWN)
			fact->value = value_unknown(0);
		else if (other)
			merge_value(&fact->place, &fact->value, &other->value);
	}
	return !value_equal(&before, &fact->value);
}

void distant_facts_conclude(struct distant_facts *facts)
{
	bool changed = true;

	/* a value only goes from none to one, from there to a part of it (arguments) or to a whole
	 * around it (members), and last to a disagreement */
	while (changed) {
		changed = false;
		array_each (struct distant_fact, fact, facts->items, facts->count)
			changed |= merge_same(facts, fact);
	}
	array_each (struct distant_fact, fact, facts->items, facts->count) {
		for (unsigned int i = 0; fact->members && i < TAG_VALUES_MAX; i++)
			if (!fact->members[i])
				fact->members[i] = voted_members(fact->votes[i]);
		fact->misread = fact->value.kind == VALUE_POINTER && !reads_fit(fact, &fact->value);
	}
}

void distant_facts_deinit(struct distant_facts *facts)
{
	for (size_t i = 0; i < facts->count; i++) {
		distant_places_deinit(&facts->items[i].same);
		for (unsigned int k = 0; facts->items[i].votes && k < TAG_VALUES_MAX; k++)
			free(facts->items[i].votes[k]);
		free_all(facts->items[i].members, facts->items[i].votes);
	}
	free(facts->items);
	hash_map_deinit(&facts->index);
	hash_map_deinit(&facts->called);
	*facts = (struct distant_facts){ 0 };
}

/* ---- calls */

struct distant_call *distant_find_calls(const struct elf_image *image, const struct abi *abi,
					const uint64_t *targets, size_t count, size_t *call_count)
{
	struct distant_call *calls = NULL;
	size_t capacity = 0, available;
	uint64_t start, size;
	int64_t distance;

	*call_count = 0;
	if (!count || !abi->find_call || !elf_image_code_segment(image, &start, &size))
		return NULL;
	for (uint64_t at = start; at < start + size;) {
		const uint8_t *bytes = elf_image_code(image, at, &available);

		if (!bytes || !available) {
			at++; /* between two sections */
			continue;
		}
		for (size_t i = 0; (i = abi->find_call(bytes, available, i, &distance)) < available;
		     i++) {
			uint64_t target = at + (uint64_t)distance;
			size_t index;

			if (target < targets[0] || target > targets[count - 1])
				continue;
			index = partition_point(0, count, k, targets[k] < target);
			if (targets[index] != target)
				continue;
			array_add(calls, *call_count, capacity) =
				(struct distant_call){ at + i, target };
		}
		at += available;
	}
	return calls;
}
