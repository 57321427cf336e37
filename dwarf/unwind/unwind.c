// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/unwind/unwind.h"

#include "dwarf/dwarf/expression.h"
#include "dwarf/dwarf/frame.h"
#include "base/hash.h"
#include "base/memory.h"

/*
 * ---- call frame information ----
 *
 * The rules of call frame information give the caller's registers. Those without a rule are as the
 * calling convention says.
 */

/* The state at an address, kept because samples have the same callers again and again. */
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
	uint64_t bias, cfa;
};

struct error *unwind_table_open(const struct elf_image *image, const struct elf_image *debug_image,
				struct unwind_table **result)
{
	struct unwind_table *table = xcalloc(1, sizeof(*table));
	struct error *error = dwarf_sections_read_frames(image, &table->image_sections);
	const struct dwarf_section_data *debug_frame =
		&table->image_sections.section[SECTION_FRAME];

	if (!error && debug_image)
		error = dwarf_sections_read_frames(debug_image, &table->debug_sections);
	if (error) {
		dwarf_sections_deinit(&table->image_sections);
		free(table);
		return error;
	}
	if (!debug_frame->data)
		debug_frame = &table->debug_sections.section[SECTION_FRAME];
	frame_table_init(&table->frames, &table->image_sections.section[SECTION_EH_FRAME],
			 debug_frame, NULL);
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
	free_all(table->known, table);
}

static const struct known_state *state_at(struct unwind_table *table, uint64_t address)
{
	bool created;
	struct known_state *known =
		hash_map_item(&table->by_address, address, table->known, table->known_count,
			      table->known_capacity, &created);

	if (created)
		known->cie = frame_table_state(&table->frames, address, &known->state);
	return known;
}

/* See struct expression_frame. */
static bool read_register(void *data, uint64_t number, uint64_t *value)
{
	const struct step *step = data;

	return number < FRAME_REGISTERS_MAX &&
	       unwind_register(step->frame, (unsigned int)number, value);
}

static bool read_memory(void *data, uint64_t address, void *buffer, size_t size)
{
	const struct step *step = data;

	return step->memory->read(step->memory->data, address, buffer, size);
}

static bool rule_value(const struct step *step, const struct frame_rule *rule, const uint64_t *cfa,
		       uint64_t *value)
{
	const struct expression_frame frame = {
		.read_register = read_register,
		.read_memory = read_memory,
		.data = (void *)step,
		.bias = step->bias,
	};

	return expression_value(rule->expression, rule->expression_size, cfa, &frame, value);
}

static bool find_cfa(struct step *step, const struct frame_rule *rule)
{
	if (rule->kind == FRAME_RULE_IS_EXPRESSION)
		return rule_value(step, rule, NULL, &step->cfa);
	if (rule->kind != FRAME_RULE_REGISTER ||
	    !unwind_register(step->frame, rule->reg, &step->cfa))
		return false;
	step->cfa += (uint64_t)rule->offset;
	return true;
}

static bool read_word(const struct step *step, uint64_t address, uint64_t *value)
{
	return read_memory((void *)step, address, value, sizeof(*value));
}

static bool find_register(const struct step *step, const struct frame_rule *rule,
			  unsigned int number, uint64_t *value)
{
	switch ((enum frame_rule_kind)rule->kind) {
	case FRAME_RULE_NONE:
		if (number == step->frame->numbers->stack_pointer) {
			*value = step->cfa;
			return true;
		}
		return step->frame->numbers->preserved >> number & 1 &&
		       unwind_register(step->frame, number, value);
	case FRAME_RULE_UNDEFINED: return false;
	case FRAME_RULE_SAME: return unwind_register(step->frame, number, value);
	case FRAME_RULE_AT: return read_word(step, step->cfa + (uint64_t)rule->offset, value);
	case FRAME_RULE_IS: *value = step->cfa + (uint64_t)rule->offset; return true;
	case FRAME_RULE_REGISTER: return unwind_register(step->frame, rule->reg, value);
	case FRAME_RULE_AT_EXPRESSION:
		return rule_value(step, rule, &step->cfa, value) && read_word(step, *value, value);
	case FRAME_RULE_IS_EXPRESSION: return rule_value(step, rule, &step->cfa, value);
	}
	return false;
}

/* Returns the address that a return address has. Those of user space have zeros above it. */
static uint64_t without_signature(const struct frame_registers *numbers, uint64_t address)
{
	return numbers->address_bits ? address & low_bits(numbers->address_bits) : address;
}

enum unwind_step unwind_step(struct unwind_table *table, uint64_t address, uint64_t bias,
			     const struct unwind_memory *memory, struct unwind_frame *frame)
{
	const struct known_state *known = state_at(table, address);
	struct step step = { .frame = frame, .memory = memory, .bias = bias };
	struct unwind_frame caller = { .numbers = frame->numbers };
	uint64_t value, column;

	if (!known->cie)
		return UNWIND_UNKNOWN;
	if (!find_cfa(&step, &known->state.cfa))
		return UNWIND_FAILED;
	for (unsigned int i = 0; i < frame->numbers->count; i++)
		if (find_register(&step, &known->state.registers[i], i, &value))
			unwind_set_register(&caller, i, value);
	column = known->cie->return_register;
	if (column >= frame->numbers->count)
		return UNWIND_FAILED;
	if (known->state.registers[column].kind == FRAME_RULE_UNDEFINED)
		return UNWIND_END;
	if (!unwind_register(&caller, (unsigned int)column, &value))
		return UNWIND_FAILED;
	if (!value)
		return UNWIND_END;
	unwind_set_register(&caller, frame->numbers->return_address,
			    without_signature(frame->numbers, value));
	caller.exact = known->cie->signal_frame;
	*frame = caller;
	return UNWIND_CALLER;
}

enum unwind_step unwind_step_by_frame_pointer(const struct unwind_memory *memory,
					      struct unwind_frame *frame)
{
	struct step step = { .frame = frame, .memory = memory };
	struct unwind_frame caller = { .numbers = frame->numbers };
	const struct frame_registers *numbers = frame->numbers;
	uint64_t pointer, sp, above, pc;

	/* the frame pointer points into the frame, so it is not below the stack pointer */
	if (!unwind_register(frame, numbers->frame_pointer, &pointer) ||
	    !unwind_register(frame, numbers->stack_pointer, &sp) || pointer < sp ||
	    pointer > UINT64_MAX - 16)
		return UNWIND_FAILED;
	if (!read_word(&step, pointer, &above) || !read_word(&step, pointer + 8, &pc))
		return UNWIND_FAILED;
	if (!pc)
		return UNWIND_END;
	unwind_set_register(&caller, numbers->frame_pointer, above);
	unwind_set_register(&caller, numbers->stack_pointer, pointer + 16);
	unwind_set_register(&caller, numbers->return_address, without_signature(numbers, pc));
	*frame = caller;
	return UNWIND_CALLER;
}
