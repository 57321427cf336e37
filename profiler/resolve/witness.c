// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements witness.h: one function after the other, by its control-flow graph. */
#include "profiler/resolve/witness.h"

#include "disasm/cfg.h"
#include "dwarf/elf/image.h"
#include "base/memory.h"
#include "profiler/resolve/code_loops.h"
#include "profiler/resolve/resolve.h"
#include "report/c2c/sharing.h"

#define FUNCTION_MAX (64 << 10) /* bytes; larger functions are left out */
/* At most this many accesses of one sample are kept, those of its own basic block first. */
#define ITEMS_MAX 32

static uint64_t key_of(const struct dso *dso, uint64_t address)
{
	return hash_combine((uintptr_t)dso, address);
}

const struct witness *witnesses_at(const struct witnesses *witnesses, const struct dso *dso,
				   uint64_t sampled)
{
	const uint32_t *index = hash_map_find(&witnesses->by_sample, key_of(dso, sampled));
	const struct witness *found = index ? &witnesses->all[*index] : NULL;

	return found && found->dso == dso && found->sampled == sampled ? found : NULL;
}

void witnesses_deinit(struct witnesses *witnesses)
{
	free_all(witnesses->all, witnesses->items, witnesses->accesses);
	hash_map_deinit(&witnesses->by_sample);
	hash_map_deinit(&witnesses->by_access);
	*witnesses = (struct witnesses){ 0 };
}

/* ---- one function ---- */

/* The registers that a loop changes. Masks are REG_BITs. */
struct loop_changes {
	uint64_t written;
	uint64_t counted; /* a constant is added to them */
};

struct witness_function {
	struct witnesses *witnesses;
	struct dso *dso;
	const struct cfg *code;
	struct loop_forest forest;
	struct loop_changes *loops; /* of each loop */
	uint64_t frames;            /* registers that point to the function's own frame */
};

/* Returns the registers that an instruction may change. */
static uint64_t changes_of(const struct arch *arch, const struct insn *insn)
{
	return insn->operation == OP_CALL ? insn->written | (GENERAL_MASK & ~arch->call.preserved)
					  : insn->written;
}

static bool witness_in_loop(const struct witness_function *function, uint32_t loop, uint32_t block)
{
	return function->forest.member[(size_t)loop * function->code->block_count + block];
}

static void find_changes(struct witness_function *function)
{
	const struct cfg *code = function->code;
	const struct arch *arch = code->arch;

	function->loops = xcalloc(function->forest.loop_count + 1, sizeof(*function->loops));
	function->frames = REG_BIT(arch->stack_pointer);
	for (uint32_t block = 0; block < code->block_count; block++) {
		struct loop_changes changes = { 0 };

		for (uint32_t i = 0; i < code->blocks[block].count; i++) {
			const struct insn *insn = &code->insns[code->blocks[block].first + i];
			const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
			int64_t constant;

			changes.written |= changes_of(arch, insn);
			if (insn->operand_count && operand_is_general(to) &&
			    insn_adds_constant(insn, to->reg, &constant))
				changes.counted |= REG_BIT(to->reg);
			if (insn->operation == OP_MOVE && operand_is_general(to) &&
			    operand_is_reg(from, arch->stack_pointer))
				function->frames |= REG_BIT(to->reg);
		}
		for (uint32_t loop = 0; loop < function->forest.loop_count; loop++) {
			if (!witness_in_loop(function, loop, block))
				continue;
			function->loops[loop].written |= changes.written;
			function->loops[loop].counted |= changes.counted;
		}
	}
}

/* Returns whether all iterations of a loop run a block, also those that leave the loop. */
static bool runs_each_time(const struct witness_function *function, uint32_t loop, uint32_t block)
{
	const struct cfg *code = function->code;
	uint32_t header = function->forest.loops[loop].header;

	array_indexed (const struct basic_block, b, from, code->blocks, code->block_count) {
		bool ends = false;

		if (!witness_in_loop(function, loop, from))
			continue;
		each_successor (to, code, b)
			ends |= to == header || !witness_in_loop(function, loop, to);
		ends |= b->flags & BLOCK_RETURNS;
		if (ends && !loop_block_dominates(&function->forest, block, from))
			return false;
	}
	return true;
}

/* ---- one sampled instruction ---- */

/* An access that a sample is a witness of. */
struct near_access {
	uint32_t insn;
	const struct operand *memory;
};

struct near_accesses {
	struct near_access items[ITEMS_MAX];
	size_t count;
	uint64_t left_out; /* REG_BITs of registers that are not looked at */
};

/* Returns the only access of an instruction by a register and a constant, or NULL. */
static const struct operand *plain_access(const struct insn *insn)
{
	const struct operand *found = NULL;

	array_each (const struct operand, operand, insn->operands, insn->operand_count) {
		if (operand->kind != OPERAND_MEMORY || (!operand->read && !operand->write))
			continue;
		if (found)
			return NULL;
		found = operand;
	}
	return found && found->size && reg_is_general(found->base) && found->index == REG_NONE &&
			       found->segment == SEGMENT_NONE && !(insn->flags & FLAG_UNKNOWN)
		       ? found
		       : NULL;
}

