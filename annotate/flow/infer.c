// SPDX-License-Identifier: GPL-2.0-or-later
/* Inference: see infer.h. In order: conclusions from uses, conclusions about links, and the pass
 * that gathers. */
#include "annotate/flow/infer.h"

#include "annotate/access.h"
#include "annotate/code/code.h"
#include "annotate/cxx/table_places.h"
#include "annotate/cxx/virtual_table.h"
#include "annotate/flow/solver.h"
#include "annotate/language/go.h"
#include "annotate/objects/objects.h"
#include "annotate/rule.h"
#include "annotate/rules/stages.h"
#include "annotate/types/field.h"
#include "base/memory.h"

/* ---- conclusions from uses */

/* At most this many passes over the joins are made. A conclusion moves on by one join in each pass,
 * and one that would need more passes is not drawn. */
#define PASS_MAX 8

/* Notes that `size` bytes are read at an address that is known only by its origin: evidence for
 * other functions (distant_evidence.c). */
static void origins_read(struct solver *solver, const struct value *address, uint32_t size)
{
	struct origins *origins = &solver->origins;

	if (!solver->pass.collecting || !address->origin || address->stride || size > 8)
		return;
	array_add(origins->reads, origins->read_count, origins->read_capacity) =
		(struct origin_read){ address->origin, size, address->offset };
}

/* Notes each use of a join as a use of its unknown inputs. True if this says something new about
 * any of them. */
static bool flow_backward(struct origins *origins)
{
	bool changed = false;

	array_each (const struct origin_flow, flow, origins->flows, origins->flow_count) {
		const struct origin *phi = &origins->items[flow->phi];

		/* a boxed word may be one record on one path and another record on others */
		if (phi->use.type && !phi->refused && phi->rule != RULE_ONE_WORD_RECORD)
			changed |=
				origins_use(origins, &flow->input, phi->use.type, phi->use.offset);
	}
	return changed;
}

/* Draws the conclusions, if they are `wanted`, and forgets the uses. True if anything new is
 * known. */
static bool origins_infer(struct solver *solver, bool wanted)
{
	struct origins *origins = &solver->origins;
	bool learned = false, changed = wanted;

	for (unsigned int pass = 0; changed && pass < PASS_MAX; pass++)
		changed = flow_backward(origins);
	for (uint32_t id = 1; id < origins->count; id++) {
		struct origin *origin = &origins->items[id];

		if (wanted && !origin->inferred.type && origin->use.type && !origin->refused) {
			origin->inferred = origin->use;
			learned = true;
		}
		if (wanted && !origin->far.type && origin->far_use.type && !origin->far_refused) {
			origin->far = origin->far_use;
			learned = true;
		}
		origin->use = origin->far_use = (struct field_ref){ 0 };
		origin->far_refused = false;
		origin->refused = origin->reached_beyond = origin->leads_beyond = false;
	}
	return learned;
}

/*
 * ---- links
 *
 * Code that follows a link works on the record around it. Without variables (BTF) only uses show
 * that record: the pointer is passed on as a pointer to it, or is accessed beyond the link's end.
 */

/* Like PASS_MAX, for conclusions about links. */
#define LINK_PASS_MAX 8

/* True for an address in a link, or near one, in code without variables. */
static bool link_is_followed(const struct solver *solver, const struct value *address)
{
	return solver_has_no_variables(solver) && solver->options.infer &&
	       address->kind == VALUE_POINTER && address->origin && !address->stride &&
	       field_is_link(address->type);
}

/* True if the register points before the link or after it. Only code that works on the record
 * around the link has such a pointer. */
static bool link_is_from_around(const struct solver *solver, const struct value *address)
{
	const struct insn *insn = &solver->code->insns[solver->pass.current];
	const struct operand *operand = insn_memory(insn, false);

	return operand && operand->index == REG_NONE && operand->value != address->offset;
}

/* True if this join gave the link. */
static bool link_is_joined(const struct solver *solver, const struct value *value, uint64_t key)
{
	return link_is_followed(solver, value) &&
	       solver->origins.items[value->origin].key == origin_key_joined(key);
}

/* Notes what an access of `size` bytes says about a link. Called in the pass that gathers. */
static void link_gather(struct solver *solver, const struct value *address, uint64_t size)
{
	uint8_t how = address->how;
	struct field_ref field;

	if (!link_is_followed(solver, address) ||
	    (address->offset >= 0 &&
	     address->offset + (int64_t)size <= (int64_t)field_size(address->type)))
		return;
	solver->origins.items[address->origin].leads_beyond = true;
	solver->origins.items[address->origin].reached_beyond |=
		!link_is_from_around(solver, address);
	origins_read(solver, address, (uint32_t)size);
	if (solver_field(solver, address, size, &field, &how) == REASON_NONE &&
	    !field_same_type(field.type, address->type))
		origins_use(&solver->origins, address, field.type, field.offset);
}

