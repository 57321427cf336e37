// SPDX-License-Identifier: GPL-2.0-or-later
/* Code is run with a value of an enum's discriminant: see variant_run.h. In order: values,
 * conditions, memory, instructions, paths, the start at a test. */
#include "annotate/language/variant_run.h"

#include <assert.h>

#include "dwarf/elf/image.h"
#include "base/memory.h"

static const struct cell unknown;

static bool cell_equal(const struct cell *a, const struct cell *b)
{
	return a->kind == b->kind &&
	       (a->kind == CELL_UNKNOWN || (a->width == b->width && a->extended == b->extended &&
					    a->number == b->number && a->known == b->known));
}

/* ---- values of a tag that behave alike */

/* Leaves the values of the tag with which a cell that has its bits, and now is `number`, is in
 * [low, high]. */
static void keep_within(struct run *run, const struct cell *cell, uint64_t number, uint64_t low,
			uint64_t high)
{
	struct run_tag *tag = &run->tag;
	uint64_t now = tag->value & cell->tag, below = number - low, above = high - number;
	struct kept_bits kept = { .mask = cell->tag,
				  .low = (uint8_t)(now > below ? now - below : 0),
				  .high = (uint8_t)(cell->tag - now > above ? now + above
									    : cell->tag) };
	unsigned int i = 0;

	if (!cell->tag || (!kept.low && kept.high == cell->tag))
		return;
	while (i < tag->count && tag->kept[i].mask != cell->tag)
		i++;
	if (i == KEPT_BITS_MAX) {
		tag->kept[0] = (struct kept_bits){ UINT8_MAX, tag->value, tag->value };
		return;
	}
	if (i == tag->count)
		tag->kept[tag->count++] = kept;
	raise_to(tag->kept[i].low, kept.low);
	lower_to(tag->kept[i].high, kept.high);
}

/* Leaves those with which the bits above the lowest `count` stay what they are. */
static void keep_above(struct run *run, const struct cell *cell, unsigned int count)
{
	uint64_t below = low_bits(count);

	keep_within(run, cell, cell->number, cell->number & ~below, cell->number | below);
}

/* Leaves those with which it stays the same number. */
static void keep_number(struct run *run, const struct cell *cell)
{
	keep_above(run, cell, 0);
}

/* Leaves those with which left < right, or left == right, stays what it is. */
static void keep_condition(struct run *run, const struct cell *left, uint64_t right, uint8_t size,
			   uint8_t condition)
{
	uint64_t all = low_bits(8 * size), half = all / 2 + 1, number = left->number & all;
	bool equal = condition == CONDITION_BELOW_EQUAL || condition == CONDITION_LESS_EQUAL;
	bool is_signed = condition == CONDITION_LESS || condition == CONDITION_LESS_EQUAL;
	uint64_t points[] = { right + equal, condition == CONDITION_EQUAL  ? right + 1
					     : condition == CONDITION_SIGN ? (right + half) & all
					     : is_signed                   ? half
									   : right + equal };

	/* numbers below a point and above it may differ */
	for (size_t i = 0; i < COUNT_OF(points); i++)
		keep_within(run, left, number, points[i] <= number ? points[i] : 0,
			    points[i] <= number ? all : points[i] - 1);
}

/* True if two values are equal. They stay so, or different, with the values that are left. */
static bool stay_equal(struct run *run, const struct cell *a, const struct cell *b)
{
	if (a->kind == CELL_CONSTANT && b->kind == CELL_CONSTANT && a->tag != b->tag) {
		if (a->tag && b->tag)
			keep_number(run, b);
		keep_condition(run, a->tag ? a : b, a->tag ? b->number : a->number, 8,
			       CONDITION_EQUAL);
	}
	return cell_equal(a, b);
}

static struct cell low_bytes(struct run *run, struct cell cell, uint8_t size)
{
	struct cell low = cell_constant(cell.number & low_bits(8 * size));

	low.tag = cell.tag;
	keep_within(run, &low, low.number, 0, low_bits(8 * size));
	return low;
}

/* Returns the bits of a cell with bits of the tag which are in a mask. */
static struct cell masked(struct run *run, struct cell cell, uint64_t mask)
{
	struct cell result = cell_constant(cell.number & mask);

	if (cell.number == (run->tag.value & cell.tag)) {
		result.tag = cell.tag & (uint8_t)mask;
	} else if (mask & (mask + 1)) {
		keep_above(run, &cell, (unsigned int)__builtin_ctzll(mask));
	} else {
		keep_within(run, &cell, result.number, 0, mask);
		result.tag = cell.tag;
	}
	return result;
}

struct cell run_cell_with(const struct run *run, const struct cell *cell, uint8_t value)
{
	struct cell result = *cell;

	result.number += (uint64_t)(value & cell->tag) - (run->tag.value & cell->tag);
	return result;
}

void run_with(struct run *run, uint8_t value)
{
	struct run_state *state = &run->state;

	state->left = run_cell_with(run, &state->left, value);
	state->right = run_cell_with(run, &state->right, value);
	state->discriminant = run_cell_with(run, &state->discriminant, value);
	for (size_t i = 0; i < run->code->arch->general_count; i++)
		state->registers[i] = run_cell_with(run, &state->registers[i], value);
	for (size_t i = 0; i < state->slot_count; i++)
		state->slots[i].value = run_cell_with(run, &state->slots[i].value, value);
	run->tag.value = value;
}

