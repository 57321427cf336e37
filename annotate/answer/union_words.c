// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Small records that pass through registers between a union and a call: part of the evidence of a
 * union's member (union_evidence.c), see answer.h.
 *
 *     union semantic { struct block block; struct value literal; } *s;
 *
 *     use_value(s->literal);        mov (%rbx),%rdi        the first word of literal, which has
 *                                   mov 8(%rbx),%rsi       several members there
 *                                   call use_value
 *
 * A calling convention passes and returns records of at most two words in registers. Each word is
 * moved whole, whatever members it has: so another member of the union may have a scalar that fits
 * the access better. The parameter's type, or the result's, says which record is meant.
 */
#include "annotate/answer/answer.h"
#include "annotate/code/code.h"
#include "annotate/facts/arguments.h"
#include "annotate/flow/flow.h"
#include "annotate/types/union_member.h"

/* The words of a record that is passed in registers. */
#define RECORD_WORDS_MAX 2

struct word_move {
	struct solver *solver;
	const struct state *state; /* before the instruction */
	uint32_t insn;             /* moves the word */
	const struct operand *memory;
	struct union_evidence *evidence;
};

static bool is_small_record(const struct type *type)
{
	const uint64_t size = type_is_record(type_strip(type)) ? field_size(type) : 0;

	return size && size <= RECORD_WORDS_MAX * WORD;
}

/* True if the union has a small record with several members, or bit-fields, in one of its words: a
 * scalar of another member fits the move of that word better. */
static bool has_small_record(const struct union_place *place)
{
	members_each (member, type_members, place->type) {
		const uint64_t size = is_small_record(member->type) ? field_size(member->type) : 0;

		for (uint64_t at = 0; at < size; at += WORD)
			if (!fit_at(member->type, (int64_t)at, size - at < WORD ? size - at : WORD)
				     .whole)
				return true;
	}
	return false;
}

/* True if the block moves the other word of a record, too, between a register and the place beside
 * this one: without it, the word may be something else, of which the code makes a record. */
static bool moves_other_word(const struct word_move *move, int64_t beside)
{
	const struct cfg *code = move->solver->code;
	const struct basic_block *block = &code->blocks[cfg_block_of(code, move->insn)];
	const unsigned int at = !move->memory->read ? 0 : 1;

	for (uint32_t i = block->first; i < block->first + block->count; i++) {
		const struct insn *other = &code->insns[i];
		const struct operand *memory = &other->operands[at];

		if (other->operation == OP_MOVE && other->operand_count == 2 &&
		    operand_is_general(&other->operands[!at]) && memory->kind == OPERAND_MEMORY &&
		    memory->size == WORD && memory->base == move->memory->base &&
		    memory->index == move->memory->index && memory->scale == move->memory->scale &&
		    memory->value - move->memory->value == beside)
			return true;
	}
	return false;
}

static void add_view(void *data, const struct type *record, int64_t within)
{
	struct union_evidence *evidence = data;

	if (evidence->view_count < UNION_VIEWS_MAX)
		evidence->views[evidence->view_count++] = (struct field_ref){ record, within };
}

/* The word is this one of a record that is passed or returned in registers. */
static void union_words_add(const struct word_move *move, const struct type *type,
			    unsigned int word)
{
	const uint64_t size = field_size(type);

	if (!is_small_record(type) || move->memory->size > size - word * WORD ||
	    (size > WORD &&
	     (move->memory->size != WORD || !moves_other_word(move, word ? -WORD : WORD))) ||
	    (size <= WORD && fit_at(type, 0, move->memory->size).whole))
		return;
	move->evidence->is_copy = true;
	field_each_record(type, word * WORD, add_view, move->evidence);
}

/* Adds the record if it is of this type and the registers have one of its words. */
static void add_argument(const struct word_move *move, const struct argument *argument,
			 uint64_t held)
{
	for (unsigned int i = 0; i < RECORD_WORDS_MAX; i++)
		if (argument->registers[i] != REG_NONE && held & REG_BIT(argument->registers[i]))
			union_words_add(move, argument->type, i);
}

/* Returns the prototype of a called function; NULL: it is not known. */
static const struct prototype *prototype_of_call(const struct word_move *move, uint32_t call,
						 uint64_t written, struct prototype *storage)
{
	const struct call_cache *callee = solver_callee(move->solver, call);
	const struct operand *target = &move->solver->code->insns[call].operands[0];

	if (callee->clone || callee->own_convention)
		return NULL;
	if (callee->by_state)
		return operand_is_general(target) && !(written & REG_BIT(target->reg))
			       ? prototype_of_type(move->state->values[target->reg].type, storage)
			       : NULL;
	return callee->prototype;
}

