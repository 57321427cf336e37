// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decoding around samples.
 *
 * A late sample is taken after the load that it waited for, so the instructions before it are
 * decoded backwards from some bytes before. Nothing marks where an instruction of variable length
 * begins, but a decoder that starts anywhere falls into step within a few instructions.
 */
#include "profiler/resolve/operands.h"

#include "disasm/cfg.h"
#include "dwarf/elf/image.h"
#include "base/memory.h"
#include "profiler/resolve/resolve.h"

/*
 * ---- where loops end
 *
 * The last access that an instruction makes in a loop, and loops that only wait.
 *
 * A loop over a part of an array compares its pointer or index with the end of the part. A sample
 * has that end in a register, so it tells which memory its thread will use next, up to the last
 * element.
 *
 * Only loops whose code is in one piece are understood: from the target of
 * the jump back up to that jump, which is conditional and has the comparison before it.
 *
 *     next: movsd  %xmm0,(%rcx)
 *           add    $8,%rcx
 *           cmp    %rcx,%rsi
 *           jne    next              the last access is that of -8(%rsi)
 */

/* In the last iteration the address is that of the operand, with another value of one register. */
struct loop_end {
	bool of_index; /* the index has the other value, else the base */
	uint8_t limit; /* register with that value, which the loop does not change; REG_NONE: 0 */
	int64_t displacement; /* in place of the operand's */
};

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

/* Finds the first jump at or after `access` that goes back to it or before it: *back. */
static bool find_loop(struct walked_loop *loop, uint64_t access, uint64_t size_max,
		      struct insn *back)
{
	size_t available = 0;
	const uint8_t *bytes = elf_image_code(loop->image, access, &available);

