// SPDX-License-Identifier: GPL-2.0-or-later
/* Distant facts (distant.h) in one function: where its unknown values come from, what it learns
 * from the facts, and the evidence that it has on places. */
#include "annotate/answer/tag_union.h"
#include "annotate/code/code.h"
#include "annotate/flow/flow.h"
#include "annotate/flow/solver.h"
#include "annotate/objects/objects.h"
#include "annotate/rules/stages.h"
#include "annotate/solve/solve_function.h"
#include "annotate/types/field.h"
#include "disasm/cfg.h"
#include "base/memory.h"

/* ---- evidence */

struct collecting {
	struct distant_question question;
	struct distant_evidence_list *list;
	bool callbacks; /* it is asked about arguments */
};

/* Turns the address of a variable into a pointer to it. False: no variable is there. */
static bool pointer_of(struct solver *solver, const struct state *state, struct value *value)
{
	const struct insn *insn = &solver->code->insns[solver->pass.current];
	struct value object;
	int64_t offset;

	if (value->kind == VALUE_POINTER)
		return true;
	if (value->kind == VALUE_FRAME && value->frame <= FRAME_LAST_OTHER && !value->stride) {
		const struct stack_fact *variable = solver_stack_variable(
			solver, state, insn->address, insn->address + insn->length, value->frame,
			value->offset, &offset);

		if (!variable)
			return false;
		*value = value_pointer(variable->type, offset, HOW_TRACKED);
		return true;
	}
	if (!solver_fixed_object(solver, value, &object))
		return false;
	*value = object;
	return true;
}

/* Adds what is known of a value that comes to a place. */
static void collect_value(struct solver *solver, const struct state *state,
			  const struct distant_place *place, const struct value *said,
			  struct collecting *collecting)
{
	struct distant_evidence evidence = { .place = *place, .value = *said };

	if (!distant_asks(&collecting->question, place) || value_is_null(said))
		return;
	if (pointer_of(solver, state, &evidence.value)) {
		evidence.value.origin = 0;
		distant_evidence_add(collecting->list, &evidence);
		return;
	}
	if (said->kind != VALUE_UNKNOWN || !said->origin || said->offset || said->stride ||
	    said->conflict || !solver_place_of_origin(solver, said->origin, &evidence.same))
		return;
	evidence.value = (struct value){ 0 };
	distant_evidence_add(collecting->list, &evidence);
}

static void collect_arguments(struct solver *solver, const struct state *state,
			      const struct insn *insn, struct collecting *collecting)
{
	const struct convention *call = solver->abi->call;
	struct distant_place place = { .kind = DISTANT_ARGUMENT };

	if ((insn->operation != OP_CALL && insn->operation != OP_JUMP) ||
	    !insn_direct_target(insn, &place.code) ||
	    (insn->operation == OP_JUMP && cfg_covers(solver->code, place.code)))
		return;
	for (size_t i = 0; i < call->argument_count; i++) {
		place.reg = call->arguments[i];
		collect_value(solver, state, &place, &state->values[place.reg], collecting);
	}
}

/* A function of the C library or of POSIX that gets a callback, and calls it with addresses that it
 * gets: addresses of elements of an array, or the addresses as they are. */
struct callback_caller {
	const char *name;
	uint8_t function; /* the number of the argument, as the others */
	uint8_t count;
	struct {
		uint8_t from, to;
	} passed[3];
};

static const struct callback_caller *callback_caller_of(const char *name)
{
	static const struct callback_caller callers[] = {
		{ "qsort", 3, 2, { { 0, 0 }, { 0, 1 } } },
		{ "qsort_r", 3, 3, { { 0, 0 }, { 0, 1 }, { 4, 2 } } },
		{ "bsearch", 4, 2, { { 0, 0 }, { 1, 1 } } },
		{ "lfind", 4, 2, { { 0, 0 }, { 1, 1 } } },
		{ "lsearch", 4, 2, { { 0, 0 }, { 1, 1 } } },
		{ "tsearch", 2, 2, { { 0, 0 }, { 0, 1 } } },
		{ "tfind", 2, 2, { { 0, 0 }, { 0, 1 } } },
		{ "tdelete", 2, 2, { { 0, 0 }, { 0, 1 } } },
		{ "pthread_create", 2, 1, { { 3, 0 } } },
		{ "thrd_create", 1, 1, { { 2, 0 } } },
	};

	return name ? array_find(i, callers, COUNT_OF(callers), strcmp(name, callers[i].name) == 0)
		    : NULL;
}

/* Returns what a direct call of such a function is of; NULL: it is another call. */
static const struct callback_caller *callback_call(struct solver *solver, const struct insn *insn)
{
	uint64_t target;

	if ((insn->operation != OP_CALL && insn->operation != OP_JUMP) ||
	    !insn_direct_target(insn, &target) ||
	    (insn->operation == OP_JUMP && cfg_covers(solver->code, target)))
		return NULL;
	return callback_caller_of(solver_callee_name(solver, NULL, target));
}

