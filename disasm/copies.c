// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements copies.h: one pass over each block, which remembers the places that registers were
 * loaded from, and pairs each load with the stores of its value. */
#include "disasm/copies.h"

#include "base/memory.h"

/* The copies of a block that are open at a time. Compilers mix the moves of two or three. */
#define OPEN_MAX 8
/* A copy in the frame of a function has its bytes looked up one by one. */
#define FRAME_SPAN_MAX 4096

/* A memory operand, with how often its registers had been written when it was used. */
struct copied_place {
	const struct operand *operand; /* NULL: none */
	uint32_t insn;
	uint32_t base, index; /* numbers of writes */
};

/* A value that is loaded and stored. */
struct copied_value {
	struct copied_place from, to;
	uint32_t copy; /* the number of its copy in the block */
};

struct copy_finder {
	const struct cfg *code;
	struct code_copies *copies;
	struct copied_place loaded[REG_COUNT]; /* that a register has the value of */
	uint32_t writes[REG_COUNT];
	struct copied_value *values; /* of the block */
	size_t count, capacity;
	struct copied_value open[OPEN_MAX]; /* the last value of each of the last copies, a ring */
	const struct operand *opened[OPEN_MAX]; /* where their first values are stored */
	uint32_t open_count;                    /* copies that were opened in the block */
};

static struct copied_place place_of(const struct copy_finder *finder, uint32_t insn,
				    const struct operand *operand)
{
	return (struct copied_place){
		.operand = operand,
		.insn = insn,
		.base = operand->base < REG_COUNT ? finder->writes[operand->base] : 0,
		.index = operand->index < REG_COUNT ? finder->writes[operand->index] : 0,
	};
}

/* True if the addresses of two places differ by nothing but their displacements. */
static bool is_beside(const struct copied_place *a, const struct copied_place *b)
{
	return a->operand->base == b->operand->base && a->operand->index == b->operand->index &&
	       a->operand->scale == b->operand->scale &&
	       a->operand->absolute == b->operand->absolute && a->base == b->base &&
	       a->index == b->index;
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
	return value->to.operand->value - value->from.operand->value;
}

/* Adds a value to the copy that it is beside, or to a new one. What the copy has made is copied
 * again by another one, perhaps at the same distance. */
static void add_value(struct copy_finder *finder, struct copied_value *value)
{
	uint32_t number = finder->open_count, oldest = number > OPEN_MAX ? number - OPEN_MAX : 0;

	while (number-- > oldest) {
		const struct copied_value *other = &finder->open[number % OPEN_MAX];

		if (is_beside(&value->from, &other->from) && is_beside(&value->to, &other->to) &&
		    distance_of(value) == distance_of(other) &&
		    !(is_beside(&value->from, &other->to) &&
		      value->from.operand->value == finder->opened[number % OPEN_MAX]->value))
			break;
	}
	value->copy = number + 1 > oldest ? number : finder->open_count++;
	if (number + 1 <= oldest)
		finder->opened[value->copy % OPEN_MAX] = value->to.operand;
	finder->open[value->copy % OPEN_MAX] = *value;
	array_add(finder->values, finder->count, finder->capacity) = *value;
}

COMPARISON(compare_values, struct copied_value,
	   ASCENDING(copy) ASCENDING(from.operand->value) ASCENDING(from.insn))

static bool is_in_loop(const struct copy_finder *finder, const struct basic_block *block,
		       const struct copied_place *place)
{
	uint8_t base = place->operand->base, index = place->operand->index;

	each_successor (to, finder->code, block)
		if (&finder->code->blocks[to] == block)
			return (base < REG_COUNT && finder->writes[base]) ||
			       (index < REG_COUNT && finder->writes[index]);
	return false;
}

static void take_insn(struct copy_finder *finder, struct code_copy *copy, uint32_t insn)
{
	finder->copies->of_insn[insn] = (uint32_t)finder->copies->count + 1;
	if (insn < copy->first)
		copy->first = insn;
	if (insn > copy->last)
		copy->last = insn;
}

