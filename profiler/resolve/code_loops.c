// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The natural loops of a control-flow graph: a back edge goes to a block that dominates its source.
 */
#include "profiler/resolve/code_loops.h"

#include "base/hash.h"
#include "base/memory.h"

#define BLOCKS_MAX 20000 /* functions with more blocks are generated; they count as one region */
#define MARKS_MAX  (16U << 20) /* bytes of loop_forest.member */
#define DEPTH_MAX  32          /* instructions that a value is followed back through */
#define WRAP_BLOCKS 3 /* that go on with a loop at an array's begin, where it has met the end */
#define DEFINITIONS_MAX                                                                            \
	4 /* of one register that reach one place: loops have a few exits and arms */

uint64_t loop_work_max(uint64_t insns)
{
	return 100000000 + 200 * insns;
}

/* ---- dominators and loops ---- */

/* Numbers the blocks so that each is followed by those below it, which it dominates. */
static void number_dominated(struct loop_forest *forest)
{
	const struct cfg *code = forest->code;
	_cleanup_free_ uint32_t *used = xcalloc(code->block_count, sizeof(*used));

	for (size_t i = code->block_count; i-- > 0;) {
		uint32_t block = code->order[i], above = forest->idom[block];

		if (above == UINT32_MAX)
			continue;
		forest->dominated[block]++;
		if (block)
			forest->dominated[above] += forest->dominated[block];
	}
	for (size_t i = 0; i < code->block_count; i++) {
		uint32_t block = code->order[i], above = forest->idom[block];

		if (!block || above == UINT32_MAX)
			continue;
		forest->place[block] = forest->place[above] + 1 + used[above];
		used[above] += forest->dominated[block];
	}
}

/* Finds the immediate dominators. Returns whether the budget sufficed. */
static bool find_dominators(struct loop_forest *forest)
{
	_cleanup_free_ uint32_t *position = xcalloc(forest->code->block_count, sizeof(*position));

	if (!cfg_find_dominators(forest->code, forest->idom, position, forest->work))
		return false;
	number_dominated(forest);
	return true;
}

bool loop_block_dominates(const struct loop_forest *forest, uint32_t above, uint32_t block)
{
	return forest->dominated[block] && forest->place[block] >= forest->place[above] &&
	       forest->place[block] - forest->place[above] < forest->dominated[above];
}

/* Returns the loop with this header, one for all back edges. `of` has those so far. */
static uint32_t loop_of_header(struct loop_forest *forest, uint32_t header, uint32_t *of,
			       size_t *capacity)
{
	if (of[header] != LOOP_NONE)
		return of[header];
	if (!*forest->work || (forest->loop_count + 1) * forest->code->block_count > MARKS_MAX)
		return LOOP_NONE;
	loop_take_work(forest, forest->code->block_count / 4);
	array_reserve(forest->loops, forest->loop_count, *capacity);
	forest->member =
		xrealloc_array(forest->member, forest->loop_count + 1, forest->code->block_count);
	memset(forest->member + forest->loop_count * forest->code->block_count, 0,
	       forest->code->block_count);
	forest->loops[forest->loop_count] = (struct code_loop){ .header = header,
								.first = header,
								.end = header,
								.around = LOOP_NONE,
								.merged = LOOP_NONE };
	return of[header] = (uint32_t)forest->loop_count++;
}

/* Returns whether the loop did not have the block yet. */
static bool add_loop_block(struct loop_forest *forest, uint32_t loop, uint32_t block)
{
	struct code_loop *to = &forest->loops[loop];

	if (loop_has_block(forest, loop, block))
		return false;
	forest->member[(size_t)loop * forest->code->block_count + block] = 1;
	to->blocks++;
	to->first = block < to->first ? block : to->first;
	to->end = block < to->end ? to->end : block + 1;
	return true;
}

/* Adds the blocks from which `latch` is reached without passing the header. `stack` has room for
 * all blocks. */
static void add_body(struct loop_forest *forest, uint32_t loop, uint32_t latch, uint32_t *stack)
{
	const struct cfg *code = forest->code;
	size_t depth = 0;

	add_loop_block(forest, loop, forest->loops[loop].header);
	if (add_loop_block(forest, loop, latch))
		stack[depth++] = latch;
	while (depth) {
		const struct basic_block *block = &code->blocks[stack[--depth]];

		each_predecessor (from, code, block)
			/* what pads the way to the target of a jump never runs */
			if (!(code->blocks[from].flags & BLOCK_PADDING) &&
			    add_loop_block(forest, loop, from))
				stack[depth++] = from;
	}
}

/* Goes over the blocks of a loop. */
#define each_block_of(block, forest, loop)                                                         \
	for (uint32_t block = (forest)->loops[loop].first; block < (forest)->loops[loop].end;      \
	     block++)                                                                              \
		if (loop_has_block(forest, loop, block))

/* Marks what is reached from a block, forwards or backwards, without passing `limit`. */
static void mark_reached(const struct loop_forest *forest, uint32_t start, uint32_t limit,
			 bool forwards, uint8_t *marks)
{
	const struct cfg *code = forest->code;
	_cleanup_free_ uint32_t *stack = xcalloc(code->block_count + 1, sizeof(*stack));
	size_t count = 0;

	loop_take_work(forest, code->block_count);
	marks[stack[count++] = start] = 1;
	while (count) {
		const struct basic_block *at = &code->blocks[stack[--count]];
		uint32_t edges = forwards ? at->successor_count : at->predecessor_count,
			 first = forwards ? at->successor_first : at->predecessor_first;

		for (uint32_t i = 0; i < edges; i++) {
			uint32_t next = code->edges[first + i];

			if (next != limit && !marks[next])
				marks[stack[count++] = next] = 1;
		}
	}
}

