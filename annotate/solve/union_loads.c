// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Pointers out of unions whose accesses leave several pointees: see solve_function.h.
 *
 *     union { char *text; struct list *list; } u;      v.u.list->length
 *
 * The load of the pointer is itself an access to the union. If the evidence of its member, which
 * also counts names and other accesses to the object, leaves pointers to one type, the pointer is
 * one of these.
 */
#include "annotate/answer/answer.h"
#include "annotate/flow/flow.h"
#include "annotate/flow/solver.h"
#include "annotate/solve/solve_function.h"
#include "annotate/types/field.h"
#include "annotate/types/union_member.h"

struct union_load {
	uint32_t insn;
	const struct type *pointee; /* NULL: not known */
};

/* Returns the pointee of the pointers to which the answer's candidates belong; NULL: they are not
 * known, or of several types. */
static const struct type *pointee_of_candidates(const struct access *answer)
{
	const struct union_place place =
		union_outermost(answer->type, answer->offset, answer->bits);
	const struct union_evidence evidence = { .size = answer->size };
	const struct type *found = NULL;
	struct union_search search;

	if (!place.type)
		return NULL;
	union_search_begin(&search, &place, &evidence);
	bits_each (i, answer->union_candidates) {
		const struct type *pointee = field_pointee(search.items[i].type);

		if (!pointee || (found && !field_same_type(found, pointee)))
			return NULL;
		found = pointee;
	}
	return found;
}

static bool judge_load(struct solver *solver, const struct state *state, uint32_t insn, void *data)
{
	struct union_load *load = data;

	if (insn != load->insn)
		return true;
	struct access answer = solver_answer(solver, state, insn, false);

	solver_judge_member(solver, state, insn, false, &answer);
	if (answer.kind == ACCESS_TYPE && !answer.overlay.type)
		load->pointee = pointee_of_candidates(&answer);
	return false;
}

bool union_loads_tell(struct worker *worker)
{
	struct solver *solver = worker->solver;
	const struct alternative_list *list = &solver->evidence.alternatives;
	bool told = false;

	array_each (struct alternatives, pointer, list->items, list->count) {
		struct union_load load = { 0 };

		if (!pointer->left ||
		    !origin_insn(&solver->origins.items[pointer->origin], &load.insn))
			continue;
		flow_visit(worker->flow, cfg_block_of(solver->code, load.insn), judge_load, &load);
		told |= load.pointee && alternatives_tell(pointer, &solver->origins, load.pointee);
		pointer->left = 0;
	}
	return told;
}