/* Adds the copy that values [first, end) of the block make, if it is larger than a word. */
static void close_copy(struct copy_finder *finder, const struct basic_block *block, size_t first,
		       size_t end)
{
	const struct copied_value *lowest = &finder->values[first];
	int64_t low = lowest->from.operand->value, high = low;
	struct code_copy copy = { .load = lowest->from.insn,
				  .store = lowest->to.insn,
				  .first = lowest->from.insn,
				  .loops = is_in_loop(finder, block, &lowest->from) &&
					   is_in_loop(finder, block, &lowest->to) };

	for (size_t i = first; i < end; i++) {
		const struct operand *from = finder->values[i].from.operand;
		int64_t begin = from->value > high ? from->value : high;

		if (from->value + from->size <= high)
			continue;
		high = from->value + from->size;
		copy.bytes += (uint64_t)(high - begin);
	}
	if (copy.bytes <= finder->code->arch->pointer_size)
		return;
	copy.span = (uint64_t)(high - low);
	for (size_t i = first; i < end; i++) {
		take_insn(finder, &copy, finder->values[i].from.insn);
		take_insn(finder, &copy, finder->values[i].to.insn);
	}
	array_add(finder->copies->items, finder->copies->count, finder->copies->capacity) = copy;
}

static void close_block(struct copy_finder *finder, const struct basic_block *block)
{
	array_sort(finder->values, finder->count, compare_values);
	for (size_t first = 0, end; first < finder->count; first = end) {
		for (end = first + 1;
		     end < finder->count && finder->values[end].copy == finder->values[first].copy;)
			end++;
		close_copy(finder, block, first, end);
	}
	finder->count = 0;
	finder->open_count = 0;
	memset(finder->loaded, 0, sizeof(finder->loaded));
	memset(finder->writes, 0, sizeof(finder->writes));
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
	const struct insn *to = cfg_last_write(finder->code, index, operands[0].base),
			  *from = cfg_last_write(finder->code, index, operands[1].base);

	if (!to || !from || to->operation != OP_LEA || from->operation != OP_LEA)
		return 0;
	for (size_t i = finder->count; i-- > 0 && finder->count - i <= OPEN_MAX;) {
		const struct operand *word = finder->values[i].from.operand,
				     *other = finder->values[i].to.operand;

		if (word->base == from->operands[1].base && other->base == to->operands[1].base &&
		    word->value + word->size == from->operands[1].value &&
		    other->value + other->size == to->operands[1].value)
			return word->size;
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

/* Makes one copy of that of two words and that of a string instruction after it, which copies what
 * is between them. */
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
	if (!string || !words || words->last > string->first)
		return;
	words->bytes = words->span;
	copies->of_insn[string->first] = (uint32_t)(words - copies->items) + 1;
}

static void copies_visit_insn(struct copy_finder *finder, uint32_t index)
{
	const struct insn *insn = &finder->code->insns[index];
	const struct operand *from = moved_by(insn, 1), *to = moved_by(insn, 0);
	const struct copied_place *source = to ? &finder->loaded[insn->operands[1].reg] : NULL;
	struct copied_place loaded =
		from ? place_of(finder, index, from) : (struct copied_place){ 0 };

	if (source && source->operand && source->operand->size == to->size)
		add_value(finder,
			  &(struct copied_value){ *source, place_of(finder, index, to), 0 });
	if (insn->operation == OP_MOVE_STRING && insn->flags & FLAG_REPEAT)
		add_string_copy(finder, index);
	if (insn->operation == OP_CALL)
		memset(finder->loaded, 0, sizeof(finder->loaded));
	for (uint64_t written = insn->written; written; written &= written - 1) {
		unsigned int reg = (unsigned int)__builtin_ctzll(written);

		finder->loaded[reg].operand = NULL;
		finder->writes[reg]++;
	}
	if (from)
		finder->loaded[insn->operands[0].reg] = loaded;
}

void code_copies_find(struct code_copies *copies, const struct cfg *code)
{
	struct copy_finder finder = { .code = code, .copies = copies };

	*copies =
		(struct code_copies){ .of_insn = xcalloc(code->insn_count + 1, sizeof(uint32_t)) };
	array_each (const struct basic_block, block, code->blocks, code->block_count) {
		size_t first = copies->count;

		for (uint32_t k = block->first; k < block->first + block->count; k++)
			copies_visit_insn(&finder, k);
		close_block(&finder, block);
		join_string_copy(&finder, first);
	}
	free(finder.values);
}

void code_copies_deinit(struct code_copies *copies)
{
	free_all(copies->items, copies->of_insn);
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
	for (size_t i = 0; i < code->block_count; i++) {
		const struct basic_block *block = &code->blocks[i];

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
