// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements loop_end.h. Only loops whose code is in one piece are understood: from the target of
 * the jump back up to that jump, which is conditional and has the comparison before it.
 *
 *     next: movsd  %xmm0,(%rcx)
 *           add    $8,%rcx
 *           cmp    %rcx,%rsi
 *           jne    next              the last access is that of -8(%rsi)
 */
#include "profiler/resolve/loop_end.h"

#include "base/memory.h"

#include "profiler/resolve/operands.h"

#define LOOP_SIZE_MAX 1024 /* bytes of code */

/* A loop while it is looked at from its first instruction to its last. */
struct walked_loop {
	struct decoder *decoder;
	const struct elf_image *image;
	uint64_t first, last; /* addresses of instructions; the last one jumps back to the first */
	uint64_t end;         /* address after the last one */
};

static bool leaves_line(const struct insn *insn)
{
	return insn->flags & FLAG_UNKNOWN || insn->operation == OP_CALL ||
	       insn->operation == OP_RETURN || insn->operation == OP_JUMP ||
	       insn->operation == OP_TRAP || insn->operation == OP_SYSTEM_CALL;
}

/* Finds the first conditional jump at or after `access` that goes back to it or before it. */
static bool find_loop(struct walked_loop *loop, uint64_t access)
{
	size_t available = 0;
	const uint8_t *bytes = elf_image_code(loop->image, access, &available);
	struct insn insn;
	uint64_t target;

	for (size_t at = 0; bytes && at < available && at < LOOP_SIZE_MAX; at += insn.length) {
		decoder_decode(loop->decoder, bytes + at, available - at, access + at, &insn);
		if (!insn.length || leaves_line(&insn))
			return false;
		if (insn.operation != OP_BRANCH || !insn_direct_target(&insn, &target) ||
		    target > access)
			continue;
		loop->first = target;
		loop->last = insn.address;
		loop->end = insn.address + insn.length;
		return access - target < LOOP_SIZE_MAX && insn.condition != CONDITION_NONE &&
		       insn.condition != CONDITION_EQUAL;
	}
	return false;
}

/* One register of the operand, and what an iteration of the loop adds to it up to three points. */
struct walking_register {
	uint8_t reg; /* REG_NONE: there is none */
	int64_t at_access, at_compare, in_all;
};

/* Follows a register over one instruction. False if that changes it by more than a constant. */
static bool step(struct walking_register *walking, const struct insn *insn)
{
	int64_t change;

	if (!reg_is_general(walking->reg) || !(insn->written & REG_BIT(walking->reg)))
		return true;
	if (!insn_adds_constant_64(insn, walking->reg, &change))
		return false;
	walking->in_all += change;
	return true;
}

/* Follows the registers once through the loop, and sets *compare to the comparison that the jump
 * back depends on, and *written to the registers that change. Returns false if there is no such
 * comparison, or the loop has another exit or a loop inside. */
static bool follow_loop(const struct walked_loop *loop, uint64_t access,
			struct walking_register registers[2], struct insn *compare,
			uint64_t *written)
{
	size_t available = 0, size = loop->end - loop->first;
	const uint8_t *bytes = elf_image_code(loop->image, loop->first, &available);
	bool compares = false, accesses = false;
	struct insn insn;
	uint64_t target;

	if (!bytes || available < size)
		return false;
	for (size_t at = 0; at < size; at += insn.length) {
		decoder_decode(loop->decoder, bytes + at, available - at, loop->first + at, &insn);
		if (!insn.length || leaves_line(&insn))
			return false;
		if (insn.operation == OP_BRANCH && insn.address != loop->last &&
		    (!insn_direct_target(&insn, &target) || target <= insn.address ||
		     target > loop->last))
			return false;
		*written |= insn.written;
		accesses |= insn.address == access;
		if (insn.flags & FLAG_WRITES_FLAGS) {
			compares = insn.operation == OP_COMPARE;
			*compare = insn;
		}
		for (size_t i = 0; i < 2; i++) {
			if (insn.address == access)
				registers[i].at_access = registers[i].in_all;
			if (!step(&registers[i], &insn))
				return false;
			if (insn.flags & FLAG_WRITES_FLAGS)
				registers[i].at_compare = registers[i].in_all;
		}
	}
	return compares && accesses;
}

/* Sets *limit and *constant to what the comparison compares the register with. Returns false if it
 * compares other things. */
static bool find_limit(const struct insn *compare, uint8_t reg, uint8_t *limit, int64_t *constant)
{
	*limit = REG_NONE;
	*constant = 0;
	for (size_t i = 0; i < 2; i++) {
		const struct operand *own = &compare->operands[i],
				     *other = &compare->operands[1 - i];

		if (compare->operand_count != 2 || !operand_is_reg(own, reg) || own->size != 8)
			continue;
		if (other->kind == OPERAND_IMMEDIATE)
			*constant = other->value;
		else if (operand_is_general(other))
			*limit = other->reg;
		else
			return false;
		return other->reg != reg || other->kind == OPERAND_IMMEDIATE;
	}
	return false;
}

