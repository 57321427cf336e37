// SPDX-License-Identifier: GPL-2.0-or-later
/* Links, and what they are members of: see link.h. */
#include "annotate/link.h"

#include "annotate/solver.h"

#define WORD 8
/* Joins feed joins: what needs more steps than this to get through them is left alone. */
#define PASS_LIMIT 8

bool link_is(const struct type *type)
{
	const struct type *bare = type_strip(type);
	size_t count, words = 0;
	bool to_own = false;

	if (bare->kind != TYPE_STRUCT || bare->size % WORD || bare->size > 3 * WORD)
		return false;
	const struct member *members = type_members(bare, &count);

	for (size_t i = 0; i < count; i++) {
		const struct type *member = type_strip(members[i].type), *object = NULL;

		if (type_is_pointer(member))
			object = place_pointee(member);
		else if (member->kind != TYPE_INTEGER || member->size != WORD || words++)
			return false;
		to_own |= object && place_same_type(object, bare);
	}
	return to_own;
}

bool link_is_followed(const struct solver *solver, const struct value *address)
{
	return solver_has_no_variables(solver) && solver->infer && address->kind == VALUE_POINTER &&
	       address->origin && !address->stride && link_is(address->type);
}

bool link_is_joined(const struct solver *solver, const struct value *value, uint64_t key)
{
	return link_is_followed(solver, value) &&
	       solver->origins.items[value->origin].key == origin_key_joined(key);
}

static bool is_within(const struct value *address, uint64_t size)
{
	return address->offset >= 0 && address->offset + (int64_t)size <= (int64_t)place_size(address->type);
}

/* Is the link reached from a register that points in front of it or behind it? Only who means what is around
 * the link has such a pointer. */
static bool is_from_around(const struct solver *solver, const struct value *address)
{
	const struct insn *insn = &solver->code->insns[solver->current];
	const struct operand *operand = insn_memory(insn, false);

	if (!operand)
		operand = insn_memory(insn, true);
	return operand && operand->index == REG_NONE && operand->value != address->offset;
}

void link_gather(struct solver *solver, const struct value *address, uint64_t size)
{
	uint8_t how = address->how;
	struct place place;

	if (!link_is_followed(solver, address) || is_within(address, size))
		return;
	solver->origins.items[address->origin].leads_beyond = true;
	solver->origins.items[address->origin].reached_beyond |= !is_from_around(solver, address);
	origins_read(&solver->origins, address, (uint32_t)size);
	if (solver_place(solver, address, size, &place, &how) == REASON_NONE &&
	    !place_same_type(place.type, address->type))
		origins_use(&solver->origins, address, place.type, place.offset);
}

/* What a join gives and is accessed beyond is what came to it. */
static void lead_back(struct origins *origins)
{
	for (uint32_t i = origins->flow_count; i-- > 0;) {
		const struct origin_flow *flow = &origins->flows[i];

		if (origins->items[flow->phi].leads_beyond && flow->input.origin)
			origins->items[flow->input.origin].leads_beyond = true;
	}
}

/* The flows by what comes into them. */
struct inputs {
	struct origins *origins;
	uint32_t *first;   /* by origin: a flow that it comes into, + 1; 0: none */
	uint32_t *next;    /* by flow: another that the same comes into, + 1; 0: none */
	uint32_t *pending; /* joins that are not like their inputs should be */
	uint32_t pending_count;
};

static void inputs_create(struct inputs *inputs, struct origins *origins)
{
	*inputs = (struct inputs){ .origins = origins,
				   .first = xcalloc(origins->count, sizeof(*inputs->first)),
				   .next = xcalloc(origins->flow_count + 1, sizeof(*inputs->next)),
				   .pending = xcalloc(origins->count, sizeof(*inputs->pending)) };
	for (uint32_t i = 0; i < origins->flow_count; i++) {
		uint32_t *first = &inputs->first[origins->flows[i].input.origin];

		inputs->next[i] = *first;
		*first = i + 1;
	}
}

static void inputs_release(struct inputs *inputs)
{
	free(inputs->first);
	free(inputs->next);
	free(inputs->pending);
}

static void drop_join(struct inputs *inputs, uint32_t join)
{
	if (!inputs->origins->items[join].all)
		return;
	inputs->origins->items[join].all = false;
	inputs->pending[inputs->pending_count++] = join;
}

