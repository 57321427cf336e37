// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads and stores of floating-point numbers.
 *
 * A load of a vector register does not say if it loads a number: compilers copy anything through
 * these registers. The instructions around it show it: a computation that uses the register first,
 * or that made its value, or a call that passes it (AAPCS64 6.8.2 passes only such values in v0 to
 * v7, and returns them in v0).
 */
#include "disasm/arm64/parts.h"
#include "disasm/cfg.h"

/* The most instructions between an access and what shows its kind. */
#define DISTANCE_MAX   64
#define PASSED_MASK    (REG_BIT(REG_V0 + 8) - REG_BIT(REG_V0))
#define PRESERVED_MASK (REG_BIT(REG_V0 + 16) - REG_BIT(REG_V0 + 8))

static bool leaves(const struct insn *insn)
{
	return insn->operation == OP_JUMP || insn->operation == OP_RETURN ||
	       insn->operation == OP_TRAP;
}

/* The most paths from a load that are followed. */
#define PATHS_MAX 8

struct paths {
	size_t starts[PATHS_MAX]; /* instructions */
	unsigned int count;
};

static void add_path(const struct cfg *code, const struct insn *insn, struct paths *paths)
{
	uint64_t target;
	int64_t start = insn_direct_target(insn, &target) ? cfg_find(code, target) : -1;

	if (start >= 0 && paths->count < PATHS_MAX)
		paths->starts[paths->count++] = (size_t)start;
}

/* The first use of a register on a path. */
enum first_use {
	USE_UNKNOWN, /* none, or it is copied */
	USE_FLOAT,
	USE_OTHER, /* as an integer that is converted, or as bits */
};

/* Follows one path, and adds those that branch off. */
static enum first_use find_use(const struct cfg *code, size_t start, uint64_t reg,
			       struct paths *paths)
{
	for (size_t i = start; i < code->insn_count && i < start + DISTANCE_MAX; i++) {
		const struct insn *insn = &code->insns[i];

		if (insn->read & reg)
			return insn->flags & FLAG_FLOAT     ? USE_FLOAT
			       : insn->operation == OP_MOVE ? USE_UNKNOWN
							    : USE_OTHER;
		/* calls preserve the lower halves of v8 to v15 */
		if (insn->operation == OP_CALL && !(reg & PRESERVED_MASK))
			return reg & PASSED_MASK ? USE_FLOAT : USE_UNKNOWN;
		if (insn->operation == OP_BRANCH || insn->operation == OP_JUMP)
			add_path(code, insn, paths);
		if (insn->written & reg || leaves(insn))
			break;
	}
	return USE_UNKNOWN;
}

/* True if the value that the instruction puts into the register is used as a number, and not
 * otherwise. */
static bool is_used(const struct cfg *code, size_t load, uint64_t reg)
{
	struct paths paths = { .starts = { load + 1 }, .count = 1 };
	bool found = false;

	for (unsigned int i = 0; i < paths.count; i++) {
		enum first_use use = find_use(code, paths.starts[i], reg, &paths);

		if (use == USE_OTHER)
			return false;
		found |= use == USE_FLOAT;
	}
	return found;
}

/* True if the value that the instruction stores is a number. */
static bool is_computed(const struct cfg *code, size_t store, uint64_t reg)
{
	for (size_t i = store; i-- > 0 && i + DISTANCE_MAX > store;) {
		const struct insn *insn = &code->insns[i];

		if (insn->written & reg)
			return insn->flags & FLAG_FLOAT;
		if (insn->operation == OP_CALL)
			return reg == REG_BIT(REG_V0);
		if (leaves(insn))
			return false;
	}
	/* an argument */
	return store < DISTANCE_MAX && reg & PASSED_MASK;
}

void mark_floats(struct cfg *code)
{
	for (size_t i = 0; i < code->insn_count; i++) {
		struct insn *insn = &code->insns[i];
		const struct operand *to = &insn->operands[0], *from = &insn->operands[1];
		bool loads = from->kind == OPERAND_MEMORY && reg_is_vector(to->reg);
		bool stores = to->kind == OPERAND_MEMORY && reg_is_vector(from->reg);

		if (insn->operand_count != 2 ||
		    (insn->operation != OP_MOVE && insn->operation != OP_MOVE_ZERO))
			continue;
		if ((loads && to->kind == OPERAND_REGISTER && from->size <= 8 &&
		     is_used(code, i, insn->written)) ||
		    (stores && from->kind == OPERAND_REGISTER && to->size <= 8 &&
		     is_computed(code, i, REG_BIT(from->reg))))
			insn->flags |= FLAG_FLOAT;
	}
}