	for (size_t at = 0; bytes && at < available && at < size_max; at += back->length) {
		decoder_decode(loop->decoder, bytes + at, available - at, access + at, back);
		if (!back->length || (back->operation != OP_JUMP && leaves_line(back)))
			return false;
		if (back->operation != OP_JUMP && back->operation != OP_BRANCH)
			continue;
		if (!insn_direct_target(back, &loop->first))
			return false;
		loop->last = back->address;
		loop->end = back->address + back->length;
		if (loop->first <= access)
			return access - loop->first < size_max;
		if (back->operation == OP_JUMP)
			return false;
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

/* Finds the last access of the instruction at `access`, whose memory operand is `memory`, in the
 * innermost loop around it. The registers are those of a sample at `sampled`. Returns false unless
 * the sample is in that loop, the loop has one exit and no calls, and the address grows by a
 * constant from one iteration to the next. */
static bool loop_end_find(struct decoder *decoder, const struct elf_image *image, uint64_t access,
			  const struct operand *memory, uint64_t sampled, struct loop_end *end)
{
	struct walked_loop loop = { .decoder = decoder, .image = image };
	struct walking_register registers[] = { { .reg = memory->base }, { .reg = memory->index } };
	struct insn compare = { 0 }, back;
	uint64_t written = 0;

	if (!find_loop(&loop, access, LOOP_SIZE_MAX, &back) || back.operation != OP_BRANCH ||
	    back.condition == CONDITION_NONE || back.condition == CONDITION_EQUAL ||
	    sampled < loop.first || sampled >= loop.end ||
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

/* Returns whether a loop may only wait, writing the stack alone; *fixed: its registers. */
static bool may_only_wait(const struct arch *arch, const struct operand *operand, uint64_t *fixed)
{
	if (operand->kind != OPERAND_MEMORY || (!operand->read && !operand->write))
		return true;
	*fixed |= operand_registers(operand) & GENERAL_MASK;
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

/* Returns whether the load at `access` is in a loop that only waits for memory to change: it calls
 * nothing, writes nothing but the stack, and loads from the same addresses each time. */
static bool loop_polls(struct decoder *decoder, const struct elf_image *image, uint64_t access)
{
	struct walked_loop loop = { .decoder = decoder, .image = image };
	struct short_loop *decoded;
	struct insn back;
	bool polls;

	if (!find_loop(&loop, access, POLL_SIZE_MAX, &back) ||
	    loop.end - loop.first > POLL_SIZE_MAX)
		return false;
	decoded = xcalloc(1, sizeof(*decoded));
	polls = decode_short_loop(&loop, decoded) && decides_on_exit(&loop, decoded, access);
	free(decoded);
	return polls;
}

/* Instructions before a late sample that are searched for an access. */
#define REACH_MAX 8
/* Decoding starts BACK_MAX to BACK_MIN bytes before, until it ends at the address. */
#define BACK_MAX 48
#define BACK_MIN 16

/* Returns the number that a register has in samples. */
static uint8_t perf_register(const struct arch *arch, uint8_t reg)
{
	return reg_is_general(reg) ? arch->perf_numbers[reg] : DATA_OPERAND_NO_REGISTER;
}

/* Returns whether the operand's address moves with its object. Absolute addresses in a program stay
 * as they are; those of a kernel into itself were relocated with it. */
static bool moves_with_object(const struct dso *dso, const struct operand *memory,
			      const struct data_operand *operand)
{
	if (memory->pc_relative)
		return true;
	return dso->kind == DSO_KERNEL && (uint64_t)memory->value >= operand->start &&
	       (uint64_t)memory->value < operand->end;
}

/* Sets *operand to how the address of `memory` is computed, unless samples cannot tell. */
static void describe_operand(const struct arch *arch, const struct dso *dso,
			     const struct operand *memory, struct data_operand *operand)
{
	/* Samples have no segment bases, and a vector index is several addresses. */
	if (memory->segment != SEGMENT_NONE || (memory->base == REG_NONE && !memory->absolute) ||
	    (memory->index != REG_NONE && !reg_is_general(memory->index)))
		return;
	operand->known = true;
	operand->base = perf_register(arch, memory->base);
	operand->index = perf_register(arch, memory->index);
	operand->scale = memory->scale;
	operand->displacement = memory->value;
	operand->relative = moves_with_object(dso, memory, operand);
}

/* ---- late samples ---- */

/* The code before an address, as instructions that follow each other up to it. They are decoded one
 * by one, backward from the address, only as far as they are needed: mostly one or two. */
struct preceding_code {
	struct decoder *decoder;
	const uint8_t *bytes;
	size_t size; /* of the bytes, which go on after the address */
	uint64_t address;
	uint8_t starts[BACK_MAX]; /* offsets of the instructions */
	unsigned int start_count;
	struct insn insns[REACH_MAX]; /* the last one is the first */
	unsigned int count;
};

/* Decodes and returns the instruction before those that are decoded already. Returns NULL if there
 * is none, if it is too far back, or if its bytes are not an instruction: they then lie before the
 * point where decoding fell into step. */
static const struct insn *previous_insn(struct preceding_code *code)
{
	if (code->count == REACH_MAX || code->count == code->start_count)
		return NULL;

	uint8_t start = code->starts[code->start_count - 1 - code->count];
	struct insn *insn = &code->insns[code->count];

	decoder_decode(code->decoder, code->bytes + start, code->size - start,
		       code->address + start, insn);
	if (insn->flags & FLAG_UNKNOWN)
		return NULL;
	code->count++;
	return insn;
}

/* Finds where instructions begin. Returns false if none ends `back` bytes on. */
static bool find_starts(struct preceding_code *code, uint64_t back)
{
	size_t at = 0;

	code->start_count = 0;
	while (at < back) {
		code->starts[code->start_count++] = (uint8_t)at;
		at += decoder_length(code->decoder, code->bytes + at, code->size - at);
	}
	return at == back;
}

/* Finds the instructions before `address`, and decodes the last one. */
static bool find_instructions(struct decoder *decoder, const struct elf_image *image,
			      uint64_t address, struct preceding_code *code)
{
	code->decoder = decoder;
	code->count = 0;
	for (uint64_t back = BACK_MAX; back >= BACK_MIN && back <= address; back--) {
		code->address = address - back;
		code->bytes = elf_image_code(image, code->address, &code->size);
		if (code->bytes && code->size >= back && find_starts(code, back) &&
		    previous_insn(code))
			return true;
	}
	return false;
}

/* Returns whether the access that was waited for cannot be before this instruction. */
static bool ends_search(const struct insn *insn)
{
	return insn->operation == OP_CALL || insn->operation == OP_RETURN ||
	       insn->operation == OP_JUMP || insn->operation == OP_TRAP ||
	       insn->own_time != OWN_TIME_NONE;
}

/* True if a late sample may have waited for the instruction: for a load, not of the stack. */
static bool is_waited_for(const struct arch *arch, const struct insn *insn,
			  const struct operand *memory)
{
	return memory && memory->read && insn->operation != OP_NOP && insn->operation != OP_LEA &&
	       insn->operation != OP_POP && insn->operation != OP_LEAVE &&
	       (memory->base != arch->stack_pointer || memory->index != REG_NONE);
}

/* Subtracts from *added the constants that the decoded instructions added to an address register.
 * Returns false if the register was changed in another way. */
static bool undo_additions(const struct preceding_code *code, uint8_t reg, int64_t *added)
{
	for (unsigned int i = code->count; reg != REG_NONE && i-- > 0;) {
		int64_t change;

		if (!reg_is_general(reg) || !(code->insns[i].written & REG_BIT(reg)))
			continue;
		if (!insn_adds_constant_64(&code->insns[i], reg, &change))
			return false;
		*added -= change;
	}
	return true;
}

/* The access before an address that a late sample there may have waited for. */
struct waited_access {
	uint64_t insn; /* 0: none was found, and the sampled instruction itself is used */
	struct operand memory;
	int64_t index_change; /* as in struct data_operand */
	bool ends;            /* the loop around it, at `end` */
	struct loop_end end;
};

static void find_waited(struct decoder *decoder, const struct elf_image *image, uint64_t address,
			struct waited_access *waited)
{
	struct preceding_code code;

	if (!find_instructions(decoder, image, address, &code))
		return;
	for (const struct insn *insn = code.insns; insn && !ends_search(insn);
	     insn = previous_insn(&code)) {
		const struct operand *found = insn_memory(insn, false);
		int64_t base = 0, index = 0;

		if (!is_waited_for(decoder_arch(decoder), insn, found))
			continue;
		struct operand *memory = &waited->memory;

		waited->insn = insn->address;
		*memory = *found;
		if (!undo_additions(&code, memory->base, &base) ||
		    !undo_additions(&code, memory->index, &index)) {
			/* The address registers were overwritten in between. */
			memory->base = REG_NONE;
			memory->absolute = false;
		}
		waited->index_change = index * memory->scale;
		memory->value += base + waited->index_change;
		return;
	}
}

/* Sets how the last address in the loop around the operand is computed. */
static void describe_end(const struct arch *arch, const struct waited_access *waited,
			 struct data_operand *operand)
{
	operand->ends = waited->ends && operand->known;
	operand->limits_index = waited->end.of_index;
	operand->limit = perf_register(arch, waited->end.limit);
	operand->last_displacement = waited->end.displacement;
}

/* ---- charged accesses ---- */

struct operand_charge {
	const struct dso *dso;
	uint64_t sampled, charged, samples;
	bool store;
};

/* An instruction that is charged with an access to any element of an array in a type. */
struct indexed_insn {
	const struct dso *dso;
	uint64_t sampled;
	uint64_t modulus; /* as in struct data_operand */
};

/* Notes that samples of the place tell elements of an array. */
static void note_indexed(struct operands *operands, const struct resolved_place *place)
{
	uint64_t size = type_size_or(type_strip(place->access.type), 0);
	bool created;
	struct indexed_insn *insn = hash_map_item(
		&operands->elements, hash_combine((uintptr_t)place->dso, place->sampled),
		operands->indexed, operands->indexed_count, operands->indexed_capacity, &created);

	if (created)
		*insn = (struct indexed_insn){ place->dso, place->sampled,
					       place->array.size == ACCESS_SPAN_OPEN ? 0 : size };
	/* charged with accesses to several types */
	if (insn->modulus != size)
		insn->modulus = 0;
}

static const struct indexed_insn *indexed_at(const struct operands *operands, const struct dso *dso,
					     uint64_t address)
{
	const uint32_t *index =
		hash_map_find(&operands->elements, hash_combine((uintptr_t)dso, address));
	const struct indexed_insn *insn = index ? &operands->indexed[*index] : NULL;

	return insn && insn->dso == dso && insn->sampled == address ? insn : NULL;
}

/* Sets whether samples tell elements: all do until accesses to arrays are known. */
static void describe_elements(const struct operands *operands, const struct dso *dso,
			      uint64_t address, struct data_operand *operand)
{
	const struct indexed_insn *insn = indexed_at(operands, dso, address);

	operand->tells_element = insn || !operands->charging;
	operand->element_modulus = insn ? insn->modulus : 0;
}

#define WAY_MAX 1024 /* bytes of code between a charged access and the sample */

struct error *operands_charge(struct operands *operands, const struct resolution *resolution)
{
	hash_map_clear(&operands->known);
	operands->count = 0;
	operands->charging = true;
	array_each (const struct resolved_place, place, resolution->places,
		    resolution->place_count) {
		if (place->dso && place->samples && place->array.size && !place->access.range)
			note_indexed(operands, place);
		if (!place->late || !place->dso || !place->samples ||
		    access_is_none(&place->access))
			continue;

		struct operand_charge *charge = hash_map_item(
			&operands->charged, hash_combine((uintptr_t)place->dso, place->sampled),
			operands->charges, operands->charge_count, operands->charge_capacity, NULL);

		if (charge->samples < place->samples)
			*charge = (struct operand_charge){ .dso = place->dso,
							   .sampled = place->sampled,
							   .charged = place->access.address,
							   .samples = place->samples,
							   .store = place->access.write &&
								    !place->access.read };
	}
	return witnesses_find(&operands->witnesses, &operands->decoder, operands->dso, resolution);
}

static const struct operand_charge *charge_at(const struct operands *operands,
					      const struct dso *dso, uint64_t address)
{
	const uint32_t *index =
		hash_map_find(&operands->charged, hash_combine((uintptr_t)dso, address));

	return index && operands->charges[*index].dso == dso &&
			       operands->charges[*index].sampled == address
		       ? &operands->charges[*index]
		       : NULL;
}

/* The state of following an operand forward, over instructions that run one after the other. */
struct operand_follower {
	struct decoder *decoder;
	const struct elf_image *image;
	struct operand *memory; /* adjusted for what is added to its registers */
	int64_t index_change;   /* as in struct data_operand */
};

/* Adjusts the operand so that its address stays the same after an instruction that adds constants
 * to its registers. Adds the part of the adjustment that is due to the index to *index_change.
 * Returns false if the instruction changes the registers in another way. */
static bool keep_address(const struct insn *insn, struct operand *memory, int64_t *index_change)
{
	uint8_t registers[] = { memory->base, memory->index };
	int64_t factors[] = { 1, memory->scale }, change;

	for (size_t i = 0; i < COUNT_OF(registers); i++) {
		if (!reg_is_general(registers[i]) || !(insn->written & REG_BIT(registers[i])))
			continue;
		if (!insn_adds_constant_64(insn, registers[i], &change))
			return false;
		memory->value -= change * factors[i];
		*index_change -= i == 1 ? change * factors[i] : 0;
	}
	return true;
}

/* Follows the operand over an instruction. False: its address is not known after it. */
static bool operands_follow(struct operand_follower *follower, const struct insn *insn)
{
	return (insn->operation == OP_JUMP || !leaves_line(insn)) &&
	       keep_address(insn, follower->memory, &follower->index_change);
}

/* Follows the instructions from `at` up to `end`. With *loop, the first jump back to `end` or
 * before it is looked for instead, and *loop set to its target. */
static bool follow_to(struct operand_follower *follower, uint64_t at, uint64_t end, uint64_t *loop)
{
	size_t available = 0;
	const uint8_t *bytes = elf_image_code(follower->image, at, &available);
	uint64_t start = at;
	struct insn insn;

	while (bytes && (loop || at < end) && at - start < WAY_MAX && at - start < available) {
		decoder_decode(follower->decoder, bytes + (at - start), available - (at - start),
			       at, &insn);
		if (!insn.length || !operands_follow(follower, &insn))
			return false;
		if (loop && (insn.operation == OP_BRANCH || insn.operation == OP_JUMP) &&
		    insn.operands[0].kind == OPERAND_IMMEDIATE &&
		    (uint64_t)insn.operands[0].value <= end &&
		    end - (uint64_t)insn.operands[0].value < WAY_MAX) {
			*loop = (uint64_t)insn.operands[0].value;
			return true;
		}
		/* code after a jump is reached in another way */
		if (insn.operation == OP_JUMP)
			return false;
		at += insn.length;
	}
	return !loop && at == end;
}

/* Fills in the charged access for samples at `address`. */
static void find_charged(struct decoder *decoder, const struct elf_image *image,
			 const struct operand_charge *charge, uint64_t address,
			 struct waited_access *waited)
{
	size_t available = 0;
	const uint8_t *bytes = elf_image_code(image, charge->charged, &available);
	struct operand_follower follower = { .decoder = decoder,
					     .image = image,
					     .memory = &waited->memory };
	const struct operand *found;
	uint64_t loop = 0;
	struct insn insn;

	if (!bytes || !available)
		return;
	decoder_decode(decoder, bytes, available, charge->charged, &insn);
	found = insn.flags & FLAG_UNKNOWN ? NULL : insn_memory(&insn, charge->store);
	if (!found)
		return;
	waited->ends = loop_end_find(decoder, image, charge->charged, found, address, &waited->end);
	if (charge->charged == address)
		return;
	waited->insn = charge->charged;
	waited->memory = *found;
	if (charge->charged < address ? follow_to(&follower, charge->charged, address, NULL)
				      : follow_to(&follower, charge->charged, address, &loop) &&
						follow_to(&follower, loop, address, NULL)) {
		waited->index_change = follower.index_change;
		return;
	}
	waited->memory.base = REG_NONE;
	waited->memory.absolute = false;
}

/* Returns the access that a late sample waited for, found once, or by two at a time. */
static struct waited_access waited_at(struct operands *operands, struct decoder *decoder,
				      struct dso *dso, const struct elf_image *image,
				      uint64_t address)
{
	uint64_t key = hash_combine((uintptr_t)dso, address);
	struct waited_access waited = { 0 };

	pthread_mutex_lock(&operands->lock);

	const uint32_t *known = hash_map_find(&operands->known, key);

	if (known)
		waited = operands->waited[*known];
	pthread_mutex_unlock(&operands->lock);
	if (known)
		return waited;

	const struct operand_charge *charge = charge_at(operands, dso, address);

	if (charge)
		find_charged(decoder, image, charge, address, &waited);
	else
		find_waited(decoder, image, address, &waited);
	pthread_mutex_lock(&operands->lock);

	*hash_map_item(&operands->known, key, operands->waited, operands->count, operands->capacity,
		       NULL) = waited;
	pthread_mutex_unlock(&operands->lock);
	return waited;
}

uint64_t operands_waited(struct operands *operands, struct dso *dso, uint64_t address)
{
	const struct elf_image *image = dso_image(dso, operands->dso, NULL);

	if (!image || !decoder_switch(&operands->decoder, elf_image_arch(image)))
		return address;

	struct waited_access waited = waited_at(operands, operands->decoder, dso, image, address);

	return waited.insn ?: address;
}

/* Takes a decoder of its own, and opens the object's file. NULL: there is no decoder. */
static struct decoder *take_decoder(struct operands *operands, struct dso *dso,
				    const struct elf_image **image)
{
	struct decoder *decoder = NULL;

	pthread_mutex_lock(&operands->lock);
	*image = dso_image(dso, operands->dso, NULL);
	if (operands->spare_count)
		decoder = operands->spare[--operands->spare_count];
	pthread_mutex_unlock(&operands->lock);
	return decoder ?: decoder_create(arch_default());
}

static void give_decoder_back(struct operands *operands, struct decoder *decoder)
{
	pthread_mutex_lock(&operands->lock);
	array_add(operands->spare, operands->spare_count, operands->spare_capacity) = decoder;
	pthread_mutex_unlock(&operands->lock);
}

static void find_operand_with(struct operands *operands, struct decoder **decoder, struct dso *dso,
			      const struct elf_image *image, uint64_t address, bool store,
			      bool late, struct data_operand *operand)
{
	size_t available = 0;
	const uint8_t *bytes = image ? elf_image_code(image, address, &available) : NULL;
	struct waited_access waited = { 0 };
	struct insn insn;

	if (!bytes || !available || !decoder_switch(decoder, elf_image_arch(image)))
		return;
	if (!elf_image_span(image, address, &operand->start, &operand->end))
		operand->start = operand->end = 0;
	if (late && operands->late)
		waited = waited_at(operands, *decoder, dso, image, address);
	if (waited.insn) {
		describe_operand(decoder_arch(*decoder), dso, &waited.memory, operand);
		operand->index_change = waited.index_change;
		describe_end(decoder_arch(*decoder), &waited, operand);
		return;
	}
	decoder_decode(*decoder, bytes, available, address, &insn);

	const struct operand *memory = insn.flags & FLAG_UNKNOWN ? NULL : insn_memory(&insn, store);

	if (!memory)
		return;
	describe_operand(decoder_arch(*decoder), dso, memory, operand);
	describe_end(decoder_arch(*decoder), &waited, operand);
	/* the count register tells how much an interrupted instruction has left to do */
	if (insn.flags & FLAG_REPEAT && memory->size) {
		operand->repeat = perf_register(decoder_arch(*decoder),
						decoder_arch(*decoder)->repeat_counter);
		operand->size = memory->size;
	}
}

/* Sets the registers that late samples are witnesses by. */
static void keep_registers(const struct operands *operands, const struct dso *dso, uint64_t address,
			   bool late, struct data_operand *operand)
{
	const struct witness *witness =
		late ? witnesses_at(&operands->witnesses, dso, address) : NULL;

	for (size_t i = 0; i < DATA_KEPT_MAX; i++)
		operand->kept[i] = witness ? witness->registers[i] : DATA_OPERAND_NO_REGISTER;
}

static void operands_find_operand(void *data, struct dso *dso, uint64_t address, bool store,
				  bool late, struct data_operand *operand)
{
	struct operands *operands = data;
	const struct elf_image *image;
	struct decoder *decoder = take_decoder(operands, dso, &image);

	operand->base = operand->index = operand->repeat = operand->limit =
		DATA_OPERAND_NO_REGISTER;
	keep_registers(operands, dso, address, late, operand);
	describe_elements(operands, dso, address, operand);
	if (!decoder)
		return;
	find_operand_with(operands, &decoder, dso, image, address, store, late, operand);
	if (decoder)
		give_decoder_back(operands, decoder);
}

/* ---- stores after a load ---- */

#define STORE_REACH_MAX 24 /* instructions */

static bool same_place(const struct operand *a, const struct operand *b)
{
	return a->base == b->base && a->index == b->index && a->scale == b->scale &&
	       a->segment == b->segment && a->absolute == b->absolute && a->value == b->value &&
	       (a->base != REG_NONE || a->absolute);
}

/* Decodes the instruction at an address. Returns the code from there on, *available bytes; NULL: it
 * cannot be read or decoded. */
static const uint8_t *decode_at(struct operands *operands, struct dso *dso, uint64_t address,
				size_t *available, struct insn *insn)
{
	const struct elf_image *image = dso_image(dso, operands->dso, NULL);
	const uint8_t *bytes = image ? elf_image_code(image, address, available) : NULL;

	if (!bytes || !*available || !decoder_switch(&operands->decoder, elf_image_arch(image)))
		return NULL;
	decoder_decode(operands->decoder, bytes, *available, address, insn);
	return insn->flags & FLAG_UNKNOWN ? NULL : bytes;
}

bool operands_stores_back(struct operands *operands, struct dso *dso, uint64_t address)
{
	size_t available = 0, at = 0;
	struct insn insn;
	const uint8_t *bytes = decode_at(operands, dso, address, &available, &insn);
	const struct operand *found = bytes ? insn_memory(&insn, false) : NULL;
	struct operand loaded;
	int64_t index_change = 0;

	if (!found || !found->read)
		return false;
	loaded = *found;
	for (int i = 0;
	     i < STORE_REACH_MAX && insn.length && keep_address(&insn, &loaded, &index_change);
	     i++) {
		at += insn.length;
		if (at >= available)
			return false;
		decoder_decode(operands->decoder, bytes + at, available - at, address + at, &insn);
		if (insn.flags & FLAG_UNKNOWN || ends_search(&insn) || insn.operation == OP_BRANCH)
			return false;
		found = insn_memory(&insn, true);
		if (found && found->write && same_place(found, &loaded))
			return true;
	}
	return false;
}

bool operands_adds(struct operands *operands, struct dso *dso, uint64_t address)
{
	size_t available = 0;
	struct insn insn;

	return decode_at(operands, dso, address, &available, &insn) &&
	       (insn.operation == OP_ADD || insn.operation == OP_SUB) && insn.operand_count &&
	       insn.operands[0].kind == OPERAND_MEMORY;
}

bool operands_polls(struct operands *operands, struct dso *dso, uint64_t address)
{
	const struct elf_image *image = dso_image(dso, operands->dso, NULL);

	return image && decoder_switch(&operands->decoder, elf_image_arch(image)) &&
	       loop_polls(operands->decoder, image, address);
}

/* ---- accesses beside one ---- */

#define FUNCTION_MAX 16384 /* bytes of a function that is decoded */

/* Adds accesses through the base of `memory`, or absolute ones. */
static void add_beside(const struct insn *insn, const struct operand *memory, struct beside *result,
		       size_t *count)
{
	for (size_t i = 0; i < INSN_OPERANDS && i < insn->operand_count && *count < BESIDE_MAX;
	     i++) {
		const struct operand *other = &insn->operands[i];

		if (other->kind == OPERAND_MEMORY && (other->read || other->write) && other->size &&
		    other->base == memory->base && other->absolute == memory->absolute &&
		    other->index == REG_NONE && other->segment == SEGMENT_NONE)
			result[(*count)++] = (struct beside){ .insn = insn->address,
							      .delta = other->value - memory->value,
							      .size = other->size,
							      .read = other->read,
							      .write = other->write };
	}
}

/* Lists the accesses in the block of an instruction, without a call or the like between. */
static size_t list_beside(const struct cfg *code, uint32_t own, struct beside *result)
{
	const struct basic_block *block = &code->blocks[cfg_block_of(code, own)];
	const struct insn *insns = code->insns;
	const struct operand *memory = insn_memory(&insns[own], false);
	size_t count = 0;

	if (!memory || memory->index != REG_NONE || memory->segment != SEGMENT_NONE ||
	    (!memory->absolute &&
	     (!reg_is_general(memory->base) || memory->base == code->arch->stack_pointer)))
		return 0;

	/* the registers that must not change on the way */
	const uint64_t base = operand_registers(memory);

	for (uint32_t i = own;
	     i > block->first && !leaves_line(&insns[i - 1]) && !(insns[i - 1].written & base); i--)
		add_beside(&insns[i - 1], memory, result, &count);
	for (uint32_t i = own; i + 1 < block->first + block->count && !leaves_line(&insns[i]) &&
			       !(insns[i].written & base);
	     i++)
		add_beside(&insns[i + 1], memory, result, &count);
	return count;
}

size_t operands_beside(struct operands *operands, struct dso *dso, uint64_t address,
		       struct beside result[BESIDE_MAX])
{
	const struct elf_image *image = dso_image(dso, operands->dso, NULL);
	const struct symbol *function = image ? dso_symbol_at(dso, operands->dso, address) : NULL;
	size_t available = 0, count = 0;
	struct cfg_range range = {
		.address = function ? function->address : 0,
		.bytes = function ? elf_image_code(image, function->address, &available) : NULL,
	};
	struct cfg *code = NULL;
	int64_t own;

	range.size = function && function->size < available ? function->size : available;
	if (!range.bytes || range.size > FUNCTION_MAX || address - range.address >= range.size ||
	    !decoder_switch(&operands->decoder, elf_image_arch(image)))
		return 0;
	error_destroy(cfg_build(operands->decoder,
				&(struct cfg_request){ .ranges = &range, .range_count = 1 },
				&code));
	own = code ? cfg_find(code, address) : -1;
	if (own >= 0)
		count = list_beside(code, (uint32_t)own, result);
	cfg_destroy(code);
	return count;
}

struct error *operands_init(struct operands *operands, const struct dso_options *dso, bool late)
{
	operands->dso = dso;
	operands->late = late;
	pthread_mutex_init(&operands->lock, NULL);
	RETURN_ERROR(decoder_check(arch_default()));
	operands->decoder = decoder_create(arch_default());
	return NULL;
}

void operands_deinit(struct operands *operands)
{
	decoder_destroy(operands->decoder);
	for (size_t i = 0; i < operands->spare_count; i++)
		decoder_destroy(operands->spare[i]);
	free(operands->spare);
	operands->spare = NULL;
	operands->spare_count = operands->spare_capacity = 0;
	hash_map_deinit(&operands->known);
	free(operands->waited);
	hash_map_deinit(&operands->charged);
	free(operands->charges);
	hash_map_deinit(&operands->elements);
	free(operands->indexed);
	witnesses_deinit(&operands->witnesses);
	operands->decoder = NULL;
}

struct data_operand_finder operands_finder(struct operands *operands)
{
	return (struct data_operand_finder){ .find = operands_find_operand, .data = operands };
}

/* ---- the instruction before ---- */

static bool goes_on_elsewhere(const struct insn *insn)
{
	return insn->operation == OP_RETURN || insn->operation == OP_JUMP ||
	       insn->operation == OP_TRAP;
}

static bool can_access(const struct insn *insn, bool store)
{
	const struct operand *memory = insn_memory(insn, store);

	return memory && (!store || memory->write);
}

static bool find_before(struct decoder *decoder, const uint8_t *bytes, uint64_t start, size_t size,
			uint64_t address, struct insn *before)
{
	*before = (struct insn){ 0 };
	for (uint64_t at = start; at < address; at += before->length) {
		decoder_decode(decoder, bytes + (at - start), size - (at - start), at, before);
		if (!before->length)
			return false;
	}
	return before->length && before->address + before->length == address &&
	       !(before->flags & FLAG_UNKNOWN);
}

bool insn_before(struct dso *dso, const struct dso_options *options, bool store, uint64_t *address)
{
	const struct elf_image *image = dso_image(dso, options, NULL);
	const struct symbol *function = image ? dso_symbol_at(dso, options, *address - 1) : NULL;
	size_t available = 0;
	const uint8_t *bytes =
		function ? elf_image_code(image, function->address, &available) : NULL;
	struct insn before, here;

	if (!bytes || function->address >= *address || *address - function->address >= available)
		return false;
	struct decoder *decoder = decoder_create(elf_image_arch(image));

	if (!decoder)
		return false;
	bool found = find_before(decoder, bytes, function->address, available, *address, &before) &&
		     !goes_on_elsewhere(&before) && can_access(&before, store);
	size_t offset = *address - function->address;

	decoder_decode(decoder, bytes + offset, available - offset, *address, &here);
	decoder_destroy(decoder);
	if (!found || here.flags & FLAG_REPEAT)
		return false;
	*address = before.address;
	return true;
}
