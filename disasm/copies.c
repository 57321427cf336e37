// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements copies.h: a walk over each tree of blocks that follow one another without a join,
 * which remembers the places that registers were loaded from, and pairs each load with the stores
 * of its value.
 *
 * An address is a sum of registers and a number. A register that holds such a sum by itself (lea,
 * mov) is replaced by it, and each is told from its later values by how many writes there were
 * before.
 */
#include "disasm/copies.h"

#include "base/memory.h"

/* The copies that are open at a time. Compilers mix the moves of two or three. */
#define OPEN_MAX 8
/* The blocks on a way through a tree: an object whose parts are copied beside checks. */
#define DEPTH_MAX 8
/* A copy in the frame of a function has its bytes looked up one by one. */
#define FRAME_SPAN_MAX 4096

/* A sum of registers, each as it was after a number of writes, and a number. */
struct sum {
	uint8_t base, index, scale;
	bool absolute, known;
	uint32_t base_write, index_write;
	int64_t value;
};

/* A memory operand and its address. */
struct copied_place {
	const struct operand *operand; /* NULL: none */
	uint32_t insn;
	struct sum at;
};

/* A value that is loaded and stored. */
struct copied_value {
	struct copied_place from, to;
	uint32_t copy; /* the number of its copy in the tree */
};

/* A copy to which values may still be added. */
struct open_copy {
	struct copied_value last;
	int64_t opened; /* where its first value is stored */
};

/* The knowledge at one place of a tree. */
struct copy_state {
	struct copied_place loaded[REG_COUNT]; /* that a register has the value of */
	struct sum sums[REG_COUNT];            /* that a general register has */
	uint32_t writes[REG_COUNT];            /* 0: none in this tree */
	struct open_copy open[OPEN_MAX];       /* a ring */
	uint32_t open_count;
	uint64_t touched; /* the registers above that are not empty */
};

struct copy_finder {
	const struct cfg *code;
	struct code_copies *copies;
	struct copy_state *states; /* by depth in the tree */
	struct copy_state *now;
	uint32_t clock;   /* writes so far */
	uint32_t numbers; /* copies that were opened in the tree */
	uint64_t written; /* registers in the tree */
	bool repeats;     /* the tree leads back to its first block */
	struct copied_value *values;
	size_t count, capacity;
};

static struct sum sum_of(const struct copy_state *now, const struct operand *operand)
{
	const struct sum *base = operand->base < REG_COUNT ? &now->sums[operand->base] : NULL;
	struct sum sum = {
		.base = operand->base,
		.index = operand->index,
		.scale = operand->scale,
		.absolute = operand->absolute,
		.base_write = operand->base < REG_COUNT ? now->writes[operand->base] : 0,
		.index_write = operand->index < REG_COUNT ? now->writes[operand->index] : 0,
		.value = operand->value,
	};

	if (!base || !base->known || (sum.index != REG_NONE && base->index != REG_NONE))
		return sum;
	sum.base = base->base;
	sum.base_write = base->base_write;
	sum.absolute = base->absolute;
	sum.value += base->value;
	if (base->index != REG_NONE) {
		sum.index = base->index;
		sum.scale = base->scale;
		sum.index_write = base->index_write;
	}
	return sum;
}

static struct copied_place place_of(const struct copy_finder *finder, uint32_t insn,
				    const struct operand *operand)
{
	return (struct copied_place){ operand, insn, sum_of(finder->now, operand) };
}

/* True if the addresses of two places differ by nothing but their numbers. */
static bool is_beside(const struct copied_place *a, const struct copied_place *b)
{
	return a->at.base == b->at.base && a->at.index == b->at.index &&
	       (a->at.index == REG_NONE || a->at.scale == b->at.scale) &&
	       a->at.absolute == b->at.absolute && a->at.base_write == b->at.base_write &&
	       a->at.index_write == b->at.index_write;
}

