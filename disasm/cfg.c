// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A function's instructions and basic blocks: see cfg.h.
 *
 * Ranges are decoded from end to end, not from jump to jump: code that only an unread indirect jump
 * reaches must be there too. Blocks and edges are built, and jump tables are looked for along them.
 * If any are found, blocks and edges are built again with the new targets, until nothing is new.
 */
#include "disasm/cfg.h"

#include <assert.h>

#include "disasm/jump_table.h"
#include "base/memory.h"

/* The most rounds of reading jump tables. A table whose base comes through the cases of another
 * one needs a further round; such nesting is shallow. */
#define JUMP_TABLE_ROUNDS_MAX 4

/* Returns true if the caller says that this call does not return. */
static bool request_no_return(const struct cfg_request *request, const struct insn *insn)
{
	uint64_t target = 0, slot = 0;

	if (insn->operation != OP_CALL || !request->no_return ||
	    (!insn_direct_target(insn, &target) && !insn_slot(insn, &slot)))
		return false;
	return request->no_return(request->data, insn->address + insn->length, target, slot);
}

/* ---- decoding */

/* A stretch of one range that no earlier range has. */
struct piece {
	uint64_t address, size;
	const uint8_t *bytes;
	/* per byte: an instruction that control reaches begins there; NULL: not known */
	uint8_t *starts;
};

/* Replaces a jump or call to a thunk by the instruction that the thunk stands for. What is in the
 * piece itself, as most targets of jumps are, is no thunk. */
static void replace_thunk(const struct arch *arch, const struct cfg_request *request,
			  const struct piece *piece, struct insn *insn)
{
	uint64_t target;
	uint8_t reg;

	if (!request->thunk || (insn->operation != OP_JUMP && insn->operation != OP_CALL) ||
	    !insn_direct_target(insn, &target) || target - piece->address < piece->size ||
	    !request->thunk(request->data, target, &reg))
		return;
	insn->flags |= FLAG_THUNK;
	if (reg != REG_NONE) {
		insn->operands[0] = (struct operand){
			.kind = OPERAND_REGISTER, .reg = reg, .size = 8, .read = true
		};
		insn->read |= REG_BIT(reg);
	} else if (insn->operation == OP_JUMP) {
		insn->operation = OP_RETURN;
		insn->operand_count = 1;
		insn->operands[0] = (struct operand){ .kind = OPERAND_MEMORY,
						      .base = arch->stack_pointer,
						      .index = REG_NONE,
						      .scale = 1,
						      .size = 8,
						      .read = true };
		insn->read |= REG_BIT(arch->stack_pointer);
		insn->written |= REG_BIT(arch->stack_pointer);
	}
}

static void cfg_decode(struct decoder *decoder, const struct cfg_request *request,
		       const struct piece *piece, uint64_t offset, struct insn *insn)
{
	uint64_t target;

	decoder_decode(decoder, piece->bytes + offset, piece->size - offset,
		       piece->address + offset, insn);
	replace_thunk(decoder_arch(decoder), request, piece, insn);
	if (decoder->ops->restore && request->read && insn->operation == OP_JUMP &&
	    insn_direct_target(insn, &target) && target - piece->address >= piece->size)
		decoder->ops->restore(decoder, request, target, insn);
}

struct pieces {
	struct piece *items; /* in the order of the ranges */
	size_t count, capacity;
	size_t *by_address; /* indexes of items */
	size_t by_address_capacity;
};

static void pieces_add(struct pieces *pieces, size_t position, const struct cfg_range *range,
		       uint64_t from, uint64_t to)
{
	array_reserve(pieces->items, pieces->count, pieces->capacity);
	array_reserve(pieces->by_address, pieces->count, pieces->by_address_capacity);
	memmove(&pieces->by_address[position + 1], &pieces->by_address[position],
		(pieces->count - position) * sizeof(*pieces->by_address));
	pieces->by_address[position] = pieces->count;
	pieces->items[pieces->count++] = (struct piece){
		.address = from,
		.size = to - from,
		.bytes = range->bytes + (from - range->address),
	};
}

static uint64_t piece_end(const struct pieces *pieces, size_t index)
{
	const struct piece *piece = &pieces->items[pieces->by_address[index]];

	return piece->address + piece->size;
}

