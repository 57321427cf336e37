// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The regions of functions with samples, and the records that each of them uses. A region is an
 * innermost loop (code_loops.h), or the code of a function that is in no loop.
 *
 *   for (i = 0; i < k; i++)          a region; `nb` + 64 * i is a stream of step 64
 *           if (nb[i].dist > max) ...
 *   for (e = head; e; e = e->next)   a region; `e` is a chase through what `e->next` loads
 */

#include <math.h>

#include "annotate/facts/abi.h"
#include "annotate/solve/type_resolver.h"
#include "annotate/types/member.h"
#include "disasm/cfg.h"
#include "dwarf/debug.h"
#include "dwarf/elf/image.h"
#include "dwarf/types/function.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/strbuf.h"
#include "base/type_name.h"
#include "profiler/resolve/code_loops.h"
#include "profiler/resolve/layout_private.h"
#include "profiler/resolve/private.h"
#include "profiler/resolve/record_sources.h"

#define FUNCTION_SHARE 0.001 /* of all samples: smaller functions cannot change an answer */

/* ---- the code of functions with samples ---- */

/* One object's code while it is read. */
struct object_code {
	struct facts_collector *collector;
	struct dso *dso;
	const struct elf_image *image;
	struct debug_object *debug;
	struct debug_reader *reader;
	struct decoder *decoder;
	size_t first, end; /* its functions */
	struct access *accesses;
	uint64_t *addresses;
	size_t access_count, access_capacity;
	uint64_t code_left; /* bytes of code that may still be decoded */
	uint64_t loop_work; /* see loop_work_max() */
};

/* Adds the functions of the object that have enough samples. Its addresses are [first, end). */
static void find_functions(struct object_code *object, size_t first, size_t end)
{
	struct facts_collector *collector = object->collector;
	struct hash_map by_entry = { 0 };

	object->first = collector->function_count;
	for (size_t i = first; i < end; i++) {
		struct sampled_function *function;
		uint64_t entry;

		if (!debug_reader_function_entry(object->reader, collector->addresses[i].address,
						 &entry, NULL))
			continue;
		function = hash_map_item(&by_entry, entry, collector->functions,
					 collector->function_count, collector->function_capacity,
					 NULL);
		function->dso = object->dso;
		function->entry = entry;
		function->samples += collector->addresses[i].own;
	}
	hash_map_deinit(&by_entry);
	object->end = collector->function_count;
}

static void decode_functions(struct object_code *object)
{
	struct facts_collector *collector = object->collector;

	for (size_t i = object->first; i < object->end; i++) {
		struct sampled_function *function = &collector->functions[i];
		struct error *error;

		if ((double)function->samples < FUNCTION_SHARE * (double)collector->total)
			continue;
		function->function = debug_reader_function(object->reader, function->entry);
		if (!function->function)
			continue;
		/* a function that cannot be decoded has no regions, and its samples no type */
		error = resolve_code(object->image, object->decoder, function->function,
				     &object->code_left, &function->code);
		error_destroy(error);
		function->first_access = object->access_count;
		for (size_t k = 0; function->code && k < function->code->insn_count; k++)
			array_add(object->addresses, object->access_count,
				  object->access_capacity) = function->code->insns[k].address;
	}
}

/* ---- the records that regions use ---- */

/* The regions of one function and the bases that they use. */
struct region_maker {
	struct object_code *object;
	const struct sampled_function *function;
	struct loop_forest forest;
	uint64_t *samples; /* that belong to each loop, and last to the code outside of loops */
	uint64_t *charged; /* the same, of those charged to accesses of any type */
	uint64_t *jumped;  /* the same, of those right after choices (loop_choices()) */
	struct advice_region *
		*found;        /* for each wanted type: its regions by loop; NULL: none yet */
	struct hash_map bases; /* number of a base within its region */
};

/* Finds the samples of each region. */
static void count_regions(struct region_maker *maker)
{
	const struct cfg *code = maker->function->code;

	array_indexed (const struct basic_block, block, i, code->blocks, code->block_count) {
		const struct insn *last;
		uint32_t loop = maker->forest.loop_of[i];

		if (!block->count)
			continue;
		last = &code->insns[block->first + block->count - 1];
		maker->samples[loop == LOOP_NONE ? maker->forest.loop_count : loop] +=
			layout_samples_between(maker->object->collector, maker->object->dso,
					       block->address, last->address + last->length)
				.own;
	}
}

/* Returns the samples at the first two instructions of a block, where interrupts land. */
static uint64_t samples_at_start(const struct region_maker *maker, uint32_t number)
{
	const struct cfg *code = maker->function->code;
	const struct basic_block *block = &code->blocks[number];
	const struct insn *last = &code->insns[block->first + (block->count > 1 ? 1 : 0)];

	return layout_samples_between(maker->object->collector, maker->object->dso, block->address,
				      last->address + last->length)
		.taken;
}

/* Finds the samples of each loop where its choices lead. */
static void count_jumps(struct region_maker *maker)
{
	const struct cfg *code = maker->function->code;
	_cleanup_free_ uint8_t *counted = xcalloc(code->block_count + 1, 1);

	array_indexed (const struct basic_block, block, i, code->blocks, code->block_count) {
		uint32_t loop = maker->forest.loop_of[i];

		if (loop == LOOP_NONE || !loop_is_choice(&maker->forest, loop, i))
			continue;
		each_successor (to, code, block) {
			if (counted[to] || !code->blocks[to].count ||
			    maker->forest.loop_of[to] != loop)
				continue;
			counted[to] = 1;
			maker->jumped[loop] += samples_at_start(maker, to);
		}
	}
}

/* Sets the line of a loop, as "FILE:LINE": the first one on which it decides something, which is
 * mostly that of its head; and the function that it was written in, which may have been inlined. Of
 * code outside of loops, it is the first line of its function's entry. */
