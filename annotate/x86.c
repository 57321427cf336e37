// SPDX-License-Identifier: GPL-2.0-or-later
/* Facts about x86-64: see arch.h. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/arch.h"
#include "annotate/field.h"
#include "annotate/solver.h"
#include "disasm/insn.h"
#include "dwarf/unwind/unwind.h"
#include "profiler/base/memory.h"
#include "profiler/base/search.h"

/* ---- arguments and results */

const uint8_t argument_registers[ARGUMENT_REGISTERS] = { REG_RDI, REG_RSI, REG_RDX, REG_RCX, REG_R8, REG_R9 };

/* Returns the class of one eightbyte of a type of at most 16 bytes (psABI 3.2.3, "Classification"). */
static enum argument_class classify_part(const struct type *type, int64_t base, int64_t eightbyte,
					 unsigned int depth)
{
	const struct type *bare = type_strip(type);

	if (depth > 8)
		return ARGUMENT_MEMORY;
	if (bare->kind == TYPE_ARRAY) {
		const struct type *element = type_target(bare);
		uint64_t size = element ? field_size(element) : 0;
		enum argument_class result = ARGUMENT_NONE;

		for (uint64_t at = 0; size && at < bare->size; at += size) {
			enum argument_class part =
				classify_part(element, base + (int64_t)at, eightbyte, depth + 1);

			result = part > result || part == ARGUMENT_INTEGER ? part : result;
		}
		return result;
	}
	if (!type_is_record(bare)) {
		if (base / 8 != eightbyte && !(bare->size > 8 && eightbyte > base / 8))
			return ARGUMENT_NONE;
		if (bare->kind == TYPE_FLOAT)
			return bare->size > 8 ? ARGUMENT_MEMORY : ARGUMENT_SSE;
		return ARGUMENT_INTEGER;
	}
	size_t count;
	const struct member *members = type_members(bare, &count);
	enum argument_class result = ARGUMENT_NONE;

	for (size_t i = 0; i < count; i++) {
		enum argument_class part =
			classify_part(members[i].type, base + members[i].offset, eightbyte, depth + 1);

		if (part == ARGUMENT_MEMORY || result == ARGUMENT_MEMORY)
			result = ARGUMENT_MEMORY;
		else if (part == ARGUMENT_INTEGER || result == ARGUMENT_INTEGER)
			result = ARGUMENT_INTEGER;
		else if (part != ARGUMENT_NONE)
			result = part;
	}
	return result;
}

bool argument_classes(const struct type *type, enum argument_class classes[2])
{
	uint64_t size = field_size(type);

	classes[0] = classes[1] = ARGUMENT_NONE;
	if (size > 16)
		return false;
	classes[0] = classify_part(type, 0, 0, 0);
	if (size > 8)
		classes[1] = classify_part(type, 0, 1, 0);
	return classes[0] != ARGUMENT_MEMORY && classes[1] != ARGUMENT_MEMORY;
}

bool arguments_return_in_memory(const struct prototype *prototype)
{
	enum argument_class classes[2];

	return prototype->return_type && type_is_record(type_strip(prototype->return_type)) &&
	       !argument_classes(prototype->return_type, classes);
}

void arguments_begin(struct argument_walk *walk, const struct prototype *prototype)
{
	*walk = (struct argument_walk){ .prototype = prototype };
	if (arguments_return_in_memory(prototype))
		walk->next++; /* rdi has the address for the result */
}

bool arguments_next(struct argument_walk *walk, struct argument *argument)
{
	enum argument_class classes[2];

	if (walk->index >= walk->prototype->parameter_count)
		return false;
	*argument = (struct argument){ .type = walk->prototype->parameters[walk->index++].type,
				       .registers = { REG_NONE, REG_NONE },
				       .stack_offset = -1 };

	bool in_registers = argument_classes(argument->type, classes);
	size_t wanted = (size_t)(classes[0] == ARGUMENT_INTEGER) + (classes[1] == ARGUMENT_INTEGER);

	if (!in_registers || walk->next + wanted > ARGUMENT_REGISTERS) {
		argument->stack_offset = walk->stack;
		walk->stack += (int64_t)((field_size(argument->type) + 7) & ~(uint64_t)7);
		return true;
	}
	for (size_t i = 0; i < 2; i++) {
		if (classes[i] == ARGUMENT_INTEGER)
			argument->registers[i] = argument_registers[walk->next++];
	}
	return true;
}

/* ---- functions with conventions of their own */