/* Returns the memory operand of a plain move between a register and operand `memory`, or NULL. */
static const struct operand *moved_by(const struct insn *insn, size_t memory)
{
	const struct operand *operand = &insn->operands[memory], *reg = &insn->operands[!memory];

	return (insn->operation == OP_MOVE || (insn->operation == OP_MOVE_ZERO && memory)) &&
			       insn->operand_count == 2 && reg->kind == OPERAND_REGISTER &&
			       reg->reg < REG_COUNT && operand->kind == OPERAND_MEMORY &&
			       operand->segment == SEGMENT_NONE && operand->size
		       ? operand
		       : NULL;
}

static int64_t distance_of(const struct copied_value *value)
{
	return value->to.at.value - value->from.at.value;
}

/* Adds a value to the copy that it is beside, or to a new one. What the copy has made is copied
 * again by another one, perhaps at the same distance. */
static void add_value(struct copy_finder *finder, struct copied_value *value)
{
	struct copy_state *now = finder->now;
	uint32_t at = now->open_count, oldest = at > OPEN_MAX ? at - OPEN_MAX : 0;
	struct open_copy *open = NULL;

	while (!open && at-- > oldest) {
		const struct copied_value *other = &now->open[at % OPEN_MAX].last;

		if (is_beside(&value->from, &other->from) && is_beside(&value->to, &other->to) &&
		    distance_of(value) == distance_of(other) &&
		    !(is_beside(&value->from, &other->to) &&
		      value->from.at.value == now->open[at % OPEN_MAX].opened))
			open = &now->open[at % OPEN_MAX];
	}
	value->copy = open ? open->last.copy : finder->numbers++;
	if (!open) {
		open = &now->open[now->open_count++ % OPEN_MAX];
		open->opened = value->to.at.value;
	}
	open->last = *value;
	array_add(finder->values, finder->count, finder->capacity) = *value;
}

COMPARISON(compare_values, struct copied_value,
	   ASCENDING(copy) ASCENDING(from.at.value) ASCENDING(from.insn))

/* True if the place is another one each time that the tree repeats itself. */
static bool is_in_loop(const struct copy_finder *finder, const struct copied_place *place)
{
	return finder->repeats &&
	       finder->written & (REG_BIT(place->at.base) | REG_BIT(place->at.index));
}

static void take_insn(struct copy_finder *finder, struct code_copy *copy,
		      const struct copied_place *place, int64_t lowest)
{
	finder->copies->of_insn[place->insn] = (uint32_t)finder->copies->count + 1;
	finder->copies->within[place->insn] = place->at.value - lowest;
	lower_to(copy->first, place->insn);
	raise_to(copy->last, place->insn);
}

/* Adds the copy that values [first, end) of the tree make, if it is larger than a word. */
static void close_copy(struct copy_finder *finder, size_t first, size_t end)
{
	const struct copied_value *lowest = &finder->values[first];
	int64_t low = lowest->from.at.value, high = low;
	struct code_copy copy = { .load = lowest->from.insn,
				  .store = lowest->to.insn,
				  .first = lowest->from.insn,
				  .loops = is_in_loop(finder, &lowest->from) &&
					   is_in_loop(finder, &lowest->to) };

	for (size_t i = first; i < end; i++) {
		const struct copied_place *from = &finder->values[i].from;
		int64_t begin = from->at.value > high ? from->at.value : high;

		if (from->at.value + from->operand->size <= high)
			continue;
		high = from->at.value + from->operand->size;
		copy.bytes += (uint64_t)(high - begin);
	}
	if (copy.bytes <= finder->code->arch->pointer_size)
		return;
	copy.span = (uint64_t)(high - low);
	for (size_t i = first; i < end; i++) {
		take_insn(finder, &copy, &finder->values[i].from, low);
		take_insn(finder, &copy, &finder->values[i].to, lowest->to.at.value);
	}
	array_add(finder->copies->items, finder->copies->count, finder->copies->capacity) = copy;
}

static void close_tree(struct copy_finder *finder)
{
	array_sort(finder->values, finder->count, compare_values);
	for (size_t first = 0, end; first < finder->count; first = end) {
		for (end = first + 1;
		     end < finder->count && finder->values[end].copy == finder->values[first].copy;)
			end++;
		close_copy(finder, first, end);
	}
	finder->count = 0;
	finder->numbers = 0;
	finder->written = 0;
	finder->repeats = false;
}

