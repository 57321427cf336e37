// SPDX-License-Identifier: GPL-2.0-or-later
/* The facts that are due at each instruction: see schedule.h. */
#include "annotate/facts/schedule.h"

#include "annotate/types/field.h"
#include "base/memory.h"

static uint64_t all_facts(const struct facts *facts)
{
	uint64_t mask = 0;

	for (unsigned int reg = 0; reg < REG_COUNT; reg++)
		if (facts->register_counts[reg])
			mask |= REG_BIT(reg);
	return mask;
}

/* Marks the instruction from which a fact of `reg` holds: that at `low`, or the next one if the
 * range begins within an instruction. */
static void schedule_mark_start(struct schedule *schedule, unsigned int reg, uint64_t low)
{
	int64_t insn = -1;

	for (unsigned int skip = 0; skip <= schedule->code->arch->insn_length_max && insn < 0;
	     skip++)
		insn = cfg_find(schedule->code, low + skip);
	if (insn >= 0)
		schedule->starts[insn] |= REG_BIT(reg);
}

static void mark_starts(struct schedule *schedule)
{
	const struct facts *facts = schedule->facts;

	for (unsigned int reg = 0; reg < REG_COUNT; reg++) {
		array_indexed (const struct register_fact, fact, i, facts->registers[reg],
			       facts->register_counts[reg]) {
			const struct function *function = facts->function;
			const struct scope *scope =
				&function->scopes[function->variables[fact->variable].scope];

			if (!i || fact[-1].low != fact->low)
				schedule_mark_start(schedule, reg, fact->low);
			/* where the fact's own scope begins or ends, another variable may become
			 * the better one */
			for (size_t j = 0; j < scope->range_count; j++) {
				if (scope->ranges[j].low > fact->low &&
				    scope->ranges[j].low < fact->high)
					schedule_mark_start(schedule, reg, scope->ranges[j].low);
				if (scope->ranges[j].high > fact->low &&
				    scope->ranges[j].high < fact->high)
					schedule_mark_start(schedule, reg, scope->ranges[j].high);
			}
		}
	}
}

static uint8_t base_register(const struct insn *insn)
{
	for (unsigned int i = 0; i < insn->operand_count; i++)
		if (insn->operands[i].kind == OPERAND_MEMORY && insn->operands[i].base != REG_NONE)
			return insn->operands[i].base;
	return REG_NONE;
}

static const struct register_fact *fact_at(struct schedule *schedule, uint8_t reg, uint64_t address)
{
	struct fact_window *window = &schedule->windows[reg];

	if (!fact_window_holds(window, address))
		fact_window_move(window, schedule->facts, reg, address);
	return window->fact;
}

/* A fact of a register that begins later in a block. */
struct coming_fact {
	const struct register_fact *fact;
	uint64_t address; /* of the instruction at which it begins */
	bool varies;      /* the scopes decided between several facts */
};

/* True if a base class of the record begins there that is only declared, as clang leaves that of
 * the nodes of libstdc++. */
static bool has_hidden_base(const struct type *record, int64_t offset)
{
	size_t count;
	const struct member *members = type_members(type_strip(record), &count);

	return any_of(i, 0, count,
		      members[i].is_base && members[i].offset == offset &&
			      field_is_named_only(members[i].type));
}

/* True if the instruction goes to the next object of a list: the base register gets a pointer that
 * it points to, and the fact's object has a pointer to its own type there. Then the register had
 * the address of such an object before. */
static bool is_step(const struct insn *insn, const struct register_fact *fact)
{
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];

	if (insn->operation != OP_MOVE || to->kind != OPERAND_REGISTER ||
	    from->kind != OPERAND_MEMORY || from->base != to->reg || from->index != REG_NONE ||
	    fact->value.offset)
		return false;
	const struct type *link = field_scalar(fact->value.type, from->value, from->size);
	const struct type *next = link ? field_pointee(link) : NULL;

	if (!link)
		return has_hidden_base(fact->value.type, from->value);
	return next && (field_same_type(next, fact->value.type) ||
			field_contains(fact->value.type, 0, next));
}