/* Adds the arguments that callbacks get, at a call of a function that gets callbacks and calls
 * them. */
static void collect_callback(struct solver *solver, const struct state *state,
			     const struct insn *insn, struct collecting *collecting)
{
	const struct callback_caller *caller =
		collecting->callbacks ? callback_call(solver, insn) : NULL;
	const uint8_t *arguments = solver->abi->call->arguments;

	if (!caller || solver->facts.untracked)
		return;
	const struct value *function = &state->values[arguments[caller->function]];

	if (function->kind != VALUE_ADDRESS || function->stride)
		return;
	for (size_t i = 0; i < caller->count; i++) {
		const struct distant_place place = { .kind = DISTANT_ARGUMENT,
						     .reg = arguments[caller->passed[i].to],
						     .code = (uint64_t)function->offset };
		struct value said = state->values[arguments[caller->passed[i].from]];
		const struct type *array = NULL;

		if (pointer_of(solver, state, &said))
			array = type_strip(said.type);
		if (array && array->kind == TYPE_ARRAY && !said.offset)
			said.type = type_canonical(type_target(array));
		collect_value(solver, state, &place, &said, collecting);
	}
}

/* Adds what is stored to members. */
static void collect_store(struct solver *solver, const struct state *state, const struct insn *insn,
			  struct collecting *collecting)
{
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
	struct distant_place place;
	struct field_ref field;
	uint8_t how = HOW_NONE;

	if (insn->operation != OP_MOVE || to->kind != OPERAND_MEMORY || to->size != 8 ||
	    !operand_is_general(from))
		return;
	struct value address = solver_address(solver, state, to), object;

	if (address.kind == VALUE_ADDRESS && solver_fixed_object(solver, &address, &object))
		address = object;
	if (address.kind != VALUE_POINTER ||
	    solver_field(solver, &address, to->size, &field, &how) != REASON_NONE ||
	    !solver_place_of_member(solver, &field, &place))
		return;
	collect_value(solver, state, &place, &state->values[from->reg], collecting);
}

static bool collect_at(struct solver *solver, const struct state *state, uint32_t index, void *data)
{
	const struct insn *insn = &solver->code->insns[index];
	struct collecting *collecting = data;

	collect_arguments(solver, state, insn, collecting);
	collect_callback(solver, state, insn, collecting);
	collect_store(solver, state, insn, collecting);
	if (collecting->question.unions)
		tag_union_collect(solver, state, index, &collecting->question, collecting->list);
	return true;
}

/* True if a value was loaded from a member that is asked for, with its *place. */
static bool distant_evidence_is_load(struct solver *solver, const struct distant_question *question,
				     uint32_t id, struct distant_place *place)
{
	return solver->origins.items[id].holder && solver_place_of_origin(solver, id, place) &&
	       distant_asks(question, place);
}

static bool has_loads(struct solver *solver, const struct distant_question *question)
{
	struct distant_place place;

	return any_of(id, 1, solver->origins.count,
		      distant_evidence_is_load(solver, question, id, &place));
}

/* Adds what values that were loaded from members are used as. */
static void collect_uses(struct solver *solver, struct collecting *collecting)
{
	for (uint32_t id = 1; id < solver->origins.count; id++) {
		struct distant_evidence evidence = { .value = origins_said(&solver->origins, id) };

		if (evidence.value.kind != VALUE_POINTER ||
		    !distant_evidence_is_load(solver, &collecting->question, id, &evidence.place))
			continue;
		evidence.value.origin = 0;
		distant_evidence_add(collecting->list, &evidence);
	}
	array_each (const struct origin_read, read, solver->origins.reads,
		    solver->origins.read_count) {
		struct distant_evidence evidence = {
			.value = { .kind = VALUE_NUMBER,
				   .offset = read->offset,
				   .stride = read->size },
		};

		if (distant_evidence_is_load(solver, &collecting->question, read->origin,
					     &evidence.place))
			distant_evidence_add(collecting->list, &evidence);
	}
}

/* The offsets of the members that the function is asked about. */
struct asked_offsets {
	int64_t *items;
	size_t count, capacity;
};

static void list_offsets(const struct distant_question *question, struct asked_offsets *offsets)
{
	const struct distant_facts *facts = question->facts;

	array_each (const struct distant_fact, fact, facts->items, facts->count) {
		const struct distant_place *place = &fact->place;

		if (place->kind == DISTANT_MEMBER && distant_fact_asks(fact, question->function) &&
		    !any_of(i, 0, offsets->count, offsets->items[i] == place->offset))
			array_add(offsets->items, offsets->count, offsets->capacity) =
				place->offset;
	}
}

