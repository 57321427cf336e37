// SPDX-License-Identifier: GPL-2.0-or-later
/* Where unknown values come from: see origin.h. */
#include "annotate/origin.h"

#include <string.h>

#include "annotate/access.h"
#include "annotate/place.h"
#include "annotate/rules/rules.h"

/* Joins feed joins; facts that need more steps than this to get through are left alone. */
#define PASS_LIMIT 8
/* So many zeros. */
static void clear_table(uint32_t **table, size_t *capacity, size_t count)
{
	if (count > *capacity) {
		free(*table);
		*table = xcalloc(count, sizeof(**table));
		*capacity = count;
		return;
	}
	memset(*table, 0, count * sizeof(**table));
}

void origins_start(struct origins *origins, size_t insn_count, size_t block_count)
{
	clear_table(&origins->insns, &origins->insn_capacity, insn_count);
	clear_table(&origins->joins, &origins->join_capacity, block_count * REG_GENERAL_COUNT);
	memset(origins->entry, 0, sizeof(origins->entry));
	hash_map_clear(&origins->index);
	origins->count = origins->flow_count = 0;
	origins->block_count = (uint32_t)block_count;
	array_reserve(origins->items, origins->count, origins->capacity);
	origins->items[origins->count++] = (struct origin){ 0 };
}

void origins_release(struct origins *origins)
{
	hash_map_release(&origins->index);
	free(origins->items);
	free(origins->flows);
	free(origins->reads);
	free(origins->insns);
	free(origins->joins);
	memset(origins, 0, sizeof(*origins));
}

static uint32_t add_origin(struct origins *origins, uint64_t key)
{
	array_reserve(origins->items, origins->count, origins->capacity);
	origins->items[origins->count] = (struct origin){ .key = key };
	return origins->count++;
}

/* The table's place for a key; NULL: it has none. Most instructions make one value, so one place is theirs.
 */
static uint32_t *table_place(struct origins *origins, uint64_t key)
{
	unsigned int value = key & 0xff;

	switch (key >> 62) {
	case 1: return &origins->insns[key >> 8 & 0xffffffff];
	case 2: {
		uint64_t block = key >> 8 & 0xffffffff;

		return value < REG_GENERAL_COUNT && block < origins->block_count
			       ? &origins->joins[block * REG_GENERAL_COUNT + value]
			       : NULL;
	}
	case 0: return key - 1 < REG_GENERAL_COUNT ? &origins->entry[key - 1] : NULL;
	default: return NULL;
	}
}

uint32_t origins_id(struct origins *origins, uint64_t key)
{
	uint32_t *place = table_place(origins, key);
	bool created;

	if (place && !*place)
		*place = add_origin(origins, key);
	if (place && origins->items[*place].key == key)
		return *place;
	uint32_t *id = hash_map_insert(&origins->index, key, &created);

	if (created)
		*id = add_origin(origins, key);
	return *id;
}

struct value origins_value(struct origins *origins, uint64_t key)
{
	uint32_t id = origins_id(origins, key);

	if (origins->items[id].inferred.kind == VALUE_POINTER)
		return origins->items[id].inferred;
	return value_unknown(id);
}

static bool is_record(const struct type *type)
{
	type = type_strip(type);
	return type_is_record(type) || type->kind == TYPE_ARRAY;
}

static bool refuse(struct origin *origin)
{
	bool refused = origin->refused;

	origin->refused = true;
	return !refused;
}

/* One more use of an origin; true if it tells more. A record says more than the scalar at its start, a whole
 * more than its part. */
static bool merge_use(struct origin *origin, struct value use)
{
	struct value *old = &origin->use;

	if (old->kind == VALUE_BOTTOM) {
		*old = use;
		return true;
	}
	if (place_same_type(old->type, use.type)) {
		uint64_t size = place_size(use.type);
		int64_t apart = old->offset - use.offset;

		return apart && (!size || apart % (int64_t)size) && refuse(origin);
	}
	if (place_contains(old->type, old->offset - use.offset, use.type))
		return false;
	if (!place_contains(use.type, use.offset - old->offset, old->type)) {
		if (is_record(old->type) == is_record(use.type))
			return refuse(origin);
		if (!is_record(use.type))
			return false;
	}
	*old = use;
	return true;
}