/* Adds the loop of an edge that leads back, from a block that its target does not dominate:
 * compilers enter a loop in two places if they know how a test in the first iteration ends.
 *
 *     for (n = root; !n->leaf; n = n->down[i])
 *             for (i = 0; i < n->count && n->keys[i] <= key; i++)
 */
static void add_entered_loop(struct loop_forest *forest, uint32_t from, uint32_t to, uint32_t *of,
			     size_t *capacity)
{
	const size_t blocks = forest->code->block_count;
	_cleanup_free_ uint8_t *after = xcalloc(blocks, 1), *before = xcalloc(blocks, 1);
	uint32_t limit = UINT32_MAX, least = UINT32_MAX, loop;

	array_each (const struct code_loop, around, forest->loops, forest->loop_count) {
		uint32_t number = (uint32_t)(around - forest->loops);

		if (!loop_has_block(forest, number, from) || !loop_has_block(forest, number, to) ||
		    around->blocks >= least)
			continue;
		/* the loop of another edge of the same kind */
		if (!loop_block_dominates(forest, around->header, from))
			return;
		limit = around->header;
		least = around->blocks;
	}
	loop = of[to] == LOOP_NONE ? loop_of_header(forest, to, of, capacity) : LOOP_NONE;
	if (loop == LOOP_NONE)
		return;
	mark_reached(forest, to, limit, true, after);
	mark_reached(forest, from, limit, false, before);
	for (uint32_t block = 0; block < blocks; block++)
		if (after[block] && before[block])
			add_loop_block(forest, loop, block);
}

/* Finds the loops that are entered in several places, whose headers dominate nothing. */
static void find_entered_loops(struct loop_forest *forest, uint32_t *of, size_t *capacity)
{
	const struct cfg *code = forest->code;
	_cleanup_free_ uint8_t *passed = xcalloc(code->block_count, 1);

	for (size_t i = 0; i < code->block_count; i++) {
		uint32_t from = code->order[i];

		passed[from] = 1;
		each_successor (to, code, &code->blocks[from])
			if (passed[to] && forest->dominated[from] && forest->dominated[to] &&
			    !loop_block_dominates(forest, to, from))
				add_entered_loop(forest, from, to, of, capacity);
	}
}

static void find_loops(struct loop_forest *forest)
{
	const struct cfg *code = forest->code;
	_cleanup_free_ uint32_t *of = xcalloc(code->block_count, sizeof(*of));
	_cleanup_free_ uint32_t *stack = xcalloc(code->block_count + 1, sizeof(*stack));
	size_t capacity = 0;

	for (uint32_t block = 0; block < code->block_count; block++)
		of[block] = LOOP_NONE;
	array_indexed (const struct basic_block, b, block, code->blocks, code->block_count) {
		each_successor (header, code, b) {
			uint32_t loop;

			if (!loop_block_dominates(forest, header, block))
				continue;
			loop = loop_of_header(forest, header, of, &capacity);
			if (loop != LOOP_NONE)
				add_body(forest, loop, block, stack);
		}
	}
	find_entered_loops(forest, of, &capacity);
}

static void find_loops_around(struct loop_forest *forest)
{
	array_each (struct code_loop, inner, forest->loops, forest->loop_count) {
		for (uint32_t i = 0; i < forest->loop_count; i++)
			if (forest->loops[i].blocks > inner->blocks &&
			    loop_has_block(forest, i, inner->header) &&
			    (inner->around == LOOP_NONE ||
			     forest->loops[i].blocks < forest->loops[inner->around].blocks))
				inner->around = i;
	}
}

/* Returns the registers that the blocks which are in no loop within this one load through
 * themselves, as `mov 8(%rdi), %rdi` does, and do not write otherwise. */
static uint64_t chased_registers(const struct loop_forest *forest, uint32_t loop)
{
	const struct cfg *code = forest->code;
	uint64_t chased = 0, written = 0;

	each_block_of (block, forest, loop) {
		const struct basic_block *b = &code->blocks[block];

		if (forest->loop_of[block] != loop)
			continue;
		loop_take_work(forest, b->count);
		for (uint32_t i = b->first; i < b->first + b->count; i++) {
			const struct insn *insn = &code->insns[i];
			const struct operand *from = insn_memory(insn, false);

			if (insn->operation == OP_MOVE && from && from->index == REG_NONE &&
			    from->base != REG_NONE && reg_is_general(from->base) &&
			    insn->written == REG_BIT(from->base))
				chased |= insn->written;
			else
				written |= insn->written;
		}
	}
	return chased & ~written;
}

/* Makes one loop of two that go down a tree together. The way to the right child passes the test
 * for NULL, and compilers let that to the left child jump behind the test: one way looks like a
 * loop within the other one.
 *
 *     while (at && at->key != key)
 *             at = key < at->key ? at->left : at->right;
 */
