// SPDX-License-Identifier: GPL-2.0-or-later
/* What a function's values are used as: see gather.h. */
#include "annotate/gather.h"

/* Is a join all that is known of where this value comes from? */
static inline bool is_of_join(const struct solver *solver, const struct value *value, uint64_t key)
{
	return origins_is(&solver->origins, value, key) ||
	       (value->kind == VALUE_POINTER && link_is_joined(solver, value, key));
}

/* Of pointers that are known, other than to links, no more is learned: on one path it may be a larger thing.
 */
static void gather_input(struct solver *solver, const struct value *joined, const struct value *input)
{
	struct value from = *input;

	if (joined->kind == VALUE_POINTER) {
		if (!link_is_followed(solver, input) || input->offset != joined->offset)
			return;
		from.offset = 0; /* as in the join, what is learned is said of the link itself */
	} else if (input->kind != VALUE_UNKNOWN) {
		return;
	}
	origins_flow(&solver->origins, joined->origin, &from);
}

void gather_edge(struct solver *solver, const struct state *from, uint32_t to, uint64_t wanted)
{
	const struct state *entry = &solver->entries[to];

	for (uint64_t left = wanted & (REG_BIT(REG_GENERAL_COUNT) - 1); left; left &= left - 1) {
		unsigned int i = (unsigned int)__builtin_ctzll(left);
		const struct value *value = &entry->values[i];

		if (is_of_join(solver, value, origin_key_join(to, i)))
			gather_input(solver, value, &from->values[i]);
	}
	for (uint32_t i = 0; i < entry->slot_count; i++) {
		const struct slot *slot = &entry->slots[i];

		if (!is_of_join(solver, &slot->value, origin_key_slot(to, slot->frame, slot->offset)))
			continue;
		const struct slot *out = state_slot(from, slot->frame, slot->offset, slot->size);

		if (out)
			gather_input(solver, &slot->value, &out->value);
	}
}

bool gather_operands(struct solver *solver, const struct state *state, uint32_t index, void *unused)
{
	const struct insn *insn = &solver->code->insns[index];

	(void)unused;
	for (unsigned int i = 0; i < insn->operand_count; i++) {
		const struct operand *operand = &insn->operands[i];

		if (operand->kind != OPERAND_MEMORY || operand->base == REG_NONE ||
		    !(operand->read || operand->write))
			continue;
		const struct value *base = &state->values[operand->base];

		if (base->kind != VALUE_POINTER && base->kind != VALUE_UNKNOWN)
			continue;
		struct value address = solver_address(solver, state, operand);

		if (address.kind == VALUE_UNKNOWN) {
			alternatives_access(&solver->alternatives, &address, operand->size);
			/* members are cleared and filled together */
			if (!operand->write)
				origins_read(&solver->origins, &address, operand->size);
		}
		if (address.kind != VALUE_POINTER)
			continue;
		link_gather(solver, &address, operand->size);
		if (address.stride && address.offset >= 0 &&
		    address.offset < (int64_t)place_size(address.type))
			solver_note_walk(solver, address.type, address.stride);
		else if (address.offset < 0 && operand->size > 1 && place_size(address.type) == 1)
			solver->casts_headers = true;
		if (operand->size > 1 && place_size(address.type) == 1)
			solver->casts_bytes = true;
		struct place place;

		if (place_memo_find(solver->places, address.type, address.offset, address.stride,
				    operand->size, &place) == REASON_NONE)
			cast_gather(solver, &place, operand->size);
	}
	return true;
}

bool gather_conclude(struct solver *solver)
{
	link_conclude(solver);
	alternatives_use(&solver->alternatives, &solver->origins);
	bool learned = object_uses_infer(solver);

	return origins_infer(&solver->origins, solver->infer) || learned;
}