bool origins_use(struct origins *origins, const struct value *value, const struct type *object,
		 int64_t offset)
{
	bool pointer = value->kind == VALUE_POINTER;

	if ((!pointer && value->kind != VALUE_UNKNOWN) || !value->origin || value->stride)
		return false;
	/* of a pointer, only what is not known of it */
	if (pointer && (!is_record(object) || place_same_type(value->type, object) ||
			place_contains(value->type, value->offset - offset, object)))
		return false;
	/* p + 24 passed as a char * does not make p one */
	if (value->offset && !is_record(object))
		return false;
	return merge_use(&origins->items[value->origin],
			 value_pointer(object, offset - value->offset, HOW_INFERRED));
}

void origins_flow(struct origins *origins, uint32_t phi, const struct value *input)
{
	array_reserve(origins->flows, origins->flow_count, origins->flow_capacity);
	origins->flows[origins->flow_count++] = (struct origin_flow){ phi, *input };
}

void origins_read(struct origins *origins, const struct value *address, uint32_t size)
{
	if (!address->origin || address->stride || size > 8)
		return;
	array_reserve(origins->reads, origins->read_count, origins->read_capacity);
	origins->reads[origins->read_count++] =
		(struct origin_read){ address->origin, size, address->offset };
}

/* What is read from where the record has the end of one member and the start of the next is read from
 * something else: so the value is on one of the paths. True if there is any more such. */
static bool refuse_misfits(struct origins *origins)
{
	bool changed = false;

	for (uint32_t i = 0; i < origins->read_count && rule_is_on(RULE_MISREAD_ORIGIN); i++) {
		const struct origin_read *read = &origins->reads[i];
		struct origin *origin = &origins->items[read->origin];
		struct place place;
		int64_t offset;

		if (!origin->refused && origin->use.kind == VALUE_POINTER && is_record(origin->use.type) &&
		    !__builtin_add_overflow(origin->use.offset, read->offset, &offset) &&
		    place_find(origin->use.type, offset, 0, read->size, &place) == REASON_NONE &&
		    !place_holds_access(origin->use.type, offset, read->size))
			changed = origin->refused = true;
	}
	return changed;
}

/* What a join is used as, its unknown inputs are. True if that tells more of any. */
static bool flow_backward(struct origins *origins)
{
	bool changed = false;

	for (uint32_t i = 0; i < origins->flow_count; i++) {
		const struct origin_flow *flow = &origins->flows[i];
		const struct origin *phi = &origins->items[flow->phi];

		if (phi->use.kind == VALUE_POINTER && !phi->refused)
			changed |= origins_use(origins, &flow->input, phi->use.type, phi->use.offset);
	}
	return changed;
}

bool origins_infer(struct origins *origins, bool wanted)
{
	bool learned = false, changed = wanted;

	refuse_misfits(origins);
	for (unsigned int pass = 0; changed && pass < PASS_LIMIT; pass++) {
		changed = flow_backward(origins);
		changed |= refuse_misfits(origins);
	}
	for (uint32_t id = 1; id < origins->count; id++) {
		struct origin *origin = &origins->items[id];

		if (wanted && origin->inferred.kind == VALUE_BOTTOM && origin->use.kind == VALUE_POINTER &&
		    !origin->refused) {
			origin->inferred = origin->use;
			origin->inferred.origin = id;
			learned = true;
		}
		if (wanted && origin->reached_beyond && !origin->reaches_beyond)
			origin->reaches_beyond = learned = true;
		origin->use = (struct value){ 0 };
		origin->refused = origin->reached_beyond = origin->leads_beyond = false;
	}
	origins->flow_count = origins->read_count = 0;
	return learned;
}
