// SPDX-License-Identifier: GPL-2.0-or-later
#include "dwarf/unwind/unwind.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/dwarf/expression.h"
#include "dwarf/dwarf/frame.h"
#include "profiler/base/hash.h"
#include "profiler/base/memory.h"

/*
 * ---- call frame information ----
 *
 * Registers without a rule follow the calling convention.
 */

/* The state at an address. It is kept, because samples have the same callers again and again. */
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

/* struct expression_frame */
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
	unwind_set_register(&caller, frame->numbers->return_address, value);
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

	/* the callee's frame is below its caller's */
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
	unwind_set_register(&caller, numbers->return_address, pc);
	*frame = caller;
	return UNWIND_CALLER;
}

/* An entry has the offset of the stack pointer from a register, one for %rbp, and 16 bits: two
 * registers (4 bits each) and the kind of frame (arch/x86/include/asm/orc_types.h). */
#define ENTRY_SIZE 6
/* DWARF numbers (psABI, figure 3.36) */
#define DWARF_RBP 6
#define DWARF_RSP 7

enum orc_register { ORC_REG_BP = 4, ORC_REG_SP = 5 };

struct tables {
	const uint8_t *places; /* 32 bits each: an address, relative to the number itself; sorted */
	const uint8_t *entries; /* as many as there are places */
	uint64_t address;       /* of `places` */
	size_t count;
	bool versioned; /* Linux 6.5 and later: three bits tell the kind, with other numbers */
};

static const uint8_t *section_bytes(const struct elf_image *image, const char *name,
				    struct elf_section *section)
{
	size_t available = 0;
	const uint8_t *bytes;

	if (!elf_image_section_named(image, name, section))
		return NULL;
	bytes = elf_image_bytes(image, section->address, &available);
	return available >= section->size ? bytes : NULL;
}

static bool find_tables(const struct elf_image *image, struct tables *tables)
{
	struct elf_section places, entries, header;

	tables->places = section_bytes(image, ".orc_unwind_ip", &places);
	tables->entries = section_bytes(image, ".orc_unwind", &entries);
	if (!tables->places || !tables->entries)
		return false;
	tables->address = places.address;
	tables->count = places.size / sizeof(int32_t);
	tables->versioned = elf_image_section_named(image, ".orc_header", &header);
	return tables->count <= entries.size / ENTRY_SIZE;
}

static uint64_t place_of(const struct tables *tables, size_t index)
{
	int32_t distance;

	memcpy(&distance, tables->places + index * sizeof(distance), sizeof(distance));
	return tables->address + index * sizeof(distance) + (uint64_t)(int64_t)distance;
}

/* Returns the index of the first entry that begins above `address`. */
static size_t upper_bound(const struct tables *tables, uint64_t address)
{
	return partition_point(0, tables->count, i, place_of(tables, i) <= address);
}

static bool frame_of(const struct tables *tables, unsigned int bits, enum orc_frame *frame)
{
	unsigned int first = tables->versioned ? 2 : 0; /* the first kinds cannot be unwound */
	unsigned int kind = (bits >> 8 & (tables->versioned ? 7 : 3)) - first;

	*frame = (enum orc_frame)kind;
	return kind <= ORC_REGS_PARTIAL;
}

static bool read_entry(const struct tables *tables, size_t index, struct orc_row *row)
{
	const uint8_t *entry = tables->entries + index * ENTRY_SIZE;
	int16_t offset;
	uint16_t bits;

	memcpy(&offset, entry, sizeof(offset));
	memcpy(&bits, entry + 4, sizeof(bits));
	unsigned int reg = bits & 15;

	if ((reg != ORC_REG_SP && reg != ORC_REG_BP) || !frame_of(tables, bits, &row->frame))
		return false;
	row->row.kind = CFA_REGISTER;
	row->row.reg = reg == ORC_REG_SP ? DWARF_RSP : DWARF_RBP;
	row->row.offset = row->frame == ORC_REGS_PARTIAL ? offset - PT_REGS_IP_OFFSET : offset;
	return true;
}

struct orc_row *orc_rows(const struct elf_image *image, uint64_t low, uint64_t high,
			 struct arena *arena, size_t *count)
{
	struct tables tables;

	*count = 0;
	if (low >= high || !find_tables(image, &tables))
		return NULL;
	size_t first = upper_bound(&tables, low), end = upper_bound(&tables, high - 1);

	first -= first > 0; /* the entry that covers `low` */
	if (end <= first)
		return NULL;
	struct orc_row *rows = arena_alloc(arena, (end - first) * sizeof(*rows));

	for (size_t i = first; i < end; i++) {
		struct orc_row row = { 0 };

		row.row.low = place_of(&tables, i) > low ? place_of(&tables, i) : low;
		row.row.high = i + 1 < end ? place_of(&tables, i + 1) : high;
		if (row.row.low < row.row.high && read_entry(&tables, i, &row))
			rows[(*count)++] = row;
	}
	return rows;
}
