// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Jump tables as gcc and clang write them, with the parts in any order and block that the
 * compiler's scheduling leaves.
 *
 * Position-independent, entries are offsets from the table:
 * 	lea table(%rip),%b; movslq (%b,%i,4),%r; add %b,%r; jmp *%r
 * The same with short entries, each a number of instructions from a place that is not the table
 * (arm64):
 *	adrp, add: table; ldrb %r, [table, %i]; adr %p, place; add %r, %p, %r, sxtb #2; br %r
 * Entries are addresses; also as a load and jmp *%r:
 * 	jmp *table(,%i,8)
 * The same for a computed goto:
 * 	lea table(%rip),%b; jmp *(%b,%i,8)
 *
 * The base and the index of a jump are traced backward to the instructions that set them. The bound
 * of the index is the comparison that the compiler put before the jump. "Before insn" is the state
 * in which the instruction runs.
 */
#include "disasm/jump_table.h"

#include "base/memory.h"

/* ---- reaching definitions and constants */

/* A tracer of one function. Its work is bounded; beyond the bound every answer is "not known". */
struct reaching {
	const struct cfg *code;
	uint32_t *visited; /* per block: the last search that visited it */
	uint32_t *stack;   /* blocks to look at */
	uint32_t search;
	uint32_t budget; /* blocks that may still be looked at */
};

/* The most definitions of a register that are kept; more make the search incomplete. */
#define DEFINITIONS_MAX 64

/* Instructions that wrote a register last before another one. */
struct definitions {
	uint32_t insns[DEFINITIONS_MAX];
	unsigned int count;
	bool complete; /* every path to the instruction passes one of them */
};

/* The most constants of a register that are kept: addresses where a table may be. */
#define CONSTANTS_MAX 8

struct constants {
	uint64_t values[CONSTANTS_MAX]; /* distinct */
	unsigned int count;
};

/* The number of values that an index can have. */
struct index_bound {
	uint64_t count; /* 0: not known */
	/* from a bounds check: the table has exactly `count` entries; else at most `count` */
	bool exact;
	uint8_t scale; /* the traced register is a multiple of it */
};

/* At most this many blocks are looked at for one function, against hostile code. */
#define BLOCK_VISITS_MAX   (UINT32_C(1) << 20)
#define CONSTANT_DEPTH_MAX 4

static void reaching_init(struct reaching *reaching, const struct cfg *code)
{
	*reaching = (struct reaching){
		.code = code,
		.visited = xcalloc(code->block_count, sizeof(*reaching->visited)),
		.stack = xcalloc(code->block_count, sizeof(*reaching->stack)),
		.budget = BLOCK_VISITS_MAX,
	};
}

static void reaching_deinit(struct reaching *reaching)
{
	free_all(reaching->visited, reaching->stack);
}

/* Returns the last instruction in [first, end) that writes `reg`, or -1. */
static int64_t last_write(const struct cfg *code, uint32_t first, uint32_t end, uint8_t reg)
{
	for (uint32_t i = end; i-- > first;)
		if (code->insns[i].written & REG_BIT(reg))
			return i;
	return -1;
}

static void add_definition(struct definitions *definitions, uint32_t insn)
{
	if (definitions->count == DEFINITIONS_MAX)
		definitions->complete = false;
	else
		definitions->insns[definitions->count++] = insn;
}

/* Finds the instructions whose write of `reg` reaches `insn`. Paths that begin at a block without
 * predecessors are ignored: it has an edge that is not known yet, unless it is the entry. */
static void reaching_definitions(struct reaching *reaching, uint32_t insn, uint8_t reg,
				 struct definitions *definitions)
{
	const struct cfg *code = reaching->code;
	uint32_t block = cfg_block_of(code, insn);
	int64_t found = last_write(code, code->blocks[block].first, insn, reg);
	uint32_t depth = 0;

	definitions->count = 0;
	definitions->complete = true;
	if (found >= 0) {
		add_definition(definitions, found);
		return;
	}
	reaching->search++;
	reaching->stack[depth++] = block;
	while (depth) {
		const struct basic_block *current = &code->blocks[block = reaching->stack[--depth]];

		if (block == 0 || (current->flags & BLOCK_LEADER))
			definitions->complete = false;
		each_predecessor (previous, code, current) {
			const struct basic_block *from = &code->blocks[previous];

			if (reaching->visited[previous] == reaching->search)
				continue;
			if (!reaching->budget) {
				definitions->complete = false;
				return;
			}
			reaching->budget--;
			reaching->visited[previous] = reaching->search;
			found = last_write(code, from->first, from->first + from->count, reg);
			if (found >= 0)
				add_definition(definitions, found);
			else
				reaching->stack[depth++] = previous;
		}
	}
}

