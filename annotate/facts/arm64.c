// SPDX-License-Identifier: GPL-2.0-or-later
/* The facts of arm64 that need types or symbols: see abi.h. "AAPCS64" is the Procedure Call
 * Standard for the Arm 64-bit Architecture. */

#include "annotate/facts/abi.h"
#include "annotate/types/field.h"
#include "base/arch/arm64.h"
#include "base/memory.h"

/* ---- arguments and results */

/* The most members of a homogeneous aggregate (AAPCS64 5.9.5), and the most levels of types that
 * are looked into. */
#define HOMOGENEOUS_MAX 4
#define DEPTH_MAX       8
/* of four long doubles */
#define HOMOGENEOUS_SIZE_MAX 64

/* The members of a type, if all of it is floating-point numbers of one size. */
struct homogeneous {
	uint64_t size;  /* bytes of each number; 0: none yet */
	uint64_t count; /* more than HOMOGENEOUS_MAX: it is not homogeneous */
};

static void add_floats(struct homogeneous *numbers, uint64_t size, uint64_t count)
{
	if (!numbers->size)
		numbers->size = size;
	numbers->count +=
		numbers->size == size && count <= HOMOGENEOUS_MAX ? count : HOMOGENEOUS_MAX + 1;
}

static void find_numbers(const struct type *type, struct homogeneous *numbers, unsigned int depth)
{
	const struct type *bare = type_strip(type);
	uint64_t size = type_size_or(bare, 0);

	if (depth > DEPTH_MAX || numbers->count > HOMOGENEOUS_MAX || size > HOMOGENEOUS_SIZE_MAX ||
	    type_is_vast(bare)) {
		numbers->count = HOMOGENEOUS_MAX + 1;
		return;
	}
	if (bare->kind == TYPE_ARRAY) {
		struct homogeneous element = { 0 };
		uint64_t each = field_size(type_target(bare));

		find_numbers(type_target(bare), &element, depth + 1);
		add_floats(numbers, element.size,
			   each ? element.count * (size / each) : HOMOGENEOUS_MAX + 1);
		return;
	}
	if (!type_is_record(bare)) {
		/* a complex number has two */
		bool pair = bare->kind == TYPE_FLOAT && bare->name && strstr(bare->name, "omplex");

		add_floats(numbers, bare->kind == TYPE_FLOAT ? size / (pair ? 2 : 1) : 0,
			   bare->kind == TYPE_FLOAT ? (pair ? 2 : 1) : HOMOGENEOUS_MAX + 1);
		return;
	}
	size_t count;
	const struct member *members = type_members(bare, &count);
	struct homogeneous most = { 0 };

	for (size_t i = 0; i < count; i++) {
		struct homogeneous member = *numbers;

		if (bare->kind != TYPE_UNION) {
			find_numbers(members[i].type, numbers, depth + 1);
			continue;
		}
		find_numbers(members[i].type, &member, depth + 1);
		most = member.count > most.count ? member : most;
	}
	if (bare->kind == TYPE_UNION)
		*numbers = most;
}

/* Classifies a value (AAPCS64 6.8.2, B.4 and C.12 to C.16). False for one of more than 16 bytes
 * that is not up to four floating-point numbers. */
static bool arm64_classify(const struct type *type, enum argument_class classes[2])
{
	uint64_t size = field_size(type);
	struct homogeneous numbers = { 0 };

	classes[0] = classes[1] = ARGUMENT_NONE;
	if (!size)
		return true;
	find_numbers(type, &numbers, 0);
	if (numbers.count && numbers.count <= HOMOGENEOUS_MAX) {
		classes[0] = ARGUMENT_VECTOR;
		classes[1] = size > 8 ? ARGUMENT_VECTOR : ARGUMENT_NONE;
		return true;
	}
	classes[0] = ARGUMENT_INTEGER;
	classes[1] = size > 8 ? ARGUMENT_INTEGER : ARGUMENT_NONE;
	return size <= 16;
}

/* ---- references to code */

#define INSN_SIZE 4

static uint32_t word_of(const uint8_t *code, size_t offset)
{
	uint32_t word;

	memcpy(&word, code + offset, sizeof(word));
	return word;
}

static int64_t signed_bits(uint32_t word, unsigned int low, unsigned int count)
{
	return (int64_t)((uint64_t)(word >> low) << (64 - count)) >> (64 - count);
}