static void set_place(const struct region_maker *maker, uint32_t loop, struct advice_region *region)
{
	struct arena *arena = &maker->object->collector->advice->arena;
	struct inlined_call calls[INLINED_MAX];
	const struct cfg *code = maker->function->code;
	_cleanup_free_ uint64_t *all = xcalloc(code->insn_count + 1, sizeof(*all)),
				*jumps = xcalloc(code->block_count + 1, sizeof(*jumps));
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct debug_reader *reader = maker->object->reader;
	const uint64_t *heads = jumps;
	size_t count = 0, jump_count = 0, depth;
	const char *file;
	unsigned int line;

	array_indexed (const struct basic_block, block, i, code->blocks, code->block_count) {
		if (loop == LOOP_NONE ? i : maker->forest.loop_of[i] != loop)
			continue;
		for (uint32_t k = 0; k < block->count; k++)
			all[count++] = code->insns[block->first + k].address;
		if (loop != LOOP_NONE && block->successor_count > 1 && block->count)
			jumps[jump_count++] = all[count - 1];
	}
	depth = loop == LOOP_NONE ? 0 : source_inlined_depth(reader, jumps, jump_count, all, count);
	if (!jump_count) {
		heads = all;
		jump_count = count;
	}
	if (!source_first_line(reader, heads, jump_count, &depth, &file, &line))
		return;
	strbuf_add_format(&text, "%s:%u", base_name(file), line);
	region->line = arena_strdup(arena, text.data);
	if (depth && debug_reader_inlined(reader, heads[0], calls, INLINED_MAX) >= depth &&
	    calls[depth - 1].name)
		region->function = function_shown_name(arena, calls[depth - 1].name);
}

static struct advice_region *find_region(struct region_maker *maker, struct chosen_type *wanted,
					 uint32_t loop)
{
	struct facts_collector *collector = maker->object->collector;
	size_t number = (size_t)(wanted - collector->wanted),
	       slot = loop == LOOP_NONE ? maker->forest.loop_count : loop;
	struct advice_region *all;

	if (!maker->found[number])
		maker->found[number] =
			xcalloc(maker->forest.loop_count + 1, sizeof(struct advice_region));
	all = maker->found[number];
	if (!all[slot].function) {
		all[slot] = (struct advice_region){
			.function = function_shown_name(&collector->advice->arena,
							maker->function->function->name),
			.loop = loop != LOOP_NONE,
			.samples = maker->samples[slot],
			.number = collector->region_count++,
		};
		if (loop != LOOP_NONE) {
			all[slot].cycles = loop_cycles(&maker->forest, loop, &all[slot].issue);
			all[slot].choices = loop_choices(&maker->forest, loop);
			all[slot].searches = loop_searches(&maker->forest, loop);
			all[slot].calls = loop_calls(&maker->forest, loop);
			all[slot].inner = maker->forest.loops[loop].around != LOOP_NONE;
			all[slot].after_jumps = maker->jumped[slot];
		}
	}
	return &all[slot];
}

static enum advice_walk walk_of(const struct address_walk *walk, const struct access *access,
				uint64_t size)
{
	uint64_t step = (uint64_t)llabs(walk->step);

	if (access->memory == ACCESS_MEMORY_STACK ||
	    (access->memory == ACCESS_MEMORY_STATIC && !access->indexed))
		return WALK_SAME;
	switch (walk->kind) {
	case VALUE_SAME: return WALK_SAME;
	case VALUE_CHASED: return WALK_CHASE;
	case VALUE_INDUCTION:
		if (!step)
			return WALK_STREAM;
		if (!size) /* the record has no constant size */
			return WALK_SCATTERED;
		/* a walk through an array inside the record */
		if (step < size)
			return WALK_SAME;
		return step % size ? WALK_SCATTERED : WALK_STREAM;
	default: return WALK_SCATTERED;
	}
}

/* Returns how an object that stays the same in a loop changes in the loops around it, or from one
 * call to the next; WALK_SAME if it is a variable. */
static enum advice_walk outer_walk(const struct region_maker *maker, uint32_t loop, uint32_t insn,
				   const struct operand *memory, const struct access *access,
				   uint64_t size)
{
	if (access->memory != ACCESS_MEMORY_ANY)
		return WALK_SAME;
	while ((loop = maker->forest.loops[loop].around) != LOOP_NONE) {
		struct address_walk walk = loop_address_walk(&maker->forest, loop, insn, memory);
		enum advice_walk found = walk_of(&walk, access, size);

		if (found != WALK_SAME)
			return found;
	}
	return WALK_SCATTERED;
}

/* Returns the field that the next object of a chase is loaded from, or NULL. */
static const char *chase_field(struct region_maker *maker, const struct address_walk *walk,
			       const struct chosen_type *self)
{
	const struct access *access =
		&maker->object->accesses[maker->function->first_access + walk->load];
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	uint64_t offset = 0;
	const struct type *type;
	const struct member *members;
	size_t count;
	int member;

	if (walk->kind != VALUE_CHASED || walk->several || access->kind != ACCESS_TYPE ||
	    access_other_member(access))
		return NULL;
	type = layout_record_of(maker->object->collector, access, &offset);
	if (type == self->type) {
		member = advice_member_at(self->facts, offset);
		return member >= 0 ? self->facts->members[member].name : NULL;
	}
	/* the pointer lies in a record of its own: an element of an array in this one */
	members = type ? type_members(type_strip(type), &count) : NULL;
	for (size_t i = 0; members && i < count; i++) {
		if ((uint64_t)members[i].offset != offset || !members[i].name)
			continue;
		strbuf_add_format(&text, "%s.%s",
				  type_name_without_keyword(type_name_interned(type)),
				  members[i].name);
		return arena_strdup(&maker->object->collector->advice->arena, text.data);
	}
	return NULL;
}

/* Returns whether each object of a chase of other ones points to an object of this type. */
static bool is_aside(const struct region_maker *maker, const struct address_walk *walk,
		     const struct chosen_type *wanted)
{
	uint64_t offset;

	return walk->kind == VALUE_CHASED && walk->aside &&
	       layout_record_of(
		       maker->object->collector,
		       &maker->object->accesses[maker->function->first_access + walk->load],
		       &offset) != wanted->type;
}