/* Returns the one instruction that wrote `reg` last before `insn` on all paths, or -1. */
static int64_t reaching_definition(struct reaching *reaching, uint32_t insn, uint8_t reg)
{
	struct definitions definitions;

	reaching_definitions(reaching, insn, reg, &definitions);
	return definitions.complete && definitions.count == 1 ? (int64_t)definitions.insns[0] : -1;
}

static void add_constant(struct constants *constants, uint64_t value)
{
	for (unsigned int i = 0; i < constants->count; i++)
		if (constants->values[i] == value)
			return;
	if (constants->count < CONSTANTS_MAX)
		constants->values[constants->count++] = value;
}

static void constants_before(struct reaching *reaching, uint32_t insn, uint8_t reg,
			     unsigned int depth, struct constants *constants);

/* The same if `insn` adds a constant to a register: the two parts of an address. */
static void constants_of_sum(struct reaching *reaching, uint32_t insn, unsigned int depth,
			     struct constants *constants)
{
	const struct insn *sum = &reaching->code->insns[insn];
	const struct operand *source = &sum->operands[1];
	uint8_t reg = sum->operation == OP_LEA ? source->base : sum->operands[0].reg;
	struct constants parts = { .count = 0 };
	int64_t change;

	if (sum->operand_count != 2 || sum->operands[0].size != 8 ||
	    (source->kind == OPERAND_MEMORY && source->index != REG_NONE) || !reg_is_general(reg) ||
	    !insn_adds_constant(sum, reg, &change))
		return;
	constants_before(reaching, insn, reg, depth, &parts);
	for (unsigned int i = 0; i < parts.count; i++)
		add_constant(constants, parts.values[i] + (uint64_t)change);
}

static void constants_before(struct reaching *reaching, uint32_t insn, uint8_t reg,
			     unsigned int depth, struct constants *constants)
{
	struct definitions definitions;

	reaching_definitions(reaching, insn, reg, &definitions);
	for (unsigned int i = 0; i < definitions.count; i++) {
		const struct insn *definition = &reaching->code->insns[definitions.insns[i]];
		const struct operand *destination = &definition->operands[0];
		const struct operand *source = &definition->operands[1];

		if (!operand_is_reg(destination, reg) || destination->size < 4)
			continue;
		if (definition->operation == OP_LEA && source->absolute &&
		    source->index == REG_NONE)
			add_constant(constants, (uint64_t)source->value);
		else if (definition->operation == OP_MOVE && source->kind == OPERAND_IMMEDIATE)
			add_constant(constants, destination->size == 4 ? (uint32_t)source->value
								       : (uint64_t)source->value);
		else if (definition->operation == OP_MOVE && source->kind == OPERAND_REGISTER &&
			 destination->size == 8 && reg_is_general(source->reg) && depth)
			constants_before(reaching, definitions.insns[i], source->reg, depth - 1,
					 constants);
		else if (depth)
			constants_of_sum(reaching, definitions.insns[i], depth - 1, constants);
	}
}

/* Finds the constants that `reg` may hold before `insn`. Other values are ignored: they may come
 * along edges that do not exist, such as those after calls that never return without this being
 * known. */
static void reaching_constants(struct reaching *reaching, uint32_t insn, uint8_t reg,
			       struct constants *constants)
{
	constants->count = 0;
	if (reg_is_general(reg))
		constants_before(reaching, insn, reg, CONSTANT_DEPTH_MAX, constants);
}

/* ---- the bound of an index */

/* An index is traced back over at most this many instructions and comparisons. */
#define STEPS_MAX  400
#define CHECKS_MAX 8
/* larger than any table that a compiler writes */
#define COUNT_MAX UINT64_C(65536)

/* A comparison with a constant that bounds the value on the way to the jump. */
struct check {
	uint32_t insn;
	uint64_t count; /* values that pass */
};

struct walk {
	const struct cfg *code;
	/* where the value is: a register, or memory as given by the operand of an instruction */
	struct operand where;
	struct check checks[CHECKS_MAX];
	unsigned int check_count;
	struct index_bound bound;
	/* how many values a mask, a shift or an extension leaves; 0: there is none */
	uint64_t limit;
};

