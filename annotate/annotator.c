// SPDX-License-Identifier: GPL-2.0-or-later
/* Types for the instructions of one object: see annotator.h. */
#include "annotate/annotator.h"

#include <string.h>

#include "annotate/hidden_edge.h"
#include "annotate/solution.h"
#include "profiler/base/memory.h"
#include "profiler/base/parallel.h"

struct annotator {
	const struct elf_image *image;
	struct debug_object *debug;
	struct annotator_options options;
	struct thunks thunks;
	struct hidden_edges hidden_edges; /* none but of a kernel */
	bool prepared;                    /* both are known */
	bool kernel;                      /* the image is one, or a module of one */
	unsigned int threads;
	struct worker *workers; /* by thread; opened when first used */
};

/* Questions of one function, as a run of the sorted list. */
struct group {
	size_t first;
	size_t count;
};

struct job {
	struct annotator *annotator;
	struct question *questions;
	struct group *groups;
	size_t *parts;         /* where parts of the groups begin; and where the last one ends */
	struct error **errors; /* by thread: the first that it met */
};

/* By sections that only a kernel or a module has (arch/x86/kernel/vmlinux.lds.S, scripts/mod/modpost.c). */
static bool is_kernel(const struct elf_image *image)
{
	struct elf_section section;

	return elf_image_section_named(image, ".data..percpu", &section) ||
	       elf_image_section_named(image, ".gnu.linkonce.this_module", &section);
}

struct error *annotator_create(const struct elf_image *image, struct debug_object *debug,
			       const struct annotator_options *options, struct annotator **result)
{
	struct annotator *annotator = xcalloc(1, sizeof(*annotator));

	annotator->image = image;
	annotator->debug = debug;
	annotator->options = *options;
	/* stories name the DIE of a type that several units declare: the one that was read first */
	if (options->story)
		annotator->threads = 1;
	else
		annotator->threads = options->threads ? options->threads : parallel_default_threads();
	annotator->workers = xcalloc(annotator->threads, sizeof(*annotator->workers));
	annotator->kernel = is_kernel(image);
	*result = annotator;
	return NULL;
}

void annotator_destroy(struct annotator *annotator)
{
	if (!annotator)
		return;
	for (unsigned int i = 0; i < annotator->threads; i++)
		worker_close(&annotator->workers[i]);
	free(annotator->workers);
	hidden_edges_release(&annotator->hidden_edges);
	free(annotator);
}

static struct error *open_worker(struct annotator *annotator, unsigned int thread)
{
	struct worker *worker = &annotator->workers[thread];

	if (worker->decoder)
		return NULL;
	worker->thunks = &annotator->thunks;
	worker->hidden_edges = &annotator->hidden_edges;
	worker->kernel = annotator->kernel;
	worker->fused = annotator->options.fused;
	return worker_open(worker, annotator->image, annotator->debug, annotator->options.no_infer,
			   annotator->options.story != NULL);
}

static void work_at_group(const struct job *job, const struct group *group, unsigned int thread)
{
	struct error *error = open_worker(job->annotator, thread);

	if (!error)
		error = solution_answer(&job->annotator->workers[thread], &job->questions[group->first],
					group->count);
	if (error && !job->errors[thread])
		job->errors[thread] = error;
	else
		error_free(error);
}

static void work(size_t item, unsigned int thread, void *data)
{
	const struct job *job = data;

	for (size_t i = job->parts[item]; i < job->parts[item + 1]; i++)
		work_at_group(job, &job->groups[i], thread);
}

/*
 * Functions that follow each other are of one unit, and threads that both read a unit wait for each other: so
 * a thread takes many in turn, and fewer the fewer are left. `parts` has room for count + 1; how many there
 * are.
 */
static size_t cut_into_parts(size_t count, unsigned int threads, size_t *parts)
{
	size_t part = 0;

	parts[0] = 0;
	for (size_t start = 0; start < count; start = parts[part])
		parts[++part] = start + (count - start + 2 * threads - 1) / (2 * threads);
	return part;
}

/* What needs the object's symbols, and no debug information. It takes about as long to read all symbols as
 * the units that are asked for: one thread does this, while others do that. */
static void prepare(struct annotator *annotator, const uint64_t *addresses, size_t count)
{
	if (annotator->options.settle)
		annotator->options.settle(annotator->options.settle_data, addresses, count);
	if (annotator->prepared)
		return;
	annotator->prepared = true;
	thunks_find(&annotator->thunks, annotator->image);
	if (annotator->kernel)
		hidden_edges_find(&annotator->hidden_edges, annotator->image);
}

/* An asked-for address, and which function it is in. */
struct asked {
	uint64_t entry;
	bool declared; /* the debug information has the function */
	uint64_t address;
	size_t index; /* in the caller's arrays */
	bool store;
};

static int compare_asked(const void *left, const void *right)
{
	const struct asked *a = left, *b = right;

	if (a->entry != b->entry)
		return a->entry < b->entry ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return (int)a->store - (int)b->store;
}