static void merge_descents(struct loop_forest *forest)
{
	for (uint32_t inner = 0; inner < forest->loop_count; inner++) {
		uint32_t outer = forest->loops[inner].around;

		if (outer == LOOP_NONE || forest->loops[outer].merged != LOOP_NONE ||
		    any_of(i, 0, forest->loop_count, forest->loops[i].around == inner) ||
		    !(chased_registers(forest, inner) & chased_registers(forest, outer)))
			continue;
		forest->loops[outer].merged = inner;
		each_block_of (block, forest, inner)
			forest->loop_of[block] = outer;
	}
}

void loop_forest_init(struct loop_forest *forest, const struct cfg *code, uint64_t *work)
{
	*forest = (struct loop_forest){
		.code = code,
		.work = work,
		.loop_of = xcalloc(code->block_count, sizeof(uint32_t)),
		.idom = xcalloc(code->block_count, sizeof(uint32_t)),
		.place = xcalloc(code->block_count, sizeof(uint32_t)),
		.dominated = xcalloc(code->block_count, sizeof(uint32_t)),
	};
	for (size_t i = 0; i < code->block_count; i++)
		forest->loop_of[i] = LOOP_NONE;
	if (!code->block_count || code->block_count > BLOCKS_MAX || !find_dominators(forest))
		return;
	find_loops(forest);
	for (uint32_t loop = 0; loop < forest->loop_count; loop++)
		each_block_of (block, forest, loop) {
			uint32_t inner = forest->loop_of[block];

			if (inner == LOOP_NONE ||
			    forest->loops[loop].blocks < forest->loops[inner].blocks)
				forest->loop_of[block] = loop;
		}
	find_loops_around(forest);
	merge_descents(forest);
}

void loop_forest_deinit(struct loop_forest *forest)
{
	for (size_t i = 0; i < forest->loop_count; i++)
		free(forest->loops[i].writes);
	free_all(forest->loops, forest->loop_of, forest->member, forest->idom, forest->place,
		 forest->dominated);
	*forest = (struct loop_forest){ 0 };
}

/* ---- walks ---- */

/* The state of following one value back. */
struct follower {
	const struct loop_forest *forest;
	uint32_t loop;
	bool start;     /* of an inner loop: values before its first iteration, where */
	uint32_t begun; /* it is the loop */
	/* definitions that are being followed, and loads, sums and products between */
	uint32_t followed[DEPTH_MAX + 2];
	uint32_t loads[DEPTH_MAX + 2], sums[DEPTH_MAX + 2], products[DEPTH_MAX + 2];
	uint32_t depth, load_count, sum_count, product_count;
};

/* A place that holds a value: a register, or a slot of memory whose address is the same in all
 * iterations. Code that is not optimized keeps its variables in slots of the stack, and reloads
 * them each time. */
struct value_place {
	uint8_t reg;
	const struct operand *slot; /* NULL: the register */
	const struct loop_member *member; /* of a record, in the slot; NULL: not known */
};

static bool same_slot(const struct operand *a, const struct operand *b)
{
	return a->kind == OPERAND_MEMORY && a->base == b->base && a->index == REG_NONE &&
	       a->segment == b->segment && a->absolute == b->absolute &&
	       a->pc_relative == b->pc_relative && a->value == b->value;
}

/* Returns whether both may be one place: the same member of the same record, or bytes of a record
 * that one of them has within another one, as `queue.head.next` and `node->prev->next`. */
static bool may_be_one(const struct loop_member *a, const struct loop_member *b)
{
	if (a->outer && b->outer && a->whole == b->whole)
		return a->outer == b->outer;
	return a->inner && a->inner == b->inner && a->offset < b->offset + b->size &&
	       b->offset < a->offset + a->size;
}

/* Returns whether the instruction sets the place, or a part of it. */
static bool writes_place(const struct insn *insn, const struct value_place *place)
{
	if (!place->slot)
		return insn->written & REG_BIT(place->reg);
	return any_of(i, 0, insn->operand_count,
		      insn->operands[i].write && same_slot(&insn->operands[i], place->slot));
}

/* Returns whether the instruction may set the place: through whatever pointer the same member is
 * written, it may be the slot, as the head of a list from which the loop takes what it finds. */
static bool may_write_place(const struct loop_forest *forest, uint32_t number,
			    const struct value_place *place)
{
	const struct insn *insn = &forest->code->insns[number];

	return writes_place(insn, place) ||
	       (place->member && may_be_one(&forest->members[number], place->member) &&
		any_of(i, 0, insn->operand_count,
		       insn->operands[i].write && insn->operands[i].kind == OPERAND_MEMORY));
}

/* Returns whether the instruction adds a constant to the place, which keeps the object. */
static bool adds_constant(const struct insn *insn, const struct value_place *place, int64_t *change)
{
	const struct operand *to = &insn->operands[0], *by = &insn->operands[1];

	if (!place->slot)
		return insn_adds_constant(insn, place->reg, change);
	if (insn->operand_count < 2 || !same_slot(to, place->slot) ||
	    by->kind != OPERAND_IMMEDIATE ||
	    (insn->operation != OP_ADD && insn->operation != OP_SUB))
		return false;
	*change = insn->operation == OP_ADD ? by->value : -by->value;
	return true;
}

/* Returns whether a call may change the place: a register that is not preserved, or a variable on
 * the stack whose address the function takes. */
static bool calls_change(const struct loop_forest *forest, const struct value_place *place)
{
	const struct cfg *code = forest->code;

	if (!place->slot)
		return place->reg >= REG_COUNT ||
		       !(code->arch->call.preserved & REG_BIT(place->reg));
	loop_take_work(forest, code->insn_count);
	return any_of(i, 0, code->insn_count,
		      code->insns[i].operation == OP_LEA && code->insns[i].operand_count > 1 &&
			      same_slot(&code->insns[i].operands[1], place->slot));
}

