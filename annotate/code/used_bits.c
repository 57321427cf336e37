// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bits of a memory operand that the code uses or changes: see code.h.
 *
 * A store changes the bits that do not come from its own memory (bit_words.h). A load is used for
 * the bits that some later instruction needs: this walks backwards over the blocks after it, from
 * the bits that are needed after an instruction to those that are needed before it.
 *
 * In order: the bits that one instruction needs; the blocks around the operand; the answer.
 */
#include "annotate/code/code.h"
#include "annotate/flow/solver.h"

#include "annotate/types/field.h"
#include "annotate/values/bit_words.h"
#include "base/memory.h"

/* ---- one instruction, backwards */

/* The bits of registers that are needed, and the conditions that are tested: a bit for each pair of
 * a condition and its negation, by enum condition. */
struct needed {
	uint64_t registers[REG_GENERAL_COUNT];
	uint64_t conditions; /* as wide as the others: it is compared as bytes, without padding */
};

#define CONDITION_BIT(condition) (1U << ((condition) >> 1))
#define BELOW                    CONDITION_BIT(CONDITION_BELOW)
#define EQUAL                    CONDITION_BIT(CONDITION_EQUAL)
#define BELOW_EQUAL              CONDITION_BIT(CONDITION_BELOW_EQUAL)
#define SIGN                     CONDITION_BIT(CONDITION_SIGN)
#define LESS                     CONDITION_BIT(CONDITION_LESS)
#define LESS_EQUAL               CONDITION_BIT(CONDITION_LESS_EQUAL)
/* overflow and parity */
#define OTHER_CONDITIONS (~(BELOW | EQUAL | BELOW_EQUAL | SIGN | LESS | LESS_EQUAL) & 0xffU)

/* An instruction on the way back. */
struct back_step {
	const struct cfg *code;
	const struct insn *insn;
	const struct bit_step *bits;
	struct needed *needed; /* after the instruction, then before it */
	/* of d; of s where both are written (xchg) */
	uint64_t result, second_result;
	uint8_t conditions;
	uint64_t operands[INSN_OPERANDS]; /* the bits that are needed of each */
	general_set arguments;            /* of a call or jump, or results of a return */
};

static uint64_t width_bits(const struct operand *operand)
{
	return low_bits(operand->size * 8U);
}

static uint64_t sign_bit(const struct operand *operand)
{
	return operand->size ? UINT64_C(1) << (operand->size * 8U - 1) : 0;
}

/* Returns the bits from the lowest to the highest that is needed: those on which a sum's depend. */
static uint64_t up_to_highest(uint64_t bits)
{
	return bits ? low_bits(64 - (unsigned int)__builtin_clzll(bits)) : 0;
}

/* True if all bits of the second operand are known; *number becomes its value. */
static bool is_known(const struct back_step *step, uint64_t *number)
{
	uint64_t width = width_bits(&step->insn->operands[1]);

	*number = step->bits->ones[1] & width;
	return !(width & ~(step->bits->ones[1] | step->bits->zeros[1]));
}

/* Returns the bits of a result without a carry that the conditions depend on. */
static uint64_t bits_of_conditions(uint8_t conditions, const struct operand *operand)
{
	uint64_t bits = conditions & (SIGN | LESS) ? sign_bit(operand) : 0;

	return conditions & (EQUAL | BELOW_EQUAL | LESS_EQUAL | OTHER_CONDITIONS)
		       ? width_bits(operand)
		       : bits;
}

/* Returns the bits of x that a comparison of x with `number` depends on: x < 32 does not depend on
 * the low five. */
static uint64_t bits_of_comparison(uint8_t conditions, uint64_t number,
				   const struct operand *operand)
{
	uint64_t all = width_bits(operand), sign = sign_bit(operand), bits = 0;
	uint64_t next = (number + 1) & all;

	if (conditions & (EQUAL | OTHER_CONDITIONS) || (conditions & SIGN && number))
		return all;
	if (conditions & SIGN)
		bits |= sign;
	/* the bits from the lowest one on; the negation of 0 has none */
	if (conditions & BELOW)
		bits |= number | -number;
	if (conditions & BELOW_EQUAL)
		bits |= next | -next;
	if (conditions & LESS)
		bits |= number | -number | sign;
	if (conditions & LESS_EQUAL)
		bits |= next | -next | sign;
	return bits & all;
}

