/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The control-flow graph of a function: its instructions, cut into basic blocks, and the edges
 * between them.
 *
 * A function is one or more ranges of addresses (the hot part first, then cold parts). Blocks are
 * in address order within a range, ranges in the order given. An edge is a direct jump, a
 * fall-through, an entry of a jump table that could be read, or a landing pad that the caller gave.
 * Calls do not end a block unless they do not return.
 *
 * Invariants, which tests and fuzzers check: every instruction lies in exactly one block, and
 * blocks are in the order of their instructions; successors and predecessors mirror each other; the
 * entry is block 0; `order` has each block once, the entry first.
 */
#pragma once

#include "disasm/insn.h"

struct cfg_range {
	uint64_t address;
	uint64_t size;        /* bytes */
	const uint8_t *bytes; /* `size` bytes; borrowed while decoding only */
};

/* The instruction at `to` may follow the one at `from`, which the instructions do not show. */
struct cfg_way {
	uint64_t from, to;
};

struct cfg_request {
	const struct cfg_range *ranges;
	size_t range_count;
	/* further block starts that no jump shows: landing pads, other entries. May be NULL. */
	const uint64_t *leaders;
	size_t leader_count;
	/* the same for block starts that control comes to from one place each. They are no edges,
	 * but the passes over addresses follow them. May be NULL. */
	const struct cfg_way *ways;
	size_t way_count;
	/* Returns true if a call never comes back to `return_address`. It is a call of `target`, or
	 * one through the pointer at `slot`; 0: not known. May be NULL. */
	bool (*no_return)(void *data, uint64_t return_address, uint64_t target, uint64_t slot);
	/* Returns true if a jump or call to this address stands for another instruction
	 * (retpolines, return thunks). *reg is then the register that it jumps or calls through, or
	 * REG_NONE for a return. May be NULL. */
	bool (*thunk)(void *data, uint64_t target, uint8_t *reg);
	/* Set if control may go on after a trap when nothing else leads there: a kernel's WARN() is
	 * a ud2 on x86, its idle loop a hlt. */
	bool traps_continue;
	/* Reads constant data of the object, for jump tables. Returns false if not all `size` bytes
	 * could be read. May be NULL. */
	bool (*read)(void *data, uint64_t address, void *buffer, size_t size);
	void *data;
};

enum block_flag {
	BLOCK_RETURNS = 1,   /* ends in ret, or leaves the function by a jump (tail call) */
	BLOCK_NO_RETURN = 2, /* ends in a call or a trap that does not come back */
	BLOCK_UNKNOWN_SUCCESSORS = 4, /* ends in an indirect jump whose targets could not be read */
	BLOCK_TAIL_CALL = 8,          /* ends in a jump out of the function (with BLOCK_RETURNS) */
	BLOCK_LEADER = 16,  /* one of the request's leaders (control may come from anywhere) */
	BLOCK_BY_WAY = 128, /* with BLOCK_LEADER: control comes only from the blocks of its ways */
	BLOCK_PADDING = 32, /* fills the gap before an aligned block: nothing runs it */
	BLOCK_ORPHAN = 64,  /* not the entry, and no block but padding has an edge to it */
};

struct basic_block {
	uint64_t address;
	uint32_t first; /* instructions [first, first + count) */
	uint32_t count;
	uint32_t successor_first; /* in code->edges */
	uint32_t successor_count;
	uint32_t predecessor_first, predecessor_count;
	uint32_t flags; /* enum block_flag */
};

/* The instructions of a stretch of addresses. Spans are sorted by address and disjoint. */
struct cfg_span {
	uint64_t address, size;
	uint32_t first; /* instructions [first, first + count) */
	uint32_t count;
	size_t starts; /* index of its first byte in struct cfg's `starts` */
};

/* The place of a jump table, as far as its entries were understood. */
struct cfg_table {
	uint64_t address;
	uint64_t size; /* bytes */
};

/* A jump goes to an instruction by the entry of its table that has this number: the register
 * `index` has it before the instruction `use`. */
struct cfg_case {
	uint32_t target, jump, number, use;
	uint8_t index;
};

/* Control may go from the end of one block to another without an edge. */
struct cfg_jump {
	uint32_t from, to;
};

