// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes a companion: lists the code of an object, solves all instructions that access memory, and
 * writes what was found in the order of addresses.
 */
#include "annotate/index/index.h"

#include "annotate/companion/accesses.h"
#include "annotate/index/private.h"
#include "annotate/solve/type_resolver.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "disasm/insn.h"
#include "dwarf/btf/encode.h"

/* The questions about all instructions that access memory, in the order of their addresses. */
struct questions {
	struct type_resolver_sample *items;
	size_t count, capacity;
};

static void add_question(struct questions *questions, uint64_t address, bool store,
			 uint8_t argument)
{
	array_add(questions->items, questions->count, questions->capacity) =
		(struct type_resolver_sample){
			.address = address, .samples = 1, .store = store, .argument = argument
		};
}

/* The arguments of bulk memory functions that are asked for: see bulk.c. */
#define ARGUMENTS 5

static void list_questions(const struct code_run *run, struct questions *questions)
{
	uint64_t at = run->low;

	array_each (const struct note, note, run->notes, run->note_count) {
		if (note->flags & NOTE_MEMORY)
			add_question(questions, at, false, 0);
		if (note->flags & NOTE_TWO)
			add_question(questions, at, true, 0);
		for (uint8_t n = 1; note->flags & NOTE_BULK && n <= ARGUMENTS; n++)
			add_question(questions, at, false, n);
		at += note->length;
	}
}

static void count_access(const struct companion_insn *insn, struct index_counts *counts)
{
	const struct access *access = &insn->load;

	if (insn->fused || (!access->read && !access->write))
		return;
	counts->accesses++;
	counts->typed += access->kind == ACCESS_TYPE;
}

static void keep_call(struct companion_accesses *accesses, struct code_run *run, uint64_t address,
		      const struct access *answers)
{
	static const uint8_t arguments[ARGUMENTS] = { 0, 1, 2, 3, 4 };
	struct kept_call *call;

	call = &array_add(run->calls, run->call_count, run->call_capacity);
	*call = (struct kept_call){ .address = address, .item = STRBUF_INIT };
	companion_add_call(accesses, arguments, answers, ARGUMENTS, &call->item);
}

/* Gives all instructions of a function that is too large to be solved one answer. */
static void refuse_all(const struct code_run *run, struct companion_insn **insns, size_t *count)
{
	static const struct access refused = { .kind = ACCESS_UNKNOWN, .reason = REASON_MAX };
	uint64_t at = run->low;

	*count = run->note_count;
	*insns = xrealloc_array(*insns, *count, sizeof(**insns));
	for (size_t i = 0; i < run->note_count; at += run->notes[i++].length)
		(*insns)[i] = (struct companion_insn){ .address = at,
						       .two = run->notes[i].flags & NOTE_TWO,
						       .fused = run->notes[i].flags & NOTE_FUSED,
						       .load = refused,
						       .store = refused };
}

/* Keeps the answers of a run; returns how many there were. */
static size_t keep_answers(struct companion_accesses *accesses, struct code_run *run,
			   const struct access *answers, struct index_counts *counts)
{
	struct companion_insn *insns = NULL;
	size_t count = 0, capacity = 0, taken = 0;
	uint64_t at = run->low;
	bool refused = false;

	counts->instructions += run->note_count;
	for (size_t i = 0; i < run->note_count; at += run->notes[i++].length) {
		const struct note *note = &run->notes[i];
		struct companion_insn insn = { .address = at, .two = note->flags & NOTE_TWO };

		insn.load.kind = ACCESS_NO_MEMORY;
		if (note->flags & NOTE_MEMORY)
			insn.load = answers[taken++];
		if (note->flags & NOTE_TWO)
			insn.store = answers[taken++];
		if (note->flags & NOTE_BULK) {
			keep_call(accesses, run, at, answers + taken);
			taken += ARGUMENTS;
		}
		insn.fused = note->flags & NOTE_FUSED && insn.load.kind != ACCESS_NO_MEMORY;
		refused |= insn.load.kind == ACCESS_UNKNOWN && insn.load.reason == REASON_MAX;
		/* a kernel has megabytes of padding, of instructions of one byte */
		if (insn.load.kind == ACCESS_NO_MEMORY && !insn.two)
			continue;
		count_access(&insn, counts);
		array_add(insns, count, capacity) = insn;
	}
	if (refused)
		refuse_all(run, &insns, &count);
	companion_add_accesses(accesses, run->low, insns, count, run->accesses);
	free(insns);
	return taken;
}

