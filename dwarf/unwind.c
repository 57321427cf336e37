// SPDX-License-Identifier: GPL-2.0-or-later
/* See unwind.h. What is not said of a register is what the ABI says (x86-64 psABI, figure 3.4). */
#include "dwarf/unwind.h"

#include <stdlib.h>

#include "dwarf/dwarf_frame.h"
#include "dwarf/frame_expression.h"
#include "profiler/base/hash.h"

_Static_assert(UNWIND_REGISTERS == FRAME_REGISTERS && UNWIND_SP == FRAME_REGISTER_SP &&
		       UNWIND_PC == FRAME_REGISTER_RETURN,
	       "the same numbers");

/* The state at an address: samples have the same callers again and again. */
struct known_state {
	const struct frame_cie *cie; /* NULL: nothing covers the address */
	struct frame_state state;
};

struct unwind_table {
	struct frame_table frames;
	struct dwarf_sections image_sections;
	struct dwarf_sections debug_sections;
	struct hash_map by_address; /* -> index in known */
	struct known_state *known;
	size_t known_count, known_capacity;
};

/* One step at one address. */
struct step {
	const struct unwind_frame *frame;
	const struct unwind_memory *memory;
	uint64_t bias;
	uint64_t cfa;
};

struct error *unwind_table_open(const struct elf_image *image, const struct elf_image *debug_image,
				struct unwind_table **result)
{
	struct unwind_table *table = xcalloc(1, sizeof(*table));
	struct error *error = dwarf_sections_read_frames(image, &table->image_sections);
	const struct dwarf_section_data *debug_frame = &table->image_sections.section[SECTION_FRAME];

	if (!error && debug_image)
		error = dwarf_sections_read_frames(debug_image, &table->debug_sections);
	if (error) {
		dwarf_sections_deinit(&table->image_sections);
		free(table);
		return error;
	}
	if (!debug_frame->data)
		debug_frame = &table->debug_sections.section[SECTION_FRAME];
	frame_table_init(&table->frames, &table->image_sections.section[SECTION_EH_FRAME], debug_frame, NULL);
	*result = table;
	return NULL;
}

void unwind_table_close(struct unwind_table *table)
{
	if (!table)
		return;
	frame_table_deinit(&table->frames);
	dwarf_sections_deinit(&table->image_sections);
	dwarf_sections_deinit(&table->debug_sections);
	hash_map_deinit(&table->by_address);
	free(table->known);
	free(table);
}

static const struct known_state *state_at(struct unwind_table *table, uint64_t address)
{
	bool created;
	uint32_t *index = hash_map_insert(&table->by_address, address, &created);

	if (!created)
		return &table->known[*index];
	*index = (uint32_t)table->known_count;
	array_reserve(table->known, table->known_count, table->known_capacity);

	struct known_state *known = &table->known[table->known_count++];

	known->cie = frame_table_state(&table->frames, address, &known->state);
	return known;
}

static bool expression_value(const struct step *step, const struct frame_rule *rule, const uint64_t *cfa,
			     uint64_t *value)
{
	struct frame_expression expression = {
		.bytes = rule->expression,
		.size = rule->expression_size,
		.cfa = cfa,
		.bias = step->bias,
		.frame = step->frame,
		.memory = step->memory,
	};

	return frame_expression_value(&expression, value);
}

static bool find_cfa(struct step *step, const struct frame_rule *rule)
{
	if (rule->kind == FRAME_RULE_IS_EXPRESSION)
		return expression_value(step, rule, NULL, &step->cfa);
	if (rule->kind != FRAME_RULE_REGISTER || !unwind_register(step->frame, rule->reg, &step->cfa))
		return false;
	step->cfa += (uint64_t)rule->offset;
	return true;
}

static bool read_word(const struct step *step, uint64_t address, uint64_t *value)
{
	return step->memory->read(step->memory->data, address, value, sizeof(*value));
}

/* rbx, rbp and r12 to r15 belong to the caller. */
static bool is_preserved(unsigned int number)
{
	return number == 3 || number == UNWIND_BP || (number >= 12 && number <= 15);
}

static bool find_register(const struct step *step, const struct frame_rule *rule, unsigned int number,
			  uint64_t *value)
{
	switch ((enum frame_rule_kind)rule->kind) {
	case FRAME_RULE_NONE:
		if (number == UNWIND_SP) {
			*value = step->cfa;
			return true;
		}
		return is_preserved(number) && unwind_register(step->frame, number, value);
	case FRAME_RULE_UNDEFINED: return false;
	case FRAME_RULE_SAME: return unwind_register(step->frame, number, value);
	case FRAME_RULE_AT: return read_word(step, step->cfa + (uint64_t)rule->offset, value);
	case FRAME_RULE_IS: *value = step->cfa + (uint64_t)rule->offset; return true;
	case FRAME_RULE_REGISTER: return unwind_register(step->frame, rule->reg, value);
	case FRAME_RULE_AT_EXPRESSION:
		return expression_value(step, rule, &step->cfa, value) && read_word(step, *value, value);
	case FRAME_RULE_IS_EXPRESSION: return expression_value(step, rule, &step->cfa, value);
	}
	return false;
}

enum unwind_step unwind_step(struct unwind_table *table, uint64_t address, uint64_t bias,
			     const struct unwind_memory *memory, struct unwind_frame *frame)
{
	const struct known_state *known = state_at(table, address);
	struct step step = { .frame = frame, .memory = memory, .bias = bias };
	struct unwind_frame caller = { 0 };
	uint64_t value, column;

	if (!known->cie)
		return UNWIND_UNKNOWN;
	if (!find_cfa(&step, &known->state.cfa))
		return UNWIND_FAILED;
	for (unsigned int i = 0; i < UNWIND_REGISTERS; i++)
		if (find_register(&step, &known->state.registers[i], i, &value))
			unwind_set_register(&caller, i, value);
	column = known->cie->return_register;
	if (column >= UNWIND_REGISTERS)
		return UNWIND_FAILED;
	if (known->state.registers[column].kind == FRAME_RULE_UNDEFINED)
		return UNWIND_END;
	if (!unwind_register(&caller, (unsigned int)column, &value))
		return UNWIND_FAILED;
	if (!value)
		return UNWIND_END;
	unwind_set_register(&caller, UNWIND_PC, value);
	caller.exact = known->cie->signal_frame;
	*frame = caller;
	return UNWIND_CALLER;
}

enum unwind_step unwind_step_by_frame_pointer(const struct unwind_memory *memory, struct unwind_frame *frame)
{
	struct step step = { .frame = frame, .memory = memory };
	struct unwind_frame caller = { 0 };
	uint64_t pointer, sp, above, pc;

	/* what is called has its frame below its caller's */
	if (!unwind_register(frame, UNWIND_BP, &pointer) || !unwind_register(frame, UNWIND_SP, &sp) ||
	    pointer < sp || pointer > UINT64_MAX - 16)
		return UNWIND_FAILED;
	if (!read_word(&step, pointer, &above) || !read_word(&step, pointer + 8, &pc))
		return UNWIND_FAILED;
	if (!pc)
		return UNWIND_END;
	unwind_set_register(&caller, UNWIND_BP, above);
	unwind_set_register(&caller, UNWIND_SP, pointer + 16);
	unwind_set_register(&caller, UNWIND_PC, pc);
	*frame = caller;
	return UNWIND_CALLER;
}