bool code_constant(const struct cfg *code, uint32_t index, uint8_t reg, int64_t *number)
{
	const struct insn *insn = reg_is_general(reg) ? cfg_last_write(code, index, reg) : NULL;

	if (!insn || insn->operation != OP_MOVE || insn->operand_count != 2 ||
	    !operand_is_reg(&insn->operands[0], reg) || insn->operands[1].kind != OPERAND_IMMEDIATE)
		return false;
	*number = insn->operands[1].value;
	return true;
}

/* Returns the bytes of a word that is copied right before those of a string instruction: compilers
 * copy the odd word of an object first. 0: there is none. */
static uint32_t word_before(const struct copy_finder *finder, uint32_t index)
{
	const struct operand *operands = finder->code->insns[index].operands;
	const struct copied_place to = place_of(finder, index, &operands[0]),
				  from = place_of(finder, index, &operands[1]);

	for (size_t i = finder->count; i-- > 0 && finder->count - i <= OPEN_MAX;) {
		const struct copied_value *word = &finder->values[i];
		int64_t size = word->from.operand->size;

		if (is_beside(&word->from, &from) && is_beside(&word->to, &to) &&
		    word->from.at.value + size == from.at.value &&
		    word->to.at.value + size == to.at.value)
			return (uint32_t)size;
	}
	return 0;
}

/*
 * Adds the copy of a string instruction. If gcc rounds the addresses first, the count is no
 * constant: the first and the last word of the object were then copied by themselves, and all is
 * one copy.
 */
static void add_string_copy(struct copy_finder *finder, uint32_t index)
{
	const struct insn *insn = &finder->code->insns[index];
	struct code_copies *copies = finder->copies;
	struct code_copy copy = { .load = index, .store = index, .first = index, .last = index };
	int64_t count = 0;

	if (code_constant(finder->code, index, finder->code->arch->repeat_counter, &count) &&
	    count > 0 && count < INT32_MAX) {
		copy.before = word_before(finder, index);
		copy.bytes = copy.span = (uint64_t)count * insn->operands[0].size + copy.before;
	}
	copies->of_insn[index] = (uint32_t)copies->count + 1;
	array_add(copies->items, copies->count, copies->capacity) = copy;
}

/* Joins a copy of two words with the copy by a string instruction after it, which copies the bytes
 * between the two words. */
static void join_string_copy(struct copy_finder *finder, size_t first)
{
	struct code_copies *copies = finder->copies;
	struct code_copy *string = NULL, *words = NULL;

	for (size_t i = first; i < copies->count; i++) {
		struct code_copy *copy = &copies->items[i];

		if (copy->load == copy->store && !copy->bytes)
			string = copy;
		else if (copy->bytes == 2ULL * finder->code->arch->pointer_size &&
			 copy->span > copy->bytes)
			words = copy;
	}
	if (!string || !words || words->last > string->first ||
	    cfg_block_of(finder->code, words->last) != cfg_block_of(finder->code, string->first))
		return;
	words->bytes = words->span;
	copies->of_insn[string->first] = (uint32_t)(words - copies->items) + 1;
}

/* Notes what an instruction leaves in a register. */
static void note_written(struct copy_finder *finder, const struct insn *insn)
{
	struct copy_state *now = finder->now;
	const struct operand *reg = &insn->operands[0], *from = &insn->operands[1];
	struct sum sum = { 0 };

	if (insn->operand_count == 2 && reg->kind == OPERAND_REGISTER && reg_is_general(reg->reg) &&
	    reg->size == finder->code->arch->pointer_size) {
		if (insn->operation == OP_LEA) {
			sum = sum_of(now, from);
			sum.known = true;
		} else if (insn->operation == OP_MOVE && from->kind == OPERAND_REGISTER &&
			   reg_is_general(from->reg)) {
			sum = sum_of(now,
				     &(struct operand){ .base = from->reg, .index = REG_NONE });
			sum.known = true;
		}
	}
	bits_each (reg, insn->written) {
		now->loaded[reg].operand = NULL;
		now->sums[reg].known = false;
		now->writes[reg] = ++finder->clock;
	}
	now->touched |= insn->written;
	finder->written |= insn->written;
	if (sum.known)
		now->sums[reg->reg] = sum;
}