static bool same_register(const struct operand *a, const struct operand *b)
{
	return a->kind == OPERAND_REGISTER && b->kind == OPERAND_REGISTER && a->reg == b->reg &&
	       a->high_byte == b->high_byte;
}

/* Needs of a sum the bits up to the highest one that is needed; where one of the two operands, or
 * both, have only zeros, the other one's bit is the sum's. A register added to itself is shifted.
 */
static void need_sum(struct back_step *step, unsigned int a, unsigned int b, bool minus)
{
	uint64_t both = ~step->bits->zeros[a] & ~step->bits->zeros[b], carried;
	uint64_t result =
		step->result | bits_of_conditions(step->conditions, &step->insn->operands[0]);

	if (!minus && !step->conditions &&
	    same_register(&step->insn->operands[a], &step->insn->operands[b])) {
		step->operands[a] |= result >> 1;
		return;
	}
	if (step->conditions)
		result = up_to_highest(result | width_bits(&step->insn->operands[0]));
	if (minus)
		both = ~step->bits->zeros[b];
	/* bits below the first one that may carry go into their own place only */
	carried = both ? up_to_highest(result) & (both | -both) : 0;
	step->operands[a] |= result | carried;
	step->operands[b] |= result | carried;
}

static void need_bitwise(struct back_step *step, unsigned int a, unsigned int b)
{
	const uint64_t *zeros = step->bits->zeros, *ones = step->bits->ones;
	uint64_t result =
		step->result | bits_of_conditions(step->conditions, &step->insn->operands[0]);

	switch (step->insn->operation) {
	case OP_AND:
	case OP_TEST:
		step->operands[a] |= result & ~zeros[b];
		step->operands[b] |= result & ~zeros[a];
		break;
	case OP_AND_NOT:
		step->operands[a] |= result & ~zeros[b];
		step->operands[b] |= result & ~ones[a];
		break;
	case OP_OR:
		step->operands[a] |= result & ~ones[b];
		step->operands[b] |= result & ~ones[a];
		break;
	default:
		step->operands[a] |= result;
		step->operands[b] |= result;
		break;
	}
}

static void need_test(struct back_step *step)
{
	const struct operand *first = &step->insn->operands[0];
	uint64_t number;

	if (!(step->insn->flags & FLAG_BIT_NUMBER)) {
		if (same_register(first, &step->insn->operands[1]))
			step->operands[0] = bits_of_conditions(step->conditions, first);
		else
			need_bitwise(step, 0, 1);
		return;
	}
	if (is_known(step, &number)) {
		step->operands[0] = UINT64_C(1) << (number & (first->size * 8U - 1));
	} else {
		step->operands[0] = width_bits(first);
		step->operands[1] = width_bits(&step->insn->operands[1]);
	}
}

static void need_comparison(struct back_step *step)
{
	const struct operand *a = &step->insn->operands[0], *b = a + 1;
	uint64_t number;

	if (is_known(step, &number)) {
		step->operands[0] = bits_of_comparison(step->conditions, number, a);
	} else {
		step->operands[0] = width_bits(a);
		step->operands[1] = width_bits(b);
	}
}

/* Returns the bit that a shift moves into the carry, if the conditions depend on it. */
static uint64_t shifted_out(const struct back_step *step, uint64_t count)
{
	unsigned int width = step->insn->operands[0].size * 8U;

	if (!(step->conditions & (BELOW | BELOW_EQUAL)) || !count || count > width)
		return 0;
	return UINT64_C(1) << (step->insn->operation == OP_SHIFT_LEFT ||
					       step->insn->operation == OP_ROTATE_LEFT
				       ? width - count
				       : count - 1);
}