static unsigned int arm64_jump_length(const uint8_t *bytes, size_t available)
{
	return available >= INSN_SIZE && word_of(bytes, 0) >> 26 == 0x05 ? INSN_SIZE : 0;
}

/* True if memory is accessed at an unsigned, scaled offset, at a signed one, or in a pair, from a
 * register other than the stack pointer: then *offset is its distance, and *size the bytes of a
 * register. */
static bool access_of(uint32_t word, int64_t *offset, unsigned int *size)
{
	bool vector = word >> 26 & 1;

	if ((word >> 5 & 31) == 31)
		return false;
	if ((word >> 27 & 7) == 7 && !(word >> 25 & 1)) {
		*size = 1U << (word >> 30);
		if (vector && word >> 23 & 1)
			*size = 16;
		if (word >> 24 & 1)
			*offset = (int64_t)(word >> 10 & 0xfff) * *size;
		else if (!(word >> 21 & 1))
			*offset = (word >> 10 & 3) == 1 ? 0 : signed_bits(word, 12, 9);
		else
			return !(word >> 10 & 3) && (*offset = 0, true);
		return true;
	}
	if ((word >> 27 & 7) == 5 && !(word >> 25 & 1)) {
		*size = vector ? 4U << (word >> 30) : word >> 31 ? 8 : 4;
		*offset = (word >> 23 & 3) == 1 ? 0 : signed_bits(word, 15, 7) * *size;
		return true;
	}
	*offset = 0;
	*size = 0;
	/* exclusive and ordered accesses, and those of structures, have no offset */
	return (word >> 27 & 7) == 1 && !(word >> 25 & 1);
}

static bool accesses_at(const uint8_t *code, size_t size, int64_t distance, bool words)
{
	for (size_t i = 0; i + INSN_SIZE <= size; i += INSN_SIZE) {
		uint32_t word = word_of(code, i);
		unsigned int width;
		int64_t offset;

		if (!access_of(word, &offset, &width) || (words && width < 8))
			continue;
		if (offset == distance || offset + width == distance ||
		    (width == 16 && offset + 8 == distance))
			return true;
	}
	return false;
}

static bool arm64_may_move(const uint8_t *code, size_t size, int64_t distance)
{
	return accesses_at(code, size, distance, true);
}

static bool arm64_may_access(const uint8_t *code, size_t size, int64_t distance)
{
	return accesses_at(code, size, distance, false);
}

/* Tests of one bit and comparisons with constants are too common to be told apart by their
 * constants alone: those of more than 12 bits are made in registers. */
static bool arm64_may_compare(const uint8_t *code, size_t size, uint64_t number)
{
	(void)code;
	(void)number;
	return size >= INSN_SIZE;
}

static size_t arm64_find_call(const uint8_t *code, size_t size, size_t from, int64_t *target)
{
	for (size_t i = (from + INSN_SIZE - 1) & ~(size_t)(INSN_SIZE - 1); i + INSN_SIZE <= size;
	     i += INSN_SIZE) {
		uint32_t word = word_of(code, i);

		if ((word & 0x7c000000) != 0x14000000) /* b and bl */
			continue;
		*target = (int64_t)i + signed_bits(word, 0, 26) * 4;
		return i;
	}
	return size;
}

/*
 * ---- alternatives
 *
 * arch/arm64/include/asm/alternative-macros.h and alternative.h: struct alt_instr has the distances
 * from its first two fields to the code and to its replacement, the number of a feature of the
 * processor, and the bytes of both. Without a replacement a function of the kernel writes one: of a
 * jump it makes nops (alt_cb_patch_nops).
 */
#define ALTERNATIVE_SIZE 12
#define NOP              0xd503201fU

/* Finds where the instruction at `address` goes on, if it is a jump or a nop. */
static bool way_on(uint32_t word, uint64_t address, uint64_t *target)
{
	bool jumps = word >> 26 == 0x05;

	*target = address + (jumps ? (uint64_t)signed_bits(word, 0, 26) * 4 : INSN_SIZE);
	return jumps || word == NOP;
}

/* Adds the way on from a replaced instruction, unless the instruction in the file has the same. */
static void add_way(const struct elf_image *image, uint64_t site, uint64_t replacement,
		    struct static_branches *branches)
{
	uint32_t before, after = NOP;
	uint64_t from, to;