static bool same_memory(const struct operand *one, const struct operand *other)
{
	return one->kind == OPERAND_MEMORY && other->kind == OPERAND_MEMORY &&
	       one->base == other->base && one->index == other->index &&
	       one->scale == other->scale && one->segment == other->segment &&
	       one->value == other->value && one->absolute == other->absolute;
}

static bool same_place(const struct operand *one, const struct operand *other)
{
	if (one->kind == OPERAND_REGISTER && other->kind == OPERAND_REGISTER)
		return one->reg == other->reg && one->high_byte == other->high_byte;
	return same_memory(one, other);
}

static void set_limit(struct walk *walk, uint64_t count)
{
	if (!walk->limit || count < walk->limit)
		walk->limit = count;
}

/* Returns how many unsigned values, compared with `value`, take the branch (or do not); 0: all. */
static uint64_t passing(uint8_t condition, bool taken, uint64_t value)
{
	if (!taken)
		condition ^= 1; /* the lowest bit negates it */
	if (value >= COUNT_MAX)
		return 0;
	if (condition == CONDITION_BELOW_EQUAL)
		return value + 1;
	return condition == CONDITION_BELOW ? value : 0;
}

static uint64_t unsigned_immediate(const struct operand *operand)
{
	return (uint64_t)operand->value & low_bits(8U * operand->size);
}

/* Adds the comparison before a branch to `next`, if that bounds what was compared. */
static void add_check(struct walk *walk, const struct basic_block *block, uint32_t next)
{
	const struct cfg *code = walk->code;
	uint32_t last = block->first + block->count - 1;
	const struct insn *branch = &code->insns[last];

	if (branch->operation != OP_BRANCH || branch->condition == CONDITION_NONE ||
	    walk->check_count == CHECKS_MAX)
		return;
	/* the other way may lead out of the function */
	bool taken = (uint64_t)branch->operands[0].value == code->blocks[next].address;
	bool passed = branch->address + branch->length == code->blocks[next].address;

	if (taken == passed)
		return;
	for (uint32_t i = last; i-- > block->first;) {
		const struct insn *insn = &code->insns[i];

		if (!(insn->flags & FLAG_WRITES_FLAGS))
			continue;
		if ((insn->operation == OP_COMPARE || insn->operation == OP_SUB) &&
		    insn->operands[1].kind == OPERAND_IMMEDIATE) {
			uint64_t count = passing(branch->condition, taken,
						 unsigned_immediate(&insn->operands[1]));

			if (count)
				walk->checks[walk->check_count++] =
					(struct check){ .insn = i, .count = count };
		}
		return;
	}
}

/* Returns true if no instruction in [first, end) changes `operand`. */
static bool is_kept(const struct cfg *code, const struct operand *operand, uint32_t first,
		    uint32_t end)
{
	for (uint32_t i = first; i < end; i++) {
		const struct insn *insn = &code->insns[i];

		if (operand->kind == OPERAND_REGISTER && (insn->written & REG_BIT(operand->reg)))
			return false;
		if (operand->kind == OPERAND_MEMORY && insn->operation == OP_CALL)
			return false;
	}
	return true;
}

/* Returns true if a check after `insn` compared the value at walk->where before it. */
static bool match_checks(struct walk *walk, uint32_t insn)
{
	array_each (const struct check, check, walk->checks, walk->check_count) {
		const struct operand *compared = &walk->code->insns[check->insn].operands[0];

		/* copies are followed within a block only: across blocks the order of instructions
		 * says nothing */
		if (insn <= check->insn &&
		    cfg_block_of(walk->code, insn) == cfg_block_of(walk->code, check->insn) &&
		    same_place(compared, &walk->where) &&
		    is_kept(walk->code, &walk->where, insn, check->insn)) {
			walk->bound.count = check->count;
			walk->bound.exact = true;
			return true;
		}
	}
	return false;
}

/* Goes back over a mask, shift or scaling of the value by a constant. False: the walk ends here. */
static bool pass_arithmetic(struct walk *walk, const struct insn *insn)
{
	const struct operand *by = &insn->operands[1];

	if (by->kind != OPERAND_IMMEDIATE)
		return false;
	switch (insn->operation) {
	case OP_AND:
		if (unsigned_immediate(by) < COUNT_MAX)
			set_limit(walk, unsigned_immediate(by) + 1);
		return false;
	case OP_SHIFT_LEFT:
		if (by->value < 0 || by->value > 3 || walk->bound.scale << by->value > 8)
			return false;
		walk->bound.scale <<= by->value;
		return true;
	case OP_SHIFT_RIGHT:
		if (by->value > 0 && by->value < 8 * insn->operands[0].size &&
		    8 * insn->operands[0].size - by->value <= 16)
			set_limit(walk, UINT64_C(1) << (8 * insn->operands[0].size - by->value));
		return false;
	default: return false;
	}
}