bool loop_end_find(struct decoder *decoder, const struct elf_image *image, uint64_t access,
		   const struct operand *memory, uint64_t sampled, struct loop_end *end)
{
	struct walked_loop loop = { .decoder = decoder, .image = image };
	struct walking_register registers[] = { { .reg = memory->base }, { .reg = memory->index } };
	struct insn compare = { 0 };
	uint64_t written = 0;

	if (!find_loop(&loop, access) || sampled < loop.first || sampled >= loop.end ||
	    !follow_loop(&loop, access, registers, &compare, &written))
		return false;

	const struct walking_register *base = &registers[0], *index = &registers[1];
	/* one of them walks */
	const struct walking_register *walking = index->in_all ? index : base;
	int64_t factor = walking == index ? memory->scale : 1, constant;

	if (walking->in_all <= 0 || (walking == index && base->in_all) ||
	    !find_limit(&compare, walking->reg, &end->limit, &constant) ||
	    (end->limit != REG_NONE && written & REG_BIT(end->limit)))
		return false;
	end->of_index = walking == index;
	end->displacement =
		memory->value + (constant + walking->at_access - walking->at_compare) * factor;
	return true;
}

/* ---- loops that wait ---- */

#define POLL_SIZE_MAX 128 /* bytes of code of a loop that waits */

/* Finds the first jump at or after `access` that goes back to it or before it. */
static bool find_short_loop(struct walked_loop *loop, uint64_t access)
{
	size_t available = 0;
	const uint8_t *bytes = elf_image_code(loop->image, access, &available);
	struct insn insn;

	for (size_t at = 0; bytes && at < available && at < POLL_SIZE_MAX; at += insn.length) {
		decoder_decode(loop->decoder, bytes + at, available - at, access + at, &insn);
		if (!insn.length)
			return false;
		if (insn.operation == OP_JUMP || insn.operation == OP_BRANCH) {
			if (!insn_direct_target(&insn, &loop->first))
				return false;
			loop->end = insn.address + insn.length;
			if (loop->first <= access)
				return loop->end - loop->first <= POLL_SIZE_MAX;
			if (insn.operation == OP_JUMP)
				return false;
		} else if (leaves_line(&insn)) {
			return false;
		}
	}
	return false;
}

/* Returns whether a loop may only wait, writing the stack alone; *fixed: its registers. */
static bool may_only_wait(const struct arch *arch, const struct operand *operand, uint64_t *fixed)
{
	if (operand->kind != OPERAND_MEMORY || (!operand->read && !operand->write))
		return true;
	if (reg_is_general(operand->base))
		*fixed |= REG_BIT(operand->base);
	if (reg_is_general(operand->index))
		*fixed |= REG_BIT(operand->index);
	return !operand->write || operand->base == arch->stack_pointer;
}

struct short_loop {
	struct insn insns[POLL_SIZE_MAX];
	size_t count;
};

/* Decodes the loop. Returns false if it may do more than wait. */
static bool decode_short_loop(const struct walked_loop *loop, struct short_loop *decoded)
{
	size_t available = 0;
	const uint8_t *bytes = elf_image_code(loop->image, loop->first, &available);
	uint64_t fixed = 0, written = 0;

	if (!bytes || available < loop->end - loop->first)
		return false;
	for (uint64_t at = loop->first; at < loop->end;) {
		struct insn *insn = &decoded->insns[decoded->count++];

		decoder_decode(loop->decoder, bytes + (at - loop->first),
			       available - (at - loop->first), at, insn);
		if (!insn->length || (insn->operation != OP_JUMP && leaves_line(insn)))
			return false;
		written |= insn->written;
		for (size_t i = 0; i < insn->operand_count; i++)
			if (!may_only_wait(decoder_arch(loop->decoder), &insn->operands[i], &fixed))
				return false;
		at += insn->length;
	}
	return !(fixed & written);
}

/* Returns whether a jump may leave the loop. */
static bool is_exit(const struct walked_loop *loop, const struct insn *insn)
{
	uint64_t target;

	return insn->operation == OP_BRANCH &&
	       (insn->address + insn->length == loop->end || !insn_direct_target(insn, &target) ||
		target < loop->first || target >= loop->end);
}

/* Returns whether the loaded value decides when the loop ends. A loop that only computes with it
 * and ends by a counter does not wait. The instructions are followed twice, because values may be
 * used in the next iteration. */
static bool decides_on_exit(const struct walked_loop *loop, const struct short_loop *decoded,
			    uint64_t access)
{
	uint64_t values = 0; /* registers that depend on the load */
	bool flags = false;  /* and the flags */

	for (size_t i = 0; i < 2 * decoded->count; i++) {
		const struct insn *insn = &decoded->insns[i % decoded->count];
		bool depends = insn->address == access || insn->read & values;

		if (is_exit(loop, insn) && flags)
			return true;
		values = depends ? values | insn->written : values & ~insn->written;
		if (insn->flags & FLAG_WRITES_FLAGS)
			flags = depends;
	}
	return false;
}

bool loop_polls(struct decoder *decoder, const struct elf_image *image, uint64_t access)
{
	struct walked_loop loop = { .decoder = decoder, .image = image };
	struct short_loop *decoded;
	bool polls;

	if (!find_short_loop(&loop, access))
		return false;
	decoded = xcalloc(1, sizeof(*decoded));
	polls = decode_short_loop(&loop, decoded) && decides_on_exit(&loop, decoded, access);
	free(decoded);
	return polls;
}
