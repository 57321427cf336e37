// SPDX-License-Identifier: GPL-2.0-or-later
/* Decoding ranges from end to end: see sweep.h. */
#include "disasm/sweep.h"

#include <string.h>

#include "disasm/flow.h"
#include "disasm/x86/operand.h"
#include "profiler/base/memory.h"

/* A stretch of one range that no earlier range has. */
struct piece {
	uint64_t address;
	uint64_t size;
	const uint8_t *bytes;
	uint8_t *starts; /* NULL, or for each byte whether the flow of control has an instruction start there
			  */
};

/* A jump to a return thunk is the return, one to a retpoline the jump through its register. */
static void replace_thunk(const struct code_request *request, struct insn *insn)
{
	uint64_t target;
	uint8_t reg;

	if (!request->thunk || (insn->operation != OP_JUMP && insn->operation != OP_CALL) ||
	    !insn_direct_target(insn, &target) || !request->thunk(request->data, target, &reg))
		return;
	insn->flags |= FLAG_THUNK;
	if (reg != REG_NONE) {
		insn->operands[0] =
			(struct operand){ .kind = OPERAND_REGISTER, .reg = reg, .size = 8, .read = true };
		insn->read |= REG_BIT(reg);
	} else if (insn->operation == OP_JUMP) {
		insn->operation = OP_RETURN;
		insn->operand_count = 1;
		insn->operands[0] = (struct operand){ .kind = OPERAND_MEMORY,
						      .base = REG_RSP,
						      .index = REG_NONE,
						      .scale = 1,
						      .size = 8,
						      .read = true };
		insn->read |= REG_BIT(REG_RSP);
		insn->written |= REG_BIT(REG_RSP);
	}
}

static void decode(struct decoder *decoder, const struct code_request *request, const struct piece *piece,
		   uint64_t offset, struct insn *insn)
{
	decoder_decode(decoder, piece->bytes + offset, piece->size - offset, piece->address + offset, insn);
	replace_thunk(request, insn);
}

struct pieces {
	struct piece *items; /* in the order of the ranges */
	size_t count;
	size_t capacity;
	size_t *by_address; /* indexes of items */
	size_t by_address_capacity;
};

static void pieces_add(struct pieces *pieces, size_t position, const struct code_range *range, uint64_t from,
		       uint64_t to)
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