/* A place, and whether calls may change it, which is found when the first call is met. */
struct followed_place {
	const struct value_place *place;
	bool asked, changes;
};

static bool call_changes(const struct loop_forest *forest, const struct insn *insn,
			 struct followed_place *followed)
{
	if (insn->operation != OP_CALL)
		return false;
	if (!followed->asked)
		followed->changes = calls_change(forest, followed->place);
	followed->asked = true;
	return followed->changes;
}

/* Adds an instruction that writes the place. An addition that is repeated on another path through
 * the loop, as for a `continue`, is no second step. */
static void add_write(const struct loop_forest *forest, uint32_t number,
		      const struct value_place *place, struct place_writes *writes)
{
	uint32_t block = cfg_block_of(forest->code, number);
	int64_t constant;

	if (adds_constant(&forest->code->insns[number], place, &constant)) {
		if (writes->additions++ && constant == writes->constant &&
		    !loop_block_dominates(forest, writes->block, block) &&
		    !loop_block_dominates(forest, block, writes->block))
			return;
		writes->constant = constant;
		writes->block = block;
		writes->step = (int64_t)((uint64_t)writes->step + (uint64_t)constant);
		return;
	}
	writes->count++;
	writes->last = number;
}

/* Returns the definitions of each general register in the loop. All are found at once, because they
 * are asked for one by one. */
static const struct place_writes *register_writes(const struct follower *follower)
{
	const struct cfg *code = follower->forest->code;
	struct code_loop *loop = &follower->forest->loops[follower->loop];
	const uint64_t preserved = code->arch->call.preserved,
		       stack = REG_BIT(code->arch->stack_pointer);
	struct place_writes *writes = loop->writes;
	uint64_t changed = 0;
	bool calls = false;

	if (writes)
		return writes;
	writes = loop->writes = xcalloc(REG_GENERAL_COUNT, sizeof(*writes));
	loop_take_work(follower->forest, code->block_count / 4);
	each_block_of (block, follower->forest, follower->loop) {
		const struct basic_block *b = &code->blocks[block];

		loop_take_work(follower->forest, b->count);
		for (uint32_t i = b->first; i < b->first + b->count; i++) {
			const struct insn *insn = &code->insns[i];
			bool call = insn->operation == OP_CALL;

			calls |= call;
			/* a call leaves the stack pointer as it was */
			changed |= call ? (insn->written | ~preserved) & ~stack : insn->written;
			bits_each (reg, insn->written & GENERAL_MASK) {
				add_write(follower->forest, i, &(struct value_place){ .reg = reg },
					  &writes[reg]);
			}
		}
	}
	for (unsigned int reg = 0; reg < REG_GENERAL_COUNT; reg++)
		writes[reg].called = calls && !(preserved & REG_BIT(reg));
	loop->fixed = ~changed;
	return writes;
}

/* Returns the definitions of a general register or a slot in the loop. */
static struct place_writes find_definitions(const struct follower *follower,
					    const struct value_place *place)
{
	const struct cfg *code = follower->forest->code;
	struct place_writes found = { 0 };
	struct followed_place followed = { .place = place };

	if (!place->slot)
		return register_writes(follower)[place->reg];
	loop_take_work(follower->forest, code->block_count / 4);
	each_block_of (block, follower->forest, follower->loop) {
		const struct basic_block *b = &code->blocks[block];

		loop_take_work(follower->forest, b->count);
		for (uint32_t i = b->first; i < b->first + b->count; i++) {
			found.called |= call_changes(follower->forest, &code->insns[i], &followed);
			if (may_write_place(follower->forest, i, place))
				add_write(follower->forest, i, place, &found);
		}
	}
	return found;
}

/* Returns whether the loop leaves a register alone. */
static bool is_fixed(const struct follower *follower, uint8_t reg)
{
	return reg_is_general(reg) && register_writes(follower) &&
	       follower->forest->loops[follower->loop].fixed & REG_BIT(reg);
}

/* Returns whether the operand is a slot: it is at the same address in all iterations. */
static bool is_slot(const struct follower *follower, const struct operand *operand)
{
	return operand->kind == OPERAND_MEMORY && operand->index == REG_NONE &&
	       operand->segment == SEGMENT_NONE &&
	       (operand->base == REG_NONE ? operand->absolute : is_fixed(follower, operand->base));
}

static uint32_t slot_origin(const struct operand *slot)
{
	return LOOP_ORIGIN_SLOT | (uint32_t)(hash_combine(slot->base, (uint64_t)slot->value) >> 34);
}

/* Returns how the value that a place has before an instruction changes. */
static struct address_walk follow(struct follower *follower, const struct value_place *place,
				  uint32_t before, int depth);

static struct address_walk follow_register(struct follower *follower, uint8_t reg, uint32_t before,
					   int depth)
{
	return follow(follower, &(struct value_place){ .reg = reg }, before, depth);
}

/* Returns a step times a number; 0, a step that is not known, if that is out of range. */
static int64_t scaled(int64_t step, int64_t number)
{
	return __builtin_mul_overflow(step, number, &step) ? 0 : step;
}