/* Returns whether the operand's index stays within one record of `size` bytes, to which its base
 * points. It does if the base is chased, or if a loop around the access advances the index by less
 * than `size` bytes. */
static bool indexes_inside(const struct region_maker *maker, uint32_t loop, uint32_t insn,
			   const struct operand *memory, const struct address_walk *walk,
			   uint64_t size)
{
	struct operand index = *memory;

	if (memory->index == REG_NONE || memory->base == REG_NONE)
		return false;
	if (walk->kind == VALUE_CHASED)
		return true;
	index.base = REG_NONE;
	for (; loop != LOOP_NONE; loop = maker->forest.loops[loop].around) {
		struct address_walk steps = loop_address_walk(&maker->forest, loop, insn, &index);

		if (steps.kind != VALUE_SAME)
			return steps.kind == VALUE_INDUCTION && steps.step &&
			       (uint64_t)llabs(steps.step) < size;
	}
	return false;
}

/* Returns the array at `offset` of the record that the index moves in; size 0: none. */
static struct access_span array_of_index(const struct access *access, const struct type *record,
					 uint64_t offset)
{
	struct access inner = *access;

	inner.type = record;
	inner.offset = (int64_t)offset;
	inner.range = 0;
	return span_of_array(&inner);
}

/* Narrows or widens the bytes of the record that an access of a region touches. A walk within the
 * record may touch all of the member; an index that stays the same in the loop, any part of it or
 * of `array`. */
static void find_touched_bytes(const struct advice_type *facts, const struct access *access,
			       const struct address_walk *walk, const struct access_span *array,
			       bool inside, struct advice_use *use)
{
	int number = advice_member_at(facts, use->offset);
	const struct advice_member *member = number >= 0 ? &facts->members[number] : NULL;
	uint64_t room;

	if (access->indexed && member && walk->kind == VALUE_INDUCTION && walk->step &&
	    (uint64_t)llabs(walk->step) < facts->size) {
		use->element = use->size;
		use->offset = member->offset;
		use->size = member->size;
	} else if (array->size > use->size && array->size <= facts->size) {
		use->offset = (uint64_t)array->offset;
		use->reach = array->size;
	} else if (inside && member && use->size && member->size >= 2 * use->size) {
		use->offset = member->offset;
		use->reach = member->size;
	}
	if (!use->size)
		use->size = member ? member->size : 1;
	/* a flexible array continues after the record's size */
	room = facts->size > use->offset ? facts->size - use->offset : use->size;
	if (use->size > room && !(member && member->flags & MEMBER_LAST))
		use->size = room;
}

/* Returns the number of the pointer that an access goes through, among those of its region. */
static uint32_t base_number(struct region_maker *maker, const struct advice_region *region,
			    const struct chosen_type *wanted, uint8_t base_register,
			    uint8_t index_register, uint32_t origin)
{
	uint64_t key = hash_combine(hash_combine(hash_combine((uintptr_t)region, base_register),
						 hash_combine(index_register, origin)),
				    (uintptr_t)wanted);
	bool created;
	uint32_t *base = hash_map_insert(&maker->bases, key, &created);

	if (created) {
		*base = 0;
		for (size_t i = 0; i < region->use_count; i++)
			if (region->uses[i].base >= *base)
				*base = region->uses[i].base + 1;
	}
	return *base;
}

/* Returns the loop within `loop` that ended at the object to which a register points at `insn`: it
 * loads the register through itself, and nothing has written it since. LOOP_NONE: there is none. */
static uint32_t loop_that_found(const struct region_maker *maker, uint32_t loop, uint32_t insn,
				uint8_t reg)
{
	const struct cfg *code = maker->function->code;
	uint32_t block = cfg_block_of(code, insn);
	struct operand pointer = {
		.kind = OPERAND_MEMORY, .base = reg, .index = REG_NONE, .reg = REG_NONE
	};

	if (reg == REG_NONE || !reg_is_general(reg) || cfg_last_write(code, insn, reg) ||
	    *maker->forest.work < maker->forest.loop_count + code->block_count)
		return LOOP_NONE;
	*maker->forest.work -= maker->forest.loop_count;
	array_indexed (const struct code_loop, found, inner, maker->forest.loops,
		       maker->forest.loop_count) {
		uint32_t first = code->blocks[found->header].first;

		if (found->around == loop &&
		    loop_block_dominates(&maker->forest, found->header, block) &&
		    loop_address_walk(&maker->forest, inner, first, &pointer).kind ==
			    VALUE_CHASED) {
			*maker->forest.work -= *maker->forest.work < code->block_count
						       ? *maker->forest.work
						       : code->block_count;
			return inner;
		}
	}
	return LOOP_NONE;
}

/* Adds what the loop that ended at the object of the last use has touched of it. */
static void add_uses_before(struct region_maker *maker, struct advice_region *region,
			    const struct chosen_type *wanted, uint32_t loop, uint32_t insn,
			    uint8_t reg)
{
	const struct cfg *code = maker->function->code;
	uint32_t found = loop_that_found(maker, loop, insn, reg), use = cfg_block_of(code, insn);
	struct advice_use last = region->uses[region->use_count - 1];

	for (uint32_t b = 0; found != LOOP_NONE && b < code->block_count; b++) {
		const struct basic_block *block = &code->blocks[b];
		uint32_t end = block->first + block->count, first = end;

		if (maker->forest.loop_of[b] != found ||
		    !loop_block_dominates(&maker->forest, b, use))
			continue;
		/* before the register is loaded again, it points to the object before */
		while (first > block->first && !(code->insns[first - 1].written & REG_BIT(reg)))
			first--;
		for (uint32_t i = first; i < end; i++) {
			const struct access *access =
				&maker->object->accesses[maker->function->first_access + i];
			const struct operand *memory = insn_memory(&code->insns[i], access->write);
			uint64_t offset = 0;

			if (access->kind != ACCESS_TYPE || !memory ||
			    memory->kind != OPERAND_MEMORY || memory->base != reg ||
			    layout_record_of(maker->object->collector, access, &offset) !=
				    wanted->type)
				continue;
			region->uses = xrealloc_array(region->uses, region->use_count + 1,
						      sizeof(*region->uses));
			region->uses[region->use_count++] =
				(struct advice_use){ .base = last.base,
						     .walk = last.walk,
						     .before = true,
						     .block = b,
						     .offset = offset,
						     .size = access->size };
		}
	}
}