static bool variant_run_is_place(const struct cell *cell)
{
	return cell->kind == CELL_STACK || cell->kind == CELL_BASE || cell->kind == CELL_OBJECT;
}

/* ---- values */

struct cell cell_bits(uint64_t number, uint64_t known, uint8_t size)
{
	uint64_t all = low_bits(8 * size);

	known &= all;
	if (known == all)
		return cell_constant(number & all);
	return known ? (struct cell){ .kind = CELL_BITS, .number = number & known, .known = known }
		     : unknown;
}

/* Returns the bits of a value of `size` bytes that are known. */
static uint64_t known_bits(const struct cell *cell, uint8_t size)
{
	return (cell->kind == CELL_CONSTANT ? low_bits(8 * cell->width)
		: cell->kind == CELL_BITS   ? cell->known
					    : 0) &
	       low_bits(8 * size);
}

bool variant_is_known(const struct enum_values *values, const struct cell *cell)
{
	return !(values->mask & ~known_bits(cell, values->size));
}

/* Returns the low `size` bytes of a value. */
static struct cell variant_run_narrow(struct run *run, struct cell cell, uint8_t size)
{
	if (cell.kind == CELL_BITS)
		return cell_bits(cell.number, cell.known, size);
	if (cell.kind == CELL_CONSTANT && size <= cell.width)
		return low_bytes(run, cell, size);
	if (cell.kind == CELL_OTHER && (size <= cell.width || cell.extended)) {
		cell.width = size < cell.width ? size : cell.width;
		return cell;
	}
	return size == 8 && cell.kind != CELL_CONSTANT && cell.kind != CELL_OTHER ? cell : unknown;
}

/* Returns a value after a write of `size` bytes to a register. */
static struct cell written(struct run *run, struct cell cell, uint8_t size)
{
	if (size == 8)
		return cell;
	cell = variant_run_narrow(run, cell, size);
	/* a write of four bytes clears the others */
	if (cell.kind == CELL_BITS)
		return cell_bits(cell.number, cell.known | (size == 4 ? ~low_bits(32) : 0), 8);
	if (cell.kind == CELL_CONSTANT)
		cell.width = size == 4 ? 8 : size;
	else if (cell.kind == CELL_OTHER)
		cell.extended = size == 4;
	return cell;
}

static struct cell variant_run_add(struct run *run, struct cell a, struct cell b, uint8_t size,
				   bool subtract)
{
	if (!subtract && a.kind == CELL_CONSTANT && (b.kind != CELL_CONSTANT || b.tag))
		exchange(a, b);
	if (a.kind != CELL_UNKNOWN)
		keep_number(run, &b);
	/* the bits below the first unknown one */
	if (a.kind == CELL_BITS && b.kind == CELL_CONSTANT)
		return cell_bits(subtract ? a.number - b.number : a.number + b.number,
				 (a.known ^ (a.known + 1)) >> 1, size);
	if (b.kind != CELL_CONSTANT || a.kind == CELL_UNKNOWN || a.kind == CELL_INDEX ||
	    a.kind == CELL_BITS || (variant_run_is_place(&a) && size != 8) ||
	    (a.kind == CELL_OTHER && a.width < size && a.number))
		return unknown;
	a.number += subtract ? -b.number : b.number;
	if (a.kind == CELL_OTHER && size < a.width)
		a.width = size;
	return a.kind == CELL_CONSTANT ? low_bytes(run, a, size) : a;
}

/* True if a value is the discriminant of a variant without a value of its own, and is never
 * negative as a number of eight bytes. */
static bool is_positive(const struct run *run, const struct cell *cell)
{
	return cell->kind == CELL_OTHER && !cell->flip && !cell->number && cell->width == 8 &&
	       run->values->other_max <= INT64_MAX;
}

/* The same where only some bits of one of them are known. */
static struct cell bitwise_of_bits(struct cell a, struct cell b, uint8_t size, uint8_t operation)
{
	uint64_t a_known = known_bits(&a, size), b_known = known_bits(&b, size);
	uint64_t a_set = a.number & a_known, b_set = b.number & b_known;

	if (operation == OP_AND)
		return cell_bits(a_set & b_set,
				 (a_known & b_known) | (a_known & ~a_set) | (b_known & ~b_set),
				 size);
	if (operation == OP_OR)
		return cell_bits(a_set | b_set, (a_known & b_known) | a_set | b_set, size);
	return cell_bits(a_set ^ b_set, a_known & b_known, size);
}

static struct cell variant_run_bitwise(struct run *run, struct cell a, struct cell b, uint8_t size,
				       uint8_t operation)
{
	const struct cell zero = cell_constant(0);

	if (operation == OP_AND && a.tag && b.kind == CELL_CONSTANT && !b.tag)
		return masked(run, a, b.number & low_bits(8 * size));
	if (a.kind != CELL_UNKNOWN && b.kind != CELL_UNKNOWN) {
		keep_number(run, &a);
		keep_number(run, &b);
	} else if (operation == OP_AND) {
		stay_equal(run, &a, &zero);
		stay_equal(run, &b, &zero);
	}
	if (a.kind == CELL_CONSTANT && b.kind == CELL_CONSTANT)
		return cell_constant((operation == OP_AND  ? a.number & b.number
				      : operation == OP_OR ? a.number | b.number
							   : a.number ^ b.number) &
				     low_bits(8 * size));
	if (a.kind == CELL_BITS || b.kind == CELL_BITS)
		return bitwise_of_bits(a, b, size, operation);
	if (a.kind == CELL_CONSTANT)
		exchange(a, b);
	if (operation == OP_AND && b.kind == CELL_CONSTANT && !b.number)
		return b;
	if (a.kind != CELL_OTHER || b.kind != CELL_CONSTANT || a.number)
		return unknown;
	if (operation == OP_XOR) {
		a.flip ^= b.number;
		return a;
	}
	return operation == OP_AND && !a.flip && !(~b.number & low_bits(8 * run->values->size))
		       ? a
		       : unknown;
}