/* Marks the inputs of each join whose result is accessed beyond its end. */
static void lead_back(struct origins *origins)
{
	for (uint32_t i = origins->flow_count; i-- > 0;) {
		const struct origin_flow *flow = &origins->flows[i];

		if (origins->items[flow->phi].leads_beyond && flow->input.origin)
			origins->items[flow->input.origin].leads_beyond = true;
	}
}

/* An index of the flows by their inputs. */
struct inputs {
	struct origins *origins;
	uint32_t *first;   /* by origin: a flow that it is the input of, + 1; 0: none */
	uint32_t *next;    /* by flow: another flow with the same input, + 1; 0: none */
	uint32_t *pending; /* joins that have an input for which is_so() is false */
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

static void drop_join(struct inputs *inputs, uint32_t join)
{
	if (!inputs->origins->items[join].all)
		return;
	inputs->origins->items[join].all = false;
	inputs->pending[inputs->pending_count++] = join;
}

/* Sets `all` in the joins whose inputs all satisfy is_so(), or are such joins themselves. */
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
	/* Each join is dropped once, so each flow out of it is looked at once. */
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

/* Marks the result of each join whose inputs are all accessed beyond their end: a loop looks at an
 * element before it goes on to the next. */
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

static bool is_used(const struct origin *origin)
{
	return origin->use.type && !origin->refused;
}

/* Gives the result of a join the type on which all its inputs agree. A result that is accessed
 * beyond its end takes the type of any input. */
static void use_as_inputs(struct inputs *inputs)
{
	struct origins *origins = inputs->origins;

	find_joins(inputs, is_used);
	array_each (const struct origin_flow, flow, origins->flows, origins->flow_count) {
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

/* Draws conclusions about links; must be called before origins_infer(). */
static void link_conclude(struct solver *solver)
{
	struct origins *origins = &solver->origins;
	struct inputs inputs;

	if (!solver_has_no_variables(solver))
		return;
	inputs_create(&inputs, origins);
	for (unsigned int pass = 0; pass < LINK_PASS_MAX; pass++)
		lead_back(origins);
	reach_on(&inputs);
	for (unsigned int pass = 0; pass < LINK_PASS_MAX; pass++)
		use_as_inputs(&inputs);
	free_all(inputs.first, inputs.next, inputs.pending);
}

/* ---- gathering */

/* True if the value is known only as the result of this join. */
static inline bool is_of_join(const struct solver *solver, const struct value *value, uint64_t key)
{
	return origins_is(&solver->origins, value, key) ||
	       (value->kind == VALUE_POINTER && link_is_joined(solver, value, key));
}

/* Notes an input of a join. A known pointer says nothing new unless it points to a link: on one
 * path the link may be part of a larger record. */
static void gather_input(struct solver *solver, const struct value *joined,
			 const struct value *input)
{
	struct value from = *input;

	if (joined->kind == VALUE_POINTER) {
		if (!link_is_followed(solver, input) || input->offset != joined->offset)
			return;
		from.offset = 0; /* as in the join: what is learned holds for the link itself */
	} else if (input->kind == VALUE_POINTER) {
		alternatives_note_joined(&solver->evidence.alternatives, joined->origin, input);
		return;
	} else if (input->kind != VALUE_UNKNOWN) {
		return;
	}
	origins_flow(&solver->origins, joined->origin, &from);
}

void gather_edge(struct solver *solver, const struct state *from, uint32_t to, uint64_t wanted)
{
	const struct state *entry = &solver->tables.entries[to];

	bits_each (i, wanted) {
		const struct value *value = &entry->values[i];

		if (solver->abi->goroutine_type)
			go_note_joined(solver, value, &from->values[i]);
		if (is_of_join(solver, value, origin_key_join(to, i)))
			gather_input(solver, value, &from->values[i]);
	}
	array_each (const struct slot, slot, entry->slots, entry->slot_count) {
		if (!is_of_join(solver, &slot->value,
				origin_key_slot(to, slot->frame, slot->offset)))
			continue;
		const struct slot *out = state_slot(from, slot->frame, slot->offset, slot->size);

		if (out)
			gather_input(solver, &slot->value, &out->value);
	}
}

/* True if the comparison at `index` asks whether two values are equal. */
static bool is_equality(const struct cfg *code, uint32_t index)
{
	for (uint32_t i = index + 1; i < code->insn_count; i++) {
		const struct insn *insn = &code->insns[i];

		if (insn->condition != CONDITION_NONE)
			return (insn->condition & ~1) == CONDITION_EQUAL;
		if (insn->flags & FLAG_WRITES_FLAGS)
			return false;
	}
	return false;
}

/* Returns what a register has, or the address that is an immediate. */
static struct value compared_value(const struct solver *solver, const struct state *state,
				   const struct operand *operand)
{
	if (operand_is_general(operand))
		return state->values[operand->reg];
	return operand->kind == OPERAND_IMMEDIATE && solver_is_image_address(solver, operand->value)
		       ? value_address(operand->value)
		       : value_unknown(0);
}

/* Finds the static record whose address the value is. False: it is not known to be one. */
static bool static_object(struct solver *solver, const struct value *address, struct value *object)
{
	if (address->stride)
		return false;
	if (address->kind == VALUE_POINTER && address->how == HOW_GLOBAL)
		*object = *address; /* of another object file */
	else if (address->kind != VALUE_ADDRESS || !solver_fixed_object(solver, address, object))
		return false;
	return !object->offset && type_is_record(type_strip(object->type));
}

/* Rule compared-object: a pointer is compared with the address of a static record. */
static void gather_comparison(struct solver *solver, const struct state *state, uint32_t index)
{
	const struct insn *insn = &solver->code->insns[index];

	if (insn->operation != OP_COMPARE || insn->operands[0].size < 8 ||
	    !is_equality(solver->code, index))
		return;
	const struct value values[] = { compared_value(solver, state, &insn->operands[0]),
					compared_value(solver, state, &insn->operands[1]) };

	for (unsigned int i = 0; i < 2; i++) {
		const struct value *pointer = &values[i], *address = &values[1 - i];
		struct value object;

		if (pointer->kind == VALUE_UNKNOWN && pointer->origin && !pointer->offset &&
		    !pointer->stride && static_object(solver, address, &object))
			origins_use_by(&solver->origins, RULE_COMPARED_OBJECT, pointer, object.type,
				       0);
	}
}

/* Says how an instruction uses the address of one of its operands. */
static struct pointer_use operand_use(const struct insn *insn, const struct operand *operand)
{
	const bool vector =
		any_of(k, 0, insn->operand_count, operand_is_vector(&insn->operands[k]));

	return (struct pointer_use){
		.size = operand->size,
		.vector = operand->size > 8 || (operand->size == 8 && vector),
		.stored = operand->write && !vector &&
			  (insn->operation == OP_MOVE || insn->operation == OP_ADD ||
			   insn->operation == OP_SUB),
	};
}

bool gather_operands(struct solver *solver, const struct state *state, uint32_t index, void *unused)
{
	const struct insn *insn = &solver->code->insns[index];

	(void)unused;
	go_gather(solver, state, insn);
	gather_comparison(solver, state, index);
	array_each (const struct operand, operand, insn->operands, insn->operand_count) {
		if (operand->kind != OPERAND_MEMORY || operand->base == REG_NONE ||
		    !(operand->read || operand->write))
			continue;
		const struct value *base = &state->values[operand->base];

		if (base->kind == VALUE_FRAME && base->frame == FRAME_CFA && !base->stride &&
		    operand->write && operand->index == REG_NONE)
			table_places_gather(solver, state, insn, base->offset + operand->value);
		if (base->kind != VALUE_POINTER && base->kind != VALUE_UNKNOWN)
			continue;
		struct value address = solver_address(solver, state, operand);

		if (address.kind == VALUE_UNKNOWN) {
			if (operand->write)
				virtual_table_gather(solver, state, insn, &address);
			const struct pointer_use use = operand_use(insn, operand);

			alternatives_access(solver, &address, &use);
			/* members are cleared and filled several at once */
			if (!operand->write)
				origins_read(solver, &address, operand->size);
		}
		if (address.kind != VALUE_POINTER)
			continue;
		link_gather(solver, &address, operand->size);
		if (address.stride > 1 && address.offset >= 0 &&
		    address.offset < (int64_t)field_size(address.type))
			solver_note_walk(solver, address.type, address.stride);
		else if (address.offset < 0 && operand->size > 1 && field_size(address.type) == 1)
			solver->evidence.casts_headers = true;
		if (operand->size > 1 && field_size(address.type) == 1)
			solver->evidence.casts_bytes = true;
	}
	return true;
}

bool gather_conclude(struct solver *solver)
{
	link_conclude(solver);
	if (!solver->pass.collecting)
		alternatives_use(&solver->evidence.alternatives, &solver->origins);
	bool learned = object_uses_infer(solver);

	return origins_infer(solver, solver->options.infer) || learned;
}