/*
 * How often an iteration makes a use that it may leave out: samples in a block of code tell its
 * time, of which each run takes a part at least. How long an iteration takes is not known; at most
 * as long as lines of memory take, by the walks of all objects.
 */
#define BLOCK_WIDTH   4   /* instructions in a cycle, at most, */
#define STREAM_CYCLES 16  /* cycles of an iteration that waits for streams at most, */
#define VISIT_CYCLES  60  /* for other accesses, of which several are made at a time, */
#define CHASE_CYCLES  400 /* and for objects in no order, one by one perhaps */

/* Returns the samples for each instruction of a block, as many as chance may have left out. */
static double samples_of_block(const struct region_maker *maker, uint32_t number)
{
	const struct basic_block *block = &maker->function->code->blocks[number];
	const struct insn *last = &maker->function->code->insns[block->first + block->count - 1];
	double samples =
		(double)layout_samples_between(maker->object->collector, maker->object->dso,
					       block->address, last->address + last->length)
			.taken;

	return (samples + sqrt(samples) + 1) / block->count;
}

/* Sets in which share of the iterations of a loop its uses are made at most: until now these are
 * the samples for each instruction of their blocks. */
static void set_most(struct advice_region *region)
{
	double cycles = STREAM_CYCLES;

	array_each (struct advice_use, use, region->uses, region->use_count) {
		if (use->walk >= WALK_CHASE || region->calls)
			cycles = CHASE_CYCLES;
		else if (region->others)
			cycles = fmax(cycles, VISIT_CYCLES);
	}
	array_each (struct advice_use, use, region->uses, region->use_count)
		use->most = fmin(use->most * BLOCK_WIDTH * cycles / (double)region->samples, 1);
}

static bool same_bytes(const struct advice_use *a, const struct advice_use *b)
{
	return a->base == b->base && a->offset == b->offset && a->size == b->size &&
	       a->before == b->before;
}

/* Finds the uses that iterations may leave out; or outside of loops, that runs of the function may
 * leave out which make another use of the same object. Code may make one use in several blocks. */
static void find_left_out(const struct region_maker *maker, struct advice_region *region,
			  uint32_t loop)
{
	const struct loop_forest *forest = &maker->forest;
	const uint32_t blocks = forest->code->block_count;
	struct advice_use *uses = region->uses;

	for (size_t i = 0; i < region->use_count; i++) {
		_cleanup_free_ uint8_t *marks = xcalloc(blocks + 1, 1);

		if (*forest->work < blocks + region->use_count)
			return;
		*forest->work -= region->use_count;
		for (size_t k = 0; k < region->use_count; k++)
			marks[uses[k].block] |= same_bytes(&uses[k], &uses[i]);
		uses[i].sometimes |=
			loop != LOOP_NONE
				? loop_may_avoid(forest, loop, marks)
				: any_of(k, 0, region->use_count,
					 uses[k].base == uses[i].base &&
						 loop_runs_may_avoid(forest, uses[k].block, marks));
		uses[i].not_last =
			loop != LOOP_NONE && uses[i].walk == WALK_CHASE &&
			any_of(k, 0, region->use_count,
			       uses[k].base == uses[i].base &&
				       loop_end_may_avoid(forest, loop, uses[k].block, marks));
	}
}

/* Returns whether the instruction loads the pointer that it goes through, as `at = at->left` does.
 */
static bool loads_itself(const struct insn *insn, const struct operand *memory)
{
	return insn->operation == OP_MOVE && insn->operand_count > 1 &&
	       insn->operands[0].kind == OPERAND_REGISTER && memory->base != REG_NONE &&
	       memory->index == REG_NONE && insn->operands[0].reg == memory->base;
}

/* Notes in which language the record is used. */
static void note_language(struct advice_type *facts, enum language language)
{
	facts->is_rust |= language == LANGUAGE_RUST;
	facts->is_go |= language == LANGUAGE_GO;
	facts->is_cxx |= language == LANGUAGE_CXX;
	if (!language_is_read(language))
		facts->other_language = language_name(language);
}

/* Returns the last of the instructions on each way to the loop that write a register; NULL: there
 * is none. Sets how many there are; UINT32_MAX: not known. */
static const struct insn *write_before(const struct region_maker *maker, uint32_t loop, uint8_t reg,
				       uint32_t *count)
{
	const struct cfg *code = maker->function->code;
	const struct insn *found = NULL;

	*count = UINT32_MAX;
	if (*maker->forest.work < code->insn_count)
		return NULL;
	*count = 0;
	*maker->forest.work -= code->insn_count;
	for (uint32_t i = 0; i < code->insn_count; i++) {
		if (!(code->insns[i].written & REG_BIT(reg)) ||
		    !loop_block_dominates(&maker->forest, cfg_block_of(code, i),
					  maker->forest.loops[loop].header))
			continue;
		(*count)++;
		found = &code->insns[i];
	}
	return found;
}

/* If the loop does not change `reg`, and it is the address of a member that was computed before the
 * loop, returns the register that points to the object; else `reg`. The access is `distance` bytes
 * from its object's begin to where `reg` points.
 *
 *     lea 8(%rdx), %r9        the object is at %rdx
 *     mov (%r9), %rax         in the loop: its member at 8
 */