/* Finds the coming facts of a block by walking it backwards. */
static void find_coming(struct schedule *schedule, const struct basic_block *block)
{
	const struct cfg *code = schedule->code;
	struct coming_fact next[REG_GENERAL_COUNT]; /* of the registers in `coming` */
	uint64_t coming = 0;

	for (uint32_t j = block->first + block->count; j-- > block->first;) {
		const struct insn *insn = &code->insns[j];
		uint64_t written = schedule_written(schedule->call, insn);
		uint8_t base = coming ? base_register(insn) : REG_NONE;

		if (coming & REG_BIT(base) && is_step(insn, next[base].fact))
			written &= ~REG_BIT(base);
		coming &= ~written;
		schedule->coming[j] = coming & REG_BIT(base) ? next[base].fact : NULL;
		if (schedule->coming[j] && next[base].varies)
			schedule->coming[j] = facts_register_for_code(
				schedule->facts, base, next[base].address, insn->address);
		bits_each (reg, schedule->starts[j] & GENERAL_MASK) {
			const struct register_fact *fact = fact_at(schedule, reg, insn->address);

			if (!fact || fact->weak || fact->value.kind != VALUE_POINTER)
				continue;
			coming |= REG_BIT(reg);
			next[reg] = (struct coming_fact){
				.fact = fact,
				.address = insn->address,
				.varies = schedule->windows[reg].varies,
			};
		}
	}
}

/* Finds the facts that are due: all that hold at the block's start; those that begin at an
 * instruction; and those of a register that the instruction before has written. */
static void find_due(struct schedule *schedule, const struct basic_block *block)
{
	const struct cfg *code = schedule->code;
	uint64_t mask = schedule->registers;

	for (uint32_t j = block->first; j < block->first + block->count; j++) {
		const struct insn *insn = &code->insns[j];

		schedule->due_at[j].first = schedule->due_count;
		bits_each (reg, (mask | schedule->starts[j]) & schedule->registers) {
			const struct register_fact *fact = fact_at(schedule, reg, insn->address);

			if (!fact)
				continue;
			array_add(schedule->due, schedule->due_count, schedule->due_capacity) =
				(struct due_fact){ fact, reg };
		}
		schedule->due_at[j].end = schedule->due_count;
		mask = schedule_written(schedule->call, insn);
	}
}

void schedule_block(struct schedule *schedule, uint32_t index)
{
	const struct basic_block *block = &schedule->code->blocks[index];

	if (schedule->built[index])
		return;
	schedule->built[index] = true;
	find_due(schedule, block);
	find_coming(schedule, block);
}

static void need_schedule(struct schedule *schedule)
{
	size_t insns = schedule->code->insn_count, blocks = schedule->code->block_count;

	if (insns > schedule->insn_capacity) {
		free_all(schedule->starts, schedule->due_at, schedule->coming);
		schedule->starts = xrealloc_array(NULL, insns, sizeof(*schedule->starts));
		schedule->due_at = xrealloc_array(NULL, insns, sizeof(*schedule->due_at));
		schedule->coming = xrealloc_array(NULL, insns, sizeof(*schedule->coming));
		schedule->insn_capacity = insns;
	}
	if (blocks > schedule->block_capacity) {
		schedule->built = xrealloc_array(schedule->built, blocks, sizeof(*schedule->built));
		schedule->block_capacity = blocks;
	}
}

void schedule_start(struct schedule *schedule, const struct facts *facts, const struct cfg *code,
		    const struct convention *call)
{
	schedule->call = call;
	schedule->facts = facts;
	schedule->code = code;
	need_schedule(schedule);
	memset(schedule->starts, 0, code->insn_count * sizeof(*schedule->starts));
	memset(schedule->built, 0, code->block_count * sizeof(*schedule->built));
	memset(schedule->windows, 0, sizeof(schedule->windows));
	schedule->due_count = 0;
	schedule->registers = all_facts(facts);
	mark_starts(schedule);
}

void schedule_deinit(struct schedule *schedule)
{
	free_all(schedule->starts, schedule->built, schedule->due_at, schedule->due,
		 schedule->coming);
	memset(schedule, 0, sizeof(*schedule));
}