static void add_candidate(const struct witness_function *function, uint32_t insn, uint64_t changed,
			  struct near_accesses *candidates)
{
	const struct operand *memory = plain_access(&function->code->insns[insn]);

	if (!memory || candidates->count == ITEMS_MAX ||
	    (changed | candidates->left_out) & REG_BIT(memory->base))
		return;
	candidates->items[candidates->count++] = (struct near_access){ insn, memory };
}

/* Adds the accesses of the sampled block. Registers are those before the instruction. */
static void add_block(const struct witness_function *function, const struct basic_block *block,
		      uint32_t sampled, struct near_accesses *candidates)
{
	const struct cfg *code = function->code;
	uint64_t changed = 0;

	for (uint32_t i = sampled; i > block->first; i--) {
		changed |= changes_of(code->arch, &code->insns[i - 1]);
		add_candidate(function, i - 1, changed, candidates);
	}
	changed = 0;
	for (uint32_t i = sampled; i < block->first + block->count; i++) {
		add_candidate(function, i, changed, candidates);
		changed |= changes_of(code->arch, &code->insns[i]);
	}
}

static void add_loop(const struct witness_function *function, uint32_t loop, uint32_t own,
		     struct near_accesses *candidates)
{
	const struct cfg *code = function->code;

	array_indexed (const struct basic_block, b, block, code->blocks, code->block_count) {
		if (block == own || !witness_in_loop(function, loop, block) ||
		    (!loop_block_dominates(&function->forest, block, own) &&
		     !runs_each_time(function, loop, block)))
			continue;
		for (uint32_t i = 0; i < b->count; i++)
			add_candidate(function, b->first + i, function->loops[loop].written,
				      candidates);
	}
}

/* Returns a weight by the number of accesses through a register. Any store weighs more than all
 * loads, because only stores disturb other threads. */
static unsigned int weight_of(const struct near_accesses *candidates, unsigned int reg)
{
	return sum_over(unsigned int, i, 0, candidates->count,
			candidates->items[i].memory->base != reg ? 0
			: candidates->items[i].memory->write     ? ITEMS_MAX
								 : 1);
}

/* Sets registers[] to those with the greatest weights, and the rest to REG_NONE. */
static void choose_registers(const struct near_accesses *candidates,
			     uint8_t registers[DATA_KEPT_MAX])
{
	uint64_t chosen = 0;

	for (size_t k = 0; k < DATA_KEPT_MAX; k++) {
		unsigned int most = 0;

		registers[k] = REG_NONE;
		for (unsigned int reg = 0; reg < REG_GENERAL_COUNT; reg++) {
			unsigned int weight =
				chosen & REG_BIT(reg) ? 0 : weight_of(candidates, reg);

			if (weight <= most)
				continue;
			most = weight;
			registers[k] = (uint8_t)reg;
		}
		if (registers[k] != REG_NONE)
			chosen |= REG_BIT(registers[k]);
	}
}

/* Returns the index of an instruction's access in witnesses->accesses; adds it if it is new. */
static uint32_t access_number(const struct witness_function *function,
			      const struct near_access *candidate)
{
	struct witnesses *witnesses = function->witnesses;
	uint64_t insn = function->code->insns[candidate->insn].address;
	bool created;
	struct witnessed_access *access = hash_map_item(
		&witnesses->by_access, key_of(function->dso, insn), witnesses->accesses,
		witnesses->access_count, witnesses->access_capacity, &created);

	if (created)
		*access = (struct witnessed_access){ .dso = function->dso,
						     .insn = insn,
						     .size = candidate->memory->size,
						     .read = candidate->memory->read,
						     .write = candidate->memory->write };
	return (uint32_t)(access - witnesses->accesses);
}

static void add_witness(const struct witness_function *function, uint32_t sampled)
{
	struct witnesses *witnesses = function->witnesses;
	const struct cfg *code = function->code;
	uint32_t block = cfg_block_of(code, sampled), loop = function->forest.loop_of[block];
	struct near_accesses candidates = { .left_out = function->frames };
	struct witness witness = { .dso = function->dso,
				   .sampled = code->insns[sampled].address,
				   .first = witnesses->item_count };
	uint8_t registers[DATA_KEPT_MAX];
	bool created;

	if (loop != LOOP_NONE)
		candidates.left_out |= function->loops[loop].counted;
	add_block(function, &code->blocks[block], sampled, &candidates);
	if (loop != LOOP_NONE)
		add_loop(function, loop, block, &candidates);
	if (!candidates.count)
		return;
	choose_registers(&candidates, registers);
	for (size_t k = 0; k < DATA_KEPT_MAX; k++) {
		witness.registers[k] = reg_is_general(registers[k])
					       ? code->arch->perf_numbers[registers[k]]
					       : DATA_OPERAND_NO_REGISTER;
		for (size_t i = 0; i < candidates.count; i++) {
			if (candidates.items[i].memory->base != registers[k])
				continue;
			array_add(witnesses->items, witnesses->item_count,
				  witnesses->item_capacity) = (struct witnessed){
				.access = access_number(function, &candidates.items[i]),
				.kept = (uint8_t)k,
				.displacement = candidates.items[i].memory->value
			};
		}
	}
	witness.count = witnesses->item_count - witness.first;

	struct witness *known =
		hash_map_item(&witnesses->by_sample, key_of(function->dso, witness.sampled),
			      witnesses->all, witnesses->count, witnesses->capacity, &created);

	if (created)
		*known = witness;
}