bool variant_may_be_other(const struct enum_values *values, uint64_t discriminant)
{
	if (discriminant > values->other_max)
		return false;
	return !any_of(i, 0, values->count,
		       values->variants[i]->has_discriminant &&
			       (values->variants[i]->discriminant & low_bits(8 * values->size)) ==
				       discriminant);
}

/* True if the value of a CELL_OTHER may be `number`. */
static bool other_may_be(const struct run *run, const struct cell *cell, uint64_t number)
{
	uint64_t mask = low_bits(8 * cell->width);

	return !(number & ~mask) && variant_may_be_other(run->values, ((number - cell->number) &
								       mask) ^ (cell->flip & mask));
}

/* ---- conditions */

enum truth { TRUTH_NO, TRUTH_YES, TRUTH_EITHER };

static enum truth truth(bool is)
{
	return is ? TRUTH_YES : TRUTH_NO;
}

static enum truth negated(enum truth is)
{
	return is == TRUTH_EITHER ? is : truth(is == TRUTH_NO);
}

/* A condition on a CELL_OTHER is decided only if at most this many numbers must be tried. */
#define OTHER_TRIED_MAX 512

/* Decides left < right, or left == right, where `left` is the discriminant of a variant without a
 * value of its own. */
static enum truth decide_other(const struct run *run, const struct cell *left, uint64_t right,
			       uint8_t condition)
{
	uint64_t first = right, count = 1;

	if (condition == CONDITION_BELOW || condition == CONDITION_BELOW_EQUAL) {
		count = condition == CONDITION_BELOW ? right : right + 1;
		first = 0;
		if (count > OTHER_TRIED_MAX)
			return TRUTH_EITHER;
	} else if (condition != CONDITION_EQUAL) {
		return TRUTH_EITHER;
	}
	for (uint64_t i = 0; i < count; i++)
		if (other_may_be(run, left, first + i))
			return TRUTH_EITHER;
	return TRUTH_NO;
}

/* The same, where only some bits of `left` are known. */
static enum truth decide_bits(const struct cell *left, uint64_t right, uint8_t size,
			      uint8_t condition)
{
	uint64_t all = low_bits(8 * size), known = left->known & all, least = left->number & known,
		 most = least | (all & ~known);

	if (condition == CONDITION_EQUAL)
		return (least ^ right) & known ? TRUTH_NO : TRUTH_EITHER;
	if (condition == CONDITION_BELOW)
		return most < right ? TRUTH_YES : least >= right ? TRUTH_NO : TRUTH_EITHER;
	if (condition == CONDITION_BELOW_EQUAL)
		return most <= right ? TRUTH_YES : least > right ? TRUTH_NO : TRUTH_EITHER;
	if (condition == CONDITION_SIGN && !right && known >> (8 * size - 1))
		return truth(least >> (8 * size - 1));
	return TRUTH_EITHER;
}

static enum truth decide(struct run *run, uint8_t condition)
{
	const struct run_state *state = &run->state;
	const struct cell *left = &state->left, *right = &state->right;
	uint8_t size = state->flags_size, plain = condition & (uint8_t)~1U;
	enum truth is = TRUTH_EITHER;

	/* "above" is the negation of "below or equal": the lowest bit negates */
	if (condition > 0xf || state->flags == FLAGS_UNKNOWN || right->kind != CELL_CONSTANT ||
	    (state->flags == FLAGS_ZERO && plain != CONDITION_EQUAL && plain != CONDITION_SIGN))
		return TRUTH_EITHER;
	if (plain == CONDITION_SIGN && !right->number && size == 8 && is_positive(run, left)) {
		is = TRUTH_NO;
	} else if (left->kind == CELL_OTHER) {
		is = decide_other(run, left, right->number & low_bits(8 * size), plain);
	} else if (left->kind == CELL_BITS) {
		keep_number(run, right);
		is = decide_bits(left, right->number & low_bits(8 * size), size, plain);
	} else if (left->kind == CELL_CONSTANT) {
		uint64_t a = left->number & low_bits(8 * size),
			 b = right->number & low_bits(8 * size);

		keep_number(run, right);
		keep_condition(run, left, b, size, plain);
		switch (plain) {
		case CONDITION_BELOW: is = truth(a < b); break;
		case CONDITION_BELOW_EQUAL: is = truth(a <= b); break;
		case CONDITION_EQUAL: is = truth(a == b); break;
		case CONDITION_SIGN: is = truth(sign_extended(a - b, 8 * size) < 0); break;
		case CONDITION_LESS:
			is = truth(sign_extended(a, 8 * size) < sign_extended(b, 8 * size));
			break;
		case CONDITION_LESS_EQUAL:
			is = truth(sign_extended(a, 8 * size) <= sign_extended(b, 8 * size));
			break;
		default: break;
		}
	}
	return condition & 1 ? negated(is) : is;
}

