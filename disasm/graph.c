// SPDX-License-Identifier: GPL-2.0-or-later
/* Blocks and edges: see graph.h. */
#include "disasm/graph.h"

#include <string.h>

#include "disasm/sweep.h"
#include "profiler/base/memory.h"

enum mark {
	MARK_START = 1,     /* a block starts here */
	MARK_LEADER = 2,    /* because the request says so */
	MARK_NO_RETURN = 4, /* a call that does not return */
};

/* The instruction at a jump's target. A jump past a lock prefix goes to the same instruction without it. */
static int64_t find_target(const struct code *code, uint64_t address)
{
	int64_t insn = code_find(code, address);

	if (insn >= 0)
		return insn;
	insn = code_find(code, address - 1);
	return insn >= 0 && (code->insns[insn].flags & FLAG_LOCK) ? insn : -1;
}

static bool ends_block(const struct insn *insn, uint8_t marks)
{
	switch (insn->operation) {
	case OP_JUMP:
	case OP_BRANCH:
	case OP_RETURN:
	case OP_TRAP: return true;
	default: return marks & MARK_NO_RETURN;
	}
}

static void mark_target(const struct code *code, uint8_t *marks, uint64_t address, uint8_t mark)
{
	int64_t insn = find_target(code, address);

	if (insn >= 0)
		marks[insn] |= mark;
}

static void mark_starts(const struct code *code, const struct code_request *request,
			const struct jump_tables *tables, uint8_t *marks)
{
	for (size_t i = 0; i < code->span_count; i++)
		marks[code->spans[i].first] |= MARK_START;
	for (size_t i = 0; i < request->leader_count; i++)
		mark_target(code, marks, request->leaders[i], MARK_START | MARK_LEADER);
	for (size_t i = 0; i < tables->target_count; i++)
		marks[tables->targets[i]] |= MARK_START;
	for (size_t i = 0; i < code->insn_count; i++) {
		const struct insn *insn = &code->insns[i];
		uint64_t target;

		if (request_no_return(request, insn))
			marks[i] |= MARK_NO_RETURN;
		if (insn->operation != OP_CALL && insn_direct_target(insn, &target))
			mark_target(code, marks, target, MARK_START);
		if (ends_block(insn, marks[i]) && i + 1 < code->insn_count)
			marks[i + 1] |= MARK_START;
	}
}

static void cut_blocks(struct code *code, const uint8_t *marks)
{
	size_t count = 0;

	for (size_t i = 0; i < code->insn_count; i++)
		count += marks[i] & MARK_START;
	code->blocks = xrealloc_array(code->blocks, count, sizeof(*code->blocks));
	code->block_count = 0;
	for (size_t i = 0; i < code->insn_count; i++) {
		if (marks[i] & MARK_START)
			code->blocks[code->block_count++] = (struct block){
				.address = code->insns[i].address,
				.first = i,
				.flags = marks[i] & MARK_LEADER ? BLOCK_LEADER : 0,
			};
		code->blocks[code->block_count - 1].count++;
	}
}

struct edges {
	struct code *code;
	size_t capacity;
	uint32_t *seen; /* per block: the last block (+ 1) that has an edge to it */
};

static void add_edge(struct edges *edges, uint32_t from, uint32_t to)
{
	struct code *code = edges->code;

	if (edges->seen[to] == from + 1)
		return;
	edges->seen[to] = from + 1;
	array_reserve(code->edges, code->edge_count, edges->capacity);
	code->edges[code->edge_count++] = to;
	code->blocks[from].successor_count++;
}

static void add_target(struct edges *edges, uint32_t from, uint64_t address)
{
	int64_t insn = find_target(edges->code, address);

	if (insn >= 0)
		add_edge(edges, from, code_block_of(edges->code, insn));
	else if (code_covers(edges->code, address))
		edges->code->blocks[from].flags |= BLOCK_UNKNOWN_SUCCESSORS;
	else
		edges->code->blocks[from].flags |= BLOCK_RETURNS | BLOCK_TAIL_CALL;
}

/* To what follows in memory, which may be another range of the function, or nothing of it. */
static void add_next(struct edges *edges, uint32_t from, const struct insn *last)
{
	uint64_t address = last->address + last->length;
	int64_t insn = code_find(edges->code, address);

	if (insn >= 0)
		add_edge(edges, from, code_block_of(edges->code, insn));
	/* a compiler ends a function in a call only if the call does not return */
	else if (last->operation == OP_CALL)
		edges->code->blocks[from].flags |= BLOCK_NO_RETURN;
	else
		edges->code->blocks[from].flags |= BLOCK_RETURNS | BLOCK_TAIL_CALL;
}