/* ---- all functions ---- */

/* A sampled instruction. */
struct late_place {
	struct dso *dso;
	uint64_t address, samples;
};

COMPARISON(compare_late, struct late_place, ASCENDING(dso->id) ASCENDING(address))

/* Returns the sampled instructions with their samples, in order. The caller frees them. */
static struct late_place *list_late(const struct resolution *resolution, size_t *count)
{
	struct late_place *list = xcalloc(resolution->place_count, sizeof(*list));
	size_t all = 0;

	*count = 0;
	array_each (const struct resolved_place, place, resolution->places,
		    resolution->place_count) {
		if (place->late && place->dso && place->samples)
			list[all++] =
				(struct late_place){ place->dso, place->sampled, place->samples };
	}
	array_sort(list, all, compare_late);
	for (size_t i = 0; i < all; i++) {
		if (*count && !compare_late(&list[*count - 1], &list[i]))
			list[*count - 1].samples += list[i].samples;
		else
			list[(*count)++] = list[i];
	}
	return list;
}

static struct error *find_in_function(struct witnesses *witnesses, struct decoder *decoder,
				      const struct cfg_range *range,
				      const struct late_place *places, size_t count, uint64_t *work)
{
	struct witness_function function = { .witnesses = witnesses, .dso = places->dso };
	struct cfg *code;

	RETURN_ERROR(cfg_build(decoder, &(struct cfg_request){ .ranges = range, .range_count = 1 },
			       &code));
	function.code = code;
	loop_forest_init(&function.forest, code, work);
	find_changes(&function);
	for (size_t i = 0; i < count; i++) {
		int64_t insn = cfg_find(code, places[i].address);

		if (insn >= 0)
			add_witness(&function, (uint32_t)insn);
	}
	free(function.loops);
	loop_forest_deinit(&function.forest);
	cfg_destroy(code);
	return NULL;
}

/* Code that may still be decoded for one object, whose symbols may overlap. */
struct witness_budget {
	const struct dso *dso;
	uint64_t code; /* bytes to decode */
	uint64_t work; /* see loop_work_max() */
};

/* Takes the code of a function. Returns whether there was as much left. */
static bool take_code(struct witness_budget *left, const struct dso *dso,
		      const struct elf_image *image, uint64_t size)
{
	if (left->dso != dso)
		*left = (struct witness_budget){ .dso = dso,
						 .code = elf_image_code_max(image),
						 .work = loop_work_max(elf_image_code_max(image) /
								       16) };
	if (size > left->code)
		return false;
	left->code -= size;
	return true;
}

/* Sets *range to the function that has the first of the places, and *count to how many of them are
 * in it. Returns false if it is to be left out. */
static bool find_function(struct decoder **decoder, const struct dso_options *options,
			  const struct late_place *places, size_t place_count,
			  struct cfg_range *range, size_t *count, struct witness_budget *left)
{
	struct dso *dso = places->dso;
	const struct elf_image *image = dso_image(dso, options, NULL);
	const struct symbol *symbol = image ? dso_symbol_at(dso, options, places->address) : NULL;
	size_t available = 0;
	uint64_t samples = 0;

	*count = 1;
	if (!symbol || places->address - symbol->address >= symbol->size)
		return false;
	range->address = symbol->address;
	range->bytes = elf_image_code(image, symbol->address, &available);
	range->size = symbol->size < available ? symbol->size : available;
	for (*count = 0; *count < place_count && places[*count].dso == dso &&
			 places[*count].address - symbol->address < symbol->size;
	     ++*count)
		samples += places[*count].samples;
	return range->bytes && range->size && range->size <= FUNCTION_MAX &&
	       samples >= SHARING_SIDE_MIN && take_code(left, dso, image, range->size) &&
	       decoder_switch(decoder, elf_image_arch(image));
}

struct error *witnesses_find(struct witnesses *witnesses, struct decoder **decoder,
			     const struct dso_options *options, const struct resolution *resolution)
{
	size_t place_count, count;
	_cleanup_free_ struct late_place *places = list_late(resolution, &place_count);
	struct cfg_range range;
	struct witness_budget left = { 0 };

	witnesses_deinit(witnesses);
	for (size_t i = 0; i < place_count; i += count)
		if (find_function(decoder, options, places + i, place_count - i, &range, &count,
				  &left))
			RETURN_ERROR(find_in_function(witnesses, *decoder, &range, places + i,
						      count, &left.work));
	return NULL;
}