static bool place_of(void *data, const struct type *type, struct type_place *place)
{
	return debug_reader_type_place(data, type, place);
}

/* Questions that are asked at once, about: their answers take some 1 KB each. */
#define QUESTIONS_AT_ONCE 100000

ADDRESS_COMPARISON(compare_functions, struct code_run,
		   BY(a->has_function ? a->entry : a->low, b->has_function ? b->entry : b->low)
			   ASCENDING(low))

/* Runs that are solved together, and the answers to the questions about them. */
struct solved_runs {
	size_t first, count; /* of the runs, in the order in which they are solved */
	struct questions questions;
	struct access *answers;
};

static void solved_runs_deinit(struct solved_runs *batch)
{
	free_all(batch->questions.items, batch->answers);
	*batch = (struct solved_runs){ 0 };
}

struct solving {
	struct type_resolver *resolver;
	struct companion_accesses *accesses;
	struct code_runs *runs;
	struct code_run **order; /* of the runs: by the entries of their functions */
	struct index_counts *counts;
	struct solved_runs solved, next; /* the answers of `solved` are not kept yet */
};

/* Lists the questions of the next batch. All parts of a function are in one. */
static void fill_batch(struct solving *solving, size_t first)
{
	struct code_run **order = solving->order;
	struct solved_runs *batch = &solving->next;
	size_t end = first;

	for (; end < solving->runs->count &&
	       (batch->questions.count < QUESTIONS_AT_ONCE ||
		(order[end]->has_function && order[end]->entry == order[end - 1]->entry));
	     end++)
		list_questions(order[end], &batch->questions);
	batch->first = first;
	batch->count = end - first;
}

static void solve_batch(struct type_resolver *resolver, struct solved_runs *batch)
{
	const struct questions *questions = &batch->questions;
	struct type_resolver_charges charges;

	batch->answers = xcalloc(questions->count + 1, sizeof(*batch->answers));
	type_resolver_charge(resolver, questions->items, questions->count, &charges);
	for (size_t i = 0; i < charges.count; i++)
		batch->answers[charges.items[i].sample] = charges.items[i].access;
	free(charges.items);
}

/* Keeps the answers with the runs. */
static void keep_batch(const struct solving *solving)
{
	const struct solved_runs *batch = &solving->solved;
	size_t taken = 0;

	for (size_t i = batch->first; i < batch->first + batch->count; i++)
		taken += keep_answers(solving->accesses, solving->order[i], batch->answers + taken,
				      solving->counts);
}

/* One thread keeps answers while the others find the next ones. The caller's finds: it is the one
 * that allocates the tables of a batch, and malloc() keeps large ones for the main thread alone. */
static void keep_or_solve(size_t item, unsigned int thread, void *data)
{
	struct solving *solving = data;

	(void)thread;
	if (item)
		keep_batch(solving);
	else if (solving->next.count)
		solve_batch(solving->resolver, &solving->next);
}

/* Solves all functions, in the order of their entries. */
static struct error *solve_all(const struct elf_image *image, struct debug_object *debug,
			       const struct index_options *options,
			       struct companion_accesses *accesses, struct code_runs *runs,
			       struct index_counts *counts)
{
	struct type_resolver_options resolver_options = { .fused = true,
							  .threads = options->threads };
	_cleanup_free_ struct code_run **order = xcalloc(runs->count + 1, sizeof(*order));
	struct solving solving = {
		.accesses = accesses, .runs = runs, .order = order, .counts = counts
	};
	size_t next = 0;

	for (size_t i = 0; i < runs->count; i++)
		order[i] = &runs->items[i];
	qsort(order, runs->count, sizeof(*order), compare_functions);
	RETURN_ERROR(type_resolver_create(image, debug, &resolver_options, &solving.resolver));
	do {
		fill_batch(&solving, next);
		next += solving.next.count;
		parallel_for(2, options->threads == 1 ? 1 : 2, keep_or_solve, &solving);
		solved_runs_deinit(&solving.solved);
		solving.solved = solving.next;
		solving.next = (struct solved_runs){ 0 };
	} while (solving.solved.count);
	solved_runs_deinit(&solving.solved);
	type_resolver_destroy(solving.resolver);
	return NULL;
}

