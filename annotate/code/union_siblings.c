// SPDX-License-Identifier: GPL-2.0-or-later
/* Other accesses of the function through the register of an access, and the functions that the code
 * of an access is from: see union_member.h. */

#include "annotate/code/code.h"
#include "annotate/flow/solver.h"
#include "annotate/types/union_member.h"
#include "base/text.h"

#define SIBLING_INSNS_MAX 60

struct sibling_walk {
	struct solver *solver;
	const struct insn *insn;       /* of the access */
	const struct operand *operand; /* of the access */
	uint32_t size;                 /* of the access */
	bool changed;                  /* the accessed bytes may have another member's value */
	bool store;                    /* the access does not read */
	bool after;                    /* the walk goes on from the access */
	bool tested;                   /* another part of the object was tested on the way */
	uint64_t written;              /* registers that are written on the way */
	unsigned int left;
	struct union_evidence *evidence;
};

/* True if the next use of what a move loads is to store it. */
static bool is_copied(const struct cfg *code, uint32_t index, uint32_t end)
{
	const struct operand *loaded = &code->insns[index].operands[0];

	for (uint32_t i = index + 1; i < end; i++)
		if (code->insns[i].read & REG_BIT(loaded->reg))
			return code->insns[i].operation == OP_MOVE &&
			       code->insns[i].operands[0].kind == OPERAND_MEMORY &&
			       operand_is_reg(&code->insns[i].operands[1], loaded->reg);
	return false;
}

/* True if an access is a piece of what is copied or cleared at once, whatever members are there: a
 * load of what is then stored, or a store of zero or of a vector register, that lies beside a
 * vector, or over the end of one, that its block moves in the same direction through the same
 * register. */
static bool moves_piece(const struct cfg *code, uint32_t index, const struct operand *piece)
{
	const struct basic_block *block = &code->blocks[cfg_block_of(code, index)];
	const struct insn *move = &code->insns[index];
	const struct operand *stored = &move->operands[1];

	if (move->operation != OP_MOVE ||
	    !(piece->write ? operand_is_vector(stored) ||
				     (stored->kind == OPERAND_IMMEDIATE && !stored->value)
			   : is_copied(code, index, block->first + block->count)))
		return false;
	for (uint32_t i = block->first; i < block->first + block->count; i++) {
		const struct operand *vector = insn_memory(&code->insns[i], piece->write);

		if (code->insns[i].operation == OP_MOVE && vector && vector->size > WORD &&
		    vector->write == piece->write && vector->base == piece->base &&
		    vector->index == piece->index &&
		    ((vector->value < piece->value &&
		      piece->value <= vector->value + vector->size &&
		      vector->value + vector->size < piece->value + piece->size) ||
		     (piece->value < vector->value && vector->value <= piece->value + piece->size)))
			return true;
	}
	return false;
}

/* True for an immediate, and a register that was set to a constant in the block: of two numbers,
 * compilers make one constant, also one in memory. */
static bool is_constant(const struct solver *solver, uint32_t index, const struct operand *operand)
{
	const struct insn *set = operand_is_general(operand)
					 ? cfg_last_write(solver->code, index, operand->reg)
					 : NULL;
	struct elf_section section;

	if (set && set->operation == OP_MOVE)
		operand = &set->operands[1];
	return operand->kind == OPERAND_IMMEDIATE ||
	       (operand->kind == OPERAND_MEMORY && operand->pc_relative &&
		elf_image_section_at(solver->image, (uint64_t)operand->value, &section) &&
		!section.writable);
}

/* Notes other accesses through the registers, which have the address of the object. After a call,
 * the same bytes may have another member's value; the object is still of the same kind. It may have
 * become one of another kind before a store, if a constant was stored in it: its tag. */