static struct address_walk sum_walks(struct address_walk a, struct address_walk b, int64_t scale)
{
	b.step = scaled(b.step, scale);
	if (b.kind == VALUE_SAME)
		return a;
	if (a.kind == VALUE_SAME)
		return b;
	if (a.kind == VALUE_INDUCTION && b.kind == VALUE_INDUCTION) {
		if (!a.step || !b.step || __builtin_add_overflow(a.step, b.step, &a.step))
			a.step = 0;
		return a;
	}
	/* whatever is added, the address is known only when the load is done */
	if (a.kind == VALUE_CHASED || b.kind == VALUE_CHASED)
		return a.kind == VALUE_CHASED ? a : b;
	return a.kind > b.kind ? a : b;
}

static struct address_walk follow_operand(struct follower *follower, const struct operand *operand,
					  uint32_t insn, int depth)
{
	struct address_walk same = { .kind = VALUE_SAME, .origin = insn };

	if (operand->kind == OPERAND_IMMEDIATE)
		return same;
	if (operand->kind == OPERAND_REGISTER)
		return follow_register(follower, operand->reg, insn, depth + 1);
	if (operand->kind == OPERAND_MEMORY) {
		struct address_walk base = same, index = same;

		if (operand->base != REG_NONE)
			base = follow_register(follower, operand->base, insn, depth + 1);
		if (operand->index != REG_NONE) {
			bool product = operand->scale > 1 || operand->index == operand->base;

			follower->product_count += product;
			index = follow_register(follower, operand->index, insn, depth + 1);
			follower->product_count -= product;
		}
		base = sum_walks(base, index, operand->scale ?: 1);
		base.indexed |= operand->base != REG_NONE && operand->index != REG_NONE;
		return base;
	}
	return (struct address_walk){ .kind = VALUE_OTHER, .origin = insn };
}

/* Returns the walk of the value that an operand has: one in a slot is that of its variable. */
static struct address_walk follow_value(struct follower *follower, const struct operand *from,
					uint32_t number, int depth)
{
	struct address_walk result;

	if (!is_slot(follower, from))
		return follow_operand(follower, from, number, depth);
	const struct loop_member *members = follower->forest->members;

	result = follow(follower,
			&(struct value_place){ .reg = REG_NONE,
					       .slot = from,
					       .member = members ? &members[number] : NULL },
			number, depth + 1);
	result.origin = slot_origin(from);
	return result;
}

static struct address_walk follow_once(struct follower *follower, uint32_t number, int depth);

/* Returns the walk of the value at an address that is the same in all iterations, `address`, though
 * it is in a register that the loop loads again each time: that of what the loop stores there. */
static struct address_walk follow_stored(struct follower *follower, const struct operand *from,
					 struct address_walk address, int depth)
{
	const struct cfg *code = follower->forest->code;
	struct address_walk result = address;
	uint32_t stores = 0;

	loop_take_work(follower->forest, code->block_count / 4);
	each_block_of (block, follower->forest, follower->loop) {
		const struct basic_block *b = &code->blocks[block];

		loop_take_work(follower->forest, b->count);
		for (uint32_t i = b->first; i < b->first + b->count; i++) {
			const struct operand *to = insn_memory(&code->insns[i], true);
			struct address_walk at, stored;

			if (!to || !to->write || to->index != REG_NONE || to->base == REG_NONE ||
			    to->value != from->value || is_slot(follower, to))
				continue;
			at = follow_register(follower, to->base, i, depth + 1);
			if (at.kind != VALUE_SAME || at.origin != address.origin)
				continue;
			stored = follow_once(follower, i, depth + 1);
			if (code->insns[i].operation != OP_MOVE ||
			    (stores && (stored.kind != result.kind || stored.step != result.step)))
				stored.kind = VALUE_OTHER;
			stores++;
			result = stored;
		}
	}
	return result;
}

/* Returns the walk of the value that a move or a load gives. */
static struct address_walk follow_move(struct follower *follower, const struct operand *from,
				       uint32_t number, int depth)
{
	bool loads = from->kind == OPERAND_MEMORY && !is_slot(follower, from);
	struct address_walk result;

	follower->load_count += loads;
	result = follow_value(follower, from, number, depth);
	follower->load_count -= loads;
	if (!loads)
		return result;
	result.indexed = false;
	result.aside |= result.kind == VALUE_CHASED && result.closed;
	if (result.kind == VALUE_SAME && from->base != REG_NONE && from->index == REG_NONE &&
	    result.origin != UINT32_MAX) {
		result = follow_stored(follower, from, result, depth);
		result.origin = number;
		if (result.kind != VALUE_SAME)
			return result;
	}
	result.origin = result.load = number;
	/* A load from an address that advances gives an unrelated value each time. */
	if (result.kind == VALUE_INDUCTION)
		result.kind = VALUE_LOADED;
	return result;
}

/* Returns the walk of a value that some iterations take from one place, and some from another. */
static struct address_walk either_walk(const struct loop_forest *forest, struct address_walk one,
				       struct address_walk other)
{
	if (one.kind != other.kind || one.step != other.step)
		one.kind = VALUE_OTHER;
	one.several |= other.several ||
		       (one.kind == VALUE_CHASED && forest->members &&
			forest->members[one.load].outer != forest->members[other.load].outer);
	return one;
}

/* Returns the walk of the value that an instruction makes of its operands. */
static struct address_walk follow_definition(struct follower *follower, uint32_t number, int depth)
{
	const struct insn *insn = &follower->forest->code->insns[number];
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
	struct address_walk result = { .kind = VALUE_OTHER, .origin = number };