struct cfg {
	const struct arch *arch; /* of the instructions */
	struct insn *insns;
	size_t insn_count;
	struct cfg_span *spans;
	size_t span_count;
	uint32_t *starts; /* per byte: the instruction that starts there, + 1; 0: none does */
	struct basic_block *blocks;
	size_t block_count;
	uint32_t *block_at; /* by instruction: its block; and the last block once more */
	uint32_t *edges;    /* block indexes */
	size_t edge_count;
	/* block indexes in reverse post-order from the entry; after them the others, in that order
	 * from each block that control may come to from anywhere */
	uint32_t *order;
	struct cfg_table *tables; /* the jump tables of the function, in no order */
	size_t table_count;
	struct cfg_case *cases; /* by target */
	size_t case_count;
	struct cfg_jump *jumps; /* of the request's ways, by `from` */
	size_t jump_count;
};

/* Walk over the blocks that follow, and that lead to, a block: each_successor (to, code, block) */
#define each_successor(to, code, block)     CFG_EACH(to, code, block, successor)
#define each_predecessor(from, code, block) CFG_EACH(from, code, block, predecessor)
#define CFG_EACH(other, code, block, kind)                                                         \
	for (uint32_t other##_at_ = 0, other;                                                      \
	     other##_at_ < (block)->kind##_count &&                                                \
	     (other = (code)->edges[(block)->kind##_first + other##_at_], true);                   \
	     other##_at_++)

/* The most bytes of a function: more than any compiler writes. It bounds what a broken size can
 * cost. */
#define CFG_SIZE_MAX ((uint64_t)8 << 20)

/* Decodes a function and builds its graph. Fails only if there is nothing to decode, or more than
 * CFG_SIZE_MAX. Ranges that overlap are decoded once, where they were given first. A jump into the
 * middle of an instruction has no edge; its block has BLOCK_UNKNOWN_SUCCESSORS. */
struct error *cfg_build(struct decoder *decoder, const struct cfg_request *request,
			struct cfg **result);
void cfg_destroy(struct cfg *code);

/* Returns the index of the instruction that starts at `address`, or -1. */
int64_t cfg_find(const struct cfg *code, uint64_t address);
bool cfg_covers(const struct cfg *code, uint64_t address);
/* Returns true if `address` lies in a jump table of this function. */
bool cfg_has_table(const struct cfg *code, uint64_t address);
/* Returns the block of an instruction; of none (code->insn_count or more), the last block. */
static inline uint32_t cfg_block_of(const struct cfg *code, size_t insn)
{
	return code->block_at[insn < code->insn_count ? insn : code->insn_count];
}
/* Returns the only block from which control comes to a block, but for padding; UINT32_MAX: there is
 * none, or there are several. */
uint32_t cfg_only_predecessor(const struct cfg *code, uint32_t block);

/* A place before an instruction, for walks back on the only way there. */
struct cfg_cursor {
	uint32_t block, insn;
};

static inline struct cfg_cursor cfg_before(const struct cfg *code, uint32_t insn)
{
	return (struct cfg_cursor){ cfg_block_of(code, insn), insn };
}
/* Goes to the instruction that always runs right before. False: there is none. A loop has no end.
 */
bool cfg_step_back(const struct cfg *code, struct cfg_cursor *cursor);
/* Returns the case by which alone the jump at the end of a block goes to another one; NULL: there
 * are several, or it is not known. */
const struct cfg_case *cfg_case_of(const struct cfg *code, uint32_t from, uint32_t to);
/* Returns the last instruction in the block before `index` that writes the register, or NULL. */
const struct insn *cfg_last_write(const struct cfg *code, size_t index, uint8_t reg);
/* Sets position[block] to each block's place in `order`, and dominators[block] to its immediate
 * dominator, which comes earlier in `order`; UINT32_MAX: no path leads to it. Leaders and orphans
 * are taken to follow the entry. Both arrays have an item for each block. Takes its steps from
 * *work; NULL: no limit. False: that did not suffice. */
bool cfg_find_dominators(const struct cfg *code, uint32_t *dominators, uint32_t *position,
			 uint64_t *work);