/* Needs the bits that an operation moves to the places that are needed. */
static void need_permutation(struct back_step *step)
{
	const struct insn *insn = step->insn;
	unsigned int value = insn->operand_count > 2 ? 1 : 0, by = value + 1;
	bool has_by = by < insn->operand_count;
	struct bit_word places = { .loaded = UINT64_MAX }, number = { 0 }, moved;
	uint64_t all = width_bits(&insn->operands[value]);
	uint64_t result = step->result | bits_of_conditions(step->conditions, &insn->operands[0]);

	for (unsigned int i = 0; i < WORD_BITS; i++)
		places.from[i] = (uint16_t)i;
	number.zeros = has_by ? step->bits->zeros[by] : 0;
	number.ones = has_by ? step->bits->ones[by] : 0;
	if (!bits_of_permutation(insn, &places, has_by ? &number : NULL, &moved)) {
		if (result || step->conditions) {
			step->operands[value] = all;
			if (has_by)
				step->operands[by] = width_bits(&insn->operands[by]);
		}
		return;
	}
	bits_each (bit, result & moved.loaded)
		step->operands[value] |= UINT64_C(1) << moved.from[bit];
	if (has_by)
		step->operands[value] |= shifted_out(step, step->bits->ones[by] & 63);
	step->operands[value] &= all;
}

static void need_product(struct back_step *step)
{
	uint64_t bits = step->conditions ? UINT64_MAX : up_to_highest(step->result);

	for (unsigned int i = 1; i < step->insn->operand_count; i++)
		step->operands[i] = bits & width_bits(&step->insn->operands[i]);
}

/* Needs the registers of a sum that lea computes, as need_sum() does. */
static void need_address(struct back_step *step)
{
	const struct operand *from = &step->insn->operands[1];
	uint64_t base = ~step->bits->zeros[1], index = ~step->bits->zeros[2],
		 number = (uint64_t)from->value;
	uint64_t both = (base & index) | (base & number) | (index & number);
	uint64_t bits = step->result | (both ? up_to_highest(step->result) & (both | -both) : 0);

	if (from->base == from->index && from->scale == 1 && !number)
		bits = step->result >> 1;
	if (from->base != REG_NONE && reg_is_general(from->base))
		step->needed->registers[from->base] |= bits;
	if (from->index != REG_NONE && reg_is_general(from->index))
		step->needed->registers[from->index] |= bits / from->scale;
}

static void need_all(struct needed *needed, uint64_t registers)
{
	bits_each (bit, registers & GENERAL_MASK)
		needed->registers[bit] = UINT64_MAX;
}

static void need_everything(struct back_step *step)
{
	need_all(step->needed, step->insn->read);
	for (unsigned int i = 0; i < step->insn->operand_count; i++)
		step->operands[i] = step->insn->operands[i].read ? UINT64_MAX : 0;
	need_all(step->needed, step->arguments);
}

/* Needs what an instruction reads of its operands for the result. */
static void need_operands(struct back_step *step)
{
	const struct insn *insn = step->insn;
	unsigned int a = insn->operand_count > 2 ? 1 : 0;
	uint64_t source = width_bits(&insn->operands[1]);

	switch (insn->operation) {
	case OP_MOVE:
	case OP_MOVE_ZERO: step->operands[1] = step->result & source; break;
	case OP_MOVE_SIGN:
		step->operands[1] = (step->result & source) |
				    (step->result & ~source ? sign_bit(&insn->operands[1]) : 0);
		break;
	case OP_LEA: need_address(step); break;
	case OP_ADD:
	case OP_SUB: need_sum(step, a, a + 1, insn->operation == OP_SUB); break;
	case OP_AND:
	case OP_OR:
	case OP_XOR:
	case OP_AND_NOT: need_bitwise(step, a, a + 1); break;
	case OP_COMPLEMENT: step->operands[0] = step->result; break;
	case OP_MULTIPLY: need_product(step); break;
	case OP_SHIFT_LEFT:
	case OP_SHIFT_RIGHT:
	case OP_SHIFT_ARITHMETIC:
	case OP_ROTATE_LEFT:
	case OP_ROTATE_RIGHT:
	case OP_EXTRACT_BITS:
	case OP_LOW_BITS:
	case OP_GATHER_BITS:
	case OP_SCATTER_BITS:
	case OP_BIT_SET:
	case OP_BIT_CLEAR:
	case OP_BIT_INVERT:
	case OP_SWAP_BYTES: need_permutation(step); break;
	case OP_TEST: need_test(step); break;
	case OP_COMPARE: need_comparison(step); break;
	case OP_CONDITIONAL: step->operands[0] = step->operands[1] = step->result; break;
	case OP_EXCHANGE:
		step->operands[0] = step->second_result;
		step->operands[1] = step->result;
		break;
	case OP_ZERO:
	case OP_SET_CONDITION:
	case OP_NOP:
	case OP_BRANCH: break;
	default: need_everything(step); break;
	}
}

