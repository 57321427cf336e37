// SPDX-License-Identifier: GPL-2.0-or-later
/* One function from bytes to answers: see solution.h. */
#include "annotate/solution.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/assembly.h"
#include "annotate/blame.h"
#include "annotate/flow.h"
#include "annotate/function_code.h"
#include "annotate/landing.h"
#include "annotate/story.h"
#include "annotate/used_bits.h"
#include "disasm/flow.h"

/* Beyond this the states of a function's blocks would not fit in memory: what it accesses is then not known.
 */
#define BLOCK_LIMIT 100000

static void answer_all(struct question *questions, size_t count, uint8_t kind, enum access_reason reason)
{
	for (size_t i = 0; i < count; i++)
		questions[i].answer = (struct access){ .address = questions[i].address,
						       .kind = kind,
						       .reason = (uint8_t)reason };
}

struct asking {
	struct question *questions; /* all of the function, sorted */
	size_t count;
	size_t next;   /* that the walk over a block comes to */
	uint64_t last; /* address of that block's last instruction */
	struct story *story;
	bool fuse;             /* jumps with the comparisons before them */
	bool undeclared;       /* there are no variables: more is known by use */
	bool undeclared_stack; /* of some of what lies on the stack there are none */
};

/* Has what values are used as no say in this answer any more? What is declared stands before what is
 * inferred. */
static bool is_settled(const struct asking *asking, const struct question *question)
{
	const struct access *answer = &question->answer;

	if (!question->asked || asking->undeclared)
		return false;
	if (answer->kind == ACCESS_UNKNOWN)
		return answer->reason == REASON_NO_GLOBAL || answer->reason == REASON_NO_THREAD_LOCAL;
	return !asking->undeclared_stack || answer->memory != ACCESS_MEMORY_STACK;
}

/* A comparison that reads memory, and behind it in its block a conditional jump. */
static bool is_fused(const struct code *code, uint32_t insn)
{
	const struct insn *first = &code->insns[insn];

	if ((first->operation != OP_COMPARE && first->operation != OP_TEST) || !insn_memory(first, false))
		return false;
	const struct block *block = &code->blocks[code_block_of(code, insn)];

	return insn + 1 < block->first + block->count && first[1].operation == OP_BRANCH &&
	       first[1].condition != CONDITION_NONE;
}

/* The questions about the address of instruction `asked`, which are next, by what `insn` accesses. */
static void answer(struct solver *solver, const struct state *state, uint32_t insn, uint32_t asked,
		   struct asking *asking)
{
	for (; asking->next < asking->count &&
	       asking->questions[asking->next].address == solver->code->insns[asked].address;
	     asking->next++) {
		struct question *question = &asking->questions[asking->next];

		if (is_settled(asking, question))
			continue;
		question->asked = true;
		question->answer = solver_answer(solver, state, insn, question->store);
		question->answer.bits = used_bits(solver->code, insn,
						  insn_memory(&solver->code->insns[insn], question->store));
		strbuf_reset(&question->story);
		if (asking->story)
			story_tell(asking->story, state, insn, &question->answer, &question->story);
	}
}

/* True: there may be more to ask of this block. */
static bool visit(struct solver *solver, const struct state *state, uint32_t insn, void *data)
{
	struct asking *asking = data;
	uint64_t address = solver->code->insns[insn].address;

	while (asking->next < asking->count && asking->questions[asking->next].address < address)
		asking->next++;
	if (asking->story)
		story_instruction(asking->story, state, insn);
	answer(solver, state, insn, insn, asking);
	if (asking->fuse && is_fused(solver->code, insn))
		answer(solver, state, insn, insn + 1, asking);
	return asking->next < asking->count && asking->questions[asking->next].address <= asking->last;
}

/* Questions are sorted: those of a block stand together. The blocks that are still to be asked are wanted, or
 * are asked. */