static void find_parameter(const struct word_move *move, const struct prototype *prototype,
			   uint64_t held)
{
	struct argument_walk arguments;
	struct argument argument;

	if (!prototype || !prototype->prototyped)
		return;
	arguments_begin(&arguments, move->solver->abi, prototype);
	while (arguments_next(&arguments, &argument))
		add_argument(move, &argument, held);
}

/* The record that a function returns, as if it were an argument in the registers of results. False:
 * none is returned in registers. */
static bool result_of(const struct abi *abi, const struct prototype *prototype,
		      struct argument *result)
{
	enum argument_class classes[2];
	const struct type *type = prototype ? prototype->return_type : NULL;
	size_t next = 0;

	if (!type || !is_small_record(type) || !abi_classify(abi, type, classes))
		return false;
	*result = (struct argument){ .type = type, .registers = { REG_NONE, REG_NONE } };
	for (unsigned int i = 0; i < RECORD_WORDS_MAX; i++)
		if (classes[i] == ARGUMENT_INTEGER)
			result->registers[i] = abi->call->results[next++];
	return true;
}

/* Follows a loaded word to the end of the block: up to a call that gets it, or to the return. */
static void follow_load(const struct word_move *move)
{
	const struct solver *solver = move->solver;
	const struct cfg *code = solver->code;
	const struct basic_block *block = &code->blocks[cfg_block_of(code, move->insn)];
	uint64_t held = REG_BIT(code->insns[move->insn].operands[0].reg), written = held;
	struct argument result;

	for (uint32_t i = move->insn + 1; held && i < block->first + block->count; i++) {
		const struct insn *insn = &code->insns[i];
		const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
		const bool leaves = insn->operation == OP_CALL ||
				    (insn->operation == OP_JUMP && to->kind == OPERAND_IMMEDIATE &&
				     !cfg_covers(code, (uint64_t)to->value));
		const bool copies = insn->operation == OP_MOVE && operand_is_general(to) &&
				    operand_is_general(from) && held & REG_BIT(from->reg) &&
				    from->size >= move->memory->size;
		struct prototype storage;

		if (leaves)
			find_parameter(move, prototype_of_call(move, i, written, &storage), held);
		if (insn->operation == OP_RETURN &&
		    result_of(solver->abi, solver->function->prototype, &result))
			add_argument(move, &result, held);
		written |= schedule_written(solver->abi->call, insn);
		held &= ~schedule_written(solver->abi->call, insn);
		held |= copies ? REG_BIT(to->reg) : 0;
	}
}

/* Follows a stored word back in the block: to the call that has returned it. */
static void follow_store(const struct word_move *move)
{
	const struct solver *solver = move->solver;
	const struct cfg *code = solver->code;
	uint8_t reg = code->insns[move->insn].operands[1].reg;
	struct argument result;

	for (uint32_t i = move->insn, first = code->blocks[cfg_block_of(code, i)].first;
	     i-- > first;) {
		const struct insn *insn = &code->insns[i];
		const struct operand *to = &insn->operands[0], *from = &insn->operands[1];

		if (!(schedule_written(solver->abi->call, insn) & REG_BIT(reg)))
			continue;
		if (insn->operation == OP_CALL &&
		    result_of(solver->abi, solver_callee(move->solver, i)->prototype, &result))
			add_argument(move, &result, REG_BIT(reg));
		if (insn->operation != OP_MOVE || !operand_is_general(from) ||
		    from->size < move->memory->size || !operand_is_reg(to, reg))
			return;
		reg = from->reg;
	}
}

void union_words_find(struct solver *solver, const struct state *state, uint32_t insn,
		      const struct operand *operand, const struct union_place *place,
		      struct union_evidence *evidence)
{
	const struct insn *at = &solver->code->insns[insn];
	const struct word_move move = { .solver = solver,
					.state = state,
					.insn = insn,
					.memory = operand,
					.evidence = evidence };

	if (at->operation != OP_MOVE || at->operand_count != 2 || !operand->size ||
	    operand->size > WORD || solver->abi->flatten || solver->abi->passing ||
	    !operand_is_general(&at->operands[operand == &at->operands[0]]) ||
	    !has_small_record(place))
		return;
	if (operand == &at->operands[1])
		follow_load(&move);
	else
		follow_store(&move);
}