static uint8_t object_register(const struct region_maker *maker, uint32_t loop, uint8_t reg,
			       int64_t distance)
{
	const struct insn *set, *before;
	const struct operand *from;
	uint32_t count;

	if (!distance || !reg_is_general(reg))
		return reg;
	set = write_before(maker, loop, reg, &count);
	from = count == 1 && set->operation == OP_LEA && set->operand_count > 1 ? &set->operands[1]
										: NULL;
	if (!from || from->index != REG_NONE || from->base == REG_NONE ||
	    !reg_is_general(from->base) || from->value != distance)
		return reg;
	/* an argument, or what was loaded before */
	before = write_before(maker, loop, from->base, &count);
	return !count || (count == 1 && before < set) ? from->base : reg;
}

/* Returns how the object of an access changes. Whatever an index within its `array` is, it stays in
 * the object, unless a loop goes through the array. */
static struct address_walk object_walk(const struct region_maker *maker, uint32_t loop,
				       uint32_t insn, const struct operand *memory, bool array)
{
	struct address_walk walk = loop_address_walk(&maker->forest, loop, insn, memory);
	struct operand object = *memory;

	if (!array || (walk.kind != VALUE_OTHER && walk.kind != VALUE_LOADED) ||
	    memory->base == REG_NONE || memory->index == REG_NONE || memory->scale <= 1)
		return walk;
	object.index = REG_NONE;
	return loop_address_walk(&maker->forest, loop, insn, &object);
}

/* Returns whether the object is found by an index, or another sum, from a pointer. */
static bool is_indexed(const struct access *access, uint32_t loop, const struct address_walk *walk,
		       bool inside)
{
	if (access->indexed && !(inside && (loop == LOOP_NONE || walk->kind == VALUE_CHASED)))
		return true;
	return loop != LOOP_NONE && access->memory == ACCESS_MEMORY_ANY &&
	       (walk->kind == VALUE_OTHER || (walk->kind == VALUE_LOADED && walk->indexed));
}

/* Returns whether the register is written from `first` on, but before `insn`, of the same block. */
static bool is_written_since(const struct cfg *code, const struct insn *first, uint32_t insn,
			     uint8_t reg)
{
	const struct insn *write = cfg_last_write(code, insn, reg);

	return write && write >= first;
}

/* Finds the register that the base of *through at *insn was copied from, in the same block: sets
 * *insn to the copy. Without origins (outside of loops) the register must still have it. `either`:
 * the base is the address of one of two members, chosen by a condition, and is the sum of the
 * registers of both. */
static bool follow_copy(const struct cfg *code, bool origins, bool either, uint32_t *insn,
			struct operand *through)
{
	const struct insn *copy =
		through->base == REG_NONE ? NULL : cfg_last_write(code, *insn, through->base);
	const struct operand *from = copy ? &copy->operands[1] : NULL;
	struct operand copied = *through;

	if (!copy || copy->operand_count < 2)
		return false;
	/* "rep stos" begins at a multiple of 8 behind the first member, which is stored by itself
	 */
	if (code->insns[*insn].flags & FLAG_REPEAT && copy->operation == OP_AND &&
	    from->kind == OPERAND_IMMEDIATE && from->value == -8) {
		*insn = (uint32_t)(copy - code->insns);
		copy = cfg_last_write(code, *insn, through->base);
		if (!copy || copy->operation != OP_LEA || copy->operands[1].index != REG_NONE)
			return false;
		copied.base = copy->operands[1].base;
	} else if (either && copy->operation == OP_LEA && through->index == REG_NONE)
		copied = *from;
	else if ((copy->operation == OP_MOVE || (either && copy->operation == OP_CONDITIONAL)) &&
		 from->kind == OPERAND_REGISTER && from->size == 8)
		copied.base = from->reg;
	else
		return false;
	if (!reg_is_general(copied.base) ||
	    (!origins && (is_written_since(code, copy, *insn, copied.base) ||
			  (copied.index != through->index &&
			   is_written_since(code, copy, *insn, copied.index)))))
		return false;
	*insn = (uint32_t)(copy - code->insns);
	*through = copied;
	return true;
}

/* A use of a record at `offset` by an operand `memory` while it is added. */
struct found_use {
	uint32_t insn, loop;
	const struct operand *memory;
	const struct access *access;
	struct chosen_type *wanted;
	uint64_t offset, samples;
	/* about its object in the loop */
	struct access_span array;
	struct address_walk walk;
	struct operand through; /* the pointer that leads to it, */
	uint32_t at;            /* and the instruction that it was copied by */
	bool inside;            /* an index stays within the object */
};

/* Returns whether the instruction adds up an address, and sets what it adds. */
static bool is_sum(const struct insn *insn, struct operand *sum)
{
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];

	if (insn->operation == OP_LEA && insn->operand_count > 1)
		*sum = *from;
	else if (insn->operation == OP_ADD && insn->operand_count == 2 &&
		 to->kind == OPERAND_REGISTER && from->kind == OPERAND_REGISTER)
		*sum = (struct operand){
			.kind = OPERAND_MEMORY, .base = from->reg, .index = to->reg, .scale = 1
		};
	else
		return false;
	return true;
}

/* Finds the object of a use, and returns the number of its base in the region. */
static uint32_t find_base(struct region_maker *maker, const struct advice_region *region,
			  struct found_use *found)
{
	const struct cfg *code = maker->function->code;
	const struct access *access = found->access;
	const struct operand *memory = found->memory;
	const bool either = access_other_member(access), in_loop = found->loop != LOOP_NONE;
	struct operand *through = &found->through;
	uint32_t origin;

	found->array = array_of_index(access, found->wanted->type, found->offset);
	found->walk = object_walk(maker, found->loop, found->insn, memory, found->array.size);
	found->inside =
		found->array.size || either ||
		(access->indexed && indexes_inside(maker, found->loop, found->insn, memory,
						   &found->walk, found->wanted->facts->size));
	/* an index within the object does not lead to another object; a slot has one object,
	 * whatever register it was loaded into, and so has a register with its copies */
	found->at = found->insn;
	origin = found->walk.origin;
	*through = *memory;
	through->index = found->inside ? REG_NONE : memory->index;
	while (follow_copy(code, in_loop, either, &found->at, through))
		origin = loop_address_walk(&maker->forest, found->loop, found->at, through).origin;