/* Goes back over a write of the value's register to its source. False: it is not known. */
static bool pass_write(struct walk *walk, const struct insn *insn)
{
	const struct operand *destination = &insn->operands[0];
	const struct operand *source = &insn->operands[1];

	if (!operand_is_reg(destination, walk->where.reg))
		return false;
	switch (insn->operation) {
	case OP_MOVE:
	case OP_MOVE_ZERO:
	case OP_MOVE_SIGN:
		if (source->kind == OPERAND_IMMEDIATE ||
		    (source->kind == OPERAND_REGISTER && !reg_is_general(source->reg)))
			return false;
		if (insn->operation == OP_MOVE_ZERO && source->size <= 2)
			set_limit(walk, UINT64_C(1) << 8 * source->size);
		walk->where = *source;
		return true;
	case OP_LEA:
		/* lea 0(,%reg,scale) */
		if (!source->absolute || source->value || source->index == REG_NONE ||
		    walk->bound.scale * source->scale > 8)
			return false;
		walk->bound.scale *= source->scale;
		walk->where = (struct operand){ .kind = OPERAND_REGISTER,
						.size = 8,
						.reg = source->index };
		return true;
	default: return pass_arithmetic(walk, insn);
	}
}

/* Goes back over an instruction with the value in memory. False: it may change that. */
static bool pass_store(struct walk *walk, const struct insn *insn)
{
	const struct operand *where = &walk->where;

	if (insn->operation == OP_MOVE && same_memory(&insn->operands[0], where)) {
		if (!operand_is_general(&insn->operands[1]))
			return false;
		walk->where = insn->operands[1];
		return true;
	}
	if (insn->operation == OP_CALL)
		return false;
	return !(insn->written & operand_registers(where));
}

/* Goes back over one instruction. Returns false if the walk ends here. */
static bool step(struct walk *walk, uint32_t index)
{
	const struct insn *insn = &walk->code->insns[index];
	bool moved = false;

	if (walk->where.kind == OPERAND_REGISTER) {
		if (insn->written & REG_BIT(walk->where.reg)) {
			if (!pass_write(walk, insn))
				return false;
			moved = true;
		}
	} else {
		struct operand before = walk->where;

		if (!pass_store(walk, insn))
			return false;
		moved = !same_place(&before, &walk->where);
	}
	if (!moved && !any_of(i, 0, walk->check_count, walk->checks[i].insn == index))
		return true;
	return !match_checks(walk, index);
}

static struct index_bound index_bound_before(struct reaching *reaching, uint32_t insn, uint8_t reg)
{
	const struct cfg *code = reaching->code;
	struct cfg_cursor at = cfg_before(code, insn);
	struct walk walk = {
		.code = code,
		.where = { .kind = OPERAND_REGISTER, .size = 8, .reg = reg },
		.bound = { .scale = 1 },
	};

	for (unsigned int steps = 0; steps < STEPS_MAX && reaching->budget; steps++) {
		uint32_t next = at.block;

		if (!cfg_step_back(code, &at))
			break;
		if (at.block != next) {
			reaching->budget--;
			add_check(&walk, &code->blocks[at.block], next);
		}
		if (!step(&walk, at.insn))
			break;
	}
	if (!walk.bound.exact && walk.limit)
		walk.bound.count = walk.limit;
	return walk.bound;
}

/* ---- how a jump uses a table */

/* The use that a jump makes of a table, and the places where the table may be. */
struct shape {
	uint32_t insn;
	struct constants tables;
	bool relative;      /* entries are offsets, from the table if there is no `origin` */
	bool is_unsigned;   /* those are not sign-extended */
	uint8_t entry_size; /* 4, 8; offsets that are multiplied: 1, 2, 4 */
	uint8_t multiple;   /* by which offsets are multiplied; 0: 1 */
	uint64_t origin;
	struct index_bound bound;
	bool partial; /* the jump may also have targets that are in no table */
	uint32_t use; /* the instruction that adds the index to the table */
	uint8_t index;
};

struct shapes {
	struct shape *items;
	size_t count, capacity;
};

