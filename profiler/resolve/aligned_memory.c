// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Objects that a program aligns where it allocates them:
 *
 *     struct sums *sums = aligned_alloc(64, threads * sizeof(*sums));
 *
 * The type does not show it. But the call is in the code, with the alignment as a constant, and the
 * function that makes the call usually accesses the new objects, to fill them in or to hand them
 * out.
 *
 * The answer alone is not enough. Objects are taken to be aligned on purpose only if the addresses
 * that samples have seen are aligned as well.
 */

#include "annotate/facts/abi.h"
#include "annotate/solve/type_resolver.h"
#include "disasm/insn.h"
#include "dwarf/elf/image.h"
#include "base/memory.h"
#include "profiler/resolve/private.h"

/* Functions that return aligned memory, and the number of that argument, from 0. */
static const struct {
	const char *name;
	unsigned int argument;
} allocators[] = {
	/* C11 7.22.3.1, POSIX posix_memalign(3), memalign(3) */
	{ "aligned_alloc", 0 },
	{ "memalign", 0 },
	{ "posix_memalign", 1 },
	/* C++17: operator new and new[] of (size, align_val_t), and with nothrow_t */
	{ "_ZnwmSt11align_val_t", 1 },
	{ "_ZnamSt11align_val_t", 1 },
	{ "_ZnwmSt11align_val_tRKSt9nothrow_t", 1 },
	{ "_ZnamSt11align_val_tRKSt9nothrow_t", 1 },
};

#define ALIGNMENT_MAX 4096 /* a page: aligned for other reasons */

/* An address that allocators[allocator] is called at: itself, or its PLT stub. */
struct aligning_target {
	uint64_t address;
	size_t allocator;
};

struct aligning_targets {
	struct aligning_target items[2 * COUNT_OF(allocators)];
	size_t count;
};

static void find_targets(const struct elf_image *image, struct aligning_targets *targets)
{
	for (size_t i = 0; i < COUNT_OF(allocators); i++) {
		_cleanup_free_ char *stub = xasprintf("%s@plt", allocators[i].name);
		const char *const names[] = { stub, allocators[i].name };

		for (size_t k = 0; k < COUNT_OF(names); k++) {
			struct aligning_target *target = &targets->items[targets->count];

			target->allocator = i;
			targets->count +=
				elf_image_symbol_address(image, names[k], &target->address);
		}
	}
}

/* A function that is read. */
struct allocating_code {
	struct decoder *decoder;
	const uint8_t *bytes;
	uint64_t address, size;
	uint64_t *accesses; /* addresses of its instructions with memory operands */
	size_t count, capacity;
};

/* Constants in the argument registers, along a straight line. */
struct known_arguments {
	uint64_t values[ARGUMENT_REGISTERS_MAX];
	bool known[ARGUMENT_REGISTERS_MAX];
};

static void follow_constants(const struct arch *arch, const struct insn *insn,
			     struct known_arguments *constants)
{
	const struct operand *to = &insn->operands[0], *from = &insn->operands[1];

	for (size_t i = 0; i < arch->call.argument_count; i++) {
		uint8_t reg = arch->call.arguments[i];

		if (insn->operation == OP_CALL)
			constants->known[i] = false;
		if (!reg_is_general(reg) || !(insn->written & REG_BIT(reg)))
			continue;
		constants->known[i] = insn->operation == OP_MOVE && insn->operand_count == 2 &&
				      operand_is_reg(to, reg) && from->kind == OPERAND_IMMEDIATE;
		constants->values[i] = (uint64_t)from->value;
	}
}

static uint64_t asked_alignment(const struct insn *insn, const struct aligning_targets *targets,
				const struct known_arguments *constants)
{
	uint64_t address;

	if ((insn->operation != OP_CALL && insn->operation != OP_JUMP) ||
	    !insn_direct_target(insn, &address))
		return 0;
	for (size_t i = 0; i < targets->count; i++) {
		unsigned int argument = allocators[targets->items[i].allocator].argument;
		uint64_t value = constants->values[argument];

		if (targets->items[i].address == address && constants->known[argument] &&
		    value <= ALIGNMENT_MAX && has_one_bit(value))
			return value;
	}
	return 0;
}