/* ---- memory */

struct cell run_address(struct run *run, const struct operand *operand)
{
	const struct run_state *state = &run->state;
	struct cell base = cell_constant(0), index = cell_constant(0);

	if (operand->segment != SEGMENT_NONE ||
	    (!operand->absolute && operand->base == REG_NONE && operand->index == REG_NONE))
		return unknown;
	if (operand->base != REG_NONE)
		base = reg_is_general(operand->base) ? state->registers[operand->base] : unknown;
	if (operand->index != REG_NONE)
		index = reg_is_general(operand->index) ? state->registers[operand->index] : unknown;
	if (base.kind == CELL_BASE && index.kind == CELL_INDEX &&
	    operand->scale == run->place->scale) {
		base.kind = CELL_OBJECT;
	} else if (index.kind == CELL_CONSTANT && index.width == 8) {
		if (operand->scale != 1 && base.kind != CELL_UNKNOWN)
			keep_number(run, &index);
		index.number *= operand->scale;
		base = variant_run_add(run, base, index, 8, false);
	} else {
		return unknown;
	}
	return variant_run_add(run, base, cell_constant((uint64_t)operand->value), 8, false);
}

static struct cell variant_run_place_of(const struct run *run)
{
	bool on_stack = run->place->base == run->solver->arch->stack_pointer;

	return (struct cell){ .kind = on_stack ? CELL_STACK : CELL_OBJECT,
			      .width = 8,
			      .number = (uint64_t)(run->place->value - run->skew) };
}

bool run_distance(const struct run *run, const struct cell *address, int64_t *bytes)
{
	struct cell place = variant_run_place_of(run);

	*bytes = (int64_t)(address->number - place.number);
	return address->kind == place.kind;
}

/* True if `size` bytes at an address are some of the discriminant, or have some of it. */
static bool has_discriminant(const struct run *run, const struct cell *address, int64_t size,
			     int64_t *bytes)
{
	return run_distance(run, address, bytes) && *bytes<run->values->size && * bytes + size> 0;
}

static uint64_t moved_bits(uint64_t bits, int64_t by)
{
	return by >= 0 ? bits << (8 * by) : bits >> (-8 * by);
}

/* Returns `size` bytes that begin `bytes` after the discriminant. */
static struct cell part_of_discriminant(struct run *run, int64_t bytes, uint8_t size)
{
	const struct cell *cell = &run->state.discriminant;

	if (!bytes && size == run->values->size)
		return *cell;
	keep_number(run, cell);
	return cell_bits(moved_bits(cell->number, -bytes),
			 moved_bits(known_bits(cell, run->values->size), -bytes), size);
}

/* Changes the bytes of the discriminant among those that are stored. */
static void store_discriminant(struct run *run, int64_t bytes, uint8_t size, struct cell value)
{
	struct cell *cell = &run->state.discriminant;
	uint8_t all = run->values->size;
	uint64_t kept = known_bits(cell, all) & ~moved_bits(low_bits(8 * size), bytes);
	uint64_t known = known_bits(&value, size);

	run->state.decided = true;
	if (!bytes && size == all) {
		*cell = variant_run_narrow(run, value, size);
		return;
	}
	keep_number(run, cell);
	keep_number(run, &value);
	*cell = cell_bits((cell->number & kept) | moved_bits(value.number & known, bytes),
			  kept | moved_bits(known, bytes), all);
}

static struct cell variant_run_load(struct run *run, const struct operand *operand)
{
	struct run_state *state = &run->state;
	struct cell address = run_address(run, operand);
	uint64_t number = 0;
	int64_t bytes;

	if (has_discriminant(run, &address, operand->size, &bytes)) {
		if (state->stale)
			state->discriminant = unknown;
		return operand->size > 8 ? unknown
					 : part_of_discriminant(run, bytes, (uint8_t)operand->size);
	}
	keep_number(run, &address);
	if (address.kind == CELL_CONSTANT && (operand->size == 4 || operand->size == 8) &&
	    cfg_has_table(run->code, address.number) &&
	    elf_image_read(run->solver->image, address.number, &number, operand->size, true))
		return cell_constant(number);
	for (size_t i = 0;
	     address.kind == CELL_STACK && operand->size == 8 && i < state->slot_count; i++)
		if (state->slots[i].offset == (int64_t)address.number)
			return state->slots[i].value;
	return unknown;
}

static void store_slot(struct run_state *state, int64_t offset, uint8_t size, struct cell value)
{
	array_keep(i, state->slots, state->slot_count,
		   state->slots[i].offset + 8 <= offset || state->slots[i].offset >= offset + size);
	size_t kept = state->slot_count;

	if (size != 8 || value.kind == CELL_UNKNOWN || kept == SLOTS_MAX)
		return;
	/* slots are sorted, so that equal states are equal bytes */
	for (; kept && state->slots[kept - 1].offset > offset; kept--)
		state->slots[kept] = state->slots[kept - 1];
	state->slots[kept].offset = offset;
	state->slots[kept].value = value;
	state->slot_count++;
}