static void add_to_constants(struct constants *constants, int64_t value)
{
	for (unsigned int i = 0; i < constants->count; i++)
		constants->values[i] += (uint64_t)value;
}

/* Finds the table and the bound of the index of an operand table + index * entry_size. The table is
 * a constant in one of the two registers, or the displacement; the other register is the index, or
 * was computed from it. */
static bool shape_from_load(struct reaching *reaching, uint32_t insn, const struct operand *memory,
			    struct shape *shape)
{
	uint8_t index = memory->index;

	if (memory->segment != SEGMENT_NONE || memory->index == REG_NONE ||
	    !reg_is_general(memory->index))
		return false;
	if (memory->absolute) {
		shape->tables = (struct constants){ .values = { 0 }, .count = 1 };
	} else if (memory->base == REG_NONE) {
		return false;
	} else {
		reaching_constants(reaching, insn, memory->base, &shape->tables);
		if (!shape->tables.count && memory->scale == 1) {
			reaching_constants(reaching, insn, memory->index, &shape->tables);
			index = memory->base;
		}
	}
	add_to_constants(&shape->tables, memory->value);
	shape->entry_size = memory->size;
	shape->bound = index_bound_before(reaching, insn, index);
	shape->use = insn;
	shape->index = index;
	/* the bound holds for the index only if each step of it is one entry */
	return shape->tables.count && shape->bound.scale * memory->scale == shape->entry_size;
}

/* Finds the shape of jmp *%reg with reg = table[index]. */
static bool shape_of_addresses(struct reaching *reaching, uint32_t load, struct shape *shape)
{
	const struct insn *insn = &reaching->code->insns[load];

	if (insn->operation != OP_MOVE || insn->operands[1].kind != OPERAND_MEMORY ||
	    insn->operands[0].size < 4)
		return false;
	return shape_from_load(reaching, load, &insn->operands[1], shape) &&
	       (shape->entry_size == 8 || shape->entry_size == 4);
}

/* Finds the shape if reg before `insn` is table[index], of four bytes, sign-extended. */
static bool shape_of_offsets(struct reaching *reaching, uint32_t insn, uint8_t reg,
			     struct shape *shape)
{
	const struct cfg *code = reaching->code;
	int64_t load = reaching_definition(reaching, insn, reg);

	/* unoptimized code loads first and extends afterwards */
	if (load >= 0 && code->insns[load].operation == OP_MOVE_SIGN &&
	    operand_is_general(&code->insns[load].operands[1]))
		load = reaching_definition(reaching, load, code->insns[load].operands[1].reg);
	if (load < 0)
		return false;
	const struct insn *source = &code->insns[load];

	if ((source->operation != OP_MOVE_SIGN && source->operation != OP_MOVE) ||
	    source->operands[1].kind != OPERAND_MEMORY || source->operands[1].size != 4)
		return false;
	shape->relative = true;
	return shape_from_load(reaching, load, &source->operands[1], shape);
}

/* True if, in reg = origin + offset, the origin is the table that the offset was loaded from. */
static bool shape_of_origin(struct reaching *reaching, uint32_t sum, uint8_t origin, uint8_t offset,
			    struct shape *shape)
{
	struct constants origins;
	struct constants *tables = &shape->tables;
	unsigned int count = 0;

	reaching_constants(reaching, sum, origin, &origins);
	if (!origins.count || !shape_of_offsets(reaching, sum, offset, shape))
		return false;
	for (unsigned int i = 0; i < tables->count; i++)
		for (unsigned int j = 0; j < origins.count; j++)
			if (tables->values[i] == origins.values[j])
				tables->values[count++] = origins.values[j];
	tables->count = count;
	return count > 0;
}

/* Finds reg = origin + offset * scale of a table's offset, as wide as its extension. */
static bool shape_of_multiple(struct reaching *reaching, uint32_t index, struct shape *shape)
{
	const struct operand *sum = &reaching->code->insns[index].operands[1];
	int64_t load = reaching_definition(reaching, index, sum->index);
	struct constants origins;

	reaching_constants(reaching, index, sum->base, &origins);
	if (load < 0 || origins.count != 1)
		return false;
	const struct insn *insn = &reaching->code->insns[load];
	const struct operand *entry = &insn->operands[1];

	if ((insn->operation != OP_MOVE && insn->operation != OP_MOVE_ZERO &&
	     insn->operation != OP_MOVE_SIGN) ||
	    entry->kind != OPERAND_MEMORY || entry->size > 4 ||
	    (sum->index_size ? entry->size != sum->index_size : insn->operation == OP_MOVE))
		return false;
	shape->relative = true;
	shape->is_unsigned = sum->index_size ? !sum->index_signed : insn->operation == OP_MOVE_ZERO;
	shape->multiple = sum->scale;
	shape->origin = origins.values[0];
	return shape_from_load(reaching, (uint32_t)load, entry, shape);
}

