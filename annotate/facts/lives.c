// SPDX-License-Identifier: GPL-2.0-or-later
/* When the lives of variables of C++ begin: see lives.h. */
#include "annotate/facts/lives.h"

#include "annotate/flow/solver.h"
#include "annotate/types/field.h"
#include "base/memory.h"

/* Marks the block that has the instruction at `address`, or the first one after it. */
static void lives_mark_start(const struct cfg *code, uint64_t address, bool *begun, bool *found)
{
	array_each (const struct cfg_span, span, code->spans, code->span_count) {
		if (address < span->address || address >= span->address + span->size)
			continue;
		size_t insn = partition_point(span->first, span->first + span->count, k,
					      code->insns[k].address < address);

		if (insn == span->first + span->count)
			return;
		begun[cfg_block_of(code, insn)] = true;
		*found = true;
		return;
	}
}

/* Marks the blocks in which the variable's constructor begins: an inlined constructor of its class
 * that is called on the line of the declaration. Whole blocks are marked because gcc moves
 * instructions within a block. False: there is no such constructor. */
static bool find_starts(const struct solver *solver, const struct stack_fact *variable, bool *begun)
{
	const struct stack_fact_list *methods = &solver->facts.selves.methods;
	uint32_t line = solver->function->variables[variable->variable].line;
	bool found = false;

	for (size_t i = 0; i < methods->count && line; i++) {
		const struct stack_fact *method = &methods->items[i];

		if (method->made_at == line && field_same_type(method->type, variable->type))
			lives_mark_start(solver->code, method->low, begun, &found);
	}
	return found;
}

/* Marks a block, and adds it to the queue if it was not marked before. */
static void follow(uint32_t block, bool *begun, uint32_t *queue, size_t *count)
{
	if (begun[block])
		return;
	begun[block] = true;
	queue[(*count)++] = block;
}

/* Marks all blocks that can be reached from the marked ones. False: they are not known, because a
 * block ends in a jump whose targets are not known. */
static bool find_reached(const struct solver *solver, bool *begun)
{
	const struct cfg *code = solver->code;
	_cleanup_free_ uint32_t *queue = xcalloc(code->block_count, sizeof(*queue));
	_cleanup_free_ bool *landed = xcalloc(code->block_count, sizeof(*landed));
	size_t count = 0;

	for (size_t i = 0; solver->tables.extra_edges && i < code->insn_count; i++)
		landed[solver->tables.extra_edges[i]] = true;
	for (uint32_t i = 0; i < code->block_count; i++) {
		/* any code may run before a block to which no known edge leads */
		begun[i] |=
			(code->blocks[i].flags & (BLOCK_ORPHAN | BLOCK_PADDING)) == BLOCK_ORPHAN &&
			!landed[i];
		if (begun[i])
			queue[count++] = i;
	}
	for (size_t next = 0; next < count; next++) {
		const struct basic_block *block = &code->blocks[queue[next]];

		if (block->flags & BLOCK_UNKNOWN_SUCCESSORS)
			return false;
		each_successor (to, code, block)
			follow(to, begun, queue, &count);
		for (uint32_t i = block->first;
		     solver->tables.extra_edges && i < block->first + block->count; i++)
			if (solver->tables.extra_edges[i])
				follow(solver->tables.extra_edges[i], begun, queue, &count);
	}
	return true;
}

/* Returns the life of a variable, which is found when it is first asked for. */
static const struct life *life_of(struct solver *solver, const struct stack_fact *variable)
{
	struct lives *lives = &solver->places.lives;
	struct life life = { .variable = variable->variable, .offset = variable->offset };

	for (size_t i = 0; i < lives->count; i++)
		if (lives->items[i].variable == life.variable &&
		    lives->items[i].offset == life.offset)
			return &lives->items[i];
	bool *begun = xcalloc(solver->code->block_count + 1, sizeof(*begun));

	if (find_starts(solver, variable, begun) && find_reached(solver, begun))
		life.begun = begun;
	else
		free(begun);
	array_reserve(lives->items, lives->count, lives->capacity);
	lives->items[lives->count] = life;
	return &lives->items[lives->count++];
}