struct convention {
	const char *name; /* '#' at the end stands for digits, '*' for anything */
	bool kernel;      /* only in the Linux kernel */
	uint64_t clobbered;
};

#define RAX REG_BIT(REG_RAX)
#define RBX REG_BIT(REG_RBX)
#define RCX REG_BIT(REG_RCX)
#define RDX REG_BIT(REG_RDX)
#define RSI REG_BIT(REG_RSI)
#define RDI REG_BIT(REG_RDI)

/* The kernel's functions come last. */
static const struct convention conventions[] = {
	/* calls that -pg puts at a function's start: they save all that they use (gcc) */
	{ "__fentry__", false, 0 },
	{ "mcount", false, 0 },
	/* arch/x86/include/asm/uaccess.h: rax has the address, rdx gets the value */
	{ "__get_user_#", true, RAX | RDX },
	{ "__get_user_nocheck_#", true, RAX | RDX },
	/* rax has the value, rcx the address and later the error code */
	{ "__put_user_#", true, RCX | RBX },
	{ "__put_user_nocheck_#", true, RCX | RBX },
	/* arch/x86/include/asm/uaccess_64.h */
	{ "clear_user_original", true, RAX | RCX | RDI },
	{ "clear_user_rep_good", true, RAX | RCX | RDI },
	{ "clear_user_erms", true, RAX | RCX | RDI },
	{ "rep_stos_alternative", true, RAX | RCX | RDI },
	{ "rep_movs_alternative", true, RAX | RCX | RSI | RDI },
	/* arch/x86/include/asm/page_64.h */
	{ "clear_page_orig", true, RAX | RCX | RDI },
	{ "clear_page_rep", true, RAX | RCX | RDI },
	{ "clear_page_erms", true, RAX | RCX | RDI },
	/* arch/x86/include/asm/arch_hweight.h */
	{ "__sw_hweight#", true, RAX },
	/* arch/x86/include/asm/paravirt.h, PV_CALLEE_SAVE_REGS_THUNK */
	{ "__raw_callee_save_*", true, RAX },
	/* arch/x86/include/asm/preempt.h; arch/x86/entry/thunk_64.S saves everything */
	{ "preempt_schedule_thunk", true, 0 },
	{ "preempt_schedule_notrace_thunk", true, 0 },
	{ "__SCT__preempt_schedule", true, 0 },
	{ "__SCT__preempt_schedule_notrace", true, 0 },
	/* arch/x86/lib/cmpxchg16b_emu.S, cmpxchg8b_emu.S */
	{ "this_cpu_cmpxchg16b_emu", true, RAX | RDX },
	{ "this_cpu_cmpxchg8b_emu", true, RAX | RDX },
	{ "cmpxchg8b_emu", true, RAX | RDX },
};

static bool matches(const struct convention *convention, const char *name)
{
	size_t length = strlen(convention->name) - 1;
	char last = convention->name[length];

	if (last != '#' && last != '*')
		return strcmp(name, convention->name) == 0;
	if (strncmp(name, convention->name, length) != 0 || !name[length])
		return false;
	return last == '*' || name[length + strspn(name + length, "0123456789")] == '\0';
}

bool convention_of(const char *name, bool kernel, uint64_t *clobbered)
{
	for (size_t i = 0; i < sizeof(conventions) / sizeof(*conventions); i++) {
		const struct convention *convention = &conventions[i];

		if (convention->kernel && !kernel)
			break;
		if (!matches(convention, name))
			continue;
		*clobbered = convention->clobbered;
		return true;
	}
	return false;
}

/* ---- thunks */

static void add_thunk(struct thunks *thunks, const struct elf_image *image, const char *name, uint8_t reg)
{
	const struct symbol *symbol = elf_image_symbol_named(image, name);

	if (symbol)
		thunks->items[thunks->count++] = (struct thunk){ symbol->address, reg };
}

static int compare_thunks(const void *left, const void *right)
{
	const struct thunk *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->reg < b->reg ? -1 : a->reg > b->reg;
}

void thunks_find(struct thunks *thunks, const struct elf_image *image)
{
	/* for both; with CONFIG_CALL_DEPTH_TRACKING one for each */
	static const char *const retpolines[] = { "__x86_indirect_thunk_%s", "__x86_indirect_call_thunk_%s",
						  "__x86_indirect_jump_thunk_%s" };

	thunks->count = 0;
	add_thunk(thunks, image, "__x86_return_thunk", REG_NONE);
	for (unsigned int reg = 0; reg < REG_GENERAL_COUNT; reg++)
		for (size_t i = 0; reg != REG_RSP && i < sizeof(retpolines) / sizeof(*retpolines); i++) {
			char name[64];

			snprintf(name, sizeof(name), retpolines[i], reg_name((uint8_t)reg));
			add_thunk(thunks, image, name, (uint8_t)reg);
		}
	qsort(thunks->items, thunks->count, sizeof(*thunks->items), compare_thunks);
}

