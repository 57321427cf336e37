// SPDX-License-Identifier: GPL-2.0-or-later
/* Blocks and edges: see graph.h. */
#include "disasm/graph.h"

#include <string.h>

#include "profiler/base/memory.h"

/* Also fills block_at, the block that begins at an instruction. */
static void cut_blocks(struct code *code, const struct flow *flow, uint32_t *block_at)
{
	size_t count = 0;

	code->blocks = xrealloc_array(code->blocks, flow->start_count, sizeof(*code->blocks));
	for (size_t i = 0; i < code->insn_count; i++) {
		if (!(flow->marks[i] & FLOW_STARTS))
			continue;
		if (count)
			code->blocks[count - 1].count = i - code->blocks[count - 1].first;
		block_at[i] = count;
		code->blocks[count++] = (struct block){
			.address = code->insns[i].address,
			.first = i,
			.flags = flow->marks[i] & FLOW_LEADER ? BLOCK_LEADER : 0,
		};
	}
	code->blocks[count - 1].count = code->insn_count - code->blocks[count - 1].first;
	code->block_count = count;
}

struct edges {
	struct code *code;        /* has room for all edges that there can be */
	const uint32_t *block_at; /* per instruction that a block begins at */
	uint32_t *seen;           /* per block: the last block (+ 1) that has an edge to it */
	const bool *continues;    /* per block: it ends in a trap that is continued behind */
};

static void add_edge(struct edges *edges, uint32_t from, uint32_t to)
{
	struct code *code = edges->code;

	if (edges->seen[to] == from + 1)
		return;
	edges->seen[to] = from + 1;
	code->edges[code->edge_count++] = to;
	code->blocks[from].successor_count++;
}

static void add_target(struct edges *edges, uint32_t from, int32_t target)
{
	uint32_t *flags = &edges->code->blocks[from].flags;

	if (target >= 0)
		add_edge(edges, from, edges->block_at[target]);
	else if (target == FLOW_MIDDLE)
		*flags |= BLOCK_UNKNOWN_SUCCESSORS;
	else
		*flags |= BLOCK_RETURNS | BLOCK_TAIL_CALL;
}

/* To what follows in memory, which may be another range of the function, or nothing of it. */
static void add_next(struct edges *edges, uint32_t from, uint32_t last)
{
	struct code *code = edges->code;
	uint64_t address = code->insns[last].address + code->insns[last].length;
	bool adjacent = from + 1 < code->block_count && code->blocks[from + 1].address == address;
	int64_t insn = adjacent ? -1 : code_find(code, address);

	if (adjacent)
		add_edge(edges, from, from + 1);
	else if (insn >= 0)
		add_edge(edges, from, edges->block_at[insn]);
	/* a compiler ends a function in a call only if the call does not return */
	else if (code->insns[last].operation == OP_CALL)
		code->blocks[from].flags |= BLOCK_NO_RETURN;
	else
		code->blocks[from].flags |= BLOCK_RETURNS | BLOCK_TAIL_CALL;
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
		add_edge(edges, from, edges->block_at[tables->targets[table->target_first + i]]);
	if (!table->complete)
		code->blocks[from].flags |= BLOCK_UNKNOWN_SUCCESSORS;
}

static void add_successors(struct edges *edges, uint32_t from, const struct flow *flow,
			   const struct jump_tables *tables)
{
	struct block *block = &edges->code->blocks[from];
	uint32_t last = block->first + block->count - 1;

	block->successor_first = edges->code->edge_count;
	switch (edges->code->insns[last].operation) {
	case OP_JUMP:
		if (flow->targets[last] == FLOW_NONE)
			add_indirect(edges, from, last, tables);
		else
			add_target(edges, from, flow->targets[last]);
		return;
	case OP_BRANCH:
		add_next(edges, from, last);
		add_target(edges, from, flow->targets[last]);
		return;
	case OP_RETURN: block->flags |= BLOCK_RETURNS; return;
	case OP_TRAP:
		if (edges->continues[from])
			add_next(edges, from, last);
		else
			block->flags |= BLOCK_NO_RETURN;
		return;
	default:
		if (flow->marks[last] & FLOW_NO_RETURN)
			block->flags |= BLOCK_NO_RETURN;
		else
			add_next(edges, from, last);
		return;
	}
}