/* Notes a store of `value`. A size of 0 is not known. */
static void variant_run_store(struct run *run, const struct operand *operand, struct cell value)
{
	struct run_state *state = &run->state;
	struct cell address = run_address(run, operand);
	int64_t bytes, size = operand->size ? operand->size : INT16_MAX;

	if (has_discriminant(run, &address, size, &bytes)) {
		if (size <= 8)
			store_discriminant(run, bytes, (uint8_t)size, value);
		else
			state->discriminant = unknown;
	} else if (run_distance(run, &address, &bytes)) {
		/* other bytes of the object */
	} else if (address.kind != CELL_STACK) {
		state->stale = true;
	}
	if (address.kind == CELL_STACK)
		store_slot(state, (int64_t)address.number, operand->size, value);
}

/* ---- instructions */

static struct cell variant_run_read_operand(struct run *run, const struct operand *operand)
{
	switch (operand->kind) {
	case OPERAND_IMMEDIATE: return cell_constant((uint64_t)operand->value);
	case OPERAND_MEMORY: return variant_run_load(run, operand);
	case OPERAND_REGISTER:
		return reg_is_general(operand->reg) && !operand->high_byte
			       ? variant_run_narrow(run, run->state.registers[operand->reg],
						    operand->size)
			       : unknown;
	default: return unknown;
	}
}

static void variant_run_write_operand(struct run *run, const struct operand *operand,
				      struct cell value)
{
	if (operand->kind == OPERAND_MEMORY)
		variant_run_store(run, operand, value);
	else if (operand_is_general(operand))
		run->state.registers[operand->reg] =
			operand->high_byte ? unknown : written(run, value, operand->size);
}

static struct cell variant_run_extended(struct run *run, struct cell value, uint8_t size, bool sign)
{
	if (sign && value.kind == CELL_CONSTANT) {
		keep_above(run, &value, 8U * size - 1);
		value.number = (uint64_t)sign_extended(value.number, 8 * size);
		value.width = 8;
		return value;
	}
	if (sign)
		return unknown;
	if (value.kind == CELL_BITS)
		return cell_bits(value.number, value.known | ~low_bits(8 * size), 8);
	if (value.kind == CELL_OTHER)
		value.extended = true;
	return value;
}

static struct cell variant_run_shifted(struct run *run, struct cell value, struct cell by,
				       uint8_t size, uint8_t operation)
{
	uint64_t count = by.number & (size * 8U - 1);

	if (by.kind != CELL_CONSTANT)
		return unknown;
	keep_number(run, &by);
	keep_above(run, &value, operation == OP_SHIFT_RIGHT ? (unsigned int)count : 0);
	/* the sign of a number that is not negative */
	if (value.kind == CELL_OTHER && operation == OP_SHIFT_ARITHMETIC && size == 8 &&
	    count == 63 && is_positive(run, &value))
		return cell_constant(0);
	if (value.kind == CELL_BITS && operation == OP_SHIFT_LEFT)
		return cell_bits(value.number << count,
				 value.known << count | low_bits((unsigned int)count), size);
	if (value.kind == CELL_BITS)
		return cell_bits(
			value.number >> count,
			value.known >> count |
				(operation == OP_SHIFT_RIGHT ? ~(low_bits(8 * size) >> count) : 0),
			size);
	if (value.kind != CELL_CONSTANT)
		return unknown;
	if (operation == OP_SHIFT_LEFT)
		value.number <<= count;
	else if (operation == OP_SHIFT_RIGHT)
		value.number >>= count;
	else
		value.number = (uint64_t)(sign_extended(value.number, 8 * size) >> count);
	return cell_constant(value.number & low_bits(8 * size));
}

static void set_flags(struct run_state *state, enum flags_kind kind, struct cell left,
		      struct cell right, uint8_t size)
{
	state->flags = (uint8_t)kind;
	state->left = left;
	state->right = right;
	state->flags_size = size;
}

/* Runs an instruction that computes d from d and s, or from s and t. */
static void variant_run_compute(struct run *run, const struct insn *insn)
{
	const struct operand *to = &insn->operands[0];
	const struct operand *last = &insn->operands[insn->operand_count - 1];
	struct cell a = variant_run_read_operand(run, last - 1),
		    b = variant_run_read_operand(run, last), result;
	enum flags_kind kind = FLAGS_ZERO;

	switch (insn->operation) {
	case OP_ADD: result = variant_run_add(run, a, b, to->size, false); break;
	case OP_SUB:
		result = variant_run_add(run, a, b, to->size, true);
		kind = FLAGS_DIFFERENCE;
		break;
	case OP_SHIFT_LEFT:
	case OP_SHIFT_RIGHT:
	case OP_SHIFT_ARITHMETIC:
		result = variant_run_shifted(run, a, b, to->size, insn->operation);
		break;
	default: result = variant_run_bitwise(run, a, b, to->size, insn->operation); break;
	}
	variant_run_write_operand(run, to, result);
	if (!(insn->flags & FLAG_WRITES_FLAGS))
		return;
	if (kind == FLAGS_DIFFERENCE)
		set_flags(&run->state, kind, a, b, to->size);
	else
		set_flags(&run->state, kind, result, cell_constant(0), to->size);
}