/* The first piece, by address, that ends after `address`. */
static size_t pieces_lower(const struct pieces *pieces, uint64_t address)
{
	size_t low = 0;
	size_t high = pieces->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct piece *piece = &pieces->items[pieces->by_address[middle]];

		if (piece->address + piece->size <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Those parts of a range that are not covered yet. */
static void pieces_add_range(struct pieces *pieces, const struct code_range *range)
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
	free(pieces->items);
	free(pieces->by_address);
}

static struct piece *pieces_find(const struct pieces *pieces, uint64_t address)
{
	size_t position = pieces_lower(pieces, address);

	if (position == pieces->count)
		return NULL;
	struct piece *piece = &pieces->items[pieces->by_address[position]];

	return address >= piece->address ? piece : NULL;
}

/* Bytes that are no instruction of the function's flow, up to where one starts. */
static void decode_data(uint64_t address, uint64_t length, struct insn *insn)
{
	*insn = (struct insn){
		.address = address,
		.length = length,
		.operation = OP_OTHER,
		.condition = CONDITION_NONE,
		.flags = FLAG_UNKNOWN | FLAG_WRITES_FLAGS,
		.read = GENERAL_MASK | VECTOR_MASK,
		.written = GENERAL_MASK | VECTOR_MASK,
	};
}

/* Distance from `offset` to the next start of the flow after it, if that is within an instruction of `length`
 * bytes. */
static uint64_t next_start(const struct piece *piece, uint64_t offset, uint64_t length)
{
	for (uint64_t i = 1; i < length && offset + i < piece->size; i++)
		if (piece->starts[offset + i])
			return i;
	return length;
}

/* `starts` is of the piece's bytes. */
static void sweep_piece(struct decoder *decoder, const struct code_request *request,
			const struct piece *piece, uint32_t *starts, struct code *code, size_t *capacity)
{
	for (uint64_t offset = 0; offset < piece->size;) {
		array_reserve(code->insns, code->insn_count, *capacity);
		struct insn *insn = &code->insns[code->insn_count++];

		decode(decoder, request, piece, offset, insn);
		if (piece->starts && !piece->starts[offset]) {
			uint64_t distance = next_start(piece, offset, insn->length);

			if (distance < insn->length)
				decode_data(piece->address + offset, distance, insn);
		}
		starts[offset] = code->insn_count;
		offset += insn->length;
	}
}

static void sweep(struct decoder *decoder, const struct code_request *request, const struct pieces *pieces,
		  struct code *code)
{
	uint64_t bytes = 0;
	size_t capacity;

	for (size_t i = 0; i < pieces->count; i++)
		bytes += pieces->items[i].size;
	/* instructions of compilers are nearly always longer on average */
	capacity = bytes / 3 + 8;
	code->insn_count = 0;
	code->insns = xrealloc_array(code->insns, capacity, sizeof(*code->insns));
	code->span_count = pieces->count;
	code->spans = xrealloc_array(code->spans, pieces->count, sizeof(*code->spans));
	free(code->starts);
	code->starts = xcalloc(bytes, sizeof(*code->starts));
	bytes = 0;
	size_t *position = xcalloc(pieces->count + 1, sizeof(*position));

	for (size_t i = 0; i < pieces->count; i++)
		position[pieces->by_address[i]] = i;
	for (size_t i = 0; i < pieces->count; i++) {
		const struct piece *piece = &pieces->items[i];
		struct code_span *span = &code->spans[position[i]];

		*span = (struct code_span){
			.address = piece->address,
			.size = piece->size,
			.first = code->insn_count,
			.starts = bytes,
		};
		sweep_piece(decoder, request, piece, code->starts + bytes, code, &capacity);
		span->count = code->insn_count - span->first;
		bytes += piece->size;
	}
	free(position);
}

struct worklist {
	uint64_t *items;
	size_t count;
	size_t capacity;
};

static void worklist_add(struct worklist *list, uint64_t address)
{
	array_reserve(list->items, list->count, list->capacity);
	list->items[list->count++] = address;
}

/* Mark the instructions from `address` on, up to a jump, and put its targets on the list. */
static void follow(struct decoder *decoder, const struct code_request *request, struct pieces *pieces,
		   uint64_t address, struct worklist *list)
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
		decode(decoder, request, piece, offset, &insn);
		/* what is no instruction tells nothing of the bytes after it */
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

static void follow_flow(struct decoder *decoder, const struct code_request *request, struct pieces *pieces)
{
	struct worklist list = { 0 };

	for (size_t i = request->leader_count; i-- > 0;)
		worklist_add(&list, request->leaders[i]);
	worklist_add(&list, pieces->items[0].address);
	while (list.count)
		follow(decoder, request, pieces, list.items[--list.count], &list);
	free(list.items);
}

static void add_ranges(struct pieces *pieces, const struct code_request *request)
{
	for (size_t i = 0; i < request->range_count; i++)
		pieces_add_range(pieces, &request->ranges[i]);
}

void sweep_ranges(struct decoder *decoder, const struct code_request *request, struct code *code)
{
	struct pieces pieces = { 0 };

	add_ranges(&pieces, request);
	if (pieces.count)
		sweep(decoder, request, &pieces, code);
	pieces_deinit(&pieces);
}

void sweep_by_flow(struct decoder *decoder, const struct code_request *request, struct code *code)
{
	struct pieces pieces = { 0 };

	add_ranges(&pieces, request);
	if (pieces.count) {
		follow_flow(decoder, request, &pieces);
		sweep(decoder, request, &pieces, code);
	}
	pieces_deinit(&pieces);
}