	struct operand sum = *through;

	/* other accesses add the index to the pointer themselves */
	if (in_loop && sum.index == REG_NONE && origin < code->insn_count &&
	    is_sum(&code->insns[origin], &sum))
		origin = loop_address_walk(&maker->forest, found->loop, origin, &sum).origin;
	if (in_loop && origin == UINT32_MAX && sum.index == REG_NONE)
		sum.base = object_register(maker, found->loop, sum.base,
					   (int64_t)found->offset - memory->value);
	return base_number(maker, region, found->wanted,
			   address_walk_has_slot(&found->walk) ? REG_NONE : sum.base,
			   found->walk.kind == VALUE_CHASED ? REG_NONE : sum.index, origin);
}

/* Adds a use to the region of its loop, and returns it. */
static struct advice_use *add_found(struct region_maker *maker, struct advice_region *region,
				    struct found_use *found)
{
	const struct cfg *code = maker->function->code;
	const struct access *access = found->access;
	const uint32_t insn = found->insn, loop = found->loop, block = cfg_block_of(code, insn);
	const bool either = access_other_member(access);
	const uint64_t size = found->wanted->facts->size;
	uint32_t base = find_base(maker, region, found);
	const struct address_walk *walk = &found->walk;

	region->uses = xrealloc_array(region->uses, region->use_count + 1, sizeof(*region->uses));
	region->uses[region->use_count] = (struct advice_use){
		.base = base,
		.walk = walk_of(walk, access, size),
		.write = access->write,
		.atomic = code->insns[insn].flags & FLAG_LOCK ||
			  code->insns[insn].operation == OP_EXCHANGE,
		.indexed = is_indexed(access, loop, walk, found->inside),
		.aside = is_aside(maker, walk, found->wanted),
		.leads = walk->kind == VALUE_CHASED && !access->write &&
			 (walk->load == insn || loads_itself(&code->insns[insn], found->memory)),
		.step = walk->kind == VALUE_INDUCTION ? walk->step : 0,
		.block = block,
		.offset = found->offset,
		.size = access->size,
		.samples = found->samples,
		.next = chase_field(maker, walk, found->wanted),
	};
	struct advice_use *use = &region->uses[region->use_count++];

	find_touched_bytes(found->wanted->facts, access, walk, &found->array, found->inside, use);
	/* of two members that a condition chooses, each iteration leaves out one */
	use->sometimes = either;
	if (loop != LOOP_NONE && !either && !loop_always_runs(&maker->forest, loop, block))
		use->most = samples_of_block(maker, block);
	use->anew = use->walk == WALK_STREAM &&
		    loop_begins_anew(&maker->forest, loop, insn, found->memory);
	if (use->walk == WALK_SAME && loop != LOOP_NONE)
		use->outer = outer_walk(maker, loop, insn, found->memory, access, size);
	return use;
}

/* Adds the use to the loop around its own ones that goes from one object to the next: its visits of
 * an object are whole with what loops within do with it. */
static void add_to_loop_around(struct region_maker *maker, struct found_use found,
			       struct advice_use *use)
{
	const struct code_loop *loops = maker->forest.loops;

	found.samples = 0;
	while ((found.loop = loops[found.loop].around) != LOOP_NONE) {
		struct address_walk walk = object_walk(
			maker, found.loop, found.insn, found.memory,
			array_of_index(found.access, found.wanted->type, found.offset).size);
		struct advice_use *copy;

		if (walk_of(&walk, found.access, found.wanted->facts->size) == WALK_SAME)
			continue;
		copy = add_found(maker, find_region(maker, found.wanted, found.loop), &found);
		copy->inner = use->within = true;
		copy->offset = use->offset;
		copy->size = use->size;
		copy->reach = use->reach;
		copy->element = use->element;
		copy->most = 0;
		return;
	}
}

/* Adds the use of a record at `offset` by an operand `memory` to its region. */
static void code_regions_add_use(struct region_maker *maker, uint32_t insn,
				 const struct operand *memory, const struct access *access,
				 struct chosen_type *wanted, uint64_t offset, uint64_t samples)
{
	const struct cfg *code = maker->function->code;
	struct found_use found = { .insn = insn,
				   .loop = maker->forest.loop_of[cfg_block_of(code, insn)],
				   .memory = memory,
				   .access = access,
				   .wanted = wanted,
				   .offset = offset,
				   .samples = samples };
	struct advice_region *region = find_region(maker, wanted, found.loop);
	struct advice_use *use = add_found(maker, region, &found);
	uint64_t key = layout_charge_key(wanted->type, maker->object->dso, access->address);
	bool created;

	*hash_map_insert(&maker->object->collector->regions, key, &created) = region->number;
	if (use->walk == WALK_SAME && use->outer != WALK_SAME && found.loop != LOOP_NONE)
		add_to_loop_around(maker, found, use);
	region->charged += use->samples;
	if (use->walk == WALK_SCATTERED)
		add_uses_before(maker, region, wanted, found.loop, found.at, found.through.base);
	note_language(wanted->facts, maker->function->function->language);
}

/* Returns the samples that are charged to the access at an address: of a type, or NULL for any. */
static uint64_t charged_samples(const struct region_maker *maker, const struct type *type,
				uint64_t address)
{
	const struct facts_collector *collector = maker->object->collector;
	const uint32_t *charge = hash_map_find(
		&collector->charged, layout_charge_key(type, maker->object->dso, address));

	return charge ? collector->charges[*charge] : 0;
}

static void count_charge(struct region_maker *maker, uint32_t insn, uint64_t samples)
{
	uint32_t loop = maker->forest.loop_of[cfg_block_of(maker->function->code, insn)];

	maker->charged[loop == LOOP_NONE ? maker->forest.loop_count : loop] += samples;
}

/* Returns the instruction of the block that sets the argument of the call *insn; of one that adds
 * to a register, *memory becomes the operand. Otherwise it is what the argument's register points
 * to at the call. */