static void each_block(struct worker *worker, struct asking *asking, bool ask)
{
	const struct code *code = worker->solver->code;
	uint32_t last = UINT32_MAX;

	for (size_t i = 0; i < asking->count; i++) {
		const struct question *question = &asking->questions[i];
		int64_t insn = is_settled(asking, question) ? -1 : code_find(code, question->address);
		uint32_t block = insn < 0 ? last : code_block_of(code, (size_t)insn);

		if (block == last)
			continue;
		last = block;
		if (!ask) {
			flow_want(worker->flow, block);
			continue;
		}
		if (asking->story)
			story_block(asking->story, block);
		asking->next = i;
		asking->last = code->insns[code->blocks[block].first + code->blocks[block].count - 1].address;
		flow_visit(worker->flow, block, visit, asking);
	}
}

/* Could more be found out with what values are used as? */
static bool wants_more(struct worker *worker, struct asking *asking)
{
	bool unknown = false, on_stack = false;

	for (size_t i = 0; i < asking->count; i++) {
		const struct access *answer = &asking->questions[i].answer;

		on_stack |= answer->kind != ACCESS_STACK && answer->memory == ACCESS_MEMORY_STACK;
		unknown |= answer->kind == ACCESS_UNKNOWN && asking->questions[i].asked &&
			   !is_settled(asking, &asking->questions[i]);
	}
	/* this may need the whole function solved: only if it matters */
	asking->undeclared_stack |= on_stack && flow_gives_away_unnamed(worker->flow);
	return asking->undeclared || asking->undeclared_stack || unknown;
}

static bool any_unknown(const struct asking *asking)
{
	for (size_t i = 0; i < asking->count; i++)
		if (asking->questions[i].asked && asking->questions[i].answer.kind == ACCESS_UNKNOWN &&
		    !is_settled(asking, &asking->questions[i]))
			return true;
	return false;
}

static void find_answers(struct worker *worker, struct question *questions, size_t count)
{
	struct solver *solver = worker->solver;
	struct asking asking = { .questions = questions,
				 .count = count,
				 .story = worker->want_story ? story_create(solver) : NULL,
				 .fuse = worker->fused,
				 .undeclared = solver_has_no_variables(solver) };

	/* what is no instruction's start */
	for (size_t i = 0; i < count; i++)
		if (code_find(solver->code, questions[i].address) < 0)
			answer_all(&questions[i], 1, ACCESS_NO_CODE, REASON_NO_CODE);
	flow_start(worker->flow, asking.story || asking.undeclared);
	do {
		each_block(worker, &asking, false);
		flow_solve(worker->flow);
		each_block(worker, &asking, true);
	} while (wants_more(worker, &asking) && flow_learn(worker->flow));
	if (solver->infer && solver->function && !asking.undeclared && any_unknown(&asking)) {
		solver->last_resort = true;
		each_block(worker, &asking, true);
		solver->last_resort = false;
	}
	flow_finish(worker->flow);
	story_destroy(asking.story);
}

static void without_types(struct question *questions, size_t count, enum access_reason reason)
{
	for (size_t i = 0; i < count; i++) {
		struct access *access = &questions[i].answer;

		if (access->kind == ACCESS_UNKNOWN && access->reason != REASON_NO_CODE)
			access->reason = (uint8_t)reason;
	}
}

/* What data flow found with BTF's types is told apart from what it found with variables, and so is what it
 * could not find for want of a prototype. */
static void mark_format(const struct debug_reader *reader, const struct function *function,
			struct question *questions, size_t count)
{
	if (!reader || strcmp(debug_reader_format(reader), "btf") != 0)
		return;
	bool no_arguments = function && (!function->prototype || !function->prototype->prototyped);

	for (size_t i = 0; i < count; i++) {
		struct access *access = &questions[i].answer;

		if (access->kind == ACCESS_TYPE &&
		    (access->how == HOW_VARIABLE || access->how == HOW_TRACKED))
			access->how = HOW_BTF;
		if (no_arguments && access->kind == ACCESS_UNKNOWN && access->reason == REASON_NO_VALUE)
			access->reason = REASON_NO_ARGUMENTS;
	}
}

/* What the debug information says of the function is the solver's from here on. */
static void tell_solver(struct solver *solver, const struct function *function, const struct code *code,
			struct arena *arena)
{
	solver->function = function;
	solver->code = code;
	if (function) {
		facts_build(&solver->facts, function);
		solver->frame_rows = function->frame_rows;
		solver->frame_row_count = function->frame_row_count;
		solver_stack_arguments(solver);
	}
	if (solver->reader && (!function || function->arguments_by_abi))
		assembly_frame(solver, arena);
}