/* ---- by lines */

/* Sets the scope of all instructions in its ranges, unless they are in a deeper one. */
static void paint(const struct solver *solver, uint32_t scope, struct scope_line *lines)
{
	const struct scope *painted = &solver->function->scopes[scope];
	const struct cfg *code = solver->code;

	for (size_t i = 0; i < painted->range_count; i++)
		array_each (const struct cfg_span, span, code->spans, code->span_count) {
			size_t end = span->first + span->count;
			size_t insn =
				partition_point(span->first, end, k,
						code->insns[k].address < painted->ranges[i].low);

			for (; insn < end && code->insns[insn].address < painted->ranges[i].high;
			     insn++)
				if (painted->depth >=
				    solver->function->scopes[lines[insn].scope].depth)
					lines[insn].scope = scope;
		}
}

/* Returns the scopes and lines of the function's instructions. The scopes are found at the first
 * call; line_of() finds the line of an instruction when it is needed. */
static struct scope_line *find_lines(struct solver *solver)
{
	struct lives *lives = &solver->places.lives;

	if (lives->lines)
		return lives->lines;
	lives->lines = xcalloc(solver->code->insn_count, sizeof(*lives->lines));
	for (uint32_t i = 1; i < solver->function->scope_count; i++)
		paint(solver, i, lives->lines);
	return lives->lines;
}

static uint32_t line_of(const struct solver *solver, struct scope_line *line, uint64_t address)
{
	unsigned int number = 0;
	const char *file;

	if (!line->asked)
		line->number =
			debug_reader_line(solver->reader, address, &file, &number) ? number : 0;
	line->asked = true;
	return line->number;
}

/*
 * Returns the line of an instruction in the function that declares the variable. For code of a
 * function that is inlined there, it is the line of the call. 0: not known, or the instruction is
 * not in the variable's scope.
 */
static uint32_t line_in_scope(struct solver *solver, uint32_t variable_scope, size_t insn)
{
	const struct scope *scopes = solver->function->scopes;
	struct scope_line *line = &find_lines(solver)[insn];
	uint32_t scope = line->scope, inlined = 0;

	while (scope != variable_scope && scope) {
		inlined = scopes[scope].inlined ? scope : inlined;
		scope = scopes[scope].parent;
	}
	if (scope != variable_scope)
		return 0;
	return inlined ? scopes[inlined].line
		       : line_of(solver, line, solver->code->insns[insn].address);
}

bool lives_declared_later(struct solver *solver, const struct stack_fact *fact, uint64_t address)
{
	if (!solver->reader || fact->variable == NO_VARIABLE || fact->low ||
	    fact->high != UINT64_MAX || !language_has(solver->function, FACT_TEMPORARIES))
		return false;
	const struct variable *variable = &solver->function->variables[fact->variable];

	if (!variable->line || (variable->flags & VARIABLE_PARAMETER))
		return false;
	int64_t insn = solver->code->insns[solver->pass.current].address == address
			       ? solver->pass.current
			       : cfg_find(solver->code, address);
	uint32_t line = insn < 0 ? 0 : line_in_scope(solver, variable->scope, (size_t)insn);

	return line && line < variable->line;
}

bool lives_begin_later(struct solver *solver, const struct stack_fact *variable, uint64_t address)
{
	if (!solver->facts.selves.methods.count || variable->variable == NO_VARIABLE ||
	    variable->low || variable->high != UINT64_MAX || variable->piece_offset ||
	    !type_is_record(type_strip(variable->type)))
		return false;
	const struct life *life = life_of(solver, variable);
	int64_t insn = life->begun ? cfg_find(solver->code, address) : -1;

	return insn >= 0 && !life->begun[cfg_block_of(solver->code, (size_t)insn)];
}

void lives_clear(struct lives *lives)
{
	for (size_t i = 0; i < lives->count; i++)
		free(lives->items[i].begun);
	lives->count = 0;
	free(lives->lines);
	lives->lines = NULL;
}

void lives_deinit(struct lives *lives)
{
	lives_clear(lives);
	free(lives->items);
	*lives = (struct lives){ 0 };
}
