// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spill slots: see spill_slots.h.
 *
 * A word is a spill slot if the function stores a register to it in one instruction, loads all of
 * it in others, and accesses it in no other way: no instruction takes its address, or accesses a
 * part of it. A word of an object that is stored once may look the same. Then a callee may change
 * it, but hardly to a value of another type.
 */
#include "annotate/code/spill_slots.h"

#include "annotate/flow/solver.h"
#include "disasm/cfg.h"
#include "base/memory.h"

/* A use of memory above the stack pointer. */
struct word_use {
	int64_t at;
	bool store; /* a general register is stored to all of it */
	bool load;  /* all of it is loaded into a general register */
	uint32_t size;
};

COMPARISON(compare_uses, struct word_use, ASCENDING(at))

/* Returns the operand of an instruction that is in the frame; NULL: there is none. */
static const struct operand *frame_operand(const struct insn *insn, uint8_t sp)
{
	return array_find(i, insn->operands, insn->operand_count,
			  insn->operands[i].kind == OPERAND_MEMORY && insn->operands[i].base == sp);
}

static struct word_use use_of(const struct insn *insn, const struct operand *operand)
{
	bool move = insn->operation == OP_MOVE && insn->operand_count == 2 &&
		    operand->size == WORD && operand->index == REG_NONE;
	const struct operand *other =
		operand == &insn->operands[0] ? &insn->operands[1] : &insn->operands[0];

	move &= operand_is_general(other);
	return (struct word_use){ .at = operand->value,
				  .store = move && operand == &insn->operands[0],
				  .load = move && operand == &insn->operands[1],
				  .size = insn->operation == OP_LEA ? 1 : operand->size };
}

/* Adds the word to which `count` uses go if it is a spill slot. The uses before them end at
 * `before`, and the next one begins at `next`. */
static void add_slot(struct spill_slots *slots, const struct word_use *uses, size_t count,
		     int64_t before, int64_t next)
{
	size_t stores = 0, loads = 0;

	for (size_t i = 0; i < count; i++) {
		stores += uses[i].store;
		loads += uses[i].load;
	}
	if (stores != 1 || !loads || stores + loads != count || before > uses->at ||
	    next < uses->at + WORD)
		return;
	array_add(slots->items, slots->count, slots->capacity) = uses->at;
}

static void find_slots(struct solver *solver)
{
	const struct cfg *code = solver->code;
	struct spill_slots *slots = &solver->places.spill_slots;
	_cleanup_free_ struct word_use *uses = xcalloc(code->insn_count, sizeof(*uses));
	size_t count = 0;
	int64_t before = INT64_MIN;

	slots->count = 0;
	slots->round = solver->pass.first_round;
	array_each (const struct insn, insn, code->insns, code->insn_count) {
		const struct operand *operand =
			insn->operation == OP_CALL
				? NULL
				: frame_operand(insn, solver->arch->stack_pointer);

		if (operand)
			uses[count++] = use_of(insn, operand);
	}
	array_sort(uses, count, compare_uses);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && uses[end].at == uses[i].at; end++)
			;
		add_slot(slots, &uses[i], end - i, before, end < count ? uses[end].at : INT64_MAX);
		for (size_t k = i; k < end; k++)
			raise_to(before, uses[k].at + uses[k].size);
	}
}

COMPARISON(compare_places, int64_t, BY_VALUE)

void spill_slots_keep(struct solver *solver, const struct state *state, struct spilled_values *kept)
{
	const struct value *sp = &state->values[solver->arch->stack_pointer];

	kept->count = 0;
	if (!language_has(solver->function, FACT_NAMELESS_OBJECTS) || !solver->options.infer ||
	    sp->kind != VALUE_FRAME || sp->stride)
		return;
	if (solver->places.spill_slots.round != solver->pass.first_round)
		find_slots(solver);
	for (uint32_t i = 0; i < state->slot_count && kept->count < SPILL_SLOTS_MAX; i++) {
		const struct slot *slot = &state->slots[i];
		int64_t place = slot->offset - sp->offset;

		if (slot->frame == sp->frame && slot->size == WORD &&
		    slot->value.kind == VALUE_POINTER && solver->places.spill_slots.count &&
		    bsearch(&place, solver->places.spill_slots.items,
			    solver->places.spill_slots.count, sizeof(place), compare_places))
			kept->slots[kept->count++] = *slot;
	}
}

void spill_slots_restore(struct state *state, const struct spilled_values *kept)
{
	for (size_t i = 0; i < kept->count; i++)
		state_store(state, kept->slots[i].frame, kept->slots[i].offset, WORD,
			    kept->slots[i].value);
}

void spill_slots_deinit(struct spill_slots *slots)
{
	free(slots->items);
	*slots = (struct spill_slots){ 0 };
}