/* Joins of which all inputs are like that, or such joins: `all` is set in them. */
static void find_joins(struct inputs *inputs, bool (*is_so)(const struct origin *input))
{
	struct origins *origins = inputs->origins;

	for (uint32_t i = 0; i < origins->flow_count; i++)
		origins->items[origins->flows[i].phi].all = true;
	for (uint32_t i = 0; i < origins->flow_count; i++) {
		const struct origin *input = &origins->items[origins->flows[i].input.origin];

		if (!input->all && !is_so(input))
			drop_join(inputs, origins->flows[i].phi);
	}
	/* each join is dropped once, and so is each flow out of it looked at */
	while (inputs->pending_count) {
		uint32_t dropped = inputs->pending[--inputs->pending_count];

		if (is_so(&origins->items[dropped]))
			continue;
		for (uint32_t i = inputs->first[dropped]; i; i = inputs->next[i - 1])
			drop_join(inputs, origins->flows[i - 1].phi);
	}
}

static bool is_reached_beyond(const struct origin *origin)
{
	return origin->reached_beyond;
}

/* Where all that meet in a join are accessed beyond their end, so may be what it gives: of a loop that looks
 * at an element before it goes on from it. */
static void reach_on(struct inputs *inputs)
{
	struct origins *origins = inputs->origins;

	find_joins(inputs, is_reached_beyond);
	for (uint32_t i = 0; i < origins->flow_count; i++) {
		struct origin *join = &origins->items[origins->flows[i].phi];

		join->reached_beyond |= join->all;
		join->all = false;
	}
}

/* Two pointers and nothing else may be a list's head as well, which is a member of something else than its
 * elements are. */
static bool may_be_head(const struct type *link)
{
	size_t count, own = 0;
	const struct member *members = type_members(type_strip(link), &count);

	for (size_t i = 0; i < count; i++) {
		const struct type *object = place_pointee(members[i].type);

		own += object && place_same_type(object, link);
	}
	return own == count;
}

/* A link that was loaded out of a record's link is in such a record, too. */
static void use_as_kin(struct origin *origin)
{
	const struct type *pointer =
		origin->object ? place_scalar(origin->object, origin->offset, WORD) : NULL;
	const struct type *link = pointer ? place_pointee(pointer) : NULL;

	if (!link || origin->use.kind != VALUE_BOTTOM || !link_is(link) || may_be_head(link) ||
	    place_same_type(origin->object, link))
		return;
	for (int64_t within = 0; within < (int64_t)place_size(link); within += WORD) {
		int64_t start = origin->offset - within;

		if (place_contains(origin->object, start, link)) {
			origin->use = value_pointer(origin->object, start, HOW_INFERRED);
			return;
		}
	}
}

static bool is_used(const struct origin *origin)
{
	return origin->use.kind == VALUE_POINTER && !origin->refused;
}

/* What all that meet in a join are is what is followed from there on; of one that is accessed beyond its end,
 * what any of them is. */
static void use_as_inputs(struct inputs *inputs)
{
	struct origins *origins = inputs->origins;

	find_joins(inputs, is_used);
	for (uint32_t i = 0; i < origins->flow_count; i++) {
		const struct origin_flow *flow = &origins->flows[i];
		const struct origin *input = &origins->items[flow->input.origin];
		const struct origin *join = &origins->items[flow->phi];
		struct value joined = value_unknown(flow->phi);

		if (flow->input.kind == VALUE_POINTER && is_used(input) &&
		    (join->all || join->leads_beyond || join->reached_beyond))
			origins_use(origins, &joined, input->use.type, input->use.offset);
	}
	for (uint32_t i = 0; i < origins->flow_count; i++)
		origins->items[origins->flows[i].phi].all = false;
}

void link_conclude(struct solver *solver)
{
	struct origins *origins = &solver->origins;
	struct inputs inputs;

	if (!solver_has_no_variables(solver))
		return;
	inputs_create(&inputs, origins);
	for (unsigned int pass = 0; pass < PASS_LIMIT; pass++)
		lead_back(origins);
	reach_on(&inputs);
	for (uint32_t id = 1; id < origins->count && rule_is_on(RULE_LINK_KIN); id++)
		if (origins->items[id].leads_beyond)
			use_as_kin(&origins->items[id]);
	for (unsigned int pass = 0; pass < PASS_LIMIT; pass++)
		use_as_inputs(&inputs);
	inputs_release(&inputs);
}

enum access_reason link_place(const struct solver *solver, const struct value *address, uint64_t size,
			      struct place *place)
{
	const struct origin *origin = &solver->origins.items[address->origin];
	const struct value *around = &origin->inferred;
	bool known =
		around->kind == VALUE_POINTER && place_contains(around->type, around->offset, address->type);
	int64_t offset;

	if (is_within(address, size) && !origin->reaches_beyond && !is_from_around(solver, address))
		return REASON_NO_VALUE;
	if (known && !__builtin_add_overflow(around->offset, address->offset, &offset) &&
	    place_find(around->type, offset, 0, size, place) == REASON_NONE)
		return REASON_NONE;
	return is_within(address, size) ? REASON_OUTSIDE : REASON_NO_VALUE;
}