static size_t pieces_lower(const struct pieces *pieces, uint64_t address)
{
	return partition_point(0, pieces->count, i, piece_end(pieces, i) <= address);
}

/* Adds the parts of a range that no piece covers yet. */
static void pieces_add_range(struct pieces *pieces, const struct cfg_range *range)
{
	uint64_t from = range->address;
	uint64_t end = from + range->size;

	/* nothing wraps around the end of the address space */
	if (end < from)
		end = UINT64_MAX;
	for (size_t position = pieces_lower(pieces, from); from < end; position++) {
		uint64_t to = end;
		uint64_t next = end;

		if (position < pieces->count) {
			const struct piece *piece = &pieces->items[pieces->by_address[position]];

			if (piece->address < to) {
				to = piece->address;
				next = piece->address + piece->size;
			}
		}
		if (to > from)
			pieces_add(pieces, position++, range, from, to);
		from = next;
	}
}

static void pieces_deinit(struct pieces *pieces)
{
	for (size_t i = 0; i < pieces->count; i++)
		free(pieces->items[i].starts);
	free_all(pieces->items, pieces->by_address);
}

static struct piece *pieces_find(const struct pieces *pieces, uint64_t address)
{
	size_t position = pieces_lower(pieces, address);

	if (position == pieces->count)
		return NULL;
	struct piece *piece = &pieces->items[pieces->by_address[position]];

	return address >= piece->address ? piece : NULL;
}

/* Makes a pseudo-instruction for bytes that control does not reach. It may change any register. */
static void decode_data(const struct arch *arch, uint64_t address, uint64_t length,
			struct insn *insn)
{
	*insn = (struct insn){
		.address = address,
		.length = length,
		.operation = OP_OTHER,
		.condition = CONDITION_NONE,
		.flags = FLAG_UNKNOWN | FLAG_WRITES_FLAGS,
		.read = arch_general_registers(arch) | VECTOR_MASK,
		.written = arch_general_registers(arch) | VECTOR_MASK,
	};
}

/* Returns the distance to the next instruction that control reaches, at most `length`. */
static uint64_t next_start(const struct piece *piece, uint64_t offset, uint64_t length)
{
	for (uint64_t i = 1; i < length && offset + i < piece->size; i++)
		if (piece->starts[offset + i])
			return i;
	return length;
}

/* Decodes a piece from end to end. `starts` has an entry for each byte of the piece. */
static void sweep_piece(struct decoder *decoder, const struct cfg_request *request,
			const struct piece *piece, uint32_t *starts, struct cfg *code,
			size_t *capacity)
{
	for (uint64_t offset = 0; offset < piece->size;) {
		struct insn *insn = &array_add(code->insns, code->insn_count, *capacity);

		cfg_decode(decoder, request, piece, offset, insn);
		if (piece->starts && !piece->starts[offset]) {
			uint64_t distance = next_start(piece, offset, insn->length);

			if (distance < insn->length)
				decode_data(decoder_arch(decoder), piece->address + offset,
					    distance, insn);
		}
		starts[offset] = code->insn_count;
		offset += insn->length;
	}
}

static void sweep(struct decoder *decoder, const struct cfg_request *request,
		  const struct pieces *pieces, struct cfg *code)
{
	uint64_t bytes = sum_over(uint64_t, i, 0, pieces->count, pieces->items[i].size);
	size_t capacity;

	/* the instructions of most functions are longer than three bytes on average */
	capacity = bytes / 3 + 8;
	code->insn_count = 0;
	code->insns = xrealloc_array(code->insns, capacity, sizeof(*code->insns));
	code->span_count = pieces->count;
	code->spans = xrealloc_array(code->spans, pieces->count, sizeof(*code->spans));
	free(code->starts);
	code->starts = xcalloc(bytes, sizeof(*code->starts));
	bytes = 0;
	_cleanup_free_ size_t *position = xcalloc(pieces->count + 1, sizeof(*position));

	for (size_t i = 0; i < pieces->count; i++)
		position[pieces->by_address[i]] = i;
	array_indexed (const struct piece, piece, i, pieces->items, pieces->count) {
		struct cfg_span *span = &code->spans[position[i]];

		*span = (struct cfg_span){
			.address = piece->address,
			.size = piece->size,
			.first = code->insn_count,
			.starts = bytes,
		};
		sweep_piece(decoder, request, piece, code->starts + bytes, code, &capacity);
		span->count = code->insn_count - span->first;
		bytes += piece->size;
	}
	code->insns = xrealloc_array(code->insns, code->insn_count, sizeof(*code->insns));
}