/* Ready for the next function. */
static void clear_solver(struct solver *solver)
{
	facts_release(&solver->facts);
	free(solver->landings);
	solver->landings = NULL;
	solver->function = NULL;
	solver->code = NULL;
	solver->frame_rows = NULL;
	solver->frame_row_count = 0;
	solver->escape_count = solver->walked_count = 0;
	vocabulary_clear(solver->vocabulary);
	solver->alternatives.count = 0;
	solver->objects.count = 0;
	solver->objects.changed = false;
	solver->casts_headers = solver->casts_bytes = false;
	solver->words.count = 0;
}

/* The function's code, and what the debug information says of it, for the solver. NULL: there is no code that
 * could be solved, for the reason in *none. */
static struct code *open_function(struct worker *worker, const struct function *function, uint64_t address,
				  struct arena *arena, struct access *none)
{
	struct code *code = NULL;
	struct landings landings = { 0 };

	landings_read(worker, function, &landings);
	struct error *error = function_code_decode(worker, function, address, &landings, &code);

	if (error) {
		*none = (struct access){ .kind = ACCESS_NO_CODE, .reason = REASON_NO_CODE };
		error_free(error);
	} else if (code->block_count > BLOCK_LIMIT) {
		*none = (struct access){ .kind = ACCESS_UNKNOWN, .reason = REASON_LIMIT };
		code_destroy(code);
		code = NULL;
	} else {
		tell_solver(worker->solver, function, code, arena);
		landings_place(worker->solver, &landings);
	}
	landings_release(&landings);
	return code;
}

static int compare_questions(const void *left, const void *right)
{
	const struct question *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->store - b->store;
}

/* Asks the function for the accesses of all parts, each once. */
static void ask(struct worker *worker, const struct function *function, struct sampled *sampled, size_t count)
{
	size_t part_count = 0, asked = 0;

	for (size_t i = 0; i < count; i++)
		part_count += sampled[i].part_count;

	_cleanup_free_ struct question *questions = xcalloc(part_count, sizeof(*questions));

	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < sampled[i].part_count; k++) {
			const struct sampled_part *part = &sampled[i].parts[k];

			if (part->answer.kind == ACCESS_UNKNOWN && !part->callee)
				questions[asked++] = (struct question){ .address = part->address,
									.store = part->store,
									.story = STRBUF_INIT };
		}
	if (!asked)
		return;
	qsort(questions, asked, sizeof(*questions), compare_questions);
	part_count = asked;
	asked = 1;
	for (size_t i = 1; i < part_count; i++)
		if (compare_questions(&questions[asked - 1], &questions[i]))
			questions[asked++] = questions[i];
	find_answers(worker, questions, asked);
	if (!worker->reader)
		without_types(questions, asked, REASON_NO_DEBUG_INFO);
	else if (!function)
		without_types(questions, asked, REASON_NO_FUNCTION);
	mark_format(worker->reader, function, questions, asked);
	for (size_t i = 0; i < count; i++)
		for (size_t k = 0; k < sampled[i].part_count; k++) {
			struct sampled_part *part = &sampled[i].parts[k];
			struct question key = { .address = part->address, .store = part->store };

			if (part->answer.kind != ACCESS_UNKNOWN || part->callee)
				continue;
			struct question *question =
				bsearch(&key, questions, asked, sizeof(key), compare_questions);

			part->answer = question->answer;
			part->story = question->story;
			question->story = (struct strbuf)STRBUF_INIT;
		}
}

static void add_part(struct sampled *sampled, const struct sampled_part *part)
{
	sampled->parts = xrealloc_array(sampled->parts, sampled->part_count + 1, sizeof(*part));
	sampled->parts[sampled->part_count] = *part;
	sampled->parts[sampled->part_count].story = (struct strbuf)STRBUF_INIT;
	sampled->part_count++;
}

/* All samples are of the sampled instruction's own access. */
static void stay(struct sampled *sampled, const struct access *answer)
{
	struct sampled_part part = { .samples = sampled->sample.samples,
				     .address = sampled->sample.address,
				     .store = sampled->sample.store,
				     .answer = *answer };

	part.answer.address = sampled->sample.address;
	add_part(sampled, &part);
}