const struct thunk *thunks_at(const struct thunks *thunks, uint64_t address)
{
	size_t index = partition_point(0, thunks->count, i, thunks->items[i].address < address);

	return index < thunks->count && thunks->items[index].address == address ? &thunks->items[index]
										: NULL;
}

/* ---- static branches */

/* struct jump_entry with CONFIG_HAVE_ARCH_JUMP_LABEL_RELATIVE, as on x86 since 4.19
 * (include/linux/jump_label.h): the distances from each of its fields to the code and to the
 * target, then the key. */
#define ENTRY_SIZE 16

#define JUMP_SHORT 0xeb
#define JUMP_NEAR  0xe9

/* Finds the list of all static branches. False if there is none. */
static bool find_list(const struct elf_image *image, uint64_t *low, uint64_t *high)
{
	struct elf_section section;

	if (elf_image_section_named(image, "__jump_table", &section)) {
		*low = section.address;
		*high = section.address + section.size;
		return true;
	}
	const struct symbol *start = elf_image_symbol_named(image, "__start___jump_table");
	const struct symbol *stop = elf_image_symbol_named(image, "__stop___jump_table");

	if (!start || !stop)
		return false;
	*low = start->address;
	*high = stop->address;
	return true;
}

/* Returns the address behind the jump at `address`: the way that is taken once it is a nop. 0 if it
 * is no jump. */
static uint64_t behind_jump(const struct elf_image *image, uint64_t address)
{
	size_t available;
	const uint8_t *bytes = elf_image_bytes(image, address, &available);

	if (!bytes || !available)
		return 0;
	return *bytes == JUMP_SHORT ? address + 2 : *bytes == JUMP_NEAR ? address + 5 : 0;
}

static void add_edge(struct static_branches *edges, const struct elf_image *image, uint64_t entry,
		     const uint8_t *bytes)
{
	int32_t code, target;
	struct static_branch edge;

	memcpy(&code, bytes, sizeof(code));
	memcpy(&target, bytes + sizeof(code), sizeof(target));
	edge.from = entry + (uint64_t)(int64_t)code;
	edge.to = behind_jump(image, edge.from);
	if (!edge.to)
		edge.to = entry + sizeof(code) + (uint64_t)(int64_t)target;
	array_reserve(edges->items, edges->count, edges->capacity);
	edges->items[edges->count++] = edge;
}

static int compare_edges(const void *left, const void *right)
{
	const struct static_branch *a = left, *b = right;

	if (a->from != b->from)
		return a->from < b->from ? -1 : 1;
	return a->to < b->to ? -1 : a->to > b->to;
}

void static_branches_find(struct static_branches *edges, const struct elf_image *image)
{
	uint64_t low, high;
	size_t available;

	edges->count = 0;
	if (!find_list(image, &low, &high) || low >= high)
		return;
	const uint8_t *bytes = elf_image_bytes(image, low, &available);

	if (!bytes)
		return;
	if (available > high - low)
		available = high - low;
	for (size_t at = 0; available - at >= ENTRY_SIZE; at += ENTRY_SIZE)
		add_edge(edges, image, low + at, bytes + at);
	if (edges->count)
		qsort(edges->items, edges->count, sizeof(*edges->items), compare_edges);
}

void static_branches_deinit(struct static_branches *edges)
{
	free(edges->items);
	*edges = (struct static_branches){ 0 };
}

/* Returns how many begin before `address`. */
static size_t before(const struct static_branches *edges, uint64_t address)
{
	return partition_point(0, edges->count, i, edges->items[i].from < address);
}

const struct static_branch *static_branches_from(const struct static_branches *edges, uint64_t low,
						 uint64_t high, size_t *count)
{
	size_t first = before(edges, low), end = before(edges, high);

	*count = end > first ? end - first : 0;
	return *count ? &edges->items[first] : NULL;
}

/* ---- frames of assembly */

/* Returns the kernel's struct pt_regs if its layout is that of x86-64; NULL otherwise. */
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
							      .size = field_size(registers) - absent,
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