static void variant_run_forget_written(struct run *run, const struct insn *insn)
{
	bits_each (reg, insn->written & GENERAL_MASK)
		run->state.registers[reg] = unknown;
	for (size_t i = 0; i < insn->operand_count; i++)
		if (insn->operands[i].kind == OPERAND_MEMORY && insn->operands[i].write)
			variant_run_store(run, &insn->operands[i], unknown);
	if (insn->flags & FLAG_WRITES_FLAGS)
		run->state.flags = FLAGS_UNKNOWN;
}

static void run_call(struct run *run)
{
	const struct convention *call = run->solver->abi->call;

	run->state.handed |= any_of(i, 0, call->argument_count,
				    run->state.registers[call->arguments[i]].kind == CELL_OBJECT);
	bits_each (reg, call->clobbered & GENERAL_MASK)
		run->state.registers[reg] = unknown;
	run->state.flags = FLAGS_UNKNOWN;
	run->state.stale = true;
}

static void run_stack(struct run *run, const struct insn *insn)
{
	struct cell *top = &run->state.registers[run->solver->arch->stack_pointer];
	bool push = insn->operation == OP_PUSH;
	struct cell value = variant_run_read_operand(run, &insn->operands[1]);

	if (top->kind != CELL_STACK || insn->operands[0].size != 8) {
		variant_run_forget_written(run, insn);
		return;
	}
	if (push)
		store_slot(&run->state, (int64_t)(top->number -= 8), 8, value);
	else
		top->number += 8;
	if (!push)
		variant_run_write_operand(run, &insn->operands[0], value);
}

/* Runs cmov and setcc. */
static void run_conditional(struct run *run, const struct insn *insn)
{
	const struct operand *to = &insn->operands[0];
	enum truth is = decide(run, insn->condition);
	struct cell old = variant_run_read_operand(run, to), value;

	if (insn->operation == OP_SET_CONDITION) {
		variant_run_write_operand(
			run, to, is == TRUTH_EITHER ? unknown : cell_constant(is == TRUTH_YES));
		return;
	}
	value = variant_run_read_operand(run, &insn->operands[1]);
	if (is == TRUTH_NO || (is == TRUTH_EITHER && stay_equal(run, &old, &value)))
		value = old;
	else if (is == TRUTH_EITHER)
		value = unknown;
	variant_run_write_operand(run, to, value);
}

/* Sets the carry to a bit of a value, as 0 - 1 or 1 - 1 does. */
static void test_bit(struct run *run, struct cell value, struct cell number,
		     const struct operand *operand)
{
	unsigned int place = (unsigned int)number.number & (8U * operand->size - 1);
	uint64_t bit = UINT64_C(1) << place;

	keep_number(run, &number);
	keep_above(run, &value, place);
	if (known_bits(&value, (uint8_t)operand->size) & bit && number.kind == CELL_CONSTANT &&
	    operand->kind == OPERAND_REGISTER)
		set_flags(&run->state, FLAGS_DIFFERENCE, cell_constant(!(value.number & bit)),
			  cell_constant(1), operand->size);
	else
		run->state.flags = FLAGS_UNKNOWN;
}

static void run_test(struct run *run, const struct insn *insn)
{
	const struct operand *first = &insn->operands[0], *second = &insn->operands[1];
	struct cell a = variant_run_read_operand(run, first),
		    b = variant_run_read_operand(run, second);

	if (insn->operation == OP_COMPARE)
		set_flags(&run->state, FLAGS_DIFFERENCE, a, b, first->size);
	else if (insn->flags & FLAG_BIT_NUMBER)
		test_bit(run, a, b, first);
	else
		set_flags(&run->state, FLAGS_ZERO,
			  stay_equal(run, &a, &b)
				  ? a
				  : variant_run_bitwise(run, a, b, first->size, OP_AND),
			  cell_constant(0), first->size);
}

void run_insn(struct run *run, const struct insn *insn)
{
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
	bool vector = to->kind == OPERAND_REGISTER && !reg_is_general(to->reg);

	switch (insn->operation) {
	case OP_NOP:
	case OP_JUMP:
	case OP_BRANCH: break;
	case OP_MOVE:
		variant_run_write_operand(run, to, variant_run_read_operand(run, from));
		break;
	case OP_MOVE_ZERO:
	case OP_MOVE_SIGN:
		variant_run_write_operand(
			run, to,
			vector ? unknown
			       : variant_run_extended(run, variant_run_read_operand(run, from),
						      from->size, insn->operation == OP_MOVE_SIGN));
		break;
	case OP_LEA:
		variant_run_write_operand(
			run, to, variant_run_narrow(run, run_address(run, from), to->size));
		break;
	case OP_ZERO:
		variant_run_write_operand(run, to, cell_constant(0));
		run->state.flags = FLAGS_UNKNOWN;
		break;
	case OP_BINARY_FIRST ... OP_BINARY_LAST:
		if (insn->operand_count <= 3 && !vector)
			variant_run_compute(run, insn);
		else
			variant_run_forget_written(run, insn);
		break;
	case OP_COMPARE:
	case OP_TEST: run_test(run, insn); break;
	case OP_CONDITIONAL:
	case OP_SET_CONDITION: run_conditional(run, insn); break;
	case OP_PUSH:
	case OP_POP: run_stack(run, insn); break;
	case OP_CALL: run_call(run); break;
	default: variant_run_forget_written(run, insn); break;
	}
}

/* ---- paths */