static void copies_visit_insn(struct copy_finder *finder, uint32_t index)
{
	const struct insn *insn = &finder->code->insns[index];
	const struct operand *from = moved_by(insn, 1), *to = moved_by(insn, 0);
	struct copied_place *loaded = finder->now->loaded;
	const struct copied_place *source = to ? &loaded[insn->operands[1].reg] : NULL;
	struct copied_place place =
		from ? place_of(finder, index, from) : (struct copied_place){ 0 };

	if (source && source->operand && source->operand->size == to->size)
		add_value(finder,
			  &(struct copied_value){ *source, place_of(finder, index, to), 0 });
	if (insn->operation == OP_MOVE_STRING && insn->flags & FLAG_REPEAT)
		add_string_copy(finder, index);
	if (insn->operation == OP_CALL)
		for (size_t reg = 0; reg < REG_COUNT; reg++)
			loaded[reg].operand = NULL;
	note_written(finder, insn);
	if (from)
		loaded[insn->operands[0].reg] = place;
}

/* True for a block that control only comes to from one other block, which does little else than to
 * choose: the others begin trees. */
static bool is_branch(const struct cfg *code, uint32_t number)
{
	const struct basic_block *block = &code->blocks[number];

	if (!number || block->predecessor_count != 1 || block->flags & BLOCK_LEADER)
		return false;
	uint32_t from = code->edges[block->predecessor_first];

	return from != number && code->blocks[from].successor_count <= 2;
}

static void empty_state(struct copy_state *now)
{
	bits_each (reg, now->touched) {
		now->loaded[reg].operand = NULL;
		now->sums[reg].known = false;
		now->writes[reg] = 0;
	}
	now->touched = 0;
	now->open_count = 0;
}

/* Visits the blocks of the tree that begins with block `root`. Adds branches that are too deep to
 * `roots`. */
static void visit_tree(struct copy_finder *finder, uint32_t root, uint32_t *roots, size_t *count)
{
	const struct cfg *code = finder->code;
	struct {
		uint32_t block, depth;
	} left[DEPTH_MAX + 2] = { { root, 0 } };
	size_t left_count = 1, first = finder->copies->count;

	empty_state(&finder->states[0]);
	while (left_count) {
		uint32_t depth = left[--left_count].depth;
		const struct basic_block *block = &code->blocks[left[left_count].block];

		finder->now = &finder->states[depth];
		if (depth)
			*finder->now = finder->states[depth - 1];
		for (uint32_t k = block->first; k < block->first + block->count; k++)
			copies_visit_insn(finder, k);
		each_successor (to, code, block) {
			finder->repeats |= to == root;
			if (!is_branch(code, to))
				continue;
			if (depth + 1 == DEPTH_MAX) {
				roots[(*count)++] = to;
				continue;
			}
			left[left_count].block = to;
			left[left_count++].depth = depth + 1;
		}
	}
	close_tree(finder);
	join_string_copy(finder, first);
}

void code_copies_find(struct code_copies *copies, const struct cfg *code)
{
	struct copy_finder finder = { .code = code,
				      .copies = copies,
				      .states = xcalloc(DEPTH_MAX, sizeof(*finder.states)) };
	_cleanup_free_ uint32_t *roots = xcalloc(code->block_count + 1, sizeof(*roots));
	size_t count = 0;

	*copies = (struct code_copies){
		.of_insn = xcalloc(code->insn_count + 1, sizeof(*copies->of_insn)),
		.within = xcalloc(code->insn_count + 1, sizeof(*copies->within)),
	};
	for (uint32_t i = 0; i < code->block_count; i++)
		if (!is_branch(code, i))
			roots[count++] = i;
	for (size_t i = 0; i < count; i++)
		visit_tree(&finder, roots[i], roots, &count);
	free_all(finder.values, finder.states);
}

void code_copies_deinit(struct code_copies *copies)
{
	free_all(copies->items, copies->of_insn, copies->within);
	*copies = (struct code_copies){ 0 };
}