static struct sampled_part part_of(const struct code *code, const struct blame_charge *charge)
{
	struct sampled_part part = { .how = charge->how };
	const struct insn *insn = &code->insns[charge->insn];

	part.address = part.answer.address = insn->address;
	switch ((enum blame_what)charge->what) {
	case BLAME_ACCESS:
		/* what only writes: the store is meant */
		part.store = insn_memory(insn, false) && !insn_memory(insn, false)->read;
		break;
	case BLAME_COMPUTATION: part.answer.kind = ACCESS_NO_MEMORY; break;
	case BLAME_OWN_TIME:
		part.answer.kind = ACCESS_OWN_TIME;
		part.answer.own_time = charge->own_time;
		break;
	case BLAME_INTERRUPTS_OFF: part.answer.kind = ACCESS_INTERRUPTS_OFF; break;
	case BLAME_CALLEE: insn_direct_target(insn, &part.callee); break;
	case BLAME_RETURN: part.answer.kind = ACCESS_STACK; break;
	}
	return part;
}

/* Shares of samples as numbers of samples, by largest remainders; the first of equals gets it. */
static void share_out(struct sampled *sampled, const struct code *code, const struct blame_charge *charges,
		      size_t count)
{
	uint64_t total = sampled->sample.samples, given = 0;
	_cleanup_free_ double *remainders = xcalloc(count, sizeof(*remainders));
	_cleanup_free_ uint64_t *samples = xcalloc(count, sizeof(*samples));

	for (size_t i = 0; i < count; i++) {
		double exact = charges[i].share * (double)total;

		samples[i] = (uint64_t)exact < total - given ? (uint64_t)exact : total - given;
		remainders[i] = exact - (double)samples[i];
		given += samples[i];
	}
	for (; given < total; given++) {
		size_t best = 0;

		for (size_t i = 1; i < count; i++)
			if (remainders[i] > remainders[best])
				best = i;
		remainders[best] -= 1;
		samples[best]++;
	}
	for (size_t i = 0; i < count; i++) {
		struct sampled_part part = part_of(code, &charges[i]);

		part.samples = samples[i];
		if (samples[i])
			add_part(sampled, &part);
	}
}

static uint64_t *late_samples(const struct code *code, const struct sampled *sampled, size_t count)
{
	uint64_t *samples = xcalloc(code->insn_count, sizeof(*samples));

	for (size_t i = 0; i < count; i++) {
		int64_t insn = sampled[i].sample.late ? code_find(code, sampled[i].sample.address) : -1;

		if (insn >= 0)
			samples[insn] += sampled[i].sample.samples;
	}
	return samples;
}

static bool enables_interrupts(const struct worker *worker, uint64_t function)
{
	const struct symbol *symbol = worker->kernel ? elf_image_function_at(worker->image, function) : NULL;

	return symbol && symbol->address == function && blame_enables_interrupts(symbol->name, false);
}

/* Samples behind a call that did nothing but enable interrupts were held back by then. */
static void hold_back(const struct worker *worker, struct sampled *sampled)
{
	for (size_t i = 0; i < sampled->part_count; i++) {
		struct sampled_part *part = &sampled->parts[i];

		if (!part->callee || !enables_interrupts(worker, part->callee))
			continue;
		part->callee = 0;
		part->how = BLAME_NOTHING;
		part->address = sampled->sample.address;
		part->answer =
			(struct access){ .address = sampled->sample.address, .kind = ACCESS_INTERRUPTS_OFF };
	}
}

static void blame_all(struct worker *worker, const struct code *code, struct sampled *sampled, size_t count)
{
	static const struct access not_yet = { .kind = ACCESS_UNKNOWN };
	_cleanup_free_ uint64_t *samples = NULL;
	struct blame_charges charges = { 0 };
	struct blame blame;

	for (size_t i = 0; i < count; i++) {
		int64_t insn = sampled[i].sample.late ? code_find(code, sampled[i].sample.address) : -1;

		if (insn < 0) {
			stay(&sampled[i], &not_yet);
			continue;
		}
		if (!samples) {
			samples = late_samples(code, sampled, count);
			blame_init(&blame, code, samples, worker->kernel);
			blame.enables_interrupts = enables_interrupts(worker, code->insns[0].address);
		}
		charges.count = 0;
		blame_sampled(&blame, (uint32_t)insn, sampled[i].sample.came_from, &charges);
		share_out(&sampled[i], code, charges.items, charges.count);
		hold_back(worker, &sampled[i]);
	}
	blame_charges_release(&charges);
	if (!samples)
		return;
	blame_measure(&blame, &worker->skid);
	blame_release(&blame);
}

