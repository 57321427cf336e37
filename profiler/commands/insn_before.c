// SPDX-License-Identifier: GPL-2.0-or-later
/* The instruction before: see insn_before.h. */
#include "profiler/commands/insn_before.h"

#include "disasm/decoder.h"

static bool goes_on_elsewhere(const struct insn *insn)
{
	return insn->operation == OP_RETURN || insn->operation == OP_JUMP || insn->operation == OP_TRAP;
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
	const char *problem;
	const struct elf_image *image = dso_image(dso, options, &problem);
	const struct symbol *function = image ? dso_symbol_at(dso, options, *address - 1) : NULL;
	size_t available = 0;
	const uint8_t *bytes = function ? elf_image_code(image, function->address, &available) : NULL;
	struct decoder *decoder;
	struct insn before, here;

	if (!bytes || function->address >= *address || *address - function->address >= available)
		return false;
	struct error *error = decoder_create(&decoder);

	if (error) {
		error_free(error);
		return false;
	}
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
