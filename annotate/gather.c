// SPDX-License-Identifier: GPL-2.0-or-later
/* What a function's values are used as: see gather.h. */
#include "annotate/gather.h"

void gather_edge(struct solver *solver, const struct state *from, uint32_t to)
{
	const struct state *entry = &solver->entries[to];

	for (unsigned int i = 0; i < REG_GENERAL_COUNT; i++) {
		const struct value *value = &entry->values[i];

		if (origins_is(&solver->origins, value, origin_key_join(to, i)))
			origins_flow(&solver->origins, value->origin, &from->values[i]);
	}
	for (uint32_t i = 0; i < entry->slot_count; i++) {
		const struct slot *slot = &entry->slots[i];

		if (!origins_is(&solver->origins, &slot->value,
				origin_key_slot(to, slot->frame, slot->offset)))
			continue;
		const struct slot *out = state_slot(from, slot->frame, slot->offset, slot->size);

		if (out)
			origins_flow(&solver->origins, slot->value.origin, &out->value);
	}
}

void gather_operands(struct solver *solver, const struct state *state, uint32_t index, void *unused)
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
		if (address.stride && address.offset >= 0 &&
		    address.offset < (int64_t)place_size(address.type))
			solver_note_walk(solver, address.type, address.stride);
		else if (address.offset < 0 && operand->size > 1 && place_size(address.type) == 1)
			solver->casts_headers = true;
		if (operand->size > 1 && place_size(address.type) == 1)
			solver->casts_bytes = true;
		struct place place;

		if (place_find(address.type, address.offset, address.stride, operand->size, &place) ==
		    REASON_NONE)
			cast_gather(solver, &place, operand->size);
	}
}

bool gather_conclude(struct solver *solver)
{
	alternatives_use(&solver->alternatives, &solver->origins);
	bool learned = object_uses_infer(solver);

	return origins_infer(&solver->origins, solver->infer) || learned;
}