struct worklist {
	uint64_t *items;
	size_t count, capacity;
};

static void worklist_add(struct worklist *list, uint64_t address)
{
	array_add(list->items, list->count, list->capacity) = address;
}

/* Marks the instructions from `address` to the next jump, and lists the targets of branches. */
static void follow(struct decoder *decoder, const struct cfg_request *request,
		   struct pieces *pieces, uint64_t address, struct worklist *list)
{
	for (;;) {
		struct piece *piece = pieces_find(pieces, address);
		struct insn insn;
		uint64_t target;

		if (!piece)
			return;
		if (!piece->starts)
			piece->starts = xcalloc(piece->size, 1);
		uint64_t offset = address - piece->address;

		if (piece->starts[offset])
			return;
		cfg_decode(decoder, request, piece, offset, &insn);
		/* after bytes that are no instruction it is not known where the next one begins */
		if (insn.flags & FLAG_UNKNOWN && insn.length == 1)
			return;
		piece->starts[offset] = 1;
		if (insn.operation != OP_CALL && insn_direct_target(&insn, &target))
			worklist_add(list, target);
		if (insn.operation == OP_JUMP || insn.operation == OP_RETURN ||
		    (insn.operation == OP_TRAP && !request->traps_continue) ||
		    request_no_return(request, &insn))
			return;
		address += insn.length;
	}
}

static void follow_flow(struct decoder *decoder, const struct cfg_request *request,
			struct pieces *pieces)
{
	struct worklist list = { 0 };

	for (size_t i = request->leader_count; i-- > 0;)
		worklist_add(&list, request->leaders[i]);
	for (size_t i = request->way_count; i-- > 0;)
		worklist_add(&list, request->ways[i].to);
	worklist_add(&list, pieces->items[0].address);
	while (list.count)
		follow(decoder, request, pieces, list.items[--list.count], &list);
	free(list.items);
}

static void add_ranges(struct pieces *pieces, const struct cfg_request *request)
{
	for (size_t i = 0; i < request->range_count; i++)
		pieces_add_range(pieces, &request->ranges[i]);
}

/* Decodes the ranges from end to end. */
static void sweep_ranges(struct decoder *decoder, const struct cfg_request *request,
			 struct cfg *code)
{
	struct pieces pieces = { 0 };

	add_ranges(&pieces, request);
	if (pieces.count)
		sweep(decoder, request, &pieces, code);
	pieces_deinit(&pieces);
}

/* Decodes the ranges again, after the instructions that control reaches were found. This is needed
 * if a jump leads into the middle of an instruction: data or padding was decoded as code. */
static void sweep_by_flow(struct decoder *decoder, const struct cfg_request *request,
			  struct cfg *code)
{
	struct pieces pieces = { 0 };

	add_ranges(&pieces, request);
	if (pieces.count) {
		follow_flow(decoder, request, &pieces);
		sweep(decoder, request, &pieces, code);
	}
	pieces_deinit(&pieces);
}

/* ---- direct jumps, and where blocks begin */

enum flow_target {
	FLOW_NONE = -1,    /* no direct jump or branch */
	FLOW_OUTSIDE = -2, /* out of the function */
	FLOW_MIDDLE = -3,  /* into the function, but not to an instruction */
};

enum flow_mark {
	FLOW_STARTS = 1,    /* a block begins here */
	FLOW_LEADER = 2,    /* the request says that control may come here */
	FLOW_ANYWHERE = 32, /* it does not say from where */
	FLOW_NO_RETURN = 4, /* a call that does not return */
};