static void note_siblings(struct sibling_walk *walk, uint32_t index, uint64_t regs)
{
	const struct insn *insn = &walk->solver->code->insns[index];
	struct union_evidence *evidence = walk->evidence;

	array_indexed (const struct operand, other, i, insn->operands, insn->operand_count) {
		int64_t offset = other->value - walk->operand->value;
		bool same = offset < (int64_t)walk->size && offset + other->size > 0;
		bool constant = insn->operation == OP_MOVE && !i &&
				is_constant(walk->solver, index, &insn->operands[1]);

		if (other->kind != OPERAND_MEMORY || !(other->read || other->write) ||
		    !reg_is_general(other->base) || !(regs & REG_BIT(other->base)) ||
		    other->index != REG_NONE || other->segment != walk->operand->segment ||
		    !other->size || moves_piece(walk->solver->code, index, other))
			continue;
		if (other->size <= 8 && !(same && walk->changed) &&
		    evidence->sibling_count < UNION_SIBLINGS_MAX)
			evidence->siblings[evidence->sibling_count++] =
				(struct union_sibling){ .offset = offset,
							.size = other->size,
							.insn = index,
							.operand = (uint8_t)i,
							.after = walk->after,
							.tested = walk->tested,
							.several = constant ||
								   insn_moves_vector(insn, other),
							.written = walk->written };
		walk->changed |= walk->store && !same && constant;
	}
}

/* Returns the general register that a move copies to another one, as a REG_BIT; 0: it is no such
 * move. */
static uint64_t copied_register(const struct insn *insn)
{
	return insn->operation == OP_MOVE && insn->operand_count == 2 &&
			       operand_is_general(&insn->operands[0]) &&
			       operand_is_general(&insn->operands[1]) &&
			       insn->operands[1].size == WORD
		       ? REG_BIT(insn->operands[1].reg)
		       : 0;
}

/* The most blocks on the ways from a block's dominator to it. */
#define SIBLING_WAYS_MAX 24

/* Goes from the start of a block back to the end of its immediate dominator. Returns the registers
 * that some way changes; UINT64_MAX: there is no such block, or it is too far away, or a store may
 * make the object another one. The accessed bytes may be changed. */
static uint64_t step_to_dominator(struct sibling_walk *walk, struct cfg_cursor *at)
{
	const struct cfg *code = walk->solver->code;
	const struct basic_block *block = &code->blocks[at->block];
	uint32_t ways[SIBLING_WAYS_MAX + 1] = { at->block }, count = 1;
	uint64_t written = 0;

	live_find_dominators(walk->solver);
	const uint32_t target = walk->solver->tags.dominators[at->block];

	if (!at->block || target == UINT32_MAX || walk->store)
		return UINT64_MAX;
	for (uint32_t i = 0; i < count; block = &code->blocks[ways[++i]]) {
		if (count > SIBLING_WAYS_MAX || block->flags & (BLOCK_LEADER | BLOCK_ORPHAN))
			return UINT64_MAX;
		each_predecessor (before, code, block) {
			const struct insn *insn = &code->insns[code->blocks[before].first];

			if (before == target || count > SIBLING_WAYS_MAX ||
			    code->blocks[before].flags & BLOCK_PADDING ||
			    any_of(k, 1, count, ways[k] == before))
				continue;
			ways[count++] = before;
			for (uint32_t left = code->blocks[before].count; left; left--, insn++)
				written |= schedule_written(walk->solver->abi->call, insn);
		}
	}
	walk->written |= written;
	walk->changed = true;
	*at = (struct cfg_cursor){ target,
				   code->blocks[target].first + code->blocks[target].count };
	return written;
}

/* Notes the accesses after a copy of the object's address, up to the end of the block, through the
 * register that it was copied from. */
static void note_after_copy(struct sibling_walk *walk, uint32_t copy, uint64_t source)
{
	const struct cfg *code = walk->solver->code;
	const struct basic_block *block = &code->blocks[cfg_block_of(code, copy)];

	for (uint32_t i = copy + 1; source && i < block->first + block->count; i++) {
		const struct insn *insn = &code->insns[i];

		if (insn == walk->insn)
			return;
		note_siblings(walk, i, source);
		source &= ~schedule_written(walk->solver->abi->call, insn);
	}
}

/* Walks back on the only way to the access, and over the blocks that all ways there have. Returns
 * the registers that have the object's address at the access. */