/* Code without a function goes by its symbol, or stands alone. */
static uint64_t entry_by_symbol(const struct annotator *annotator, uint64_t address)
{
	const struct symbol *symbol = elf_image_function_at(annotator->image, address);

	return symbol && address < symbol->address + symbol->size ? symbol->address : address;
}

/* So many addresses in turn are one piece of work: neighbours are of the same functions and units. */
#define PIECE 256

struct entry_job {
	struct annotator *annotator;
	const uint64_t *addresses;
	struct asked *asked;
	size_t count;
	struct error **errors; /* by thread */
};

/* The first item is what has to be prepared. */
static void find_entries(size_t item, unsigned int thread, void *data)
{
	struct entry_job *job = data;

	if (!item) {
		prepare(job->annotator, job->addresses, job->count);
		return;
	}
	size_t start = (item - 1) * PIECE, end = start + PIECE < job->count ? start + PIECE : job->count;
	struct error *error = job->errors[thread] ? NULL : open_worker(job->annotator, thread);
	struct debug_reader *reader = job->annotator->workers[thread].reader;

	if (error)
		job->errors[thread] = error;
	for (size_t i = start; reader && i < end && !job->errors[thread]; i++)
		job->asked[i].declared =
			debug_reader_function_entry(reader, job->asked[i].address, &job->asked[i].entry);
}

/* The first of the threads' errors; the others are freed. */
static struct error *first_error(struct error **errors, unsigned int threads)
{
	struct error *first = NULL;

	for (unsigned int i = 0; i < threads; i++) {
		if (!first)
			first = errors[i];
		else
			error_free(errors[i]);
		errors[i] = NULL;
	}
	return first;
}

static int compare_stories(const void *left, const void *right)
{
	const struct question *a = *(const struct question *const *)left,
			      *b = *(const struct question *const *)right;

	return a->address < b->address ? -1 : a->address > b->address;
}

static void tell_stories(const struct annotator *annotator, struct question *questions, size_t count)
{
	_cleanup_free_ struct question **order = xcalloc(count, sizeof(*order));

	for (size_t i = 0; i < count; i++)
		order[i] = &questions[i];
	qsort(order, count, sizeof(*order), compare_stories);
	for (size_t i = 0; i < count; i++)
		if (order[i]->story.length)
			annotator->options.story(annotator->options.story_data, order[i]->address,
						 order[i]->story.data);
}

struct error *annotator_resolve(struct annotator *annotator, const uint64_t *addresses, const bool *stores,
				size_t count, struct access *results)
{
	if (!count)
		return NULL;
	if (!elf_image_is_x86_64(annotator->image)) {
		/* its bytes would be taken for other instructions */
		for (size_t i = 0; i < count; i++)
			results[i] = (struct access){ .address = addresses[i],
						      .kind = ACCESS_NO_CODE,
						      .reason = REASON_NO_CODE };
		return NULL;
	}
	_cleanup_free_ struct asked *asked = xcalloc(count, sizeof(*asked));
	_cleanup_free_ struct question *questions = xcalloc(count, sizeof(*questions));
	_cleanup_free_ struct group *groups = xcalloc(count, sizeof(*groups));
	_cleanup_free_ size_t *question_of = xcalloc(count, sizeof(*question_of));
	_cleanup_free_ struct error **errors = xcalloc(annotator->threads, sizeof(*errors));
	size_t question_count = 0, group_count = 0;

	for (size_t i = 0; i < count; i++)
		asked[i] =
			(struct asked){ .address = addresses[i], .index = i, .store = stores && stores[i] };
	struct entry_job entry_job = { annotator, addresses, asked, count, errors };

	parallel_for(1 + (count + PIECE - 1) / PIECE, annotator->threads, find_entries, &entry_job);
	RETURN_ERROR(first_error(errors, annotator->threads));
	for (size_t i = 0; i < count; i++)
		if (!asked[i].declared)
			asked[i].entry = entry_by_symbol(annotator, asked[i].address);
	qsort(asked, count, sizeof(*asked), compare_asked);
	for (size_t i = 0; i < count; i++) {
		if (!i || compare_asked(&asked[i - 1], &asked[i]) != 0) {
			if (!i || asked[i - 1].entry != asked[i].entry)
				groups[group_count++] = (struct group){ .first = question_count };
			groups[group_count - 1].count++;
			questions[question_count++] = (struct question){ .address = asked[i].address,
									 .store = asked[i].store,
									 .story = STRBUF_INIT };
		}
		question_of[asked[i].index] = question_count - 1;
	}
	_cleanup_free_ size_t *parts = xcalloc(group_count + 1, sizeof(*parts));
	struct job job = { annotator, questions, groups, parts, errors };

	parallel_for(cut_into_parts(group_count, annotator->threads, parts), annotator->threads, work, &job);
	struct error *first = first_error(errors, annotator->threads);

	for (size_t i = 0; i < count; i++)
		results[i] = questions[question_of[i]].answer;
	if (annotator->options.story)
		tell_stories(annotator, questions, question_count);
	for (size_t i = 0; i < question_count; i++)
		strbuf_release(&questions[i].story);
	return first;
}