/* Returns the bits of an operand that are needed after the instruction, and forgets them if it
 * writes them. */
static uint64_t take_result(struct back_step *step, unsigned int index)
{
	const struct operand *to = &step->insn->operands[index];
	unsigned int shift = to->high_byte ? 8 : 0;
	uint64_t bits;

	if (index >= step->insn->operand_count || !to->write)
		return 0;
	if (to->kind == OPERAND_MEMORY)
		return step->bits->changed;
	if (!operand_is_general(to))
		return 0;
	bits = step->needed->registers[to->reg] >> shift & width_bits(to);
	step->needed->registers[to->reg] &=
		to->size >= step->code->arch->whole_write ? 0 : ~(width_bits(to) << shift);
	return bits;
}

/* Needs the registers of the addresses of memory operands, and those of register operands. */
static void need_registers(struct back_step *step)
{
	uint64_t *registers = step->needed->registers;

	array_indexed (const struct operand, operand, i, step->insn->operands,
		       step->insn->operand_count) {
		if (operand_is_general(operand))
			registers[operand->reg] |= (step->operands[i] & width_bits(operand))
						   << (operand->high_byte ? 8 : 0);
		if (operand->kind != OPERAND_MEMORY || step->insn->operation == OP_LEA)
			continue;
		if (operand->base != REG_NONE && reg_is_general(operand->base))
			registers[operand->base] = UINT64_MAX;
		if (operand->index != REG_NONE && reg_is_general(operand->index))
			registers[operand->index] = UINT64_MAX;
	}
}

/* Goes back over an instruction: step->needed is that before it afterwards. */
static void used_bits_step_back(struct back_step *step)
{
	const struct insn *insn = step->insn;
	bool reads_condition = insn->condition != CONDITION_NONE ||
			       insn->operation == OP_ADD_CARRY || insn->operation == OP_SUB_BORROW;

	memset(step->operands, 0, sizeof(step->operands));
	step->result = take_result(step, 0);
	step->second_result = insn->operation == OP_EXCHANGE ? take_result(step, 1) : 0;
	step->conditions = insn->flags & FLAG_WRITES_FLAGS ? step->needed->conditions : 0;
	if (step->conditions)
		step->needed->conditions = 0;
	else if (insn->operation == OP_TEST || insn->operation == OP_COMPARE)
		step->conditions = EQUAL; /* whoever reads it is out of reach */
	if (insn->operation == OP_CALL)
		bits_each (bit, step->code->arch->call.clobbered & GENERAL_MASK)
			step->needed->registers[bit] = 0;
	if (reads_condition)
		step->needed->conditions |=
			insn->condition == CONDITION_NONE ? BELOW : CONDITION_BIT(insn->condition);
	if (bits_are_wide(insn))
		need_everything(step);
	else
		need_operands(step);
	need_registers(step);
}

/* ---- the blocks around the operand */

/* The most blocks and instructions after a load that are looked at: compilers keep a value and its
 * uses together. Behind them, all bits are taken to be needed. */
#define REGION_BLOCKS_MAX 24
#define REGION_INSNS_MAX  600
/* The most blocks and instructions before a block in which a path to it begins, and the most paths
 * that are followed. If there are more, they begin where they meet. */
#define PATH_BLOCKS_MAX 6
#define PATH_INSNS_MAX  200
#define PATHS_MAX       8

struct region {
	struct solver *solver; /* NULL: nothing is known but the code */
	const struct cfg *code;
	uint32_t asked;
	bool returns_all; /* all registers are needed at the end of the function */
	struct bit_path path;
	uint32_t blocks[REGION_BLOCKS_MAX];
	uint32_t steps_of[REGION_BLOCKS_MAX]; /* the first step of a block */
	/* at the entry of a block: the registers that may have bits of the loaded value, and
	 * whether the flags may depend on them */
	general_set held[REGION_BLOCKS_MAX];
	bool flags[REGION_BLOCKS_MAX];
	/* by block: the instructions up to the last one that uses the value, and whether one may
	 * store it where it is from */
	uint32_t uses[REGION_BLOCKS_MAX];
	bool stores[REGION_BLOCKS_MAX];
	bool spilled; /* the value may be in other memory, too */
	struct needed entries[REGION_BLOCKS_MAX];
	uint32_t count;
	struct bit_step steps[REGION_INSNS_MAX];
	uint32_t step_count;
	uint64_t work; /* as in BIT_WORK_MAX */
};