static uint64_t siblings_before(struct sibling_walk *walk, uint32_t index)
{
	const struct cfg *code = walk->solver->code;
	struct cfg_cursor at = cfg_before(code, index);
	uint64_t regs = REG_BIT(walk->operand->base), held = regs;

	for (; regs && walk->left; walk->left--) {
		if (!cfg_step_back(code, &at)) {
			regs &= ~step_to_dominator(walk, &at);
			continue;
		}
		const struct insn *insn = &code->insns[at.insn];
		uint64_t source = copied_register(insn);
		uint64_t changed = schedule_written(walk->solver->abi->call, insn);

		const uint64_t known = regs;

		if (source & regs)
			held |= changed & ~walk->written;
		walk->written |= changed;
		regs = (regs & ~changed) | (changed & regs ? source : 0);
		walk->changed |= insn->operation == OP_CALL;
		note_siblings(walk, at.insn, regs);
		if (changed & known && source)
			note_after_copy(walk, at.insn, source & ~known);
	}
	return held;
}

/* ---- tests of the object's tag */

/* True if an operand of an instruction is other memory of the object in which instruction `access`
 * has its operand `object`, or was loaded from there. */
static bool is_beside(const struct cfg *code, uint32_t access, const struct operand *object,
		      uint64_t written, uint32_t index, const struct operand *operand)
{
	struct cfg_cursor at = cfg_before(code, index);
	/* the register still has the object's address */
	bool holds = object->base == REG_NONE || !(written & REG_BIT(object->base));

	for (unsigned int left = SIBLING_INSNS_MAX;
	     operand_is_general(operand) && left && cfg_step_back(code, &at); left--) {
		const struct insn *insn = &code->insns[at.insn];

		holds |= at.insn == access;
		if (!(insn->written & REG_BIT(operand->reg)))
			continue;
		if (insn->operand_count < 2)
			return false;
		operand = &insn->operands[1];
	}
	return holds && operand->kind == OPERAND_MEMORY && operand->base == object->base &&
	       operand->index == object->index && operand->value != object->value;
}

/* True if a test of such memory decides where a block goes on to. */
static bool tests_beside(const struct cfg *code, uint32_t access, const struct operand *object,
			 uint64_t written, uint32_t block)
{
	const struct basic_block *at = &code->blocks[block];

	for (uint32_t i = at->first + at->count; at->successor_count > 1 && i-- > at->first;) {
		const struct insn *insn = &code->insns[i];

		if (insn->operation == OP_COMPARE || insn->operation == OP_TEST)
			return any_of(
				k, 0, 2,
				is_beside(code, access, object, written, i, &insn->operands[k]));
	}
	return false;
}

bool union_evidence_tests_tag(const struct solver *solver, uint32_t load, uint64_t written,
			      uint32_t block)
{
	return tests_beside(solver->code, load, &solver->code->insns[load].operands[1], written,
			    block);
}

/* ---- accesses after it */

/* The most blocks after the access in which siblings are looked for. */
#define SIBLING_BLOCKS_MAX 8

struct sibling_block {
	uint32_t index;
	uint64_t regs;
	bool changed, tested;
};

/* Walks on from an instruction to the end of its block. Returns the registers that then have the
 * object's address. */
static uint64_t siblings_in_block(struct sibling_walk *walk, uint32_t index, uint64_t regs)
{
	const struct cfg *code = walk->solver->code;
	const struct basic_block *at = &code->blocks[cfg_block_of(code, index)];

	for (; index < at->first + at->count && walk->left && regs; walk->left--, index++) {
		const struct insn *insn = &code->insns[index];
		uint64_t changed = schedule_written(walk->solver->abi->call, insn);

		if (insn != walk->insn)
			note_siblings(walk, index, regs);
		walk->written |= changed;
		walk->changed |= insn->operation == OP_CALL;
		regs = (regs & ~changed) | (copied_register(insn) & regs ? changed : 0);
	}
	return walk->left ? regs : 0;
}

