// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes a companion: lists the code of an object, solves all instructions that access memory at
 * once, and writes what was found in the order of addresses.
 */
#include "annotate/index/index.h"

#include <stdlib.h>

#include "annotate/companion/accesses.h"
#include "annotate/index/private.h"
#include "annotate/solve/type_resolver.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "dwarf/btf/encode.h"

/* The questions about all instructions that access memory, in the order of their addresses. */
struct questions {
	struct type_resolver_sample *items;
	struct access *answers;
	size_t count, capacity;
};

static void add_question(struct questions *questions, uint64_t address, bool store,
			 uint8_t argument)
{
	array_reserve(questions->items, questions->count, questions->capacity);
	questions->items[questions->count++] = (struct type_resolver_sample){
		.address = address, .samples = 1, .store = store, .argument = argument
	};
}

/* The arguments of bulk memory functions that are asked for: see bulk.c. */
#define ARGUMENTS 5

static void list_questions(const struct code_runs *runs, struct questions *questions)
{
	for (size_t i = 0; i < runs->count; i++) {
		uint64_t at = runs->items[i].low;

		for (size_t k = 0; k < runs->items[i].note_count; k++) {
			const struct note *note = &runs->items[i].notes[k];

			if (note->flags & NOTE_MEMORY)
				add_question(questions, at, false, 0);
			if (note->flags & NOTE_TWO)
				add_question(questions, at, true, 0);
			for (uint8_t n = 1; note->flags & NOTE_BULK && n <= ARGUMENTS; n++)
				add_question(questions, at, false, n);
			at += note->length;
		}
	}
}

static void count_access(const struct companion_insn *insn, struct index_counts *counts)
{
	const struct access *access = &insn->load;

	counts->instructions++;
	if (insn->fused || (!access->read && !access->write))
		return;
	counts->accesses++;
	counts->typed += access->kind == ACCESS_TYPE;
}

/* Writes the answers of a run; returns how many there were. */
static size_t add_answers(struct companion_builder *builder, const struct code_run *run,
			  const struct access *answers, struct index_counts *counts)
{
	static const uint8_t arguments[ARGUMENTS] = { 0, 1, 2, 3, 4 };
	_cleanup_free_ struct companion_insn *insns = xcalloc(run->note_count, sizeof(*insns));
	uint64_t at = run->low;
	size_t taken = 0;
	bool refused = false;

	for (size_t i = 0; i < run->note_count; i++) {
		const struct note *note = &run->notes[i];
		struct companion_insn *insn = &insns[i];

		insn->length = note->length;
		insn->load.kind = ACCESS_NO_MEMORY;
		if (note->flags & NOTE_MEMORY)
			insn->load = answers[taken++];
		if (note->flags & NOTE_TWO)
			insn->store = answers[taken++];
		if (note->flags & NOTE_BULK) {
			companion_add_call(builder, at, arguments, answers + taken, ARGUMENTS);
			taken += ARGUMENTS;
		}
		insn->two = note->flags & NOTE_TWO;
		insn->fused = note->flags & NOTE_FUSED && insn->load.kind != ACCESS_NO_MEMORY;
		refused |= insn->load.kind == ACCESS_UNKNOWN && insn->load.reason == REASON_MAX;
		count_access(insn, counts);
		at += note->length;
	}
	/* a function that is too large to be solved has one answer for all */
	for (size_t i = 0; refused && i < run->note_count; i++)
		insns[i].load = insns[i].store =
			(struct access){ .kind = ACCESS_UNKNOWN, .reason = REASON_MAX };
	companion_add_accesses(builder, run->low, run->high - run->low, insns, run->note_count);
	return taken;
}

static bool place_of(void *data, const struct type *type, struct type_place *place)
{
	return debug_reader_type_place(data, type, place);
}

static struct error *solve_all(const struct elf_image *image, struct debug_object *debug,
			       const struct index_options *options, const struct code_runs *runs,
			       struct questions *questions)
{
	struct type_resolver_options resolver_options = {
		.fused = true,
		.threads = options->threads,
	};
	struct type_resolver *resolver;

