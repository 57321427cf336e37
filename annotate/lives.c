// SPDX-License-Identifier: GPL-2.0-or-later
/* When the lives of variables of C++ begin: see lives.h. */
#include "annotate/lives.h"

#include <stdlib.h>

#include "annotate/field.h"
#include "annotate/solver.h"
#include "profiler/base/memory.h"

/* Marks the block that has the instruction at `address`, or the first one after it. */
static void mark_start(const struct cfg *code, uint64_t address, bool *begun, bool *found)
{
	for (size_t i = 0; i < code->span_count; i++) {
		const struct cfg_span *span = &code->spans[i];

		if (address < span->address || address >= span->address + span->size)
			continue;
		size_t insn = partition_point(span->first, span->first + span->count, k,
					      code->insns[k].address < address);

		if (insn == span->first + span->count)
			return;
		begun[cfg_block_of(code, insn)] = true;
		*found = true;
		return;
	}
}

/* Marks the blocks in which the variable's constructor begins: an inlined one that is called on the
 * line of the declaration. Whole blocks are marked because gcc moves instructions within a block.
 * False: there is none. */
static bool find_starts(const struct solver *solver, const struct stack_fact *variable, bool *begun)
{
	const struct stack_fact_list *methods = &solver->facts.selves.methods;
	uint32_t line = solver->function->variables[variable->variable].line;
	bool found = false;

	for (size_t i = 0; i < methods->count && line; i++) {
		const struct stack_fact *method = &methods->items[i];

		if (method->made_at == line && field_same_type(method->type, variable->type))
			mark_start(solver->code, method->low, begun, &found);
	}
	return found;
}

/* Marks a block that follows, and adds it to the queue if that is new. */
static void follow(uint32_t block, bool *begun, uint32_t *queue, size_t *count)
{
	if (begun[block])
		return;
	begun[block] = true;
	queue[(*count)++] = block;
}

/* Marks all blocks that the marked ones lead to. False: jumps to unknown places follow. */
static bool find_reached(const struct solver *solver, bool *begun)
{
	const struct cfg *code = solver->code;
	_cleanup_free_ uint32_t *queue = xcalloc(code->block_count, sizeof(*queue));
	size_t count = 0;

	_cleanup_free_ bool *landed = xcalloc(code->block_count, sizeof(*landed));

	for (size_t i = 0; solver->extra_edges && i < code->insn_count; i++)
		landed[solver->extra_edges[i]] = true;
	for (uint32_t i = 0; i < code->block_count; i++) {
		/* nothing is known of what comes before such a block */
		begun[i] |=
			(code->blocks[i].flags & (BLOCK_ORPHAN | BLOCK_PADDING)) == BLOCK_ORPHAN &&
			!landed[i];
		if (begun[i])
			queue[count++] = i;
	}
	for (size_t next = 0; next < count; next++) {
		const struct basic_block *block = &code->blocks[queue[next]];

		if (block->flags & BLOCK_UNKNOWN_SUCCESSORS)
			return false;
		for (uint32_t i = 0; i < block->successor_count; i++)
			follow(code->edges[block->successor_first + i], begun, queue, &count);
		for (uint32_t i = block->first;
		     solver->extra_edges && i < block->first + block->count; i++)
			if (solver->extra_edges[i])
				follow(solver->extra_edges[i], begun, queue, &count);
	}
	return true;
}

static const struct life *life_of(struct solver *solver, const struct stack_fact *variable)
{
	struct lives *lives = &solver->lives;
	struct life life = { .variable = variable->variable, .offset = variable->offset };

	for (size_t i = 0; i < lives->count; i++)
		if (lives->items[i].variable == life.variable &&
		    lives->items[i].offset == life.offset)
			return &lives->items[i];
	bool *begun = xcalloc(solver->code->block_count + 1, sizeof(*begun));

	if (find_starts(solver, variable, begun) && find_reached(solver, begun))
		life.begun = begun;
	else
		free(begun);
	array_reserve(lives->items, lives->count, lives->capacity);
	lives->items[lives->count] = life;
	return &lives->items[lives->count++];
}

bool lives_begin_later(struct solver *solver, const struct stack_fact *variable, uint64_t address)
{
	if (!solver->facts.selves.methods.count || variable->variable == NO_VARIABLE ||
	    variable->low || variable->high != UINT64_MAX || variable->piece_offset ||
	    !type_is_record(type_strip(variable->type)) || !rule_is_on(RULE_NOT_MADE_YET))
		return false;
	const struct life *life = life_of(solver, variable);
	int64_t insn = life->begun ? cfg_find(solver->code, address) : -1;

	return insn >= 0 && !life->begun[cfg_block_of(solver->code, (size_t)insn)];
}

void lives_clear(struct lives *lives)
{
	for (size_t i = 0; i < lives->count; i++)
		free(lives->items[i].begun);
	lives->count = 0;
}

void lives_deinit(struct lives *lives)
{
	lives_clear(lives);
	free(lives->items);
	*lives = (struct lives){ 0 };
}