struct flow {
	/* of each jump and branch: the instruction that it goes to, or enum flow_target */
	int32_t *targets;
	uint8_t *marks;      /* per instruction: enum flow_mark */
	size_t start_count;  /* instructions with FLOW_STARTS */
	bool traps_continue; /* as the request says */
	bool may_continue;   /* there may be blocks for which find_continuing() looks */
	bool misses;         /* the target of a jump, or a leader, is FLOW_MIDDLE */
};

static int32_t find_target(const struct cfg *code, uint64_t address)
{
	int64_t insn = cfg_find(code, address);

	if (insn >= 0)
		return insn;
	if (!cfg_covers(code, address))
		return FLOW_OUTSIDE;
	/* a jump past a lock prefix goes to the same instruction without it */
	insn = cfg_find(code, address - 1);
	return insn >= 0 && (code->insns[insn].flags & FLAG_LOCK) ? (int32_t)insn : FLOW_MIDDLE;
}

static void flow_start_block(struct flow *flow, size_t insn)
{
	flow->start_count += !(flow->marks[insn] & FLOW_STARTS);
	flow->marks[insn] |= FLOW_STARTS;
}

static int32_t target_of(const struct cfg *code, const struct insn *insn)
{
	uint64_t target;

	if (insn->flags & FLAG_THUNK) /* no switch is compiled to a retpoline: a tail call */
		return FLOW_OUTSIDE;
	return insn_direct_target(insn, &target) ? find_target(code, target) : FLOW_NONE;
}

static void add_insn(struct flow *flow, const struct cfg *code, const struct cfg_request *request,
		     size_t i)
{
	const struct insn *insn = &code->insns[i];

	switch (insn->operation) {
	case OP_CALL:
		if (!request_no_return(request, insn))
			return;
		flow->marks[i] |= FLOW_NO_RETURN;
		flow->may_continue = true;
		break;
	case OP_JUMP:
	case OP_BRANCH:
		flow->targets[i] = target_of(code, insn);
		flow->misses |= flow->targets[i] == FLOW_MIDDLE;
		if (flow->targets[i] >= 0)
			flow_start_block(flow, flow->targets[i]);
		break;
	case OP_RETURN:
	case OP_TRAP: break;
	default: return;
	}
	if (i + 1 < code->insn_count)
		flow_start_block(flow, i + 1);
}

/* Begins a block where the request leads to. */
static void add_leader(struct flow *flow, int32_t insn, uint8_t marks)
{
	if (insn >= 0) {
		flow->marks[insn] |= FLOW_LEADER | marks;
		flow_start_block(flow, insn);
	}
	flow->misses |= insn == FLOW_MIDDLE;
}

static void flow_init(struct flow *flow, const struct cfg *code, const struct cfg_request *request)
{
	*flow = (struct flow){
		.traps_continue = request->traps_continue,
		.may_continue = request->traps_continue,
		.targets = xrealloc_array(NULL, code->insn_count, sizeof(*flow->targets)),
		.marks = xcalloc(code->insn_count, sizeof(*flow->marks)),
	};
	for (size_t i = 0; i < code->span_count; i++)
		flow_start_block(flow, code->spans[i].first);
	for (size_t i = 0; i < code->insn_count; i++)
		add_insn(flow, code, request, i);
	for (size_t i = 0; i < request->leader_count; i++)
		add_leader(flow, find_target(code, request->leaders[i]), FLOW_ANYWHERE);
	for (size_t i = 0; i < request->way_count; i++)
		add_leader(flow, find_target(code, request->ways[i].to), 0);
}

static void flow_deinit(struct flow *flow)
{
	free_all(flow->targets, flow->marks);
}

/* ---- blocks and edges */

/* Makes the blocks without edges. */
static void cut_blocks(struct cfg *code, const struct flow *flow)
{
	size_t count = 0;

	code->block_at =
		xrealloc_array(code->block_at, code->insn_count + 1, sizeof(*code->block_at));
	code->blocks = xrealloc_array(code->blocks, flow->start_count, sizeof(*code->blocks));
	for (size_t i = 0; i < code->insn_count; i++) {
		code->block_at[i] = count - 1;
		if (!(flow->marks[i] & FLOW_STARTS))
			continue;
		if (count)
			code->blocks[count - 1].count = i - code->blocks[count - 1].first;
		code->block_at[i] = count;
		code->blocks[count++] = (struct basic_block){
			.address = code->insns[i].address,
			.first = i,
			.flags = flow->marks[i] & FLOW_ANYWHERE ? BLOCK_LEADER
				 : flow->marks[i] & FLOW_LEADER ? BLOCK_LEADER | BLOCK_BY_WAY
								: 0,
		};
	}
	code->blocks[count - 1].count = code->insn_count - code->blocks[count - 1].first;
	code->block_at[code->insn_count] = count - 1;
	code->block_count = count;
}

