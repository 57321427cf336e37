// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/dwarf_frame_program.h"

#include <dwarf.h>

#include "dwarf/encoded_pointer.h"

#define REMEMBERED 16

uint64_t frame_encoded_address(struct cursor *cursor, const struct frame_cie *cie, uint64_t section_address)
{
	return encoded_pointer(cursor, cie->encoding, cie->address_size, section_address);
}

struct interpreter {
	const struct frame_program *program;
	uint64_t address;   /* the current row begins here */
	uint64_t low, high; /* what is asked for */
	void (*visit)(void *data, uint64_t low, uint64_t high, const struct frame_state *state);
	void *data;
	bool initial; /* the CIE's instructions, which give the first row's state and no rows */
	struct frame_state state;
	struct frame_state first; /* what the CIE says, for DW_CFA_restore */
	struct frame_state remembered[REMEMBERED];
	size_t remembered_count;
};

static void emit(struct interpreter *interpreter, uint64_t end)
{
	uint64_t low = interpreter->address > interpreter->low ? interpreter->address : interpreter->low;
	uint64_t high = end < interpreter->high ? end : interpreter->high;

	if (low < high && !interpreter->initial)
		interpreter->visit(interpreter->data, low, high, &interpreter->state);
}

static void advance(struct interpreter *interpreter, uint64_t delta)
{
	uint64_t next = interpreter->address + delta * interpreter->program->cie->code_alignment;

	emit(interpreter, next);
	interpreter->address = next;
}

static bool set_location(struct interpreter *interpreter, struct cursor *cursor)
{
	const struct dwarf_section_data *section = interpreter->program->section;
	struct cursor in_section = bytes_cursor(section->data, section->size);

	/* a pc-relative address counts from its place in the section */
	in_section.position = (size_t)(cursor->data - section->data) + cursor->position;

	size_t before = in_section.position;
	uint64_t address = frame_encoded_address(&in_section, interpreter->program->cie, section->address);

	cursor_skip(cursor, in_section.position - before);
	if (in_section.failed || address < interpreter->address)
		return false;
	emit(interpreter, address);
	interpreter->address = address;
	return true;
}

/* ---- the CFA ---- */

static uint8_t register_number(uint64_t reg)
{
	return reg < 0xff ? (uint8_t)reg : 0xff;
}

static void set_cfa_register(struct frame_rule *cfa, uint64_t reg)
{
	/* the offset stays, unless there was none */
	if (cfa->kind == FRAME_RULE_IS_EXPRESSION)
		cfa->offset = 0;
	cfa->kind = reg < 0xff ? FRAME_RULE_REGISTER : FRAME_RULE_NONE;
	cfa->reg = register_number(reg);
}

static int64_t factored(const struct interpreter *interpreter, uint64_t value)
{
	return (int64_t)(value * (uint64_t)interpreter->program->cie->data_alignment);
}

static bool read_expression(struct cursor *cursor, enum frame_rule_kind kind, struct frame_rule *rule)
{
	uint64_t size = cursor_uleb(cursor);
	const uint8_t *bytes = cursor_bytes(cursor, size);

	if (!bytes || size > UINT32_MAX)
		return false;
	*rule = (struct frame_rule){
		.kind = (uint8_t)kind, .reg = 0xff, .expression = bytes, .expression_size = (uint32_t)size
	};
	return true;
}

/* ---- registers ---- */

/* Rules of registers that are not followed are passed over. */
static void set_rule(struct interpreter *interpreter, uint64_t reg, struct frame_rule rule)
{
	if (reg < FRAME_REGISTERS)
		interpreter->state.registers[reg] = rule;
}

static void set_kind(struct interpreter *interpreter, uint64_t reg, enum frame_rule_kind kind)
{
	set_rule(interpreter, reg, (struct frame_rule){ .kind = (uint8_t)kind });
}

static void set_offset(struct interpreter *interpreter, uint64_t reg, enum frame_rule_kind kind,
		       int64_t offset)
{
	set_rule(interpreter, reg, (struct frame_rule){ .kind = (uint8_t)kind, .offset = offset });
}

static void restore_rule(struct interpreter *interpreter, uint64_t reg)
{
	if (reg < FRAME_REGISTERS)
		interpreter->state.registers[reg] = interpreter->first.registers[reg];
}

static void remember(struct interpreter *interpreter)
{
	if (interpreter->remembered_count < REMEMBERED)
		interpreter->remembered[interpreter->remembered_count] = interpreter->state;
	interpreter->remembered_count++;
}

static void recall(struct interpreter *interpreter)
{
	if (interpreter->remembered_count && --interpreter->remembered_count < REMEMBERED)
		interpreter->state = interpreter->remembered[interpreter->remembered_count];
	else
		interpreter->state = (struct frame_state){ 0 };
}

/* ---- instructions ---- */

/* False: it is none of these. */
static bool run_cfa(struct interpreter *interpreter, struct cursor *cursor, unsigned int instruction)
{
	struct frame_rule *cfa = &interpreter->state.cfa;

	switch (instruction) {
	case DW_CFA_def_cfa:
		set_cfa_register(cfa, cursor_uleb(cursor));
		cfa->offset = (int64_t)cursor_uleb(cursor);
		return true;
	case DW_CFA_def_cfa_sf:
		set_cfa_register(cfa, cursor_uleb(cursor));
		cfa->offset = factored(interpreter, (uint64_t)cursor_sleb(cursor));
		return true;
	case DW_CFA_def_cfa_register: set_cfa_register(cfa, cursor_uleb(cursor)); return true;
	case DW_CFA_def_cfa_offset: cfa->offset = (int64_t)cursor_uleb(cursor); return true;
	case DW_CFA_def_cfa_offset_sf:
		cfa->offset = factored(interpreter, (uint64_t)cursor_sleb(cursor));
		return true;
	case DW_CFA_def_cfa_expression:
		if (!read_expression(cursor, FRAME_RULE_IS_EXPRESSION, cfa))
			cursor->failed = true;
		return true;
	}
	return false;
}