	if (!elf_image_read(image, site, &before, sizeof(before), true) ||
	    (replacement && !elf_image_read(image, replacement, &after, sizeof(after), true)) ||
	    !way_on(before, site, &from) || !way_on(after, replacement ? replacement : site, &to))
		return;
	if (after == NOP)
		to = site + INSN_SIZE;
	if (to != from)
		array_add(branches->items, branches->count, branches->capacity) =
			(struct static_branch){ site, to, false };
}

static void arm64_find_alternatives(const struct elf_image *image, struct static_branches *branches)
{
	struct elf_section section;
	size_t available;
	const uint8_t *entries = elf_image_section_named(image, ".altinstructions", &section)
					 ? elf_image_bytes(image, section.address, &available)
					 : NULL;

	for (size_t at = 0;
	     entries && at + ALTERNATIVE_SIZE <= available && at + ALTERNATIVE_SIZE <= section.size;
	     at += ALTERNATIVE_SIZE) {
		uint64_t place = section.address + at;
		uint64_t site = place + (uint64_t)(int64_t)(int32_t)word_of(entries, at);
		uint64_t other = place + 4 + (uint64_t)(int64_t)(int32_t)word_of(entries, at + 4);
		uint8_t bytes = entries[at + 10], other_bytes = entries[at + 11];

		for (uint8_t i = 0; i < bytes && (!other_bytes || i < other_bytes); i += INSN_SIZE)
			add_way(image, site + i, other_bytes ? other + i : 0, branches);
	}
}

/* ---- the architecture */

static const struct own_convention conventions[] = {
	/* calls that -pg puts at a function's start */
	{ "_mcount", false, 0 },
	/* code that LLVM's outliner has taken out of several functions, as it was there */
	{ "OUTLINED_FUNCTION_*", false, GENERAL_MASK & ~REG_BIT(REG_SP) },
};

/* Functions in assembly of Go's runtime (runtime/asm_arm64.s, mkduff.go). Those of write barriers
 * save what they use, but for what later versions return. */
static const struct own_convention go_conventions[] = {
	{ "runtime.gcWriteBarrier", false, REG_BIT(25) | REG_BIT(27) | REG_BIT(REG_X30) },
	{ "runtime.gcWriteBarrier*", false, REG_BIT(25) | REG_BIT(27) | REG_BIT(REG_X30) },
	{ "runtime.wbZero", false, REG_BIT(REG_X30) },
	{ "runtime.wbMove", false, REG_BIT(REG_X30) },
	/* the code around it saves and restores arguments; it preserves the context register
	 * itself */
	{ "runtime.morestack", false,
	  GENERAL_MASK & ~(REG_BIT(REG_SP) | REG_BIT(REG_X29) | REG_BIT(REG_X28) | REG_BIT(26)) },
	{ "runtime.duffzero", false, REG_BIT(16) | REG_BIT(17) | REG_BIT(20) | REG_BIT(REG_X30) },
	{ "runtime.duffcopy", false,
	  REG_BIT(16) | REG_BIT(17) | REG_BIT(20) | REG_BIT(21) | REG_BIT(26) | REG_BIT(27) |
		  REG_BIT(REG_X30) },
};

/* Members of struct abi that code of all languages has. */
#define CODE                                                                                       \
	.arch = &arch_arm64, .classify = arm64_classify, .jump_length = arm64_jump_length,         \
	.find_call = arm64_find_call, .may_move = arm64_may_move, .may_access = arm64_may_access,  \
	.may_compare = arm64_may_compare

static const struct abi abi_go_arm64 = {
	CODE,
	GO_RUNTIME,
	.call = &arch_arm64.go_call,
	.conventions = go_conventions,
	.convention_count = COUNT_OF(go_conventions),
};

static const struct abi abi_rust_arm64 = {
	CODE,
	.call = &arch_arm64.call,
	.by_address = true,
	.passing = abi_pass_rust,
};

const struct abi abi_arm64 = {
	CODE,
	.call = &arch_arm64.call,
	.go = &abi_go_arm64,
	.rust = &abi_rust_arm64,
	.by_address = true,
	.conventions = conventions,
	.convention_count = COUNT_OF(conventions),
	.current_task = "task_struct",
	.thunk_prefix = "__arm64_thunk_", /* there are none */
	.indirect_thunks = (const char *const[]){ NULL },
	.find_alternatives = arm64_find_alternatives,
};