/* Finding the bits of all registers after an instruction takes as long as going back over this many
 * instructions. */
#define BIT_STEP_WORK 4
/* The most work for all operands of a function, in instructions that are gone back over. Behind
 * that, no operand's bits are known. The largest real functions that were measured (Linux, the
 * interpreter of Python) need 130,000. */
#define BIT_WORK_MAX 1000000

/* The blocks of a path, the last one first. */
struct back_path {
	uint32_t blocks[PATH_BLOCKS_MAX], length, insns;
};

/* Keeps what two paths to an instruction both know. */
static void join_steps(struct bit_step *step, const struct bit_step *other)
{
	for (unsigned int i = 0; i < INSN_OPERANDS; i++) {
		step->zeros[i] &= other->zeros[i];
		step->ones[i] &= other->ones[i];
	}
	step->changed |= other->changed;
	step->changed_asked |= other->changed_asked;
}

/* Walks along a path over the first `count` instructions of its last block. Sets `steps` for them,
 * or joins them with those of other paths. */
static void walk_path(struct region *region, const struct back_path *path, bool join,
		      struct bit_step *steps, uint32_t count)
{
	const struct cfg *code = region->code;
	const struct state *entries = region->solver ? region->solver->tables.entries : NULL;
	struct bit_step step;

	bit_path_start(&region->path, code,
		       entries ? &entries[path->blocks[path->length - 1]] : NULL, region->asked);
	for (uint32_t at = path->length; at-- > 0;) {
		const struct basic_block *basic = &code->blocks[path->blocks[at]];
		const uint32_t end = at ? basic->count : count;

		region->work += (uint64_t)BIT_STEP_WORK * end;
		for (uint32_t i = 0; i < end; i++) {
			bit_path_step(&region->path, basic->first + i, &step);
			if (!at && join)
				join_steps(&steps[i], &step);
			else if (!at)
				steps[i] = step;
		}
	}
}

/* Counts the blocks before a path; 0: some are not known, or on it already, or there are several
 * and the load whose bits are asked for is on it. */
static unsigned int blocks_before(const struct region *region, const struct back_path *path)
{
	const struct cfg *code = region->code;
	const uint32_t at = path->blocks[path->length - 1];
	unsigned int before = 0;

	if (!at || code->blocks[at].flags & (BLOCK_LEADER | BLOCK_ORPHAN))
		return 0;
	each_predecessor (from, code, &code->blocks[at]) {
		if (any_of(i, 0, path->length, path->blocks[i] == from))
			return 0;
		before += !(code->blocks[from].flags & BLOCK_PADDING);
	}
	return before > 1 && region->count &&
			       any_of(i, 0, path->length, path->blocks[i] == region->blocks[0])
		       ? 0
		       : before;
}

/* Walks over the first `count` instructions of a block, along at most `left` paths to it, and sets
 * `steps` for them. */
static void walk_to(struct region *region, uint32_t block, struct bit_step *steps, uint32_t count,
		    unsigned int left)
{
	const struct cfg *code = region->code;
	struct back_path paths[PATHS_MAX] = { { .blocks = { block }, .length = 1 } };
	unsigned int pending = 1, before;

	for (bool join = false; pending && count; join = true) {
		struct back_path path = paths[--pending];

		while (path.length < PATH_BLOCKS_MAX && path.insns < PATH_INSNS_MAX &&
		       (before = blocks_before(region, &path)) && before <= left) {
			const uint32_t at = path.blocks[path.length++ - 1];

			left -= before - 1;
			path.insns += code->blocks[at].count;
			each_predecessor (from, code, &code->blocks[at]) {
				if (code->blocks[from].flags & BLOCK_PADDING)
					continue;
				path.blocks[path.length - 1] = from;
				paths[pending] = path;
				pending += --before != 0;
			}
		}
		walk_path(region, &path, join, steps, count);
	}
}

