// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading call frame information, and the exception edges that it leads to. */
#include "dwarf/dwarf/frame.h"

#include <dwarf.h>

#include "dwarf/dwarf/location.h"
#include "base/cursor.h"
#include "base/memory.h"

/* ---- pointers as .eh_frame and .gcc_except_table encode them (LSB Core, section 10.5.1) ---- */

#define PE_OMIT        0xff
#define PE_FORMAT      0x0f
#define PE_APPLICATION 0x70
#define PE_PCREL       0x10
#define PE_INDIRECT    0x80

static inline uint64_t encoded_value(struct cursor *cursor, unsigned int format,
				     unsigned int address_size)
{
	switch (format) {
	case DW_EH_PE_absptr: return cursor_word(cursor, address_size);
	case DW_EH_PE_uleb128: return cursor_uleb(cursor);
	case DW_EH_PE_udata2: return cursor_u16(cursor);
	case DW_EH_PE_udata4: return cursor_u32(cursor);
	case DW_EH_PE_udata8:
	case DW_EH_PE_sdata8: return cursor_u64(cursor);
	case DW_EH_PE_sleb128: return (uint64_t)cursor_sleb(cursor);
	case DW_EH_PE_sdata2: return (uint64_t)(int16_t)cursor_u16(cursor);
	case DW_EH_PE_sdata4: return (uint64_t)(int32_t)cursor_u32(cursor);
	}
	cursor->failed = true;
	return 0;
}

/* Reads an encoded pointer. `start` is the address of the cursor's first byte. */
static inline uint64_t encoded_pointer(struct cursor *cursor, uint8_t encoding,
				       unsigned int address_size, uint64_t start)
{
	uint64_t place = start + cursor->position;
	uint64_t value = encoded_value(cursor, encoding & PE_FORMAT, address_size);

	switch (encoding & (PE_APPLICATION | PE_INDIRECT)) {
	case 0: return value;
	case PE_PCREL: return value + place;
	}
	cursor->failed = true; /* relative to a base that only the running program has */
	return 0;
}

/* ---- the index of FDEs and CIEs ---- */

/* Reads the data of an augmentation "zPLR...". False: unknown, so the FDEs cannot be used. */
static bool read_augmentation(struct cursor *cursor, const char *augmentation,
			      struct frame_cie *cie)
{
	if (!*augmentation)
		return true;
	if (*augmentation != 'z')
		return false;
	cie->has_augmentation_data = true;

	uint64_t length = cursor_uleb(cursor);
	struct cursor data = *cursor;

	cursor_skip(cursor, length);
	for (augmentation++; *augmentation; augmentation++) {
		switch (*augmentation) {
		case 'R': cie->encoding = cursor_u8(&data); break;
		case 'P': {
			unsigned int encoding = cursor_u8(&data);

			if (encoding != PE_OMIT)
				encoded_value(&data, encoding & PE_FORMAT, cie->address_size);
			break;
		}
		case 'L': cie->lsda_encoding = cursor_u8(&data); break;
		case 'S': cie->signal_frame = true; break;
		case 'B': break;
		default: return !data.failed; /* the length covers the rest */
		}
	}
	return !data.failed;
}

static void add_cie(struct frame_table *table, struct cursor *cursor, uint64_t offset,
		    bool eh_frame)
{
	struct frame_cie cie = {
		.offset = offset, .eh_frame = eh_frame, .address_size = 8, .lsda_encoding = PE_OMIT
	};
	unsigned int version = cursor_u8(cursor);
	const char *augmentation = cursor_string(cursor);
	bool understood;

	if (!eh_frame && version >= 4) {
		cie.address_size = cursor_u8(cursor);
		cursor_u8(cursor); /* segment selectors */
	}
	cie.code_alignment = cursor_uleb(cursor);
	cie.data_alignment = cursor_sleb(cursor);
	cie.return_register = version == 1 ? cursor_u8(cursor) : cursor_uleb(cursor);
	understood = augmentation && read_augmentation(cursor, augmentation, &cie);
	cie.usable = understood && !cursor->failed &&
		     (version == 1 || version == 3 || version == 4) &&
		     (cie.address_size == 8 || cie.address_size == 4);
	if (cie.usable) {
		cie.instructions = cursor->data + cursor->position;
		cie.size = (uint32_t)cursor_left(cursor);
	}
	array_add(table->cies, table->cie_count, table->cie_capacity) = cie;
}