struct edges {
	struct cfg *code;      /* has room for all edges that there can be */
	uint32_t *seen;        /* per block: the last block (+ 1) that has an edge to it */
	const bool *continues; /* per block: control goes on after the trap or call at its end */
};

static void add_edge(struct edges *edges, uint32_t from, uint32_t to)
{
	struct cfg *code = edges->code;

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
		add_edge(edges, from, edges->code->block_at[target]);
	else if (target == FLOW_MIDDLE)
		*flags |= BLOCK_UNKNOWN_SUCCESSORS;
	else
		*flags |= BLOCK_RETURNS | BLOCK_TAIL_CALL;
}

/* Adds the edge to the next instruction in memory, which may be in another range, or in none. */
static void add_next(struct edges *edges, uint32_t from, uint32_t last)
{
	struct cfg *code = edges->code;
	uint64_t address = code->insns[last].address + code->insns[last].length;
	bool adjacent = from + 1 < code->block_count && code->blocks[from + 1].address == address;
	int64_t insn = adjacent ? -1 : cfg_find(code, address);

	if (adjacent)
		add_edge(edges, from, from + 1);
	else if (insn >= 0)
		add_edge(edges, from, code->block_at[insn]);
	/* a compiler ends a function in a call only if the call does not return */
	else if (code->insns[last].operation == OP_CALL)
		code->blocks[from].flags |= BLOCK_NO_RETURN;
	else
		code->blocks[from].flags |= BLOCK_RETURNS | BLOCK_TAIL_CALL;
}

static void add_indirect(struct edges *edges, uint32_t from, uint32_t insn,
			 const struct jump_tables *tables)
{
	struct cfg *code = edges->code;
	const struct jump_table *table = jump_tables_find(tables, insn);
	const struct operand *operand = &code->insns[insn].operands[0];

	if (!table) {
		/* a jump through a fixed place (GOT entry, variable) leaves the function */
		bool fixed = operand->kind == OPERAND_MEMORY && operand->absolute &&
			     operand->index == REG_NONE;

		code->blocks[from].flags |=
			fixed ? BLOCK_RETURNS | BLOCK_TAIL_CALL : BLOCK_UNKNOWN_SUCCESSORS;
		return;
	}
	assert(tables->targets || !table->target_count);
	for (uint32_t i = 0; i < table->target_count; i++)
		add_edge(edges, from,
			 edges->code->block_at[tables->targets[table->target_first + i]]);
	if (!table->complete)
		code->blocks[from].flags |= BLOCK_UNKNOWN_SUCCESSORS;
}

static void add_successors(struct edges *edges, uint32_t from, const struct flow *flow,
			   const struct jump_tables *tables)
{
	struct basic_block *block = &edges->code->blocks[from];
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
		if ((flow->marks[last] & FLOW_NO_RETURN) && !edges->continues[from])
			block->flags |= BLOCK_NO_RETURN;
		else
			add_next(edges, from, last);
		return;
	}
}

static void add_all(struct edges *edges, const struct flow *flow, const struct jump_tables *tables)
{
	struct cfg *code = edges->code;

	code->edge_count = 0;
	for (size_t i = 0; i < code->block_count; i++) {
		code->blocks[i].flags &= BLOCK_LEADER | BLOCK_BY_WAY;
		code->blocks[i].successor_count = 0;
		add_successors(edges, i, flow, tables);
	}
}

/* True if a block ends in an instruction after which control may go on, although it seems not to: a
 * trap, or a call of a function whose code has no way out where the compiler did not know that. */