	struct type_resolver_charges charges;

	list_questions(runs, questions);
	questions->answers = xcalloc(questions->count + 1, sizeof(*questions->answers));
	RETURN_ERROR(type_resolver_create(image, debug, &resolver_options, &resolver));
	struct error *error =
		type_resolver_charge(resolver, questions->items, questions->count, &charges);

	type_resolver_destroy(resolver);
	for (size_t i = 0; i < charges.count; i++)
		questions->answers[charges.items[i].sample] = charges.items[i].access;
	free(charges.items);
	return error;
}

/* The symbols, which the object may be stripped of. */
static void add_symbols(struct companion_builder *builder, const struct elf_image *image)
{
	struct companion_writer *writer = companion_builder_part(builder, COMPANION_SYMBOLS);
	const struct elf_image *file = elf_image_symbol_file(image);

	elf_image_copy_symbols(file ? file : image, &writer->item);
	if (writer->item.length)
		companion_writer_end_item(writer, 0);
}

/* Makes the code of a kernel look as it runs, before it is decoded. */
static void patch_code(const struct index_options *options, const struct code_runs *runs)
{
	_cleanup_free_ uint64_t *addresses = xcalloc(runs->count + 1, sizeof(*addresses));

	for (size_t i = 0; i < runs->count; i++)
		addresses[i] = runs->items[i].low;
	if (options->apply_alternatives)
		options->apply_alternatives(options->apply_alternatives_data, addresses,
					    runs->count);
}

static struct error *write_all(const struct elf_image *image, struct debug_object *debug,
			       struct debug_reader *reader, const struct code_runs *runs,
			       const struct questions *questions, struct strbuf *file,
			       struct index_counts *counts)
{
	struct companion_builder *builder;
	struct companion_extra btf = { .name = ".BTF" };
	void *bytes = NULL;
	struct btf_losses losses;
	size_t taken = 0;
	struct error *error = debug_object_write_btf(debug, image, &bytes, &btf.size, &losses);

	/* an object whose types come from BTF has it already */
	if (error && error->code != ERROR_UNSUPPORTED)
		return error;
	error_destroy(error);
	btf.bytes = bytes;
	builder = companion_builder_create(image, place_of, reader);
	companion_add_rules(builder);
	for (size_t i = 0; i < runs->count; i++) {
		taken += add_answers(builder, &runs->items[i], questions->answers + taken, counts);
		counts->functions += runs->items[i].range_count > 0;
	}
	index_add_places(builder, reader, runs);
	index_add_records(builder, reader, runs);
	index_add_files(builder, reader);
	index_add_variables(builder, reader, image);
	add_symbols(builder, image);
	companion_builder_types(builder, &counts->types);
	companion_builder_finish(builder, &btf, bytes ? 1 : 0, file);
	companion_builder_destroy(builder);
	free(bytes);
	return NULL;
}

struct error *index_object(const struct elf_image *image, struct debug_object *debug,
			   const struct index_options *options, struct strbuf *file,
			   struct index_counts *counts)
{
	struct code_runs runs = { 0 };
	struct questions questions = { 0 };
	struct debug_reader *reader;
	unsigned int threads = options->threads ? options->threads : parallel_default_threads();

	*counts = (struct index_counts){ 0 };
	if (!elf_image_arch(image))
		return error_create(ERROR_UNSUPPORTED, "%s: code of this processor is not decoded",
				    elf_image_path(image));
	RETURN_ERROR(debug_reader_open(debug, &reader));
	struct error *error = runs_find(image, reader, &runs);

	if (!error)
		patch_code(options, &runs);
	if (!error)
		error = runs_decode(image, debug, &runs, threads);
	if (!error)
		error = solve_all(image, debug, options, &runs, &questions);
	if (!error)
		error = write_all(image, debug, reader, &runs, &questions, file, counts);
	free(questions.items);
	free(questions.answers);
	runs_deinit(&runs);
	debug_reader_close(reader);
	return error;
}