static bool is_cie_before(const struct frame_cie *cie, uint64_t offset, bool eh_frame)
{
	return cie->eh_frame == eh_frame ? cie->offset < offset : cie->eh_frame;
}

/* Returns the CIE at an offset, or NULL. CIEs are sorted within a section, .eh_frame's first. */
static const struct frame_cie *find_cie(const struct frame_table *table, uint64_t offset,
					bool eh_frame)
{
	/* usually it is one of the latest */
	for (size_t i = table->cie_count, tries = 0; i-- > 0 && tries < 4; tries++)
		if (table->cies[i].offset == offset && table->cies[i].eh_frame == eh_frame)
			return &table->cies[i];

	size_t index = partition_point(0, table->cie_count, i,
				       is_cie_before(&table->cies[i], offset, eh_frame));
	const struct frame_cie *cie = index < table->cie_count ? &table->cies[index] : NULL;

	return cie && cie->offset == offset && cie->eh_frame == eh_frame ? cie : NULL;
}

/* Returns the address of the LSDA from the augmentation data at the cursor, or 0. */
static uint64_t lsda_address(const struct cursor *cursor, const struct frame_cie *cie,
			     uint64_t section_address)
{
	struct cursor value = *cursor, pointer = *cursor;

	if (cie->lsda_encoding == PE_OMIT ||
	    !encoded_value(&value, cie->lsda_encoding & PE_FORMAT, cie->address_size))
		return 0;
	uint64_t address =
		encoded_pointer(&pointer, cie->lsda_encoding, cie->address_size, section_address);

	return pointer.failed ? 0 : address;
}

static const struct dwarf_section_data *section_of(const struct frame_table *table, bool eh_frame)
{
	return eh_frame ? table->eh_frame : table->debug_frame;
}

/* Reads the rest of an FDE whose CIE is at `cie_offset`. False: it is not understood. */
static inline bool read_fde(const struct frame_table *table, struct cursor *cursor,
			    uint64_t cie_offset, bool eh_frame, struct frame_entry *entry)
{
	const struct frame_cie *cie = find_cie(table, cie_offset, eh_frame);
	uint64_t address = section_of(table, eh_frame)->address;

	if (!cie || !cie->usable)
		return false;
	*entry = (struct frame_entry){ .cie = cie };
	if (cie->encoding == DW_EH_PE_absptr && cie->address_size == 8) { /* all of most files */
		entry->low = cursor_u64(cursor);
		entry->high = entry->low + cursor_u64(cursor);
	} else {
		entry->low = encoded_pointer(cursor, cie->encoding, cie->address_size, address);
		entry->high =
			entry->low + encoded_value(cursor, cie->encoding & 0x07, cie->address_size);
	}
	if (cie->has_augmentation_data) {
		uint64_t length = cursor_uleb(cursor);

		entry->lsda = lsda_address(cursor, cie, address);
		cursor_skip(cursor, length);
	}
	entry->instructions = cursor->data + cursor->position;
	entry->size = (uint32_t)cursor_left(cursor);
	return !cursor->failed && entry->low < entry->high;
}

/* The beginning of an FDE or a CIE. */
struct frame_head {
	struct cursor rest;  /* failed: there is nothing */
	uint64_t start, cie; /* offsets of this, and of an FDE's CIE */
	bool is_cie;
};