static void add_indirect(struct edges *edges, uint32_t from, uint32_t insn, const struct jump_tables *tables)
{
	struct code *code = edges->code;
	const struct jump_table *table = jump_tables_find(tables, insn);
	const struct operand *operand = &code->insns[insn].operands[0];

	if (!table) {
		/* through a fixed place, not by an index: a function's address, in the GOT or in a variable
		 */
		bool fixed =
			operand->kind == OPERAND_MEMORY && operand->absolute && operand->index == REG_NONE;

		code->blocks[from].flags |=
			fixed ? BLOCK_RETURNS | BLOCK_TAIL_CALL : BLOCK_UNKNOWN_SUCCESSORS;
		return;
	}
	for (uint32_t i = 0; i < table->target_count; i++)
		add_edge(edges, from, code_block_of(code, tables->targets[table->target_first + i]));
	if (!table->complete)
		code->blocks[from].flags |= BLOCK_UNKNOWN_SUCCESSORS;
}

static void add_successors(struct edges *edges, uint32_t from, const uint8_t *marks,
			   const struct jump_tables *tables)
{
	struct block *block = &edges->code->blocks[from];
	uint32_t index = block->first + block->count - 1;
	const struct insn *last = &edges->code->insns[index];
	uint64_t target = 0;
	bool direct = insn_direct_target(last, &target);

	block->successor_first = edges->code->edge_count;
	switch (last->operation) {
	case OP_JUMP:
		if (direct)
			add_target(edges, from, target);
		else
			add_indirect(edges, from, index, tables);
		return;
	case OP_BRANCH:
		add_next(edges, from, last);
		if (direct)
			add_target(edges, from, target);
		return;
	case OP_RETURN: block->flags |= BLOCK_RETURNS; return;
	case OP_TRAP: block->flags |= BLOCK_NO_RETURN; return;
	default:
		if (marks[index] & MARK_NO_RETURN)
			block->flags |= BLOCK_NO_RETURN;
		else
			add_next(edges, from, last);
		return;
	}
}

static void mirror_edges(struct code *code)
{
	size_t successors = code->edge_count;
	uint32_t position = successors;

	code->edges = xrealloc_array(code->edges, 2 * successors, sizeof(*code->edges));
	for (size_t i = 0; i < successors; i++)
		code->blocks[code->edges[i]].predecessor_count++;
	for (size_t i = 0; i < code->block_count; i++) {
		code->blocks[i].predecessor_first = position;
		position += code->blocks[i].predecessor_count;
		code->blocks[i].predecessor_count = 0;
	}
	for (size_t i = 0; i < code->block_count; i++) {
		const struct block *block = &code->blocks[i];

		for (uint32_t j = 0; j < block->successor_count; j++) {
			struct block *successor = &code->blocks[code->edges[block->successor_first + j]];

			code->edges[successor->predecessor_first + successor->predecessor_count++] = i;
		}
	}
	code->edge_count = 2 * successors;
}

void graph_build(struct code *code, const struct code_request *request, const struct jump_tables *tables)
{
	_cleanup_free_ uint8_t *marks = xcalloc(code->insn_count, 1);

	mark_starts(code, request, tables, marks);
	cut_blocks(code, marks);
	struct edges edges = { .code = code, .seen = xcalloc(code->block_count, sizeof(*edges.seen)) };

	free(code->edges);
	code->edges = NULL;
	code->edge_count = 0;
	for (size_t i = 0; i < code->block_count; i++)
		add_successors(&edges, i, marks, tables);
	free(edges.seen);
	mirror_edges(code);
}

struct visit {
	uint32_t block;
	uint32_t next; /* successors that are done */
};

void graph_order(struct code *code)
{
	_cleanup_free_ struct visit *stack = xcalloc(code->block_count, sizeof(*stack));
	_cleanup_free_ bool *reached = xcalloc(code->block_count, sizeof(*reached));
	size_t depth = 1;
	size_t left = code->block_count; /* the order is filled from its end, which makes it reverse */

	code->order = xrealloc_array(code->order, code->block_count, sizeof(*code->order));
	reached[0] = true;
	while (depth) {
		struct visit *visit = &stack[depth - 1];
		const struct block *block = &code->blocks[visit->block];

		if (visit->next == block->successor_count) {
			code->order[--left] = visit->block;
			depth--;
			continue;
		}
		uint32_t successor = code->edges[block->successor_first + visit->next++];

		if (!reached[successor]) {
			reached[successor] = true;
			stack[depth++] = (struct visit){ .block = successor };
		}
	}
	size_t count = code->block_count - left;

	memmove(code->order, code->order + left, count * sizeof(*code->order));
	for (size_t i = 0; i < code->block_count; i++)
		if (!reached[i])
			code->order[count++] = i;
}