/* Finds the shape of the value that the instruction `index` puts into `reg`. */
static bool shape_of_definition(struct reaching *reaching, int64_t index, uint8_t reg,
				struct shape *shape)
{
	const struct cfg *code = reaching->code;

	for (unsigned int copies = 0; index >= 0 && copies < 4; copies++) {
		const struct insn *insn = &code->insns[index];
		const struct operand *source = &insn->operands[1];

		if (insn->operation == OP_MOVE && operand_is_general(source)) {
			reg = source->reg;
			index = reaching_definition(reaching, index, reg);
			continue;
		}
		if (insn->operation == OP_ADD && source->kind == OPERAND_REGISTER &&
		    source->size == 8)
			return shape_of_origin(reaching, index, source->reg, reg, shape) ||
			       shape_of_origin(reaching, index, reg, source->reg, shape);
		if (insn->operation == OP_LEA && !source->absolute && source->base != REG_NONE &&
		    source->index != REG_NONE && source->scale == 1 && !source->value &&
		    !source->index_size)
			return shape_of_origin(reaching, index, source->base, source->index,
					       shape) ||
			       shape_of_origin(reaching, index, source->index, source->base, shape);
		if (insn->operation == OP_LEA && !source->absolute && !source->value &&
		    reg_is_general(source->base) && reg_is_general(source->index))
			return shape_of_multiple(reaching, (uint32_t)index, shape);
		return shape_of_addresses(reaching, index, shape);
	}
	return false;
}

/* Finds the shapes of jmp *%reg, for each place that sets reg: computed gotos share jumps. */
static void shapes_of_register(struct reaching *reaching, uint32_t jump, uint8_t reg,
			       struct shapes *shapes)
{
	size_t first = shapes->count;
	struct definitions definitions;

	reaching_definitions(reaching, jump, reg, &definitions);
	for (unsigned int i = 0; i < definitions.count; i++) {
		array_reserve(shapes->items, shapes->count, shapes->capacity);
		struct shape *shape = &shapes->items[shapes->count];

		*shape = (struct shape){ .insn = jump };
		if (shape_of_definition(reaching, definitions.insns[i], reg, shape))
			shapes->count++;
		else
			definitions.complete = false;
	}
	for (size_t i = first; i < shapes->count; i++)
		shapes->items[i].partial = !definitions.complete;
}

static void jump_shapes_add(struct reaching *reaching, uint32_t jump, struct shapes *shapes)
{
	const struct operand *target = &reaching->code->insns[jump].operands[0];

	if (operand_is_general(target)) {
		shapes_of_register(reaching, jump, target->reg, shapes);
	} else if (target->kind == OPERAND_MEMORY) {
		array_reserve(shapes->items, shapes->count, shapes->capacity);
		struct shape *shape = &shapes->items[shapes->count];

		*shape = (struct shape){ .insn = jump };
		if (shape_from_load(reaching, jump, target, shape) && shape->entry_size == 8)
			shapes->count++;
	}
}

/* ---- reading the entries */

/* The most entries of a table without a bounds check, which ends before the first bad word. */
#define UNCHECKED_MAX 4096
/* Limits on the entries of all tables of a function, and on the reads, against hostile code. */
#define TARGETS_MAX (UINT64_C(1) << 20)
#define READS_MAX   (UINT64_C(1) << 22)
/* The most tables whose places are kept. Compilers write fewer in a function. */
#define PLACES_MAX 1024

/* The parts of the state that are the same for all tables. */
struct table_reader {
	const struct cfg *code;
	const struct cfg_request *request;
	const uint64_t *known; /* addresses of all tables of the function, sorted */
	size_t known_count;
	struct jump_tables *tables;
	uint64_t budget; /* entries that may still be read */
};

struct cursor_of_table {
	struct table_reader *reader;
	const struct shape *shape;
	uint64_t table, number;
	bool has_outside; /* an entry led outside of the function, to `outside` */
	uint64_t outside;
};

enum table_entry { ENTRY_END, ENTRY_OUTSIDE, ENTRY_TARGET };