	if (insn->operand_count < 1)
		return result;
	switch (insn->operation) {
	case OP_ZERO: result.kind = VALUE_SAME; break;
	case OP_MOVE:
	case OP_MOVE_ZERO:
	case OP_MOVE_SIGN:
		result = follow_move(follower, from, number, depth);
		/* all registers that a slot is loaded into have the same value */
		if (address_walk_has_slot(&result) && from->kind == OPERAND_MEMORY)
			return result;
		break;
	case OP_CONDITIONAL: {
		/* `t = key < t->key ? t->left : t->right` */
		struct address_walk kept = follow_register(follower, to->reg, number, depth + 1);

		result = either_walk(follower->forest, follow_move(follower, from, number, depth),
				     kept);
		break;
	}
	case OP_LEA: result = follow_operand(follower, from, number, depth); break;
	case OP_ADD:
	case OP_SUB:
		/* 15 * i is 16 * i - i */
		result = sum_walks(follow_value(follower, to, number, depth),
				   follow_value(follower, from, number, depth),
				   insn->operation == OP_ADD ? 1 : -1);
		result.indexed |= from->kind != OPERAND_IMMEDIATE;
		break;
	case OP_SHIFT_LEFT:
		follower->product_count++;
		result = follow_value(follower, to, number, depth);
		follower->product_count--;
		result.step = from->kind == OPERAND_IMMEDIATE && (uint64_t)from->value < 32
				      ? scaled(result.step, INT64_C(1) << from->value)
				      : 0;
		break;
	case OP_MULTIPLY: {
		bool constant =
			insn->operand_count == 3 && insn->operands[2].kind == OPERAND_IMMEDIATE;

		follower->product_count++;
		result = follow_value(follower, from, number, depth);
		/* `y * width` of a loop around */
		if (!constant &&
		    (result.kind != VALUE_SAME || insn->operand_count < 3 ||
		     follow_value(follower, &insn->operands[2], number, depth).kind != VALUE_SAME))
			result.kind = VALUE_OTHER;
		follower->product_count--;
		if (constant)
			result.step = scaled(result.step, insn->operands[2].value);
		break;
	}
	default: break;
	}
	result.origin = number;
	return result;
}

/* The definitions in the loop whose values a place may have at one instruction. */
struct loop_definitions {
	uint32_t items[DEFINITIONS_MAX];
	uint32_t count;
	bool unknown; /* a call may be one, or there are too many */
};

static void add_definition(struct loop_definitions *definitions, uint32_t insn)
{
	for (uint32_t i = 0; i < definitions->count; i++)
		if (definitions->items[i] == insn)
			return;
	if (definitions->count == DEFINITIONS_MAX)
		definitions->unknown = true;
	else
		definitions->items[definitions->count++] = insn;
}

/* Returns whether an edge leads to another iteration of the loop whose first one is followed. */
static bool is_next_iteration(const struct follower *follower, uint32_t from,
			      const struct basic_block *to)
{
	const struct loop_forest *forest = follower->forest;

	return follower->start &&
	       to == &forest->code->blocks[forest->loops[follower->begun].header] &&
	       loop_has_block(forest, follower->begun, from);
}

/* Finds the definitions that reach the start of a block, but no added constants. */
static struct loop_definitions reaching_definitions(const struct follower *follower,
						    const struct value_place *place, uint32_t start)
{
	const struct cfg *code = follower->forest->code;
	_cleanup_free_ uint8_t *seen = xcalloc(code->block_count + 1, 1);
	_cleanup_free_ uint32_t *stack = xcalloc(code->block_count + 1, sizeof(*stack));
	struct loop_definitions found = { 0 };
	struct followed_place followed = { .place = place };
	size_t count = 0;

	loop_take_work(follower->forest, code->block_count / 4);
	stack[count++] = start;
	while (count && !found.unknown) {
		const struct basic_block *to = &code->blocks[stack[--count]];

		each_predecessor (from, code, to) {
			const struct basic_block *block = &code->blocks[from];
			bool defined = false;

			if (seen[from] || !loop_has_block(follower->forest, follower->loop, from) ||
			    is_next_iteration(follower, from, to))
				continue;
			seen[from] = 1;
			loop_take_work(follower->forest, block->count);
			for (uint32_t k = block->first + block->count;
			     k-- > block->first && !defined;) {
				const struct insn *insn = &code->insns[k];
				int64_t constant;

				defined = call_changes(follower->forest, insn, &followed);
				found.unknown |= defined;
				if (!may_write_place(follower->forest, k, place) ||
				    adds_constant(insn, place, &constant))
					continue;
				add_definition(&found, k);
				defined |= writes_place(insn, place);
			}
			if (!defined)
				stack[count++] = from;
		}
	}
	return found;
}

/* Returns the walk of the value that the definition gives, which may come from its last value. */
static struct address_walk follow_once(struct follower *follower, uint32_t number, int depth)
{
	struct address_walk result;
	enum operation operation;
	bool sums;