/* True if an instruction moves eight bytes to or from where such a member may be. */
static bool touches_member(const struct solver *solver, const struct asked_offsets *offsets,
			   const struct insn *insn)
{
	const struct operand *memory = insn->operation == OP_MOVE ? &insn->operands[0] : NULL;

	if (memory && memory->kind != OPERAND_MEMORY)
		memory = &insn->operands[1];
	if (!memory || memory->kind != OPERAND_MEMORY || memory->size != 8 ||
	    memory->base == solver->arch->stack_pointer)
		return false;
	return any_of(i, 0, offsets->count, offsets->items[i] == memory->value);
}

/* True if the instruction may give evidence on a place. */
static bool may_show(struct solver *solver, const struct collecting *collecting,
		     const struct asked_offsets *offsets, const struct insn *insn)
{
	const struct distant_question *question = &collecting->question;
	uint64_t target;

	if (collecting->callbacks && callback_call(solver, insn))
		return true;
	if ((insn->operation == OP_CALL || insn->operation == OP_JUMP) &&
	    insn_direct_target(insn, &target))
		return distant_asks_call(question, target);
	return touches_member(solver, offsets, insn);
}

static bool distant_evidence_note_store(struct solver *solver, const struct state *state,
					uint32_t index, void *data)
{
	(void)data;
	tags_note_store(solver, state, index);
	return true;
}

/* Notes all tests of tags in the function, and what their objects are used as. */
static void note_tags(struct worker *worker)
{
	struct solver *solver = worker->solver;
	const struct cfg *code = solver->code;

	solver->tags.on = solver->tags.casting = true;
	for (uint32_t i = 0; i < code->block_count; i++) {
		if (!solver->tables.entries[i].reached)
			continue;
		flow_visit(worker->flow, i, distant_evidence_note_store, NULL);
		flow_note_edges(worker->flow, i);
	}
	solver->tags.on = solver->tags.casting = false;
}

/* Collects the evidence of the solved function, in the blocks that may show any; with `tagged`,
 * also the evidence of tests of tags. */
static void collect_solved(struct worker *worker, struct collecting *collecting,
			   const bool *showing, bool tagged)
{
	struct solver *solver = worker->solver;

	solver->pass.collecting = true;
	if (tagged)
		note_tags(worker);
	/* gathers what values are used as; solving again with that would cost more than it shows */
	if (solver->options.infer && (tagged || has_loads(solver, &collecting->question)))
		flow_learn(worker->flow);
	if (!flow_is_too_large(worker->flow)) {
		for (uint32_t i = 0; i < solver->code->block_count; i++)
			if (showing[i] && solver->tables.entries[i].reached)
				flow_visit(worker->flow, i, collect_at, collecting);
		collect_uses(solver, collecting);
		if (tagged)
			tags_collect(solver, &collecting->question, collecting->list);
	}
	solver->pass.collecting = false;
}

static void collect_all(struct worker *worker, struct collecting *collecting)
{
	struct solver *solver = worker->solver;
	const struct cfg *code = solver->code;
	_cleanup_free_ bool *showing = xcalloc(code->block_count, sizeof(*showing));
	struct asked_offsets offsets = { 0 };
	bool any = false;

	const struct distant_question *question = &collecting->question;
	bool tagged = tags_may_show(solver, question->facts, question->function);

	if (tag_union_may_show(solver))
		distant_find_unions(&collecting->question);
	collecting->callbacks = distant_asks_kind(question, DISTANT_ARGUMENT);
	list_offsets(question, &offsets);
	for (uint32_t i = 0; i < code->insn_count; i++)
		if (may_show(solver, collecting, &offsets, &code->insns[i]) ||
		    (question->unions && tag_union_may_collect(solver, &code->insns[i])))
			any = showing[cfg_block_of(code, i)] = true;
	/* the code behind a test may be in any block */
	for (uint32_t i = 0; i < code->block_count && tagged; i++)
		any = showing[i] = true;
	free(offsets.items);
	if (!any)
		return;
	flow_start(worker->flow, false);
	for (uint32_t i = 0; i < code->block_count; i++)
		if (showing[i])
			flow_want(worker->flow, i);
	flow_solve(worker->flow);
	if (!flow_is_too_large(worker->flow))
		collect_solved(worker, collecting, showing, tagged);
	flow_finish(worker->flow);
}

void solve_function_evidence(struct worker *worker, struct open_function *open, uint64_t address,
			     const struct distant_facts *facts, struct distant_evidence_list *list)
{
	struct collecting collecting = { .question = { .facts = facts, .function = address },
					 .list = list };

	worker_open_function(worker, address, open);
	if (open->function && open->code)
		collect_all(worker, &collecting);
	worker_leave_function(worker, open);
}
