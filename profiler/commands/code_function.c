// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/code_function.h"

#include <stdlib.h>

#include "annotate/annotator.h"
#include "disasm/code.h"
#include "profiler/base/memory.h"

void code_function_release(struct code_function *function)
{
	free(function->samples);
	free(function->insns);
	free(function->accesses);
}

static uint64_t function_size(const struct code_function *function, const struct dso_options *options)
{
	const struct symbol *symbol = dso_symbol_at(function->dso, options, function->address);
	uint64_t size = symbol && symbol->address == function->address ? symbol->size : 0;

	/* samples may lie behind what a wrong symbol table says */
	if (function->sample_count) {
		uint64_t last = function->samples[function->sample_count - 1].address;

		if (size <= last - function->address)
			size = last - function->address + 1;
	}
	return size < CODE_SIZE_MAX ? size : CODE_SIZE_MAX;
}

void code_function_decode(struct code_function *function, struct decoder *decoder,
			  const struct dso_options *options)
{
	const struct elf_image *image = dso_image(function->dso, options, &function->problem);
	uint64_t size = function_size(function, options);
	size_t available = 0, capacity = 0;

	if (!image)
		return;
	if (!elf_image_is_x86_64(image)) {
		function->problem = "it is a 32-bit program, whose instructions are not decoded";
		return;
	}
	function->bytes = elf_image_bytes(image, function->address, &available);
	if (!function->bytes) {
		function->problem = "the file has no code at its address";
		return;
	}
	if (size > available)
		size = available;
	for (uint64_t offset = 0; offset < size;) {
		array_reserve(function->insns, function->insn_count, capacity);

		struct insn *insn = &function->insns[function->insn_count++];

		/* the last instruction may be longer than a size that is not known well */
		decoder_decode(decoder, function->bytes + offset, available - offset,
			       function->address + offset, insn);
		offset += insn->length;
	}
}

static size_t count_insns(const struct code_function *functions, size_t count, const struct dso *dso)
{
	size_t insns = 0;

	for (size_t i = 0; i < count; i++)
		if (functions[i].dso == dso)
			insns += functions[i].insn_count;
	return insns;
}

static struct error *resolve_addresses(struct dso *dso, const struct dso_options *dso_options, bool no_infer,
				       unsigned int threads, const uint64_t *addresses, size_t count,
				       struct access *accesses)
{
	const char *problem;
	const struct elf_image *image = dso_image(dso, dso_options, &problem);
	struct debug_object *debug = dso_debug(dso, dso_options, &problem);
	struct annotator_options options = { .no_infer = no_infer, .threads = threads };
	struct annotator *annotator;

	RETURN_ERROR(annotator_create(image, debug, &options, &annotator));

	struct error *error = annotator_resolve(annotator, addresses, NULL, count, accesses);

	annotator_destroy(annotator);
	return error;
}

/* All functions of one object at once, so that its threads have something to share. */
static struct error *resolve_object(struct code_function *functions, size_t count, struct dso *dso,
				    const struct dso_options *dso_options, bool no_infer,
				    unsigned int threads)
{
	size_t insn_count = count_insns(functions, count, dso), next = 0;
	uint64_t *addresses _cleanup_free_ = xcalloc(insn_count, sizeof(*addresses));
	struct access *accesses _cleanup_free_ = xcalloc(insn_count, sizeof(*accesses));

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; functions[i].dso == dso && k < functions[i].insn_count; k++)
			addresses[next++] = functions[i].insns[k].address;
	RETURN_ERROR(resolve_addresses(dso, dso_options, no_infer, threads, addresses, insn_count, accesses));
	next = 0;
	for (size_t i = 0; i < count; i++) {
		if (functions[i].dso != dso)
			continue;
		functions[i].accesses = xcalloc(functions[i].insn_count, sizeof(*accesses));
		for (size_t k = 0; k < functions[i].insn_count; k++)
			functions[i].accesses[k] = accesses[next++];
	}
	return NULL;
}

struct error *code_functions_resolve(struct code_function *functions, size_t count,
				     const struct dso_options *dso_options, bool no_infer,
				     unsigned int threads)
{
	for (size_t i = 0; i < count; i++) {
		if (!functions[i].insn_count || functions[i].accesses)
			continue;

		struct error *error =
			resolve_object(functions, count, functions[i].dso, dso_options, no_infer, threads);

		if (error)
			return error_prefix(error, "%s", functions[i].dso->long_name);
	}
	return NULL;
}
