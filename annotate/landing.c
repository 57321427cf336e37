// SPDX-License-Identifier: GPL-2.0-or-later
#include "annotate/landing.h"

#include <stdlib.h>

#include "annotate/solver.h"
#include "profiler/base/memory.h"

/* Landing pads of a function, after which no more are read. */
#define LANDING_LIMIT 1000000

static void read_part(struct worker *worker, uint64_t low, uint64_t high, struct landings *landings)
{
	_cleanup_arena_ struct arena arena = { 0 };
	size_t count;
	const struct landing_pad *pads = debug_reader_landing_pads(worker->reader, low, &arena, &count);

	for (size_t i = 0; i < count && landings->pad_count < LANDING_LIMIT; i++) {
		array_reserve(landings->pads, landings->pad_count, landings->pad_capacity);
		landings->pads[landings->pad_count++] = pads[i];
	}
	const struct hidden_edge *edges = hidden_edges_from(worker->hidden_edges, low, high, &count);

	for (size_t i = 0; i < count && landings->edge_count < LANDING_LIMIT; i++) {
		array_reserve(landings->edges, landings->edge_count, landings->edge_capacity);
		landings->edges[landings->edge_count++] = edges[i];
	}
}

void landings_read(struct worker *worker, const struct function *function, struct landings *landings)
{
	for (size_t i = 0; function && i < function->range_count; i++)
		read_part(worker, function->ranges[i].low, function->ranges[i].high, landings);
	if (!landings->pad_count && !landings->edge_count)
		return;
	landings->leaders = xcalloc(landings->pad_count + landings->edge_count, sizeof(*landings->leaders));
	for (size_t i = 0; i < landings->pad_count; i++)
		landings->leaders[landings->leader_count++] = landings->pads[i].pad;
	for (size_t i = 0; i < landings->edge_count; i++)
		landings->leaders[landings->leader_count++] = landings->edges[i].to;
}

void landings_release(struct landings *landings)
{
	free(landings->pads);
	free(landings->edges);
	free(landings->leaders);
}

/* The block that begins at an address; 0: none, or the first. */
static uint32_t block_at(const struct code *code, uint64_t address)
{
	int64_t insn = code_find(code, address);
	uint32_t block = insn >= 0 ? code_block_of(code, (size_t)insn) : 0;

	return block && code->blocks[block].first == (uint32_t)insn ? block : 0;
}

void landings_place(struct solver *solver, const struct landings *landings)
{
	const struct code *code = solver->code;

	if (!landings->leader_count)
		return;
	solver->landings = xcalloc(code->insn_count, sizeof(*solver->landings));
	/* regions do not overlap; damaged ones may not cost more than if that was so */
	size_t budget = code->insn_count;

	for (size_t i = 0; i < landings->pad_count; i++) {
		const struct landing_pad *pad = &landings->pads[i];
		uint32_t block = block_at(code, pad->pad);

		if (!block)
			continue;
		/* a call-site region begins with a call, or with what goes before it in the block */
		for (int64_t at = code_find(code, pad->low);
		     at >= 0 && budget && (size_t)at < code->insn_count &&
		     code->insns[at].address >= pad->low && code->insns[at].address < pad->high;
		     at++, budget--)
			if (code->insns[at].operation == OP_CALL)
				solver->landings[at] = block;
	}
	for (size_t i = 0; i < landings->edge_count; i++) {
		int64_t from = code_find(code, landings->edges[i].from);

		if (from >= 0)
			solver->landings[from] = block_at(code, landings->edges[i].to);
	}
}