/* Reads what begins at the cursor, and moves it to the next one. False: there is no more. */
static inline bool next_head(struct cursor *cursor, bool eh_frame, struct frame_head *head)
{
	unsigned int offset_size = 4;
	uint64_t start = cursor->position, length = cursor_u32(cursor), position, id;

	if (length == UINT32_MAX) {
		offset_size = 8;
		length = cursor_u64(cursor);
	}
	if (cursor->failed || length > cursor_left(cursor) || length > UINT32_MAX)
		return false;
	position = cursor->position;
	cursor_skip(cursor, length);
	*head = (struct frame_head){ .start = start };
	head->rest = cursor_of(cursor->data, cursor->position, false);
	head->rest.position = position;
	id = cursor_word(&head->rest, eh_frame ? 4 : offset_size);
	head->cie = eh_frame ? position - id : id;
	head->is_cie = id == (eh_frame ? 0 : offset_size == 8 ? UINT64_MAX : UINT32_MAX);
	return true;
}

/* Reads where the code of an FDE of .debug_frame begins, if the latest CIE is its own and has two
 * plain addresses, as nearly all of a kernel do. Moves the cursor on then. */
static inline bool read_plain_fde(const struct frame_table *table, struct cursor *cursor,
				  uint64_t *low)
{
	const struct frame_cie *cie =
		table->cie_count ? &table->cies[table->cie_count - 1] : NULL;
	struct {
		uint32_t length, cie;
		uint64_t low, size;
	} fde;

	if (!cie || cie->eh_frame || cie->address_size != 8 || !cie->usable ||
	    cie->has_augmentation_data || cursor_left(cursor) < sizeof(fde))
		return false;
	memcpy(&fde, cursor->data + cursor->position, sizeof(fde));
	if (fde.cie != cie->offset || fde.length < sizeof(fde) - sizeof(fde.length) ||
	    fde.length > cursor_left(cursor) - sizeof(fde.length) || fde.low + fde.size <= fde.low)
		return false;
	cursor->position += sizeof(fde.length) + fde.length;
	*low = fde.low;
	return true;
}

/* Appends the FDEs and CIEs of a section to the table, in their order. Those that are not
 * understood are left out. Assemblers and linkers write CIEs before their FDEs. */
static void index_section(struct frame_table *table, bool eh_frame)
{
	const struct dwarf_section_data *section = section_of(table, eh_frame);
	struct cursor cursor = cursor_of(section->data, section->size, false);
	struct frame_entry entry;
	struct frame_head head;

	while (true) {
		uint64_t start = cursor.position, low;

		if (!eh_frame && read_plain_fde(table, &cursor, &low)) {
			array_add(table->keys, table->count, table->capacity) =
				(struct sort_key){ low, start << 1 };
			continue;
		}
		if (!next_head(&cursor, eh_frame, &head))
			break;
		if (head.rest.failed) /* the terminator; after that of crtend.o may come more */
			continue;
		if (head.is_cie)
			add_cie(table, &head.rest, head.start, eh_frame);
		else if (read_fde(table, &head.rest, head.cie, eh_frame, &entry))
			array_add(table->keys, table->count, table->capacity) =
				(struct sort_key){ entry.low, head.start << 1 | eh_frame };
	}
}

/* Returns the FDE at an index of the table, which was understood before. */
static struct frame_entry fde_at(const struct frame_table *table, size_t index)
{
	bool eh_frame = table->keys[index].index & 1;
	const struct dwarf_section_data *section = section_of(table, eh_frame);
	struct cursor cursor = cursor_of(section->data, section->size, false);
	struct frame_entry entry = { 0 };
	struct frame_head head;

	cursor.position = table->keys[index].index >> 1;
	if (next_head(&cursor, eh_frame, &head))
		read_fde(table, &head.rest, head.cie, eh_frame, &entry);
	return entry;
}

/* ---- running the instructions of an FDE ---- */

#define REMEMBERED 16

