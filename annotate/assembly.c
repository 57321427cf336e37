// SPDX-License-Identifier: GPL-2.0-or-later
/* Code without a function in the debug information: see assembly.h. */
#include "annotate/assembly.h"

#include <string.h>

#include "dwarf/orc.h"

/* The kernel's struct pt_regs, if it is laid out as on x86-64. */
static const struct type *find_registers(const struct solver *solver)
{
	const struct type *types[8];
	size_t count = debug_reader_types_named(solver->reader, "pt_regs", types, 8);

	for (size_t i = 0; i < count && i < 8; i++) {
		size_t member_count;
		const struct member *members = type_members(type_strip(types[i]), &member_count);

		for (size_t j = 0; j < member_count; j++)
			if (members[j].name && strcmp(members[j].name, "ip") == 0 &&
			    members[j].offset == PT_REGS_IP_OFFSET)
				return type_canonical(types[i]);
	}
	return NULL;
}

static void add_registers(struct solver *solver, const struct type *registers, const struct orc_row *row)
{
	uint32_t absent = row->frame == ORC_REGS_PARTIAL ? PT_REGS_IP_OFFSET : 0;

	facts_add_stack(&solver->facts, &(struct stack_fact){ .low = row->row.low,
							      .high = row->row.high,
							      .offset = absent,
							      .size = place_size(registers) - absent,
							      .base_reg = REG_NONE,
							      .variable = NO_VARIABLE,
							      .type = registers,
							      .how = HOW_VARIABLE,
							      .piece_offset = absent });
}

void assembly_frame(struct solver *solver, struct arena *arena)
{
	const struct insn *last = &solver->code->insns[solver->code->insn_count - 1];
	uint64_t low = solver->code->insns[0].address, high = last->address + last->length;
	const struct type *registers = NULL;
	size_t count;

	solver->frame_rows =
		debug_reader_frame_rows(solver->reader, low, high, arena, &solver->frame_row_count);
	if (solver->frame_row_count || !solver->kernel)
		return;
	const struct orc_row *orc = orc_rows(solver->image, low, high, arena, &count);
	struct frame_row *rows = count ? arena_alloc(arena, count * sizeof(*rows)) : NULL;

	for (size_t i = 0; i < count; i++) {
		rows[i] = orc[i].row;
		if (orc[i].frame != ORC_CALL && !registers)
			registers = find_registers(solver);
		if (orc[i].frame != ORC_CALL && registers)
			add_registers(solver, registers, &orc[i]);
	}
	facts_index_stack(&solver->facts);
	solver->frame_rows = rows;
	solver->frame_row_count = count;
}