/* Returns the number of a block in the region, or -1. */
static int number_in(const struct region *region, uint32_t block)
{
	for (uint32_t i = 0; i < region->count; i++)
		if (region->blocks[i] == block)
			return (int)i;
	return -1;
}

static void used_bits_add_block(struct region *region, uint32_t block)
{
	uint32_t count = region->code->blocks[block].count;

	if (region->count == REGION_BLOCKS_MAX || region->step_count + count > REGION_INSNS_MAX ||
	    number_in(region, block) >= 0)
		return;
	region->blocks[region->count] = block;
	region->entries[region->count] = (struct needed){ 0 };
	region->held[region->count] = region->uses[region->count] = 0;
	region->flags[region->count] = region->stores[region->count] = false;
	region->steps_of[region->count++] = region->step_count;
	region->step_count += count;
}

/* True if a block reads flags that it has not written. */
static bool reads_flags(const struct cfg *code, uint32_t block)
{
	const struct basic_block *basic = &code->blocks[block];

	for (uint32_t i = basic->first; i < basic->first + basic->count; i++) {
		if (code->insns[i].condition != CONDITION_NONE)
			return true;
		if (code->insns[i].flags & FLAG_WRITES_FLAGS)
			return false;
	}
	return false;
}

static struct needed needed_after(const struct region *region, uint32_t block)
{
	const struct basic_block *basic = &region->code->blocks[block];
	struct needed needed = { 0 };

	if (basic->flags & BLOCK_UNKNOWN_SUCCESSORS)
		memset(needed.registers, 0xff, sizeof(needed.registers));
	each_successor (to, region->code, basic) {
		int number = number_in(region, to);

		if (number < 0) {
			need_all(&needed, region->solver ? live_at_entry(region->solver, to)
							 : (general_set)~0);
			if (reads_flags(region->code, to))
				needed.conditions = 0xff;
			continue;
		}
		for (unsigned int j = 0; j < region->code->arch->general_count; j++)
			needed.registers[j] |= region->entries[number].registers[j];
		needed.conditions |= region->entries[number].conditions;
	}
	return needed;
}

/* Returns the registers that pass arguments to a call or tail call. */
static general_set arguments_of(const struct region *region, uint32_t insn)
{
	const struct convention *call = &region->code->arch->call;
	const struct prototype *prototype =
		region->solver ? solver_callee(region->solver, insn)->prototype : NULL;
	size_t count = call->argument_count;
	general_set registers = 0;

	if (prototype && prototype->prototyped && !prototype->variadic &&
	    prototype->parameter_count < count) {
		bool words = true;

		for (size_t i = 0; i < prototype->parameter_count; i++)
			words &= prototype->parameters[i].type &&
				 field_is_scalar(type_strip(prototype->parameters[i].type));
		/* a record may be passed in several registers, or by its address */
		if (words && field_is_scalar(type_strip(prototype->return_type)))
			count = prototype->parameter_count;
	}
	for (size_t i = 0; i < count; i++)
		registers |= (general_set)REG_BIT(call->arguments[i]);
	return registers;
}

/* Returns the registers that a return gives to the caller. */
static general_set results_of(const struct region *region)
{
	const struct convention *call = &region->code->arch->call;
	const struct function *function = region->solver ? region->solver->function : NULL;
	const struct type *type =
		function && function->prototype ? function->prototype->return_type : NULL;

	if (region->returns_all)
		return (general_set)~0;
	if (type && type_strip(type)->kind == TYPE_VOID)
		return 0;
	if (type && field_is_scalar(type_strip(type)))
		return (general_set)REG_BIT(call->results[0]);
	return (general_set)(REG_BIT(call->results[0]) | REG_BIT(call->results[1]));
}

/* Goes back over one instruction of a block. */
static void back_over(const struct region *region, uint32_t number, uint32_t insn,
		      struct needed *needed, struct back_step *step)
{
	const struct basic_block *basic = &region->code->blocks[region->blocks[number]];