static uint32_t find_argument(const struct cfg *code, uint32_t call, uint8_t reg,
			      struct operand *memory)
{
	const struct insn *insn = cfg_last_write(code, call, reg);
	const struct operand *from = insn ? &insn->operands[1] : NULL;

	*memory = (struct operand){
		.kind = OPERAND_MEMORY, .base = reg, .index = REG_NONE, .reg = REG_NONE
	};
	if (insn && insn->operation == OP_LEA)
		*memory = *from;
	else if (insn && insn->operation == OP_MOVE && from->kind == OPERAND_REGISTER)
		memory->base = from->reg;
	else
		return call;
	return (uint32_t)(insn - code->insns);
}

/* Returns whether the block of a call sets this argument to a constant. */
static bool is_constant_argument(const struct cfg *code, uint32_t call, uint8_t argument)
{
	const struct convention *convention = &code->arch->call;
	const struct insn *set =
		argument < convention->argument_count
			? cfg_last_write(code, call, convention->arguments[argument])
			: NULL;

	return set && set->operation == OP_MOVE && set->operand_count > 1 &&
	       set->operands[1].kind == OPERAND_IMMEDIATE;
}

/* Adds what the bulk memory function that an instruction calls uses. */
static void add_call_uses(struct region_maker *maker, uint32_t insn)
{
	struct facts_collector *collector = maker->object->collector;
	const struct cfg *code = maker->function->code;
	const struct convention *convention = &code->arch->call;
	const struct insn *call = &code->insns[insn];
	const struct sampled_call *calls = collector->calls;
	const struct dso *dso = maker->object->dso;
	size_t i =
		partition_point(0, collector->call_count, k,
				calls[k].dso->id < dso->id ||
					(calls[k].dso == dso && calls[k].address < call->address));

	for (; i < collector->call_count && calls[i].dso == dso &&
	       calls[i].address < call->address + call->length;
	     i++) {
		struct access access = calls[i].access;
		uint64_t offset = 0;
		const struct type *type = layout_record_of(collector, &access, &offset);
		struct chosen_type *wanted = type ? layout_wanted_find(collector, type) : NULL;
		struct operand memory;

		count_charge(maker, insn, calls[i].samples);
		if (!wanted || calls[i].argument >= convention->argument_count)
			continue;
		access.address = call->address;
		/* of a number of bytes that varies, only the first member is known to be used */
		access.size = access.range < UINT16_MAX &&
					      is_constant_argument(code, insn, calls[i].length)
				      ? (uint16_t)access.range
				      : 0;
		uint32_t at = find_argument(code, insn, convention->arguments[calls[i].argument],
					    &memory);

		code_regions_add_use(maker, at, &memory, &access, wanted, offset, calls[i].samples);
	}
}

/* Returns how many bytes of a record, from `offset` on, a repeated instruction accesses, as "rep
 * stos" does. All of them, if its count is no constant: that is how compilers clear and copy
 * records. */
static uint16_t repeated_bytes(const struct cfg *code, uint32_t insn, const struct operand *memory,
			       uint64_t rest)
{
	const struct insn *set = cfg_last_write(code, insn, code->arch->repeat_counter);
	const struct operand *count = set ? &set->operands[1] : NULL;
	uint64_t bytes = rest;

	if (set && set->operation == OP_MOVE && set->operand_count > 1 &&
	    count->kind == OPERAND_IMMEDIATE && count->value > 0)
		bytes = (uint64_t)count->value * memory->size;
	return (uint16_t)(bytes < rest ? bytes : rest < UINT16_MAX ? rest : UINT16_MAX);
}

/* Returns the memory that a repeated instruction writes, if it reads `memory`, or the other way
 * round; or NULL. */
static const struct operand *other_memory(const struct insn *insn, const struct operand *memory)
{
	return array_find(i, insn->operands, insn->operand_count,
			  insn->operands[i].kind == OPERAND_MEMORY && &insn->operands[i] != memory);
}

/* Adds what a repeated instruction uses: of a whole record that it copies also the other object. */
static void add_repeated_uses(struct region_maker *maker, uint32_t insn,
			      const struct operand *memory, const struct access *access,
			      struct chosen_type *wanted, uint64_t offset)
{
	const struct cfg *code = maker->function->code;
	const uint64_t size = wanted->facts->size, rest = size > offset ? size - offset : 0;
	const struct operand *other = other_memory(&code->insns[insn], memory);
	struct access whole = *access;

	whole.size = repeated_bytes(code, insn, memory, rest);
	code_regions_add_use(maker, insn, memory, &whole, wanted, offset,
			     charged_samples(maker, wanted->type, access->address));
	if (!other || whole.size < size)
		return;
	whole.write = !access->write;
	whole.memory = ACCESS_MEMORY_ANY;
	code_regions_add_use(maker, insn, other, &whole, wanted, offset, 0);
}

/* Returns whether the instruction only makes sure that a pointer of Go leads to memory. */
static bool is_nil_check(const struct region_maker *maker, uint32_t insn,
			 const struct operand *memory, uint64_t offset)
{
	return maker->function->function->language == LANGUAGE_GO && !offset && memory->size == 1 &&
	       maker->function->code->insns[insn].operation == OP_TEST;
}

/* Adds what the instruction's access uses: one member, or two of which each iteration leaves one
 * out. */
static void add_memory_uses(struct region_maker *maker, uint32_t insn, const struct operand *memory,
			    const struct access *access, struct chosen_type *wanted,
			    uint64_t offset)
{
	uint64_t samples = charged_samples(maker, wanted->type, access->address);
	uint32_t other = access_other_member(access);

	if (is_nil_check(maker, insn, memory, offset))
		return;
	if (maker->function->code->insns[insn].flags & FLAG_REPEAT) {
		add_repeated_uses(maker, insn, memory, access, wanted, offset);
		return;
	}
	code_regions_add_use(maker, insn, memory, access, wanted, offset,
			     other ? samples / 2 : samples);
	if (other)
		code_regions_add_use(maker, insn, memory, access, wanted, offset + other,
				     samples - samples / 2);
}

