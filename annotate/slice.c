// SPDX-License-Identifier: GPL-2.0-or-later
/* The blocks that lead to some of a function: see slice.h. */
#include "annotate/slice.h"

#include <string.h>

#include "profiler/base/memory.h"

static void need_memory(struct slice *slice)
{
	const struct code *code = slice->code;

	if (code->block_count > slice->block_capacity) {
		size_t count = code->block_count;

		slice->holds = xrealloc_array(slice->holds, count, sizeof(*slice->holds));
		slice->pending = xrealloc_array(slice->pending, count, sizeof(*slice->pending));
		slice->last_thrower =
			xrealloc_array(slice->last_thrower, count, sizeof(*slice->last_thrower));
		slice->block_capacity = count;
	}
	if (slice->landings && code->insn_count > slice->insn_capacity) {
		slice->thrower_before = xrealloc_array(slice->thrower_before, code->insn_count,
						       sizeof(*slice->thrower_before));
		slice->insn_capacity = code->insn_count;
	}
}

static void chain_throwers(struct slice *slice)
{
	memset(slice->last_thrower, 0, slice->code->block_count * sizeof(*slice->last_thrower));
	for (uint32_t i = 0; i < slice->code->insn_count; i++) {
		uint32_t block = slice->landings[i];

		if (!block)
			continue;
		slice->thrower_before[i] = slice->last_thrower[block];
		slice->last_thrower[block] = i + 1;
	}
}

void slice_start(struct slice *slice, const struct code *code, const uint32_t *landings)
{
	slice->code = code;
	slice->landings = landings;
	need_memory(slice);
	if (landings)
		chain_throwers(slice);
	slice_clear(slice);
}

void slice_clear(struct slice *slice)
{
	memset(slice->holds, 0, slice->code->block_count * sizeof(*slice->holds));
	slice->held = slice->pending_count = 0;
	slice->has_hub = false;
}

static void hold(struct slice *slice, uint32_t block)
{
	if (slice->holds[block])
		return;
	slice->holds[block] = 1;
	slice->held++;
	slice->pending[slice->pending_count++] = block;
}

/* A block that no edge leads to may be where an unknown jump goes. */
static void hold_hub(struct slice *slice)
{
	if (slice->has_hub)
		return;
	slice->has_hub = true;
	for (uint32_t i = 0; i < slice->code->block_count; i++)
		if (slice->code->blocks[i].flags & BLOCK_UNKNOWN_SUCCESSORS)
			hold(slice, i);
}

static void hold_predecessors(struct slice *slice, uint32_t index)
{
	const struct code *code = slice->code;
	const struct block *block = &code->blocks[index];

	for (uint32_t i = 0; i < block->predecessor_count; i++)
		hold(slice, code->edges[block->predecessor_first + i]);
	for (uint32_t i = slice->landings ? slice->last_thrower[index] : 0; i;
	     i = slice->thrower_before[i - 1])
		hold(slice, code_block_of(code, i - 1));
	if (block->flags & BLOCK_ORPHAN)
		hold_hub(slice);
}

void slice_add(struct slice *slice, uint32_t block)
{
	hold(slice, block);
	while (slice->pending_count)
		hold_predecessors(slice, slice->pending[--slice->pending_count]);
}

void slice_add_all(struct slice *slice)
{
	memset(slice->holds, 1, slice->code->block_count * sizeof(*slice->holds));
	slice->held = (uint32_t)slice->code->block_count;
}

void slice_release(struct slice *slice)
{
	free(slice->holds);
	free(slice->pending);
	free(slice->last_thrower);
	free(slice->thrower_before);
	memset(slice, 0, sizeof(*slice));
}