	*step = (struct back_step){
		.code = region->code,
		.insn = &region->code->insns[insn],
		.bits = &region->steps[region->steps_of[number] + insn - basic->first],
		.needed = needed
	};
	if (step->insn->operation == OP_CALL ||
	    (step->insn->operation == OP_JUMP && basic->flags & BLOCK_TAIL_CALL))
		step->arguments = arguments_of(region, insn);
	else if (step->insn->operation == OP_RETURN)
		step->arguments = results_of(region);
	used_bits_step_back(step);
	/* a landing pad may need all registers */
	if (region->solver && region->solver->tables.extra_edges &&
	    region->solver->tables.extra_edges[insn])
		memset(needed->registers, 0xff, sizeof(needed->registers));
}

/* Finds the bits that are needed at the entries of all blocks of the region. */
static void find_needed(struct region *region)
{
	bool again = true;
	struct back_step step;

	while (again) {
		again = false;
		for (uint32_t i = region->count; i-- > 0;) {
			const struct basic_block *basic = &region->code->blocks[region->blocks[i]];
			struct needed needed = needed_after(region, region->blocks[i]);

			for (uint32_t j = basic->first + basic->count; j-- > basic->first;)
				back_over(region, i, j, &needed, &step);
			region->work += basic->count;
			if (memcmp(&needed, &region->entries[i], sizeof(needed)) == 0)
				continue;
			region->entries[i] = needed;
			again = true;
		}
	}
}

/* ---- the answer */

/* True if a vector gets what an instruction loads: its bits are not followed there. */
static bool goes_to_vector(const struct cfg *code, uint32_t index)
{
	const struct basic_block *block = &code->blocks[cfg_block_of(code, index)];
	const struct operand *to = &code->insns[index].operands[0];
	uint32_t next = index + 1;

	if (bits_are_wide(&code->insns[index]))
		return true;
	if (to->kind != OPERAND_REGISTER || !to->write)
		return false;
	while (next < block->first + block->count && !(code->insns[next].read & REG_BIT(to->reg)))
		next++;
	return next < block->first + block->count && bits_are_wide(&code->insns[next]);
}

/* Returns the bits of an operand that the instructions of the region need. */
static uint64_t needed_of(struct region *region, uint32_t index, const struct operand *operand)
{
	const struct cfg *code = region->code;
	uint32_t block = cfg_block_of(code, index);
	struct back_step step = { 0 };
	uint64_t bits = 0;

	find_needed(region);
	struct needed needed = needed_after(region, block);

	for (uint32_t i = code->blocks[block].first + code->blocks[block].count; i-- > index;)
		back_over(region, 0, i, &needed, &step);
	for (unsigned int i = 0; i < code->insns[index].operand_count; i++)
		if (&code->insns[index].operands[i] == operand)
			bits |= step.operands[i];
	return bits;
}

/* Follows the value over an instruction of a block: *held becomes the registers that may have some
 * of its bits after it, and *flags whether the flags may depend on them. True if it uses the
 * value. */
static bool follow_value(struct region *region, uint32_t number, const struct insn *insn,
			 general_set *held, bool *flags)
{
	const struct insn *load = &region->code->insns[region->asked];
	const struct operand *to = &insn->operands[0], *memory = insn_memory(insn, true),
			     *asked = insn_memory(load, false);
	bool from = insn == load || insn->read & *held ||
		    (insn->condition != CONDITION_NONE && *flags) ||
		    (memory && memory->read && region->spilled);

	if (from && memory && memory->write) {
		region->stores[number] |=
			memory->value > asked->value - WORD && memory->value < asked->value + WORD;
		/* where it was loaded from, nobody loads the value again */
		region->spilled |= memory->base != asked->base || memory->value != asked->value ||
				   memory->base == region->code->arch->stack_pointer;
	}
	if (insn->flags & FLAG_WRITES_FLAGS)
		*flags = from;
	if (from)
		*held |= (general_set)insn->written;
	else if (operand_is_general(to) && to->write && to->size >= region->code->arch->whole_write)
		*held &= (general_set)~REG_BIT(to->reg);
	if (insn->operation == OP_CALL)
		*held &= (general_set)~region->code->arch->call.clobbered;
	return from;
}