/* Reads the next entry. An entry that does not lead to an instruction ends a table without known
 * bounds. One exception: if the default case of a switch cannot happen, compilers fill the gaps
 * with one address outside of the function or at its end, so the first such address is passed over
 * wherever it occurs. */
static enum table_entry next_entry(struct cursor_of_table *cursor, uint32_t *target)
{
	struct table_reader *reader = cursor->reader;
	const struct shape *shape = cursor->shape;
	uint64_t address = cursor->table + cursor->number++ * shape->entry_size;
	uint64_t entry = 0;

	if (!reader->budget)
		return ENTRY_END;
	reader->budget--;
	if (!reader->request->read(reader->request->data, address, &entry, shape->entry_size))
		return ENTRY_END;
	if (shape->relative && !shape->is_unsigned) {
		unsigned int unused = 64 - 8 * shape->entry_size;

		entry = (uint64_t)((int64_t)(entry << unused) >> unused);
	}
	if (shape->relative)
		entry = (shape->multiple ? shape->origin : cursor->table) +
			entry * (shape->multiple ?: 1U);
	int64_t insn = cfg_find(reader->code, entry);

	if (insn >= 0) {
		*target = (uint32_t)insn;
		return ENTRY_TARGET;
	}
	if (cursor->has_outside && cursor->outside != entry)
		return shape->bound.exact ? ENTRY_OUTSIDE : ENTRY_END;
	cursor->has_outside = true;
	cursor->outside = entry;
	return ENTRY_OUTSIDE;
}

/* Returns how many entries to read at most: a table may end where the next begins. */
static uint64_t entry_limit(const struct table_reader *reader, const struct shape *shape,
			    uint64_t table)
{
	uint64_t limit = shape->bound.count ?: UNCHECKED_MAX;

	if (shape->bound.exact)
		return limit;
	size_t next = partition_point(0, reader->known_count, i, reader->known[i] <= table);

	if (next < reader->known_count && (reader->known[next] - table) / shape->entry_size < limit)
		limit = (reader->known[next] - table) / shape->entry_size;
	return limit;
}

/* Returns how many of the first `count` entries lead to instructions. */
static uint64_t count_targets(struct table_reader *reader, const struct shape *shape,
			      uint64_t table, uint64_t count)
{
	struct cursor_of_table cursor = { .reader = reader, .shape = shape, .table = table };
	uint64_t targets = 0;

	while (cursor.number < count) {
		uint32_t target;
		enum table_entry entry = next_entry(&cursor, &target);

		if (entry == ENTRY_END)
			break;
		targets += entry == ENTRY_TARGET;
	}
	return targets;
}

/* Chooses the only possible table whose entries are all there. False: several, or none. */
static bool choose_table(struct table_reader *reader, const struct shape *shape, uint64_t *chosen)
{
	unsigned int matching = 0;

	if (shape->tables.count == 1) {
		*chosen = shape->tables.values[0];
		return true;
	}
	for (unsigned int i = 0; i < shape->tables.count; i++) {
		uint64_t table = shape->tables.values[i];
		uint64_t limit = entry_limit(reader, shape, table);
		uint64_t count = count_targets(reader, shape, table, limit);

		if (!count || (shape->bound.exact && count < limit))
			continue;
		*chosen = table;
		matching++;
	}
	return matching == 1;
}

/* Returns the table of a jump among those of earlier rounds, which are sorted; NULL: none. */
struct jump_table *jump_tables_find(const struct jump_tables *tables, uint32_t insn)
{
	size_t low = partition_point(0, tables->sorted, i, tables->items[i].insn < insn);

	return low < tables->sorted && tables->items[low].insn == insn ? &tables->items[low] : NULL;
}

/* Notes the place of a table. One that was read with fewer edges known may have become longer. */
static void note_place(struct jump_tables *tables, uint64_t address, uint64_t size)
{
	for (size_t i = 0; i < tables->place_count; i++) {
		if (tables->places[i].address != address)
			continue;
		raise_to(tables->places[i].size, size);
		return;
	}
	if (tables->place_count >= PLACES_MAX)
		return;
	array_add(tables->places, tables->place_count, tables->place_capacity) =
		(struct cfg_table){ .address = address, .size = size };
}

/* Adds the entries of one table to the targets of the jump. */
static void read_entries(struct table_reader *reader, const struct shape *shape, uint64_t address,
			 struct jump_table *table)
{
	struct jump_tables *tables = reader->tables;
	struct cursor_of_table cursor = { .reader = reader, .shape = shape, .table = address };
	uint64_t count = entry_limit(reader, shape, address), understood = 0;

