// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A function's instructions and their blocks: see code.h.
 *
 * Ranges are decoded from end to end, not from jump to jump: what only an unread indirect jump reaches must
 * be there too. Blocks and edges are built, jump tables looked for in them, and, where some are found, built
 * again with the new edges, until nothing is new.
 */
#include "disasm/code.h"

#include <string.h>

#include "disasm/flow.h"
#include "disasm/graph.h"
#include "disasm/jump_table.h"
#include "disasm/sweep.h"
#include "profiler/base/memory.h"

/* Tables whose base comes through the cases of another one need a round each; nesting is shallow. */
#define JUMP_TABLE_ROUNDS 4

/* The sum of the ranges' sizes, or UINT64_MAX if that is too large to tell. */
static uint64_t request_size(const struct code_request *request)
{
	uint64_t total = 0;

	for (size_t i = 0; i < request->range_count; i++)
		if (__builtin_add_overflow(total, request->ranges[i].size, &total))
			return UINT64_MAX;
	return total;
}

struct error *code_decode(struct decoder *decoder, const struct code_request *request, struct code **result)
{
	struct code *code;
	struct jump_tables tables = { 0 };
	struct flow flow;

	if (request_size(request) > CODE_SIZE_MAX)
		return error_create(ERROR_UNSUPPORTED, "a function of more than %llu MB is not decoded",
				    (unsigned long long)(CODE_SIZE_MAX >> 20));
	code = xcalloc(1, sizeof(*code));
	sweep_ranges(decoder, request, code);
	if (!code->insn_count) {
		code_destroy(code);
		return error_create(ERROR_FORMAT, "no instructions to decode: the function has no bytes");
	}
	flow_init(&flow, code, request);
	if (flow.misses) {
		flow_deinit(&flow);
		sweep_by_flow(decoder, request, code);
		flow_init(&flow, code, request);
	}
	graph_build(code, &flow, &tables);
	for (unsigned int round = 0; round < JUMP_TABLE_ROUNDS && jump_tables_read(code, request, &tables);
	     round++)
		graph_build(code, &flow, &tables);
	flow_deinit(&flow);
	code->tables = tables.places;
	code->table_count = tables.place_count;
	tables.places = NULL;
	jump_tables_deinit(&tables);
	graph_order(code);
	*result = code;
	return NULL;
}

void code_destroy(struct code *code)
{
	if (!code)
		return;
	free(code->insns);
	free(code->spans);
	free(code->starts);
	free(code->blocks);
	free(code->edges);
	free(code->order);
	free(code->tables);
	free(code);
}

static const struct code_span *find_span(const struct code *code, uint64_t address)
{
	size_t low = 0;
	size_t high = code->span_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct code_span *span = &code->spans[middle];

		if (address - span->address < span->size)
			return span;
		if (address < span->address)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

bool code_covers(const struct code *code, uint64_t address)
{
	return find_span(code, address);
}

int64_t code_find(const struct code *code, uint64_t address)
{
	const struct code_span *span = find_span(code, address);

	return span ? (int64_t)code->starts[span->starts + (address - span->address)] - 1 : -1;
}

bool code_has_table(const struct code *code, uint64_t address)
{
	for (size_t i = 0; i < code->table_count; i++)
		if (address - code->tables[i].address < code->tables[i].size)
			return true;
	return false;
}

uint32_t code_block_of(const struct code *code, size_t insn)
{
	size_t low = 0;
	size_t high = code->block_count;

	/* the last block that starts at or before the instruction */
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;

		if (code->blocks[middle].first <= insn)
			low = middle;
		else
			high = middle;
	}
	return low;
}