struct interpreter {
	const struct frame_cie *cie;
	const struct dwarf_section_data *section; /* that contains the CIE and the FDE */
	uint64_t address;                         /* the current row begins here */
	uint64_t low, high;                       /* the addresses that the caller wants */
	void (*visit)(void *data, uint64_t low, uint64_t high, const struct frame_state *state);
	void *data;
	bool initial; /* running the CIE's instructions, which give the first state but no rows */
	struct frame_state state;
	struct frame_state first; /* the state after the CIE's instructions, for DW_CFA_restore */
	struct frame_state remembered[REMEMBERED];
	size_t remembered_count;
};

/* Calls back for the current row, which ends at `end`, as far as the caller wants it. */
static void emit(struct interpreter *interpreter, uint64_t end)
{
	uint64_t low =
		interpreter->address > interpreter->low ? interpreter->address : interpreter->low;
	uint64_t high = end < interpreter->high ? end : interpreter->high;

	if (low < high && !interpreter->initial)
		interpreter->visit(interpreter->data, low, high, &interpreter->state);
}

static void advance(struct interpreter *interpreter, uint64_t delta)
{
	uint64_t next = interpreter->address + delta * interpreter->cie->code_alignment;

	emit(interpreter, next);
	interpreter->address = next;
}

static bool set_location(struct interpreter *interpreter, struct cursor *cursor)
{
	const struct dwarf_section_data *section = interpreter->section;
	struct cursor in_section = cursor_of(section->data, section->size, false);

	/* pc-relative addresses count from their place in the section */
	in_section.position = (size_t)(cursor->data - section->data) + cursor->position;

	size_t before = in_section.position;
	uint64_t address = encoded_pointer(&in_section, interpreter->cie->encoding,
					   interpreter->cie->address_size, section->address);

	cursor_skip(cursor, in_section.position - before);
	if (in_section.failed || address < interpreter->address)
		return false;
	emit(interpreter, address);
	interpreter->address = address;
	return true;
}

/* ---- the CFA ---- */

static uint8_t frame_register_number(uint64_t reg)
{
	return reg < 0xff ? (uint8_t)reg : 0xff;
}

static void set_cfa_register(struct frame_rule *cfa, uint64_t reg)
{
	/* the offset stays, if there was one */
	if (cfa->kind == FRAME_RULE_IS_EXPRESSION)
		cfa->offset = 0;
	cfa->kind = reg < 0xff ? FRAME_RULE_REGISTER : FRAME_RULE_NONE;
	cfa->reg = frame_register_number(reg);
}

static int64_t factored(const struct interpreter *interpreter, uint64_t value)
{
	return (int64_t)(value * (uint64_t)interpreter->cie->data_alignment);
}

static bool read_expression(struct cursor *cursor, enum frame_rule_kind kind,
			    struct frame_rule *rule)
{
	uint64_t size = cursor_uleb(cursor);
	const uint8_t *bytes = cursor_bytes(cursor, size);

	if (!bytes || size > UINT32_MAX)
		return false;
	*rule = (struct frame_rule){ .kind = (uint8_t)kind,
				     .reg = 0xff,
				     .expression = bytes,
				     .expression_size = (uint32_t)size };
	return true;
}

/* ---- registers ---- */