/* Walks on to the blocks that only the block of the access leads to, or that surely follow. */
static void siblings_after(struct sibling_walk *walk, uint32_t index, uint64_t regs)
{
	const struct cfg *code = walk->solver->code;
	struct sibling_block blocks[SIBLING_BLOCKS_MAX] = { { cfg_block_of(code, index), regs,
							      false, false } };
	unsigned int count = 1;

	for (unsigned int i = 0; i < count; i++) {
		const struct basic_block *at = &code->blocks[blocks[i].index];

		walk->changed = blocks[i].changed;
		walk->tested = blocks[i].tested;
		regs = siblings_in_block(walk, i ? at->first : index, blocks[i].regs);
		/* more than two ways: a jump by a table, whose index is a tag */
		walk->tested |=
			at->successor_count > 2 ||
			tests_beside(code, index, walk->operand, walk->written, blocks[i].index);
		each_successor (next, code, at)
			if (regs && count < SIBLING_BLOCKS_MAX &&
			    (at->successor_count == 1 ||
			     cfg_only_predecessor(code, next) != UINT32_MAX))
				blocks[count++] = (struct sibling_block){ next, regs, walk->changed,
									  walk->tested };
	}
}

void union_evidence_siblings(struct solver *solver, uint32_t index, const struct operand *operand,
			     struct union_evidence *evidence)
{
	struct sibling_walk walk = { .solver = solver,
				     .insn = &solver->code->insns[index],
				     .operand = operand,
				     .size = operand->size,
				     .store = !operand->read,
				     .left = SIBLING_INSNS_MAX,
				     .evidence = evidence };
	uint64_t regs;

	if (!reg_is_general(operand->base) || operand->index != REG_NONE)
		return;
	regs = siblings_before(&walk, index);
	walk.left = SIBLING_INSNS_MAX;
	walk.changed = walk.store = false;
	walk.after = true;
	walk.written = 0;
	siblings_after(&walk, index, regs);
}

/* LLVM writes the halves of the number into two doubles, of 2^52 and 2^84, by interleaving them
 * with the upper halves of these (X86ISelLowering.cpp, LowerUINT_TO_FP_i64()). */
bool union_evidence_is_converted(const struct solver *solver, uint32_t insn)
{
	static const uint8_t upper[] = { 0, 0, 0x30, 0x43, 0, 0, 0x30, 0x45 };
	const struct cfg *code = solver->code;
	const struct basic_block *block = &code->blocks[cfg_block_of(code, insn)];
	const struct operand *loaded = &code->insns[insn].operands[0];
	uint8_t bytes[sizeof(upper)];

	if (loaded->kind != OPERAND_REGISTER)
		return false;
	for (uint32_t i = insn + 1; i < block->first + block->count; i++) {
		const struct insn *next = &code->insns[i];

		if (!((next->read | next->written) & REG_BIT(loaded->reg)))
			continue;
		return any_of(
			k, 1, next->operand_count,
			next->operands[k].kind == OPERAND_MEMORY && next->operands[k].pc_relative &&
				elf_image_read(solver->image, (uint64_t)next->operands[k].value,
					       bytes, sizeof(bytes), true) &&
				memcmp(bytes, upper, sizeof(upper)) == 0);
	}
	return false;
}

/* ---- the functions that the code is from */

/* True if a function of this name may be one that only fetches a member or sets it: what returns
 * nothing fetches nothing. */
static bool may_be_accessor(const char *name, const struct prototype *prototype)
{
	const struct type *type = prototype ? prototype->return_type : NULL;

	return !type || type_strip(type)->kind != TYPE_VOID ||
	       starts_with(name + strspn(name, "_"), "set") || strstr(name, "_set_");
}

void union_evidence_functions(const struct solver *solver, uint32_t insn,
			      struct union_evidence *evidence)
{
	const struct function *function = solver->function;
	size_t count = 0;

	inlined_each (scope, function, solver->code->insns[insn].address)
		if (scope->name && count < UNION_NAMES_MAX - 1 &&
		    may_be_accessor(scope->name, scope->prototype))
			evidence->functions[count++] = scope->name;
	if (function->name && may_be_accessor(function->name, function->prototype))
		evidence->functions[count] = function->name;
}