/* Returns the largest alignment that the function asks for, or 0, and lists its accesses. */
static uint64_t read_function(struct allocating_code *caller,
			      const struct aligning_targets *targets)
{
	struct known_arguments constants = { 0 };
	uint64_t alignment = 0;
	struct insn insn;

	caller->count = 0;
	for (uint64_t at = 0; at < caller->size; at += insn.length) {
		uint64_t asked;

		decoder_decode(caller->decoder, caller->bytes + at, caller->size - at,
			       caller->address + at, &insn);
		if (!insn.length)
			break;
		asked = asked_alignment(&insn, targets, &constants);
		alignment = asked > alignment ? asked : alignment;
		follow_constants(decoder_arch(caller->decoder), &insn, &constants);
		if (!insn_memory(&insn, false))
			continue;
		array_add(caller->accesses, caller->count, caller->capacity) = insn.address;
	}
	return alignment;
}

static void add_type(struct aligned_types *types, const struct type *type, uint64_t alignment)
{
	for (size_t i = 0; i < types->count; i++)
		if (types->items[i].type == type) {
			raise_to(types->items[i].alignment, alignment);
			return;
		}
	array_add(types->items, types->count, types->capacity) =
		(struct aligned_type){ type, alignment };
}

static void add_types(const struct allocating_code *caller, struct type_resolver *resolver,
		      uint64_t alignment, struct aligned_types *types)
{
	_cleanup_free_ struct access *accesses = xcalloc(caller->count, sizeof(*accesses));

	type_resolver_resolve(resolver, caller->accesses, NULL, caller->count, accesses);
	for (size_t i = 0; i < caller->count; i++)
		if (accesses[i].kind == ACCESS_TYPE)
			add_type(types, type_strip(accesses[i].type), alignment);
}

/* Adds the types in functions that call the targets, with the alignments of the calls. */
static struct error *read_object(const struct elf_image *image, struct debug_object *debug,
				 const struct aligning_targets *targets,
				 struct aligned_types *types)
{
	struct type_resolver_options options = { 0 };
	struct type_resolver *resolver;
	struct allocating_code caller = { 0 };
	size_t count;
	const struct symbol *symbols = elf_image_symbols(image, &count);

	RETURN_ERROR(decoder_check(abi_of_image(image)->arch));
	RETURN_ERROR(type_resolver_create(image, debug, &options, &resolver));
	caller.decoder = decoder_create(abi_of_image(image)->arch);
	for (size_t i = 0; i < count; i++) {
		size_t available = 0;
		uint64_t alignment;

		if (!symbol_is_function(&symbols[i]) ||
		    (i && symbols[i - 1].address == symbols[i].address))
			continue;
		caller.bytes = elf_image_code(image, symbols[i].address, &available);
		if (!caller.bytes)
			continue;
		caller.address = symbols[i].address;
		caller.size = symbols[i].size < available ? symbols[i].size : available;
		alignment = read_function(&caller, targets);
		if (alignment)
			add_types(&caller, resolver, alignment, types);
	}
	type_resolver_destroy(resolver);
	decoder_destroy(caller.decoder);
	free(caller.accesses);
	return NULL;
}

struct error *aligned_types_find(struct dso *dso, const struct dso_options *options,
				 struct aligned_types *types)
{
	const struct elf_image *image = dso_image(dso, options, NULL);
	struct debug_object *debug = image ? dso_debug(dso, options, NULL) : NULL;
	struct aligning_targets targets = { 0 };

	if (!debug || dso->kind == DSO_KERNEL)
		return NULL;
	find_targets(image, &targets);
	return targets.count ? read_object(image, debug, &targets, types) : NULL;
}

uint64_t aligned_types_alignment(const struct aligned_types *types, const struct type *type)
{
	for (size_t i = 0; i < types->count; i++)
		if (types->items[i].type == type_strip(type))
			return types->items[i].alignment;
	return 0;
}