/* ---- copies in the frame */

/* True if a register is the base of a function's frame from the copy on: the frame pointer, or the
 * stack pointer if nothing moves it but the prologue, calls, and blocks that return. */
static bool is_frame_base(const struct cfg *code, const struct code_copy *copy, uint8_t base)
{
	const struct arch *arch = code->arch;
	bool set = false;

	if (base != arch->stack_pointer && base != arch->frame_pointer)
		return false;
	array_indexed (const struct basic_block, block, i, code->blocks, code->block_count) {
		for (uint32_t k = block->first; k < block->first + block->count; k++) {
			const struct insn *insn = &code->insns[k];

			if (!(insn->written & REG_BIT(base)) || insn->operation == OP_CALL)
				continue;
			if (block->flags & BLOCK_RETURNS && k > copy->last)
				continue;
			if (i || k > copy->first)
				return false;
			set = insn->operation == OP_MOVE &&
			      operand_is_reg(&insn->operands[1], arch->stack_pointer);
		}
	}
	return set || base == arch->stack_pointer;
}

/* The copied bytes in a frame. */
struct frame_copy {
	const struct arch *arch;
	uint8_t base;              /* the register that the displacements are from */
	int64_t object, low, high; /* of the object's begin, and of the bytes */
	uint8_t is_read[FRAME_SPAN_MAX];
};

/* Marks the copied bytes that a memory operand reads. False: they may be reached in another way. */
static bool mark_operand(struct frame_copy *copy, const struct insn *insn,
			 const struct operand *operand)
{
	int64_t begin = operand->value, end = begin + operand->size;

	/* the frame pointer and the stack pointer lead to the same memory */
	if (operand->base == copy->arch->stack_pointer && operand->base != copy->base)
		return insn->operation == OP_CALL || insn->operation == OP_PUSH;
	if (operand->base != copy->base)
		return true;
	if (insn->operation == OP_LEA || operand->index != REG_NONE || !operand->size)
		return begin < copy->object || begin > copy->high;
	for (int64_t at = begin; operand->read && at < end; at++)
		if (at >= copy->low && at < copy->high)
			copy->is_read[at - copy->low] = 1;
	return true;
}

/* The same for an instruction. */
static bool mark_read(struct frame_copy *copy, const struct insn *insn)
{
	/* of the registers, or of the stack at another place */
	if (insn->operation == OP_RETURN || insn->operation == OP_POP ||
	    insn->operation == OP_LEAVE ||
	    (insn->written & REG_BIT(copy->base) && insn->operation != OP_CALL))
		return true;
	array_each (const struct operand, operand, insn->operands, insn->operand_count) {
		if ((operand_is_reg(operand, copy->base) && operand->read &&
		     insn->operation != OP_PUSH) ||
		    (operand->kind == OPERAND_MEMORY && !mark_operand(copy, insn, operand)))
			return false;
	}
	return true;
}

struct copy_use code_copy_use(const struct cfg *code, const struct code_copy *copy, int64_t before)
{
	const struct operand *to = &code->insns[copy->store].operands[0];
	struct frame_copy frame = { .arch = code->arch,
				    .base = to->base,
				    .object = to->value - before,
				    .low = to->value,
				    .high = to->value + (int64_t)copy->span };
	struct copy_use use = { 0 };
	uint64_t read = 0;

	if (copy->loops || copy->bytes != copy->span || copy->span > FRAME_SPAN_MAX ||
	    copy->load == copy->store || to->index != REG_NONE ||
	    !is_frame_base(code, copy, to->base))
		return use;
	for (size_t i = 0; i < code->insn_count; i++)
		if (!mark_read(&frame, &code->insns[i]))
			return use;
	for (uint64_t i = 0; i < copy->span; i++)
		read += frame.is_read[i];
	if (read) {
		use.unread = copy->span - read;
		return use;
	}
	const struct basic_block *block = &code->blocks[cfg_block_of(code, copy->last)];

	use.passed = any_of(i, copy->last, block->first + block->count,
			    code->insns[i].operation == OP_CALL) &&
		     to->base == code->arch->stack_pointer;
	return use;
}