static void solve(struct worker *worker, const struct function *function, struct sampled *sampled,
		  size_t count)
{
	_cleanup_arena_ struct arena arena = { 0 };
	struct access none;
	struct code *code = open_function(worker, function, sampled[0].sample.address, &arena, &none);

	if (!code) {
		for (size_t i = 0; i < count; i++)
			stay(&sampled[i], &none);
		return;
	}
	blame_all(worker, code, sampled, count);
	ask(worker, function, sampled, count);
	clear_solver(worker->solver);
	code_destroy(code);
}

struct error *worker_open(struct worker *worker, const struct elf_image *image, struct debug_object *debug,
			  bool no_infer, bool want_story)
{
	if (worker->decoder)
		return NULL;
	if (debug && !worker->reader)
		RETURN_ERROR(debug_reader_open(debug, &worker->reader));
	RETURN_ERROR(decoder_create(&worker->decoder));
	worker->image = image;
	worker->want_story = want_story;
	worker->solver = xcalloc(1, sizeof(*worker->solver));
	worker->solver->image = image;
	worker->solver->reader = worker->reader;
	worker->solver->infer = !no_infer;
	worker->solver->kernel = worker->kernel;
	/* relocatable files are relocated to where they are */
	worker->solver->image_is_fixed = elf_image_type(image) != ET_DYN;
	worker->solver->vocabulary = vocabulary_create();
	worker->solver->places = place_memo_create();
	worker->flow = flow_create(worker->solver);
	return NULL;
}

void worker_close(struct worker *worker)
{
	flow_destroy(worker->flow);
	if (worker->solver) {
		origins_release(&worker->solver->origins);
		free(worker->solver->objects.items);
		free(worker->solver->escapes);
		free(worker->solver->walked);
		free(worker->solver->alternatives.items);
		vocabulary_destroy(worker->solver->vocabulary);
		place_memo_destroy(worker->solver->places);
		free(worker->solver);
	}
	hash_map_release(&worker->named_returns);
	if (worker->reader)
		debug_reader_close(worker->reader);
	if (worker->decoder)
		decoder_destroy(worker->decoder);
}

struct error *solution_answer(struct worker *worker, struct sampled *sampled, size_t count)
{
	struct function *function = NULL;

	if (worker->reader)
		RETURN_ERROR(debug_reader_function(worker->reader, sampled[0].sample.address, &function));
	solve(worker, function, sampled, count);
	function_destroy(function);
	return NULL;
}

struct error *solution_returned(struct worker *worker, const struct sampled *sampled, size_t count,
				struct sampled *returned)
{
	_cleanup_arena_ struct arena arena = { 0 };
	struct function *function = NULL;
	struct access none;

	if (worker->reader)
		RETURN_ERROR(debug_reader_function(worker->reader, returned->sample.address, &function));

	struct code *code = open_function(worker, function, returned->sample.address, &arena, &none);

	if (code) {
		_cleanup_free_ uint64_t *samples = late_samples(code, sampled, count);
		struct blame_charges charges = { 0 };
		struct blame blame;

		blame_init(&blame, code, samples, worker->kernel);
		blame_returned(&blame, returned->sample.samples, &charges);
		if (charges.count)
			share_out(returned, code, charges.items, charges.count);
		blame_charges_release(&charges);
		blame_release(&blame);
		ask(worker, function, returned, 1);
		clear_solver(worker->solver);
		code_destroy(code);
	}
	function_destroy(function);
	return NULL;
}

void sampled_release(struct sampled *sampled)
{
	for (size_t i = 0; i < sampled->part_count; i++)
		strbuf_release(&sampled->parts[i].story);
	free(sampled->parts);
	sampled->parts = NULL;
	sampled->part_count = 0;
}