	for (uint32_t i = 0; i < follower->depth; i++) {
		if (follower->followed[i] != number)
			continue;
		/* without a load on the way, the value is a sum that grows by an unknown number; or
		 * it is put away and taken back */
		if (follower->load_count == follower->loads[i] &&
		    follower->product_count != follower->products[i])
			break; /* `i = 2 * i` */
		if (follower->load_count == follower->loads[i])
			return (struct address_walk){ .kind = follower->sum_count ==
									      follower->sums[i]
								      ? VALUE_SAME
								      : VALUE_INDUCTION,
						      .origin = number };
		return (struct address_walk){
			.kind = VALUE_CHASED, .load = number, .cycle = number, .origin = number
		};
	}
	if (follower->depth >= COUNT_OF(follower->followed) ||
	    (any_of(i, 0, follower->depth, follower->followed[i] == number)))
		return (struct address_walk){ .kind = VALUE_OTHER, .origin = number };
	follower->followed[follower->depth] = number;
	follower->sums[follower->depth] = follower->sum_count;
	follower->products[follower->depth] = follower->product_count;
	follower->loads[follower->depth++] = follower->load_count;
	operation = follower->forest->code->insns[number].operation;
	sums = operation != OP_MOVE && operation != OP_MOVE_ZERO && operation != OP_MOVE_SIGN &&
	       operation != OP_CONDITIONAL;
	follower->sum_count += sums;
	result = follow_definition(follower, number, depth);
	follower->sum_count -= sums;
	follower->depth--;
	result.closed |= result.kind == VALUE_CHASED && result.cycle == number;
	return result;
}

/* Returns the walk on which all definitions of a place that reach a block agree. Compilers copy the
 * `e = e->next` of a loop to the end of each branch. */
static struct address_walk follow_all(struct follower *follower, const struct value_place *place,
				      uint32_t block, int depth)
{
	struct loop_definitions all = reaching_definitions(follower, place, block);
	/* where a loop begins, a value may be that of before the loop around; a call may leave a
	 * slot as it was */
	bool before = follower->start && (all.unknown ? place->slot != NULL : !all.count);
	struct address_walk result = { .kind = before ? VALUE_SAME : VALUE_OTHER,
				       .origin = UINT32_MAX };

	bool any = false;

	for (uint32_t i = 0; i < all.count && !all.unknown; i++) {
		struct address_walk walk = follow_once(follower, all.items[i], depth);
		bool sure = writes_place(&follower->forest->code->insns[all.items[i]], place);

		/* what was found is put elsewhere, or NULL is */
		if (walk.kind == VALUE_SAME && !sure && (any || i + 1 < all.count))
			continue;
		result = any ? either_walk(follower->forest, result, walk) : walk;
		any = true;
	}
	return result;
}

static struct address_walk follow(struct follower *follower, const struct value_place *place,
				  uint32_t before, int depth)
{
	const struct cfg *code = follower->forest->code;
	uint32_t block = cfg_block_of(code, before), first = code->blocks[block].first;
	struct address_walk other = { .kind = VALUE_OTHER, .origin = before };
	struct place_writes all;
	struct address_walk result;
	struct followed_place followed = { .place = place };
	uint32_t sums = 0;

	if (depth > DEPTH_MAX || !*follower->forest->work ||
	    (!place->slot && !reg_is_general(place->reg)))
		return other;
	/* The last definition before the use in its block; added constants keep the object. */
	loop_take_work(follower->forest, before - first);
	for (uint32_t i = before; i-- > first;) {
		const struct insn *insn = &code->insns[i];
		int64_t constant;

		if (call_changes(follower->forest, insn, &followed))
			return (struct address_walk){ .kind = VALUE_OTHER, .origin = i };
		if (!writes_place(insn, place))
			continue;
		if (adds_constant(insn, place, &constant)) {
			sums++;
			continue;
		}
		follower->sum_count += sums;
		result = follow_once(follower, i, depth);
		follower->sum_count -= sums;
		return result;
	}
	all = find_definitions(follower, place);
	if (!all.count && !all.called)
		return (struct address_walk){ .kind = all.additions ? VALUE_INDUCTION : VALUE_SAME,
					      .step = all.additions ? all.step : 0,
					      .origin = UINT32_MAX };
	follower->sum_count += all.additions;
	result = all.count > 1 || all.called || follower->start
			 ? follow_all(follower, place, block, depth)
			 : follow_once(follower, all.last, depth);
	follower->sum_count -= all.additions;
	return result;
}

struct address_walk loop_address_walk(const struct loop_forest *forest, uint32_t loop,
				      uint32_t insn, const struct operand *memory)
{
	struct follower follower = { .forest = forest, .loop = loop };

	if (loop == LOOP_NONE)
		return (struct address_walk){ .kind = VALUE_OTHER, .origin = UINT32_MAX };
	if (memory->base == REG_NONE && memory->index == REG_NONE)
		return (struct address_walk){ .kind = VALUE_SAME, .origin = UINT32_MAX };
	return follow_operand(&follower, memory, insn, 0);
}

bool loop_begins_anew(const struct loop_forest *forest, uint32_t loop, uint32_t insn,
		      const struct operand *memory)
{
	const struct code_loop *loops = forest->loops;
	uint32_t around;

	for (; (around = loops[loop].around) != LOOP_NONE; loop = around) {
		struct follower follower = {
			.forest = forest, .loop = around, .start = true, .begun = loop
		};
		struct address_walk begin = follow_operand(&follower, memory, insn, 0);

		/* Go's functions begin anew when they have got more of the stack */
		if (!loops[around].header)
			break;
		if (begin.kind != VALUE_SAME && begin.kind != VALUE_INDUCTION)
			return true;
		if (loops[around].blocks > loops[loop].blocks + WRAP_BLOCKS)
			break;
	}
	return false;
}