/* Joins a cell into another one. True if that changed. */
static bool join_cell(struct run *run, struct cell *to, const struct cell *from)
{
	if (stay_equal(run, to, from))
		return false;
	*to = unknown;
	return true;
}

/* Keeps the slots that both states have with the same value. True if some were dropped. */
static bool variant_run_join_slots(struct run *run, struct run_state *to,
				   const struct run_state *from)
{
	size_t kept = 0, count = to->slot_count;

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < from->slot_count; k++)
			if (to->slots[i].offset == from->slots[k].offset &&
			    stay_equal(run, &to->slots[i].value, &from->slots[k].value))
				to->slots[kept++] = to->slots[i];
	to->slot_count = (uint8_t)kept;
	return kept != count;
}

/* Joins run->state into a state. True if that changed. */
static bool join(struct run *run, struct run_state *to, const struct run_state *from)
{
	bool changed;

	if (!to->reached) {
		*to = *from;
		to->reached = true;
		return true;
	}
	changed = variant_run_join_slots(run, to, from);
	for (unsigned int i = 0; i < run->code->arch->general_count; i++)
		changed |= join_cell(run, &to->registers[i], &from->registers[i]);
	changed |= join_cell(run, &to->discriminant, &from->discriminant);
	changed |= (from->stale && !to->stale) || (to->decided && !from->decided) ||
		   (to->handed && !from->handed);
	to->stale |= from->stale;
	to->handed &= from->handed;
	to->decided &= from->decided;
	if (to->flags != from->flags || to->flags_size != from->flags_size ||
	    !stay_equal(run, &to->left, &from->left) ||
	    !stay_equal(run, &to->right, &from->right)) {
		changed |= to->flags != FLAGS_UNKNOWN;
		to->flags = FLAGS_UNKNOWN;
		to->flags_size = 0;
		to->left = to->right = unknown;
	}
	return changed;
}

bool run_may_go(struct run *run, const struct insn *last, uint32_t to)
{
	uint64_t target, start = run->code->blocks[to].address;

	if (last->operation == OP_JUMP) {
		const struct operand *operand = &last->operands[0];

		if (!operand_is_general(operand) ||
		    run->state.registers[operand->reg].kind != CELL_CONSTANT)
			return true;
		run->state.decided = true;
		keep_number(run, &run->state.registers[operand->reg]);
		return run->state.registers[operand->reg].number == start;
	}
	if (last->operation != OP_BRANCH || !insn_direct_target(last, &target) ||
	    target == last->address + last->length)
		return true;
	enum truth is = decide(run, last->condition);

	run->state.decided |= is != TRUTH_EITHER;
	return is == TRUTH_EITHER || (is == TRUTH_YES) == (start == target);
}

void run_stretch(struct run *run, uint32_t first, uint32_t end, uint64_t *budget)
{
	for (uint32_t i = first; i < end; i++)
		run_insn(run, &run->code->insns[i]);
	*budget -= end - first < *budget ? end - first : *budget;
}

static void push(struct run *run, uint32_t block, bool *changed)
{
	const struct basic_block *at = &run->code->blocks[block];
	const struct insn *last = &run->code->insns[at->first + at->count - 1];

	each_successor (to, run->code, at) {
		if (run->region[to] && run_may_go(run, last, to) &&
		    join(run, &run->entries[to], &run->state)) {
			run->region[to] = 2;
			*changed = true;
		}
	}
}

bool run_to_block(struct run *run, uint32_t to, uint64_t *budget)
{
	const struct cfg *code = run->code;
	uint32_t from = run->test_block;
	bool changed = true;

	for (uint32_t i = 0; i < run->block_count; i++) {
		run->region[run->blocks[i]] = 1;
		run->entries[run->blocks[i]].reached = false;
	}
	run_stretch(run, run->test + 1, code->blocks[from].first + code->blocks[from].count,
		    budget);
	push(run, from, &changed);
	while (changed && *budget) {
		changed = false;
		for (uint32_t i = 0; i < run->block_count && *budget; i++) {
			uint32_t block = run->blocks[i];

			if (run->region[block] != 2)
				continue;
			run->region[block] = 1;
			/* this block has the test: passing it again would be about a new object */
			if (block == from)
				continue;
			run->state = run->entries[block];
			run_stretch(run, code->blocks[block].first,
				    code->blocks[block].first + code->blocks[block].count, budget);
			push(run, block, &changed);
		}
	}
	if (!run->entries[to].reached)
		return false;
	run->state = run->entries[to];
	return true;
}

/* ---- the start at a test */

bool run_writes_place(const struct run *run, const struct insn *insn)
{
	return schedule_written(run->solver->abi->call, insn) & operand_registers(run->place);
}

/* True if the register has an address of the frame where the block begins. */
static bool has_frame_at_entry(const struct run *run, uint32_t block, uint8_t reg)
{
	const struct state *entry = &run->solver->tables.entries[block];
	const struct value *value = &entry->values[reg];

	return entry->reached && value->kind == VALUE_FRAME && !value->frame && !value->stride;
}

bool run_has_stack(const struct run *run, uint32_t block, uint32_t index, uint8_t reg)
{
	const uint8_t sp = run->solver->arch->stack_pointer;

	if (reg == sp || !reg_is_general(reg))
		return reg == sp;
	while (index-- > run->code->blocks[block].first) {
		const struct insn *insn = &run->code->insns[index];

		if (schedule_written(run->solver->abi->call, insn) & REG_BIT(reg))
			return insn->operation == OP_MOVE && operand_is_reg(&insn->operands[1], sp);
	}
	return has_frame_at_entry(run, block, reg);
}