/* Adds a block that the value may come to in registers or flags. True if that is new. */
static bool pass_value(struct region *region, uint32_t to, general_set held, bool flags)
{
	if (region->solver)
		held &= live_at_entry(region->solver, to);
	flags = flags && reads_flags(region->code, to);
	if (!held && !flags && !region->spilled)
		return false;
	used_bits_add_block(region, to);
	const int number = number_in(region, to);

	if (number < 0 || !(held & ~region->held[number] || (flags && !region->flags[number])))
		return false;
	region->held[number] |= held;
	region->flags[number] |= flags;
	return true;
}

/* Adds the blocks after the first one that the loaded value may come to: those behind them need
 * none of its bits. */
static void add_blocks_of_value(struct region *region)
{
	const struct cfg *code = region->code;
	bool again = true;

	while (again) {
		const bool spilled = region->spilled;

		again = false;
		for (uint32_t i = 0; i < region->count; i++) {
			const struct basic_block *block = &code->blocks[region->blocks[i]];
			general_set held = region->held[i];
			bool flags = region->flags[i];

			for (uint32_t k = 0; k < block->count; k++)
				if (follow_value(region, i, &code->insns[block->first + k], &held,
						 &flags) &&
				    k >= region->uses[i])
					region->uses[i] = k + 1;
			each_successor (to, code, block)
				again |= pass_value(region, to, held, flags);
		}
		again |= region->spilled != spilled;
	}
}

static uint64_t of_load(struct region *region, uint32_t index, const struct operand *operand)
{
	const struct cfg *code = region->code;
	uint32_t block = cfg_block_of(code, index);
	uint64_t bits;

	if (goes_to_vector(code, index))
		return 0;
	used_bits_add_block(region, block);
	if (!region->count)
		return 0;
	add_blocks_of_value(region);
	/* nothing else depends on what is known of other values */
	memset(region->steps, 0, region->step_count * sizeof(*region->steps));
	for (uint32_t i = 0; i < region->count; i++)
		walk_to(region, region->blocks[i], &region->steps[region->steps_of[i]],
			region->uses[i], region->stores[i] ? PATHS_MAX : 1);
	bits = needed_of(region, index, operand);
	/* what is loaded to be stored again is loaded for the bits that change */
	for (uint32_t i = 0; i < region->step_count; i++)
		bits |= region->steps[i].changed_asked;
	/* nobody uses the value: the masks still say what it was loaded for */
	if (!bits) {
		region->returns_all = true;
		bits = needed_of(region, index, operand);
	}
	return bits;
}

static uint64_t of_store(struct region *region, uint32_t index)
{
	uint32_t block = cfg_block_of(region->code, index);
	uint32_t count = index - region->code->blocks[block].first + 1;

	if (count > REGION_INSNS_MAX)
		return 0;
	walk_to(region, block, region->steps, count, PATHS_MAX);
	return region->steps[count - 1].changed;
}

/* Takes what was done from the budgets of the function and of the object. Threads share the
 * object's without a lock: one may take a little more than there is. */
static void take_work(struct solver *solver, uint64_t work)
{
	uint64_t *all = solver->options.bit_work;
	uint64_t left = all ? __atomic_load_n(all, __ATOMIC_RELAXED) : 0;

	solver->pass.bit_work += work;
	if (all)
		__atomic_store_n(all, left - (work < left ? work : left), __ATOMIC_RELAXED);
}

static bool may_work(const struct solver *solver)
{
	const uint64_t *all = solver->options.bit_work;

	return solver->pass.bit_work <= BIT_WORK_MAX &&
	       (!all || __atomic_load_n(all, __ATOMIC_RELAXED));
}

uint64_t used_bits(struct solver *solver, const struct cfg *code, uint32_t index,
		   const struct operand *operand)
{
	uint64_t all, bits;

	if (!operand || !operand->size || operand->size > WORD || (solver && !may_work(solver)))
		return 0;
	/* most of its room is for paths that are longer than this one: it is not cleared */
	_cleanup_free_ struct region *region = xmalloc(sizeof(*region));

	region->count = region->step_count = 0;
	region->work = 0;
	region->returns_all = region->spilled = false;
	region->solver = solver;
	region->code = code;
	region->asked = operand->write ? UINT32_MAX : index;
	all = low_bits(operand->size * 8U);
	bits = operand->write ? of_store(region, index) : of_load(region, index, operand);
	if (solver)
		take_work(solver, region->work);
	return (bits & all) == all ? all : bits;
}