/* Sets the rule of a register, unless the register is not followed. */
static void set_rule(struct interpreter *interpreter, uint64_t reg, struct frame_rule rule)
{
	if (reg < FRAME_REGISTERS_MAX)
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
	if (reg < FRAME_REGISTERS_MAX)
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

/* Runs an instruction that defines the CFA; false: it is another one. */
static bool run_cfa(struct interpreter *interpreter, struct cursor *cursor,
		    unsigned int instruction)
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

/* The same for instructions that define the rule of a register. */
static bool run_rule(struct interpreter *interpreter, struct cursor *cursor,
		     unsigned int instruction)
{
	struct frame_rule rule;
	uint64_t reg;

	switch (instruction) {
	case DW_CFA_undefined:
		set_kind(interpreter, cursor_uleb(cursor), FRAME_RULE_UNDEFINED);
		return true;
	case DW_CFA_same_value:
		set_kind(interpreter, cursor_uleb(cursor), FRAME_RULE_SAME);
		return true;
	case DW_CFA_restore_extended: restore_rule(interpreter, cursor_uleb(cursor)); return true;
	case DW_CFA_offset_extended:
	case DW_CFA_val_offset:
		reg = cursor_uleb(cursor);
		set_offset(interpreter, reg,
			   instruction == DW_CFA_val_offset ? FRAME_RULE_IS : FRAME_RULE_AT,
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
		set_offset(interpreter, reg, FRAME_RULE_AT,
			   factored(interpreter, 0 - cursor_uleb(cursor)));
		return true;
	case DW_CFA_register:
		reg = cursor_uleb(cursor);
		rule = (struct frame_rule){ .kind = FRAME_RULE_REGISTER,
					    .reg = frame_register_number(cursor_uleb(cursor)) };
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

/* Runs one instruction. False: its length is not known, or it is invalid. */
static bool run_extended(struct interpreter *interpreter, struct cursor *cursor,
			 unsigned int instruction)
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
		if (!run_cfa(interpreter, cursor, instruction) &&
		    !run_rule(interpreter, cursor, instruction))
			return false;
	}
	return !cursor->failed;
}

static bool frame_run(struct interpreter *interpreter, const uint8_t *instructions, size_t size)
{
	struct cursor cursor = cursor_of(instructions, size, false);

	while (cursor_left(&cursor) &&
	       (interpreter->initial || interpreter->address < interpreter->high)) {
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

/* Calls back for each row that overlaps [low, high), in the order of the addresses, with the part
 * that overlaps. Together these parts cover all addresses that the FDE and the range have in
 * common. From an instruction on that cannot be read, the state is all 0. */
static void run_entry(const struct frame_table *table, const struct frame_entry *entry,
		      uint64_t low, uint64_t high,
		      void (*visit)(void *data, uint64_t low, uint64_t high,
				    const struct frame_state *state),
		      void *data)
{
	const struct frame_cie *cie = entry->cie;
	struct interpreter interpreter;

	interpreter.cie = cie;
	interpreter.section = section_of(table, cie->eh_frame);
	interpreter.address = entry->low;
	interpreter.low = low > entry->low ? low : entry->low;
	interpreter.high = high < entry->high ? high : entry->high;
	interpreter.visit = visit;
	interpreter.data = data;
	interpreter.state = (struct frame_state){ 0 };
	interpreter.first = (struct frame_state){ 0 };
	interpreter.remembered_count = 0;
	interpreter.initial = true;

	bool known = frame_run(&interpreter, cie->instructions, cie->size);

	interpreter.initial = false;
	interpreter.address = entry->low;
	interpreter.first = interpreter.state;
	if (!known || !frame_run(&interpreter, entry->instructions, entry->size))
		interpreter.state = (struct frame_state){ 0 };
	emit(&interpreter, interpreter.high);
}

/* ---- the table ---- */

#define ROWS_MAX 65536 /* of one list: each byte of an FDE may make one */

void frame_table_init(struct frame_table *table, const struct dwarf_section_data *eh_frame,
		      const struct dwarf_section_data *debug_frame, struct dwarf_file *file)
{
	*table = (struct frame_table){
		.eh_frame = eh_frame,
		.debug_frame = debug_frame,
		.unit = { .file = file, .version = 4, .address_size = 8, .offset_size = 4 },
	};
	pthread_mutex_init(&table->lock, NULL);
}

void frame_table_deinit(struct frame_table *table)
{
	free_all(table->keys, table->cies);
	pthread_mutex_destroy(&table->lock);
}

/* Sorts by address. FDEs of one address stay in their order. */
static void sort_entries(struct frame_table *table)
{
	struct sort_key *keys = table->keys;
	struct sort_key *other = xrealloc_array(NULL, table->count + 1, sizeof(*other));

	table->keys = sort_keys(keys, other, table->count);
	free(table->keys == keys ? other : keys);
}

void frame_table_build(struct frame_table *table)
{
	if (__atomic_load_n(&table->built, __ATOMIC_ACQUIRE))
		return;
	pthread_mutex_lock(&table->lock);
	if (!table->built) {
		index_section(table, true);
		index_section(table, false);
		sort_entries(table);
		/* few of the FDEs that all were gone over are read again */
		if (table->unit.file)
			dwarf_file_done_with_frames(table->unit.file);
		__atomic_store_n(&table->built, true, __ATOMIC_RELEASE);
	}
	pthread_mutex_unlock(&table->lock);
}

struct row_writer {
	struct frame_table *table;
	struct frame_rows *rows;
	size_t first;
};

/* Sets a row from an expression of the form "reg + offset" or "*(reg + offset) + offset2". */
static void set_expression(struct frame_table *table, const struct frame_rule *cfa,
			   struct frame_row *row)
{
	struct location location;
	struct location_list list = { .items = &location, .capacity = 1, .limit = 1 };

	location_of_expression(&table->unit, cfa->expression, cfa->expression_size, 0, UINT64_MAX,
			       &list);
	if (list.count != 1 || location.piece_size ||
	    (location.kind != LOCATION_MEMORY && location.kind != LOCATION_INDIRECT))
		return;
	row->kind = location.kind == LOCATION_MEMORY ? CFA_REGISTER : CFA_INDIRECT;
	row->reg = location.reg;
	row->offset = location.offset;
	row->offset2 = location.offset2;
}

/* Returns the lowest distance from the CFA at which a register is saved; 0: none is. */
static int64_t lowest_save(const struct frame_state *state)
{
	int64_t lowest = 0;

	for (size_t i = 0; i < FRAME_REGISTERS_MAX; i++)
		if (state->registers[i].kind == FRAME_RULE_AT &&
		    state->registers[i].offset < lowest)
			lowest = state->registers[i].offset;
	return lowest;
}

static void write_row(void *data, uint64_t low, uint64_t high, const struct frame_state *state)
{
	struct row_writer *writer = data;
	struct frame_rows *rows = writer->rows;
	struct frame_row row = {
		.low = low, .high = high, .kind = CFA_UNKNOWN, .saved = lowest_save(state)
	};

	if (state->cfa.kind == FRAME_RULE_IS_EXPRESSION) {
		set_expression(writer->table, &state->cfa, &row);
	} else if (state->cfa.kind == FRAME_RULE_REGISTER) {
		row.kind = CFA_REGISTER;
		row.reg = state->cfa.reg;
		row.offset = state->cfa.offset;
	}
	if (rows->count > writer->first) {
		struct frame_row *last = &rows->items[rows->count - 1];

		if (last->high == low && last->kind == row.kind && last->reg == row.reg &&
		    last->offset == row.offset && last->offset2 == row.offset2) {
			last->high = high;
			lower_to(last->saved, row.saved);
			return;
		}
	}
	if (rows->count >= ROWS_MAX)
		return;
	array_add(rows->items, rows->count, rows->capacity) = row;
}

/* Returns the index of the first entry that may cover `address`, or that comes after it. */
static size_t first_covering(const struct frame_table *table, uint64_t address)
{
	size_t first = partition_point(0, table->count, i, table->keys[i].key <= address);

	/* FDEs of .eh_frame and .debug_frame may cover the address: go back to the first */
	while (first && address < fde_at(table, first - 1).high)
		first--;
	return first;
}

void frame_table_rows(struct frame_table *table, uint64_t low, uint64_t high,
		      struct frame_rows *rows)
{
	frame_table_build(table);

	size_t first = first_covering(table, low);

	for (uint64_t next = low; first < table->count && table->keys[first].key < high; first++) {
		struct frame_entry entry = fde_at(table, first);

		/* an earlier FDE has the address already */
		if (entry.high <= next)
			continue;

		struct row_writer writer = { .table = table, .rows = rows, .first = rows->count };

		run_entry(table, &entry, next, high, write_row, &writer);
		next = entry.high;
	}
}

static void keep_state(void *data, uint64_t low _unused_, uint64_t high _unused_,
		       const struct frame_state *state)
{
	*(struct frame_state *)data = *state;
}

const struct frame_cie *frame_table_state(struct frame_table *table, uint64_t address,
					  struct frame_state *state)
{
	*state = (struct frame_state){ 0 };
	frame_table_build(table);
	for (size_t i = first_covering(table, address);
	     i < table->count && table->keys[i].key <= address; i++) {
		struct frame_entry entry = fde_at(table, i);

		if (entry.high <= address)
			continue;
		run_entry(table, &entry, address, address + 1, keep_state, state);
		return entry.cie;
	}
	return NULL;
}

COMPARISON(by_row_low, struct frame_row, ASCENDING(low) ASCENDING(high))

const struct frame_row *frame_rows_copy(struct frame_rows *rows, struct arena *arena)
{
	/* the rows of a function with one range are sorted */
	sort_unless_sorted(rows->items, rows->count, sizeof(*rows->items), by_row_low);
	return arena_copy(arena, rows->items, rows->count * sizeof(*rows->items));
}

/*
 * ---- exception edges ----
 *
 * The call-site table of the language-specific data area that an FDE refers to (.gcc_except_table).
 * C++ and Rust write the same form, that of gcc's unwind-pe.h and of parse_lsda_header() in
 * unwind-c.c: the address that landing pads count from, if it is not the start of the function; the
 * encoding of the type table and its end; the encoding and size of the call-site table; the call
 * sites.
 */

#define EDGES_MAX 65536 /* of one part of a function; bad input may have more */

struct exception_edges {
	struct exception_edge *items;
	size_t count, capacity;
};

/* Appends the edges of the part that `entry` describes, up to the first damaged one. */
static void read_edges(const struct elf_image *image, const struct frame_entry *entry,
		       struct exception_edges *edges)
{
	size_t available;
	const uint8_t *bytes = entry->lsda ? elf_image_bytes(image, entry->lsda, &available) : NULL;

	if (!bytes)
		return;
	struct cursor cursor = cursor_of(bytes, available, false);
	uint64_t base = entry->low;
	uint8_t encoding = cursor_u8(&cursor);

	if (encoding != PE_OMIT)
		base = encoded_pointer(&cursor, encoding, 8, entry->lsda);
	if (cursor_u8(&cursor) != PE_OMIT)
		cursor_uleb(&cursor);
	encoding = cursor_u8(&cursor);

	uint64_t size = cursor_uleb(&cursor);

	if (cursor.failed || size > cursor_left(&cursor))
		return;
	struct cursor table = cursor_of(cursor.data + cursor.position, size, false);

	while (cursor_left(&table) && edges->count < EDGES_MAX) {
		uint64_t start = encoded_value(&table, encoding & PE_FORMAT, 8);
		uint64_t length = encoded_value(&table, encoding & PE_FORMAT, 8);
		uint64_t pad = encoded_value(&table, encoding & PE_FORMAT, 8);

		cursor_uleb(&table); /* the action: the types that are caught */
		if (table.failed)
			return;
		uint64_t low = entry->low + start;

		if (!pad || !length || low < entry->low || length > entry->high - entry->low ||
		    low > entry->high - length)
			continue;
		array_add(edges->items, edges->count, edges->capacity) =
			(struct exception_edge){ low, low + length, base + pad };
	}
}

const struct exception_edge *frame_table_exception_edges(struct frame_table *table,
							 const struct elf_image *image,
							 uint64_t low, struct arena *arena,
							 size_t *count)
{
	struct exception_edges edges = { 0 };

	frame_table_build(table);
	size_t index = partition_point(0, table->count, i, table->keys[i].key < low);

	if (index < table->count && table->keys[index].key == low) {
		struct frame_entry entry = fde_at(table, index); /* .eh_frame's before others */

		read_edges(image, &entry, &edges);
	}
	*count = edges.count;

	const struct exception_edge *result =
		edges.count ? arena_copy(arena, edges.items, edges.count * sizeof(*edges.items))
			    : NULL;

	free(edges.items);
	return result;
}