/* The same. */
static bool run_rule(struct interpreter *interpreter, struct cursor *cursor, unsigned int instruction)
{
	struct frame_rule rule;
	uint64_t reg;

	switch (instruction) {
	case DW_CFA_undefined: set_kind(interpreter, cursor_uleb(cursor), FRAME_RULE_UNDEFINED); return true;
	case DW_CFA_same_value: set_kind(interpreter, cursor_uleb(cursor), FRAME_RULE_SAME); return true;
	case DW_CFA_restore_extended: restore_rule(interpreter, cursor_uleb(cursor)); return true;
	case DW_CFA_offset_extended:
	case DW_CFA_val_offset:
		reg = cursor_uleb(cursor);
		set_offset(interpreter, reg, instruction == DW_CFA_val_offset ? FRAME_RULE_IS : FRAME_RULE_AT,
			   factored(interpreter, cursor_uleb(cursor)));
		return true;
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset_sf:
		reg = cursor_uleb(cursor);
		set_offset(interpreter, reg,
			   instruction == DW_CFA_val_offset_sf ? FRAME_RULE_IS : FRAME_RULE_AT,
			   factored(interpreter, (uint64_t)cursor_sleb(cursor)));
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		reg = cursor_uleb(cursor);
		set_offset(interpreter, reg, FRAME_RULE_AT, factored(interpreter, 0 - cursor_uleb(cursor)));
		return true;
	case DW_CFA_register:
		reg = cursor_uleb(cursor);
		rule = (struct frame_rule){ .kind = FRAME_RULE_REGISTER,
					    .reg = register_number(cursor_uleb(cursor)) };
		set_rule(interpreter, reg, rule);
		return true;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		reg = cursor_uleb(cursor);
		if (read_expression(cursor,
				    instruction == DW_CFA_expression ? FRAME_RULE_AT_EXPRESSION
								     : FRAME_RULE_IS_EXPRESSION,
				    &rule))
			set_rule(interpreter, reg, rule);
		else
			cursor->failed = true;
		return true;
	}
	return false;
}

/* False: where one ends is not known, or what it says cannot be. */
static bool run_extended(struct interpreter *interpreter, struct cursor *cursor, unsigned int instruction)
{
	switch (instruction) {
	case DW_CFA_nop:
	case DW_CFA_GNU_window_save: break;
	case DW_CFA_set_loc: return set_location(interpreter, cursor);
	case DW_CFA_advance_loc1: advance(interpreter, cursor_u8(cursor)); break;
	case DW_CFA_advance_loc2: advance(interpreter, cursor_u16(cursor)); break;
	case DW_CFA_advance_loc4: advance(interpreter, cursor_u32(cursor)); break;
	case DW_CFA_MIPS_advance_loc8: advance(interpreter, cursor_u64(cursor)); break;
	case DW_CFA_remember_state: remember(interpreter); break;
	case DW_CFA_restore_state: recall(interpreter); break;
	case DW_CFA_GNU_args_size: cursor_uleb(cursor); break;
	default:
		if (!run_cfa(interpreter, cursor, instruction) && !run_rule(interpreter, cursor, instruction))
			return false;
	}
	return !cursor->failed;
}

static bool run(struct interpreter *interpreter, const uint8_t *instructions, size_t size)
{
	struct cursor cursor = bytes_cursor(instructions, size);

	while (cursor_left(&cursor) && (interpreter->initial || interpreter->address < interpreter->high)) {
		unsigned int instruction = cursor_u8(&cursor), operand = instruction & 0x3f;

		switch (instruction & 0xc0) {
		case DW_CFA_advance_loc: advance(interpreter, operand); continue;
		case DW_CFA_offset:
			set_offset(interpreter, operand, FRAME_RULE_AT,
				   factored(interpreter, cursor_uleb(&cursor)));
			continue;
		case DW_CFA_restore: restore_rule(interpreter, operand); continue;
		}
		if (!run_extended(interpreter, &cursor, instruction))
			return false;
	}
	return !cursor.failed;
}

void frame_program_run(const struct frame_program *program, uint64_t low, uint64_t high,
		       void (*visit)(void *data, uint64_t low, uint64_t high,
				     const struct frame_state *state),
		       void *data)
{
	struct interpreter interpreter;

	interpreter.program = program;
	interpreter.address = program->low;
	interpreter.low = low > program->low ? low : program->low;
	interpreter.high = high < program->high ? high : program->high;
	interpreter.visit = visit;
	interpreter.data = data;
	interpreter.state = (struct frame_state){ 0 };
	interpreter.first = (struct frame_state){ 0 };
	interpreter.remembered_count = 0;
	interpreter.initial = true;

	bool known = run(&interpreter, program->cie->instructions, program->cie->size);

	interpreter.initial = false;
	interpreter.address = program->low;
	interpreter.first = interpreter.state;
	if (!known || !run(&interpreter, program->instructions, program->size))
		interpreter.state = (struct frame_state){ 0 };
	emit(&interpreter, interpreter.high);
}
