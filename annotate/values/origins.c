// SPDX-License-Identifier: GPL-2.0-or-later
/* Origins of unknown values, and what they are used as: see origins.h. */
#include "annotate/values/origins.h"

#include <assert.h>

#include "annotate/access.h"
#include "annotate/rule.h"
#include "base/memory.h"

/* Makes a table of `count` zeros. */
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
	origins->count = origins->flow_count = origins->read_count = 0;
	origins->block_count = (uint32_t)block_count;
	array_add(origins->items, origins->count, origins->capacity) = (struct origin){ 0 };
}

void origins_deinit(struct origins *origins)
{
	hash_map_deinit(&origins->index);
	free_all(origins->items, origins->flows, origins->reads, origins->insns, origins->joins);
	memset(origins, 0, sizeof(*origins));
}

static uint32_t add_origin(struct origins *origins, uint64_t key)
{
	array_reserve(origins->items, origins->count, origins->capacity);
	origins->items[origins->count] = (struct origin){ .key = key };
	return origins->count++;
}

/* Returns the table's entry for a key; NULL if the key has none. Most instructions make one value,
 * so each has one entry. */
static uint32_t *table_entry(struct origins *origins, uint64_t key)
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
	assert(origins->count); /* the first item stands for no origin */
	uint32_t *field = table_entry(origins, key);
	bool created;

	if (field && !*field)
		*field = add_origin(origins, key);
	if (field && origins->items[*field].key == key)
		return *field;
	uint32_t *id = hash_map_insert(&origins->index, key, &created);

	if (created)
		*id = add_origin(origins, key);
	return *id;
}

struct value origins_value(struct origins *origins, uint64_t key)
{
	uint32_t id = origins_id(origins, key);

	return origins->items[id].inferred.type ? origins_inferred(origins, id) : value_unknown(id);
}

struct value origins_inferred(const struct origins *origins, uint32_t id)
{
	const struct field_ref *inferred = &origins->items[id].inferred;
	struct value pointer = { .kind = VALUE_BOTTOM };

	if (inferred->type) {
		pointer = value_pointer(inferred->type, inferred->offset, HOW_INFERRED);
		pointer.origin = id;
	}
	return pointer;
}

struct value origins_said(const struct origins *origins, uint32_t id)
{
	const struct origin *origin = &origins->items[id];

	if (origin->inferred.type)
		return origins_inferred(origins, id);
	return origin->named ? value_pointer(origin->named, 0, HOW_TRACKED)
			     : (struct value){ .kind = VALUE_BOTTOM };
}

static bool refuse_origin(struct origin *origin)
{
	bool refused = origin->refused;

	origin->refused = true;
	return !refused;
}

/* True if both are parts of one object, one after the other. */
static bool are_apart(const struct field_ref *a, const struct field_ref *b)
{
	int64_t a_size = (int64_t)field_size(a->type), b_size = (int64_t)field_size(b->type);

	/* the value is the address `-offset` bytes before the part */
	return a_size && b_size &&
	       (-a->offset + a_size <= -b->offset || -b->offset + b_size <= -a->offset);
}

/* Adds a use. True if it says more than the uses so far (a record says more than the scalar at its
 * start, and a whole more than its part), or if it is the first that disagrees with them. */
static bool merge_use(struct origin *origin, struct field_ref use, uint32_t block)
{
	struct field_ref *old = &origin->use;

	if (!old->type || origin->rule == RULE_ONE_WORD_RECORD) {
		*old = use;
		origin->rule = RULE_NONE;
		origin->first_in = origin->last_in = block;
		return true;
	}
	origin->last_in = block;
	if (field_same_type(old->type, use.type)) {
		uint64_t size = field_size(use.type);
		int64_t apart = old->offset - use.offset;

		return apart && (!size || apart % (int64_t)size) && refuse_origin(origin);
	}
	if (field_contains(old->type, old->offset - use.offset, use.type))
		return false;
	if (!field_contains(use.type, use.offset - old->offset, old->type)) {
		if (origin_is_whole(old->type) == origin_is_whole(use.type))
			return !are_apart(old, &use) && refuse_origin(origin);
		if (!origin_is_whole(use.type))
			return false;
	}
	*old = use;
	return true;
}

/* Notes a use of the sum of an origin's value and an unknown number. Refuses such sums if they are
 * used as anything but one record. */
static void use_far(struct origin *origin, const struct value *value, const struct type *object,
		    int64_t offset)
{
	const struct field_ref *old = &origin->far_use;
	int64_t start = offset - value->offset;

	if (!type_is_record(type_strip(object)) ||
	    (old->type && (old->offset != start || !field_same_type(old->type, object))))
		origin->far_refused = true;
	else
		origin->far_use = (struct field_ref){ object, start };
}

struct value origins_far(const struct origins *origins, struct value address, uint64_t size)
{
	const struct field_ref *far = &origins->items[address.origin].far;
	int64_t offset;

	if (address.kind != VALUE_UNKNOWN || !address.stride || !far->type ||
	    __builtin_add_overflow(far->offset, address.offset, &offset) ||
	    !field_scalar(far->type, offset, size))
		return address;
	return value_pointer(far->type, offset, HOW_INFERRED);
}

bool origins_use(struct origins *origins, const struct value *value, const struct type *object,
		 int64_t offset)
{
	bool pointer = value->kind == VALUE_POINTER;

	if (value->kind == VALUE_UNKNOWN && value->origin && value->stride)
		use_far(&origins->items[value->origin], value, object, offset);

	if ((!pointer && value->kind != VALUE_UNKNOWN) || !value->origin || value->stride)
		return false;
	/* the pointer is to all of a class that is only declared, not just to this part of it */
	if (!pointer && offset < value->offset && value->type && field_named_class(value->type))
		return false;
	/* only a larger object is news about a pointer */
	if (pointer && (!origin_is_whole(object) || field_same_type(value->type, object) ||
			field_contains(value->type, value->offset - offset, object)))
		return false;
	/* p + 24 passed as a char * does not make p a char * */
	if (value->offset && !origin_is_whole(object))
		return false;
	return merge_use(&origins->items[value->origin],
			 (struct field_ref){ object, offset - value->offset }, origins->block);
}

bool origins_use_by(struct origins *origins, enum rule_id rule, const struct value *value,
		    const struct type *object, int64_t offset)
{
	bool changed = rule_is_on(rule) && origins_use(origins, value, object, offset);

	if (changed)
		origins->items[value->origin].rule = (uint8_t)rule;
	return changed;
}

bool origins_infer_by(struct origins *origins, enum rule_id rule, uint32_t id,
		      const struct type *object)
{
	struct origin *origin = &origins->items[id];

	if (!rule_is_on(rule) || origin->inferred.type)
		return false;
	origin->inferred = (struct field_ref){ object, 0 };
	origin->rule = (uint8_t)rule;
	return true;
}

void origins_flow(struct origins *origins, uint32_t phi, const struct value *input)
{
	array_add(origins->flows, origins->flow_count, origins->flow_capacity) =
		(struct origin_flow){ phi, *input };
}