/* Hands the regions of a type over to its facts. */
static void keep_regions(struct region_maker *maker, struct chosen_type *wanted,
			 struct advice_region *regions)
{
	struct arena *arena = &maker->object->collector->advice->arena;
	struct advice_type *facts = wanted->facts;

	for (size_t i = 0; i <= maker->forest.loop_count; i++) {
		struct advice_region *region = &regions[i];
		struct advice_use *uses = region->uses;

		region->others = maker->charged[i] > region->charged
					 ? maker->charged[i] - region->charged
					 : 0;
		if (region->samples && any_of(k, 0, region->use_count, !region->uses[k].inner)) {
			find_left_out(maker, region,
				      i < maker->forest.loop_count ? (uint32_t)i : LOOP_NONE);
			set_most(region);
			set_place(maker, i < maker->forest.loop_count ? (uint32_t)i : LOOP_NONE,
				  region);
			region->uses = arena_copy(arena, uses, region->use_count * sizeof(*uses));
			array_add(facts->regions, facts->region_count, wanted->region_capacity) =
				*region;
		}
		free(uses);
	}
}

static void make_regions(struct object_code *object, const struct sampled_function *function)
{
	const struct access *accesses = &object->accesses[function->first_access];
	_cleanup_free_ struct loop_member *members = layout_loop_members(function->code, accesses);
	struct facts_collector *collector = object->collector;
	struct region_maker maker = { .object = object, .function = function };
	const struct cfg *code = function->code;

	loop_forest_init(&maker.forest, code, &object->loop_work);
	maker.forest.members = members;
	maker.samples = xcalloc(maker.forest.loop_count + 1, sizeof(*maker.samples));
	maker.found = xcalloc(collector->wanted_count + 1, sizeof(*maker.found));
	maker.charged = xcalloc(maker.forest.loop_count + 1, sizeof(*maker.charged));
	maker.jumped = xcalloc(maker.forest.loop_count + 1, sizeof(*maker.jumped));
	count_regions(&maker);
	count_jumps(&maker);
	layout_find_code_uses(collector, &maker.forest, abi_of_image(object->image), function,
			      accesses);
	array_indexed (const struct access, access, i, accesses, code->insn_count) {
		const struct operand *memory = insn_memory(&code->insns[i], access->write);
		struct layout_record records[LAYOUT_RECORDS_MAX];
		size_t count = layout_records_of(collector, access, records);

		count_charge(&maker, i, charged_samples(&maker, NULL, access->address));
		for (size_t k = 0; memory && memory->kind == OPERAND_MEMORY && k < count; k++) {
			struct chosen_type *wanted = layout_wanted_find(collector, records[k].type);

			if (wanted)
				add_memory_uses(&maker, i, memory, access, wanted,
						records[k].offset);
		}
		add_call_uses(&maker, i);
	}
	for (size_t i = 0; i < collector->wanted_count; i++) {
		if (!maker.found[i])
			continue;
		keep_regions(&maker, &collector->wanted[i], maker.found[i]);
		free(maker.found[i]);
	}
	free_all(maker.found, maker.samples, maker.charged, maker.jumped);
	hash_map_deinit(&maker.bases);
	loop_forest_deinit(&maker.forest);
}

static struct error *resolve_accesses(struct object_code *object)
{
	const struct layout_facts_options *options = object->collector->options;
	struct type_resolver_options resolver_options = { .no_infer = options->no_infer,
							  .threads = options->threads };
	struct type_resolver *resolver;

	object->accesses = xcalloc(object->access_count + 1, sizeof(*object->accesses));
	RETURN_ERROR(
		type_resolver_create(object->image, object->debug, &resolver_options, &resolver));
	type_resolver_resolve(resolver, object->addresses, NULL, object->access_count,
			      object->accesses);
	for (size_t i = 0; i < object->access_count; i++)
		bpf_access_correct(object->dso, object->image, &object->accesses[i]);
	layout_find_code_calls(object->collector, resolver,
			       &object->collector->functions[object->first],
			       object->end - object->first);
	type_resolver_destroy(resolver);
	return NULL;
}

static struct error *code_regions_read_object(struct object_code *object, size_t first, size_t end)
{
	struct facts_collector *collector = object->collector;
	_cleanup_free_ uint64_t *addresses = xcalloc(end - first, sizeof(*addresses));

	for (size_t i = first; i < end; i++)
		addresses[i - first] = collector->addresses[i].address;
	dso_apply_alternatives(object->dso, addresses, end - first);
	object->reader = debug_reader_open(object->debug);
	RETURN_ERROR(decoder_check(abi_of_image(object->image)->arch));
	object->decoder = decoder_create(abi_of_image(object->image)->arch);
	object->code_left = elf_image_code_max(object->image);
	find_functions(object, first, end);
	decode_functions(object);
	if (!object->access_count)
		return NULL;
	RETURN_ERROR(resolve_accesses(object));
	object->loop_work = loop_work_max(object->access_count);
	for (size_t i = object->first; i < object->end; i++)
		if (collector->functions[i].code)
			make_regions(object, &collector->functions[i]);
	return NULL;
}

struct error *layout_collect_code(struct facts_collector *collector)
{
	layout_find_addresses(collector);
	for (size_t i = 0, end; i < collector->address_count; i = end) {
		struct object_code object = { .collector = collector,
					      .dso = collector->addresses[i].dso };
		struct error *error = NULL;

		for (end = i;
		     end < collector->address_count && collector->addresses[end].dso == object.dso;)
			end++;
		object.image = dso_image(object.dso, collector->options->dso, NULL);
		object.debug = dso_debug(object.dso, collector->options->dso, NULL);
		if (object.image && object.debug && elf_image_arch(object.image))
			error = code_regions_read_object(&object, i, end);
		debug_reader_close(object.reader);
		decoder_destroy(object.decoder);
		free_all(object.accesses, object.addresses);
		if (error)
			return error_prefix(error, "%s", object.dso->long_name);
	}
	layout_keep_code_uses(collector);
	return NULL;
}