/* Returns whether the block dominates all sources of back edges of a loop. */
static bool is_always_passed(const struct loop_forest *forest, uint32_t loop, uint32_t block)
{
	const struct cfg *code = forest->code;
	const struct basic_block *header = &code->blocks[forest->loops[loop].header];

	if (block == forest->loops[loop].header)
		return true;
	each_predecessor (from, code, header)
		if (loop_has_block(forest, loop, from) &&
		    !loop_block_dominates(forest, block, from))
			return false;
	return true;
}

bool loop_always_runs(const struct loop_forest *forest, uint32_t loop, uint32_t block)
{
	uint32_t merged = forest->loops[loop].merged;

	return is_always_passed(forest, loop, block) &&
	       (merged == LOOP_NONE || is_always_passed(forest, merged, block));
}

/* Returns whether the function ends with the block: others without a successor end in calls that do
 * not return. */
static bool ends_function(const struct cfg *code, const struct basic_block *block)
{
	enum operation last =
		block->count ? code->insns[block->first + block->count - 1].operation : OP_OTHER;

	return !block->successor_count && (last == OP_RETURN || last == OP_JUMP);
}

/* Returns whether a way from `start` to the block `goal` passes none of the marked blocks but
 * perhaps `start`, within one iteration of the loop. Without a goal (UINT32_MAX), the way leads out
 * of the loop, or to the end of the function (LOOP_NONE). */
static bool may_end(const struct loop_forest *forest, uint32_t loop, uint32_t start, uint32_t goal,
		    const uint8_t *marks)
{
	const struct cfg *code = forest->code;
	_cleanup_free_ uint32_t *stack = xcalloc(code->block_count + 1, sizeof(*stack));
	_cleanup_free_ uint8_t *seen = xcalloc(code->block_count + 1, 1);
	size_t count = 0;

	loop_take_work(forest, code->block_count / 4);
	seen[stack[count++] = start] = 1;
	if (loop != LOOP_NONE)
		seen[forest->loops[loop].header] = 1;
	while (count) {
		const struct basic_block *from = &code->blocks[stack[--count]];

		if (goal == UINT32_MAX && ends_function(code, from))
			return true;
		loop_take_work(forest, 1);
		each_successor (to, code, from) {
			bool leaves = loop != LOOP_NONE && !loop_has_block(forest, loop, to);

			if (to == goal || (leaves && goal == UINT32_MAX))
				return true;
			if (seen[to] || marks[to] || leaves)
				continue;
			seen[to] = 1;
			stack[count++] = to;
		}
	}
	return false;
}

static bool iteration_may_avoid(const struct loop_forest *forest, uint32_t loop,
				const uint8_t *marks)
{
	uint32_t header = forest->loops[loop].header;

	return !marks[header] && may_end(forest, loop, header, header, marks);
}

bool loop_may_avoid(const struct loop_forest *forest, uint32_t loop, const uint8_t *marks)
{
	uint32_t merged = forest->loops[loop].merged;

	return iteration_may_avoid(forest, loop, marks) ||
	       (merged != LOOP_NONE && iteration_may_avoid(forest, merged, marks));
}

bool loop_end_may_avoid(const struct loop_forest *forest, uint32_t loop, uint32_t block,
			const uint8_t *marks)
{
	uint32_t header = forest->loops[loop].header;

	return !marks[header] && !marks[block] &&
	       (block == header || may_end(forest, loop, header, block, marks)) &&
	       may_end(forest, loop, block, UINT32_MAX, marks);
}

bool loop_runs_may_avoid(const struct loop_forest *forest, uint32_t block, const uint8_t *marks)
{
	return !marks[block] &&
	       (!block || (!marks[0] && may_end(forest, LOOP_NONE, 0, block, marks))) &&
	       may_end(forest, LOOP_NONE, block, UINT32_MAX, marks);
}

/* ---- choices ---- */

bool loop_is_choice(const struct loop_forest *forest, uint32_t loop, uint32_t block)
{
	const struct basic_block *b = &forest->code->blocks[block];
	uint32_t ways = 0;

	if (!loop_has_block(forest, loop, block))
		return false;
	each_successor (to, forest->code, b)
		ways += loop_has_block(forest, loop, to);
	return ways > 1;
}

uint32_t loop_choices(const struct loop_forest *forest, uint32_t loop)
{
	uint32_t choices = 0;

	each_block_of (block, forest, loop)
		choices += loop_is_choice(forest, loop, block);
	return choices;
}

bool loop_searches(const struct loop_forest *forest, uint32_t loop)
{
	const struct cfg *code = forest->code;
	uint32_t exits = 0;

	each_block_of (block, forest, loop) {
		bool leaves = false;

		each_successor (to, code, &code->blocks[block])
			leaves |= !loop_has_block(forest, loop, to) &&
				  (code->blocks[to].successor_count ||
				   ends_function(code, &code->blocks[to]));
		exits += leaves;
	}
	return exits > 1;
}

bool loop_calls(const struct loop_forest *forest, uint32_t loop)
{
	const struct cfg *code = forest->code;

	each_block_of (block, forest, loop) {
		const struct basic_block *b = &code->blocks[block];

		if (any_of(i, b->first, b->first + b->count, code->insns[i].operation == OP_CALL))
			return true;
	}
	return false;
}