static bool may_continue(const struct cfg *code, const struct flow *flow, uint32_t last,
			 bool unknown_jumps)
{
	const struct insn *insn = &code->insns[last], *next = insn + 1;

	if (last + 1 >= code->insn_count || next->address != insn->address + insn->length ||
	    next->operation == OP_TRAP)
		return false;
	if (insn->operation == OP_TRAP)
		return flow->traps_continue;
	return (flow->marks[last] & FLOW_NO_RETURN) && !(flow->marks[last + 1] & FLOW_LEADER) &&
	       next->operation != OP_NOP && !unknown_jumps;
}

/* Marks blocks that may continue before a block to which no edge leads: no compiler writes code
 * that is never reached. True: there are any. */
static bool find_continuing(const struct cfg *code, const struct flow *flow, bool *continues)
{
	_cleanup_free_ bool *led_to = xcalloc(code->block_count, sizeof(*led_to));
	bool any = false, unknown_jumps = false;

	for (size_t i = 0; i < code->edge_count; i++)
		led_to[code->edges[i]] = true;
	for (size_t i = 0; i < code->block_count; i++)
		unknown_jumps |= (code->blocks[i].flags & BLOCK_UNKNOWN_SUCCESSORS) != 0;
	for (size_t i = 0; i < code->block_count; i++) {
		uint32_t last = code->blocks[i].first + code->blocks[i].count - 1;

		continues[i] = may_continue(code, flow, last, unknown_jumps) && !led_to[i + 1];
		any |= continues[i];
	}
	return any;
}

/* Adds the predecessors of all blocks to code->edges, after the successors. */
static void mirror_edges(struct cfg *code)
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
	for (uint32_t i = 0; i < code->block_count; i++)
		each_successor (to, code, &code->blocks[i]) {
			struct basic_block *next = &code->blocks[to];

			code->edges[next->predecessor_first + next->predecessor_count++] = i;
		}
	code->edge_count = 2 * successors;
}

static bool is_padding(const struct cfg *code, uint32_t index)
{
	const struct basic_block *block = &code->blocks[index];

	if (!index || block->predecessor_count || (block->flags & BLOCK_LEADER))
		return false;
	for (uint32_t i = block->first; i < block->first + block->count; i++) {
		uint8_t operation = code->insns[i].operation;

		if (operation != OP_NOP && operation != OP_TRAP)
			return false;
	}
	return true;
}

static bool is_orphan(const struct cfg *code, uint32_t index)
{
	each_predecessor (before, code, &code->blocks[index])
		if (!(code->blocks[before].flags & BLOCK_PADDING))
			return false;
	return index != 0;
}

static void mark_unreached(struct cfg *code)
{
	for (uint32_t i = 0; i < code->block_count; i++)
		if (is_padding(code, i))
			code->blocks[i].flags |= BLOCK_PADDING;
	for (uint32_t i = 0; i < code->block_count; i++)
		if (is_orphan(code, i))
			code->blocks[i].flags |= BLOCK_ORPHAN;
}