	while (cursor.number < count) {
		uint32_t target;
		bool full = tables->target_count >= TARGETS_MAX;
		enum table_entry entry = full ? ENTRY_END : next_entry(&cursor, &target);

		/* every index that passes the bounds check has an entry, followed or not */
		if (entry != ENTRY_TARGET && (shape->bound.exact || full || !reader->budget))
			table->complete = false;
		if (entry == ENTRY_END)
			break;
		if (entry == ENTRY_OUTSIDE)
			continue;
		understood = cursor.number;
		array_add(tables->targets, tables->target_count, tables->target_capacity) = target;
		if (shape->bound.scale == 1 && !shape->partial)
			array_add(tables->cases, tables->case_count, tables->case_capacity) =
				(struct cfg_case){ target, shape->insn, (uint32_t)cursor.number - 1,
						   shape->use, shape->index };
	}
	if (understood)
		note_place(tables, address, understood * shape->entry_size);
}

/* Reads the tables of one jump, which has `count` shapes. */
static void read_jump(struct table_reader *reader, const struct shape *shapes, size_t count)
{
	struct jump_tables *tables = reader->tables;
	struct jump_table table = {
		.insn = shapes->insn,
		.target_first = tables->target_count,
		.complete = !shapes->partial,
	};

	for (size_t i = 0; i < count; i++) {
		uint64_t address;

		if (choose_table(reader, &shapes[i], &address))
			read_entries(reader, &shapes[i], address, &table);
		else
			table.complete = false;
	}
	table.target_count = tables->target_count - table.target_first;
	if (!table.target_count)
		return;
	/* a result of an earlier round, with fewer edges known, is replaced by a better one */
	struct jump_table *known = jump_tables_find(tables, table.insn);

	if (!known) {
		array_add(tables->items, tables->count, tables->capacity) = table;
		tables->changed = true;
	} else if (table.target_count > known->target_count || table.complete) {
		*known = table;
		tables->changed = true;
	}
}

COMPARISON(compare_addresses, uint64_t, BY_VALUE)

static void read_tables(const struct cfg *code, const struct cfg_request *request,
			const struct shapes *shapes, struct jump_tables *tables)
{
	_cleanup_free_ uint64_t *known =
		xrealloc_array(NULL, shapes->count * CONSTANTS_MAX, sizeof(*known));
	struct table_reader reader = { .code = code,
				       .request = request,
				       .known = known,
				       .tables = tables,
				       .budget = READS_MAX };

	for (size_t i = 0; i < shapes->count; i++)
		for (unsigned int j = 0; j < shapes->items[i].tables.count; j++)
			known[reader.known_count++] = shapes->items[i].tables.values[j];
	array_sort(known, reader.known_count, compare_addresses);
	for (size_t first = 0, next; first < shapes->count; first = next) {
		for (next = first + 1;
		     next < shapes->count && shapes->items[next].insn == shapes->items[first].insn;)
			next++;
		read_jump(&reader, &shapes->items[first], next - first);
	}
}

COMPARISON(compare_tables, struct jump_table, ASCENDING(insn))

static bool is_complete(const struct jump_tables *tables, uint32_t insn)
{
	const struct jump_table *table = jump_tables_find(tables, insn);

	return table && table->complete;
}

bool jump_tables_read(const struct cfg *code, const struct cfg_request *request,
		      struct jump_tables *tables)
{
	struct shapes shapes = { 0 };
	struct reaching reaching = { 0 };

	tables->changed = false;
	if (!request->read)
		return false;
	for (size_t i = 0; i < code->block_count; i++) {
		uint32_t last = code->blocks[i].first + code->blocks[i].count - 1;
		const struct insn *insn = &code->insns[last];

		if (insn->operation != OP_JUMP || insn->operands[0].kind == OPERAND_IMMEDIATE ||
		    is_complete(tables, last))
			continue;
		if (!reaching.code)
			reaching_init(&reaching, code);
		jump_shapes_add(&reaching, last, &shapes);
	}
	reaching_deinit(&reaching);
	if (shapes.count)
		read_tables(code, request, &shapes, tables);
	free(shapes.items);
	if (tables->count > tables->sorted)
		array_sort(tables->items, tables->count, compare_tables);
	tables->sorted = tables->count;
	return tables->changed;
}

void jump_tables_deinit(struct jump_tables *tables)
{
	free_all(tables->items, tables->targets, tables->places, tables->cases);
}
