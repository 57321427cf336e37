// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements advice.h: names, and the order of the steps. */
#include "report/layout/advice.h"

#include <stdlib.h>

#include "report/layout/affinity.h"
#include "report/layout/replay.h"

const char *advice_kind_name(enum advice_kind kind)
{
	static const char *const names[PROPOSAL_KINDS] = {
		[PROPOSAL_KEEP] = "keep",     [PROPOSAL_REORDER] = "reorder",
		[PROPOSAL_SHRINK] = "shrink", [PROPOSAL_SPLIT] = "split",
		[PROPOSAL_PEEL] = "peel",     [PROPOSAL_PAD] = "pad",
	};

	return kind < PROPOSAL_KINDS ? names[kind] : "?";
}

const char *advice_verdict_name(enum advice_verdict verdict)
{
	static const char *const names[] = { "gain", "no gain", "cannot tell" };

	return names[verdict];
}

const char *advice_walk_name(enum advice_walk walk)
{
	static const char *const names[] = { "same", "stream", "chase", "scattered" };

	return names[walk];
}

int advice_member_at(const struct advice_type *type, uint64_t offset)
{
	for (size_t i = 0; i < type->member_count; i++)
		if (offset >= type->members[i].offset &&
		    offset - type->members[i].offset < type->members[i].size)
			return (int)i;
	return -1;
}

uint64_t advice_region_samples(const struct advice_type *type)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < type->region_count; i++)
		sum += type->regions[i].samples;
	return sum;
}

/* The effort of a change to the source. Of equally good proposals the one with the least comes
 * first. */
static const int effort[PROPOSAL_KINDS] = {
	[PROPOSAL_KEEP] = 0, [PROPOSAL_REORDER] = 1, [PROPOSAL_SHRINK] = 1,
	[PROPOSAL_PAD] = 2,  [PROPOSAL_SPLIT] = 3,   [PROPOSAL_PEEL] = 4,
};

/* The gain by which a proposal must exceed one that is a step of `effort` cheaper. */
#define EFFORT_GAIN 0.05

static double merit(const struct advice_proposal *proposal)
{
	const struct advice_prediction *prediction = &proposal->prediction;
	double low = prediction->verdict == VERDICT_GAIN ? prediction->whole.low : 0;

	return low - EFFORT_GAIN * effort[proposal->kind];
}

static int compare_proposals(const void *left, const void *right)
{
	const struct advice_proposal *a = left, *b = right;
	bool a_gains = a->prediction.verdict == VERDICT_GAIN,
	     b_gains = b->prediction.verdict == VERDICT_GAIN;

	if (a_gains != b_gains)
		return a_gains ? -1 : 1;
	if (a_gains && merit(a) != merit(b))
		return merit(a) > merit(b) ? -1 : 1;
	if (a->prediction.whole.high != b->prediction.whole.high)
		return a->prediction.whole.high > b->prediction.whole.high ? -1 : 1;
	return effort[a->kind] != effort[b->kind] ? effort[a->kind] - effort[b->kind]
						  : (int)a->kind - (int)b->kind;
}

void advice_make(struct advice *advice)
{
	for (size_t i = 0; i < advice->type_count; i++) {
		struct advice_type *type = &advice->types[i];

		affinity_make(type, &advice->arena);
		proposal_make(type, &advice->machine, &advice->arena);
		replay_predict(type, &advice->machine, &type->current, &advice->arena);
		for (size_t k = 0; k < type->proposal_count; k++)
			replay_predict(type, &advice->machine, &type->proposals[k], &advice->arena);
		if (type->proposal_count)
			qsort(type->proposals, type->proposal_count, sizeof(*type->proposals),
			      compare_proposals);
	}
}