static void graph_build(struct cfg *code, struct flow *flow, const struct jump_tables *tables)
{
	for (size_t i = 0; i < tables->target_count; i++)
		flow_start_block(flow, tables->targets[i]);
	cut_blocks(code, flow);
	_cleanup_free_ uint32_t *seen = xcalloc(code->block_count, sizeof(*seen));
	_cleanup_free_ bool *continues = xcalloc(code->block_count, sizeof(*continues));
	struct edges edges = { .code = code, .seen = seen, .continues = continues };

	/* a block has at most two successors, unless it ends in a jump by a table */
	code->edges = xrealloc_array(code->edges, 2 * code->block_count + tables->target_count,
				     sizeof(*code->edges));
	add_all(&edges, flow, tables);
	if (flow->may_continue && find_continuing(code, flow, continues)) {
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

/* Appends the blocks that are first reached from `root` to code->order, in reverse post-order.
 * Returns the new number of blocks in it. */
static size_t order_from(struct cfg *code, uint32_t root, struct visit *stack, bool *reached,
			 size_t count)
{
	size_t depth = 1, left = code->block_count; /* filled from the end, which reverses it */

	reached[root] = true;
	stack[0] = (struct visit){ .block = root };
	while (depth) {
		struct visit *visit = &stack[depth - 1];
		const struct basic_block *block = &code->blocks[visit->block];

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
	memmove(code->order + count, code->order + left,
		(code->block_count - left) * sizeof(*code->order));
	return count + code->block_count - left;
}

static void graph_order(struct cfg *code)
{
	_cleanup_free_ struct visit *stack = xcalloc(code->block_count, sizeof(*stack));
	_cleanup_free_ bool *reached = xcalloc(code->block_count, sizeof(*reached));

	code->order = xrealloc_array(code->order, code->block_count, sizeof(*code->order));
	size_t count = order_from(code, 0, stack, reached, 0);

	for (uint32_t i = 0; i < code->block_count; i++)
		if (!reached[i] && code->blocks[i].flags & (BLOCK_LEADER | BLOCK_ORPHAN))
			count = order_from(code, i, stack, reached, count);
	for (uint32_t i = 0; i < code->block_count; i++)
		if (!reached[i])
			count = order_from(code, i, stack, reached, count);
}

/* ---- the whole */

/* Returns the sum of the ranges' sizes, or UINT64_MAX if it overflows. */
static uint64_t request_size(const struct cfg_request *request)
{
	uint64_t total = 0;

	for (size_t i = 0; i < request->range_count; i++)
		if (__builtin_add_overflow(total, request->ranges[i].size, &total))
			return UINT64_MAX;
	return total;
}

COMPARISON(compare_cases, struct cfg_case, ASCENDING(target))

COMPARISON(compare_jumps, struct cfg_jump, ASCENDING(from) ASCENDING(to))

/* Finds the blocks of the request's ways. */
static void find_jumps(struct cfg *code, const struct cfg_request *request)
{
	code->jumps = xcalloc(request->way_count + 1, sizeof(*code->jumps));
	for (size_t i = 0; i < request->way_count; i++) {
		int64_t from = cfg_find(code, request->ways[i].from),
			to = cfg_find(code, request->ways[i].to);

		if (from >= 0 && to >= 0)
			code->jumps[code->jump_count++] =
				(struct cfg_jump){ cfg_block_of(code, (size_t)from),
						   cfg_block_of(code, (size_t)to) };
	}
	array_sort(code->jumps, code->jump_count, compare_jumps);
}

struct error *cfg_build(struct decoder *decoder, const struct cfg_request *request,
			struct cfg **result)
{
	struct cfg *code;
	struct jump_tables tables = { 0 };
	struct flow flow;

	if (request_size(request) > CFG_SIZE_MAX)
		return error_create(ERROR_UNSUPPORTED,
				    "a function of more than %llu MB is not decoded",
				    (unsigned long long)(CFG_SIZE_MAX >> 20));
	code = xcalloc(1, sizeof(*code));
	code->arch = decoder_arch(decoder);
	sweep_ranges(decoder, request, code);
	if (!code->insn_count) {
		cfg_destroy(code);
		return error_create(ERROR_FORMAT,
				    "no instructions to decode: the function has no bytes");
	}
	flow_init(&flow, code, request);
	if (flow.misses) {
		flow_deinit(&flow);
		sweep_by_flow(decoder, request, code);
		flow_init(&flow, code, request);
	}
	graph_build(code, &flow, &tables);
	for (unsigned int round = 0;
	     round < JUMP_TABLE_ROUNDS_MAX && jump_tables_read(code, request, &tables); round++)
		graph_build(code, &flow, &tables);
	flow_deinit(&flow);
	code->tables = tables.places;
	code->table_count = tables.place_count;
	code->cases = tables.cases;
	code->case_count = tables.case_count;
	array_sort(code->cases, code->case_count, compare_cases);
	tables.places = NULL;
	tables.cases = NULL;
	jump_tables_deinit(&tables);
	graph_order(code);
	find_jumps(code, request);
	if (decoder->ops->finish)
		decoder->ops->finish(code);
	*result = code;
	return NULL;
}

void cfg_destroy(struct cfg *code)
{
	if (!code)
		return;
	free_all(code->insns, code->spans, code->starts, code->blocks, code->block_at, code->edges,
		 code->order, code->tables, code->cases, code->jumps, code);
}

static const struct cfg_span *find_span(const struct cfg *code, uint64_t address)
{
	size_t low = 0, high = code->span_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct cfg_span *span = &code->spans[middle];

		if (address - span->address < span->size)
			return span;
		if (address < span->address)
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

bool cfg_covers(const struct cfg *code, uint64_t address)
{
	return find_span(code, address);
}

int64_t cfg_find(const struct cfg *code, uint64_t address)
{
	const struct cfg_span *span = find_span(code, address);

	return span ? (int64_t)code->starts[span->starts + (address - span->address)] - 1 : -1;
}

bool cfg_has_table(const struct cfg *code, uint64_t address)
{
	return any_of(i, 0, code->table_count,
		      address - code->tables[i].address < code->tables[i].size);
}

uint32_t cfg_only_predecessor(const struct cfg *code, uint32_t index)
{
	const struct basic_block *block = &code->blocks[index];
	uint32_t only = UINT32_MAX;

	each_predecessor (from, code, block) {
		if (code->blocks[from].flags & BLOCK_PADDING)
			continue;
		if (only != UINT32_MAX)
			return UINT32_MAX;
		only = from;
	}
	return block->flags & (BLOCK_LEADER | BLOCK_ORPHAN) || !index ? UINT32_MAX : only;
}

bool cfg_step_back(const struct cfg *code, struct cfg_cursor *cursor)
{
	if (cursor->insn == code->blocks[cursor->block].first) {
		uint32_t before = cfg_only_predecessor(code, cursor->block);

		if (before == UINT32_MAX)
			return false;
		cursor->block = before;
		cursor->insn = code->blocks[before].first + code->blocks[before].count;
	}
	cursor->insn--;
	return true;
}

const struct cfg_case *cfg_case_of(const struct cfg *code, uint32_t from, uint32_t to)
{
	uint32_t target = code->blocks[to].first;
	uint32_t jump = code->blocks[from].first + code->blocks[from].count - 1;
	const struct cfg_case *only = NULL;

	for (size_t i = partition_point(0, code->case_count, k, code->cases[k].target < target);
	     i < code->case_count && code->cases[i].target == target; i++) {
		if (code->cases[i].jump != jump)
			continue;
		if (only && only->number != code->cases[i].number)
			return NULL;
		only = &code->cases[i];
	}
	return only;
}

const struct insn *cfg_last_write(const struct cfg *code, size_t index, uint8_t reg)
{
	uint32_t first = code->blocks[cfg_block_of(code, index)].first;

	while (index-- > first)
		if (code->insns[index].written & REG_BIT(reg))
			return &code->insns[index];
	return NULL;
}

/* ---- dominators, after Cooper, Harvey and Kennedy: A Simple, Fast Dominance Algorithm */

static uint32_t common_dominator(const uint32_t *dominators, const uint32_t *position, uint32_t a,
				 uint32_t b, uint64_t *work)
{
	for (; a != b; *work -= *work != 0) {
		if (position[a] > position[b])
			a = dominators[a];
		else
			b = dominators[b];
	}
	return a;
}

bool cfg_find_dominators(const struct cfg *code, uint32_t *dominators, uint32_t *position,
			 uint64_t *work)
{
	uint64_t no_limit = UINT64_MAX;
	bool changed = true;

	work = work ?: &no_limit;

	for (size_t i = 0; i < code->block_count; i++) {
		dominators[i] = UINT32_MAX;
		position[code->order[i]] = (uint32_t)i;
	}
	dominators[0] = 0;
	while (changed && *work) {
		changed = false;
		for (size_t i = 1; i < code->block_count; i++) {
			uint32_t index = code->order[i], found = UINT32_MAX;
			const struct basic_block *block = &code->blocks[index];

			/* as if the entry led to them */
			if (block->flags & (BLOCK_LEADER | BLOCK_ORPHAN))
				found = 0;
			each_predecessor (from, code, block) {
				if (dominators[from] == UINT32_MAX ||
				    (code->blocks[from].flags & BLOCK_PADDING))
					continue;
				found = found == UINT32_MAX ? from
							    : common_dominator(dominators, position,
									       from, found, work);
			}
			changed |= found != dominators[index];
			dominators[index] = found;
		}
	}
	return !changed;
}