/* Places on the stack that are found by the frame pointer count from here: the stack pointer's
 * distance to it need not be known. */
#define FRAME_PLACES (UINT64_C(1) << 40)

/* Sets the registers that have a constant at the start of a block, such as the address of a jump
 * table, or an address of the frame, and still at instruction `first`. */
static void set_constants(struct run *run, uint32_t block, uint32_t first)
{
	const struct state *entry = &run->solver->tables.entries[block];
	uint64_t changed = 0;

	for (uint32_t i = run->code->blocks[block].first; i < first; i++)
		changed |= schedule_written(run->solver->abi->call, &run->code->insns[i]);
	array_indexed (const struct value, value, i, entry->values,
		       run->code->arch->general_count) {
		struct cell *cell = &run->state.registers[i];

		if (cell->kind != CELL_UNKNOWN)
			continue;
		if (changed & REG_BIT(i) ? run_has_stack(run, block, first, (uint8_t)i)
					 : has_frame_at_entry(run, block, (uint8_t)i))
			*cell = (struct cell){ .kind = CELL_STACK,
					       .width = 8,
					       .number = FRAME_PLACES +
							 (changed & REG_BIT(i) || !entry->reached
								  ? 0
								  : (uint64_t)value->offset) };
		else if (entry->reached && !value->stride && !(changed & REG_BIT(i)) &&
			 (value->kind == VALUE_NUMBER || value->kind == VALUE_ADDRESS))
			*cell = cell_constant((uint64_t)value->offset);
	}
}

/* Notes that the register or stack slot from which the test's base register was copied has the
 * address, too. */
static void set_source(struct run *run, const struct insn *insn)
{
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
	uint8_t sp = run->solver->arch->stack_pointer, base = run->place->base;

	if (insn->operation != OP_MOVE || !operand_is_reg(to, base) || to->size != 8 || base == sp)
		return;
	if (operand_is_general(from) && from->reg != run->place->index) {
		run->state.registers[from->reg] = run->state.registers[base];
	} else if (from->kind == OPERAND_MEMORY && from->base != base) {
		const struct cell slot = run_address(run, from);

		if (slot.kind == CELL_STACK)
			store_slot(&run->state, (int64_t)slot.number, 8,
				   run->state.registers[base]);
	}
}

/* Notes the registers to which the test's base register was copied before the stack pointer, from
 * which the stack's places count, was last changed. */
static void set_copies(struct run *run, uint32_t end)
{
	const struct cfg *code = run->code;
	uint8_t base = run->place->base;
	uint64_t changed = REG_BIT(run->solver->arch->stack_pointer);

	for (uint32_t i = end; i-- > code->blocks[run->test_block].first;) {
		const struct insn *insn = &code->insns[i];
		const struct operand *to = &insn->operands[0], *from = &insn->operands[1];

		if (run_writes_place(run, insn))
			return;
		if (insn->operation == OP_MOVE && operand_is_general(to) && to->size == 8 &&
		    operand_is_reg(from, base) && !(changed & REG_BIT(to->reg)))
			run->state.registers[to->reg] = run->state.registers[base];
		changed |= insn->written;
	}
}

/* Runs the instructions between the last write of the test's registers and the test: they may copy
 * the address that it uses. */
static void run_before(struct run *run)
{
	uint32_t block = run->test_block, first = run->test;
	uint8_t sp = run->solver->arch->stack_pointer;

	/* the stack pointer counts from the test */
	while (first > run->code->blocks[block].first &&
	       !run_writes_place(run, &run->code->insns[first - 1]) &&
	       !(run->code->insns[first - 1].written & REG_BIT(sp)))
		first--;
	set_constants(run, block, first);
	if (run->place->base != sp)
		set_copies(run, first);
	if (first > run->code->blocks[block].first)
		set_source(run, &run->code->insns[first - 1]);
	for (; first < run->test; first++)
		run_insn(run, &run->code->insns[first]);
}

/* Sets run->state before the test, whatever the discriminant is. */
static void run_to_test(struct run *run)
{
	struct run_state *state = &run->state;

	assert(reg_is_general(run->place->base));
	memset(state, 0, sizeof(*state));
	state->registers[run->solver->arch->stack_pointer] =
		(struct cell){ .kind = CELL_STACK, .width = 8 };
	if (run->place->index != REG_NONE)
		state->registers[run->place->index] =
			(struct cell){ .kind = CELL_INDEX, .width = 8 };
	if (run->place->base != run->solver->arch->stack_pointer)
		state->registers[run->place->base] = (struct cell){
			.kind = run->place->index == REG_NONE ? CELL_OBJECT : CELL_BASE, .width = 8
		};
	run_before(run);
	state->stale = false;
	*run->before = *state;
	run->has_before = true;
}

void run_start(struct run *run, struct cell discriminant)
{
	run->tag = (struct run_tag){ .value = (uint8_t)discriminant.number };
	if (run->has_before)
		run->state = *run->before;
	else
		run_to_test(run);
	run->state.discriminant = discriminant;
	run_insn(run, &run->code->insns[run->test]);
}