static void add_all(struct edges *edges, const struct flow *flow, const struct jump_tables *tables)
{
	struct code *code = edges->code;

	code->edge_count = 0;
	for (size_t i = 0; i < code->block_count; i++) {
		code->blocks[i].flags &= BLOCK_LEADER;
		code->blocks[i].successor_count = 0;
		add_successors(edges, i, flow, tables);
	}
}

/* Traps with a block behind them that no edge leads to. */
static bool find_continuing(const struct code *code, bool *continues)
{
	_cleanup_free_ bool *led_to = xcalloc(code->block_count, sizeof(*led_to));
	bool any = false;

	for (size_t i = 0; i < code->edge_count; i++)
		led_to[code->edges[i]] = true;
	for (size_t i = 0; i < code->block_count; i++) {
		uint32_t last = code->blocks[i].first + code->blocks[i].count - 1;

		if (code->insns[last].operation != OP_TRAP || last + 1 >= code->insn_count ||
		    code->insns[last + 1].address != code->insns[last].address + code->insns[last].length ||
		    code->insns[last + 1].operation == OP_TRAP)
			continue;
		continues[i] = !led_to[i + 1];
		any |= continues[i];
	}
	return any;
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

static bool is_padding(const struct code *code, uint32_t index)
{
	const struct block *block = &code->blocks[index];

	if (!index || block->predecessor_count || (block->flags & BLOCK_LEADER))
		return false;
	for (uint32_t i = block->first; i < block->first + block->count; i++) {
		uint8_t operation = code->insns[i].operation;

		if (operation != OP_NOP && operation != OP_TRAP)
			return false;
	}
	return true;
}

static bool is_orphan(const struct code *code, uint32_t index)
{
	const struct block *block = &code->blocks[index];

	for (uint32_t i = 0; i < block->predecessor_count; i++)
		if (!(code->blocks[code->edges[block->predecessor_first + i]].flags & BLOCK_PADDING))
			return false;
	return index != 0;
}

static void mark_unreached(struct code *code)
{
	for (uint32_t i = 0; i < code->block_count; i++)
		if (is_padding(code, i))
			code->blocks[i].flags |= BLOCK_PADDING;
	for (uint32_t i = 0; i < code->block_count; i++)
		if (is_orphan(code, i))
			code->blocks[i].flags |= BLOCK_ORPHAN;
}

void graph_build(struct code *code, struct flow *flow, const struct jump_tables *tables)
{
	_cleanup_free_ uint32_t *block_at = xrealloc_array(NULL, code->insn_count, sizeof(*block_at));

	for (size_t i = 0; i < tables->target_count; i++)
		flow_start_block(flow, tables->targets[i]);
	cut_blocks(code, flow, block_at);
	_cleanup_free_ uint32_t *seen = xcalloc(code->block_count, sizeof(*seen));
	_cleanup_free_ bool *continues = xcalloc(code->block_count, sizeof(*continues));
	struct edges edges = { .code = code, .block_at = block_at, .seen = seen, .continues = continues };

	/* a block has two successors, but for a jump by a table */
	code->edges = xrealloc_array(code->edges, 2 * code->block_count + tables->target_count,
				     sizeof(*code->edges));
	add_all(&edges, flow, tables);
	if (flow->traps_continue && find_continuing(code, continues)) {
		memset(seen, 0, code->block_count * sizeof(*seen));
		add_all(&edges, flow, tables);
	}
	mirror_edges(code);
	mark_unreached(code);
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