/* Writes what was kept with the runs, in the order of addresses, and lets it go. */
static void write_kept(struct companion_builder *builder, struct code_runs *runs)
{
	struct companion_writer *accesses = companion_builder_part(builder, COMPANION_ACCESS);
	struct companion_writer *calls = companion_builder_part(builder, COMPANION_CALLS);

	array_each (struct code_run, run, runs->items, runs->count) {
		companion_writer_begin_run(accesses, run->low, run->high);
		for (size_t k = 0; k < ACCESS_LANES; k++) {
			strbuf_add(&accesses->lanes[k], run->accesses[k].data,
				   run->accesses[k].length);
			strbuf_deinit(&run->accesses[k]);
		}
		companion_writer_end_item(accesses, run->low);
		for (size_t k = 0; k < run->call_count; k++) {
			strbuf_add(&calls->lanes[0], run->calls[k].item.data,
				   run->calls[k].item.length);
			companion_writer_end_item(calls, run->calls[k].address);
		}
	}
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

/* Writes what does not belong to code. */
static void write_rest(const struct elf_image *image, struct debug_reader *reader,
		       struct companion_builder *builder)
{
	const struct elf_image *file = elf_image_symbol_file(image);

	index_add_names(builder, reader, image);
	index_add_files(builder, reader);
	index_add_variables(builder, reader, image);
	companion_builder_symbols(builder, file ? file : image);
}

/* Finds the BTF of an object; *bytes is NULL if its types come from BTF, so that it has it already.
 */
static struct error *find_btf(const struct elf_image *image, struct debug_object *debug,
			      void **bytes, size_t *size)
{
	struct btf_losses losses;
	struct error *error = debug_object_write_btf(debug, image, bytes, size, &losses);

	if (!error || error->code != ERROR_UNSUPPORTED)
		return error;
	error_destroy(error);
	return NULL;
}

/* The parts of a companion that do not need each other. */
struct writing {
	const struct elf_image *image;
	struct debug_object *debug;
	struct debug_reader *reader;
	struct companion_builder *builder;
	const struct code_runs *runs;
	unsigned int threads;
	struct index_counts *counts;
	struct companion_extra btf;
	void *btf_bytes;
	struct error *error;
};

static void write_part(size_t item, unsigned int thread, void *data)
{
	struct writing *writing = data;

	(void)thread;
	if (item) {
		writing->error = find_btf(writing->image, writing->debug, &writing->btf_bytes,
					  &writing->btf.size);
		return;
	}
	writing->counts->functions =
		index_add_places(writing->builder, writing->image, writing->debug, writing->reader,
				 writing->runs, writing->threads);
	write_rest(writing->image, writing->reader, writing->builder);
}

static struct error *index_code(struct writing *writing, const struct index_options *options,
				struct code_runs *runs)
{
	const struct elf_image *image = writing->image;

	runs_find(image, writing->debug, writing->reader, runs, writing->threads);
	patch_code(options, runs);
	runs_decode(image, writing->debug, runs, writing->threads);
	struct companion_accesses *accesses = companion_accesses_create(writing->builder);
	struct error *error =
		solve_all(image, writing->debug, options, accesses, runs, writing->counts);

	if (!error)
		companion_accesses_finish(accesses);
	companion_accesses_destroy(accesses);
	RETURN_ERROR(error);
	write_kept(writing->builder, runs);
	parallel_for(2, writing->threads == 1 ? 1 : 2, write_part, writing);
	/* by now all DIEs have been read, the first of which gives the place of a type */
	companion_builder_types(writing->builder, &writing->counts->types);
	return writing->error;
}

struct error *index_object(const struct elf_image *image, struct debug_object *debug,
			   const struct index_options *options, struct strbuf *file,
			   struct index_counts *counts)
{
	struct code_runs runs = { 0 };
	struct writing writing = {
		.image = image,
		.debug = debug,
		.runs = &runs,
		.threads = options->threads ? options->threads : parallel_default_threads(),
		.counts = counts,
		.btf = { .name = ".BTF" },
	};

	*counts = (struct index_counts){ 0 };
	if (!elf_image_arch(image))
		return error_create(ERROR_UNSUPPORTED, "%s: code of this processor is not decoded",
				    elf_image_path(image));
	RETURN_ERROR(decoder_check(elf_image_arch(image)));
	writing.reader = debug_reader_open(debug);
	writing.builder = companion_builder_create(image, place_of, writing.reader);
	struct error *error = index_code(&writing, options, &runs);

	writing.btf.bytes = writing.btf_bytes;
	if (!error)
		companion_builder_finish(writing.builder, &writing.btf, writing.btf_bytes ? 1 : 0,
					 writing.threads, file);
	free(writing.btf_bytes);
	companion_builder_destroy(writing.builder);
	runs_deinit(&runs);
	debug_reader_close(writing.reader);
	return error;
}
