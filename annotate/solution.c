// SPDX-License-Identifier: GPL-2.0-or-later
/* One function from bytes to answers: see solution.h. */
#include "annotate/solution.h"

#include <elf.h>
#include <string.h>

#include "annotate/assembly.h"
#include "annotate/flow.h"
#include "annotate/function_code.h"
#include "annotate/landing.h"
#include "annotate/story.h"
#include "annotate/used_bits.h"

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

static struct error *solve(struct worker *worker, const struct function *function, struct question *questions,
			   size_t count)
{
	struct solver *solver = worker->solver;
	struct code *code = NULL;
	struct landings landings = { 0 };
	_cleanup_arena_ struct arena arena = { 0 };

	landings_read(worker, function, &landings);
	struct error *error = function_code_decode(worker, function, questions[0].address, &landings, &code);

	if (error) {
		landings_release(&landings);
		error_free(error);
		answer_all(questions, count, ACCESS_NO_CODE, REASON_NO_CODE);
		return NULL;
	}
	if (code->block_count > BLOCK_LIMIT) {
		answer_all(questions, count, ACCESS_UNKNOWN, REASON_LIMIT);
		landings_release(&landings);
		code_destroy(code);
		return NULL;
	}
	tell_solver(solver, function, code, &arena);
	landings_place(solver, &landings);
	landings_release(&landings);
	find_answers(worker, questions, count);
	if (!worker->reader)
		without_types(questions, count, REASON_NO_DEBUG_INFO);
	else if (!function)
		without_types(questions, count, REASON_NO_FUNCTION);
	mark_format(worker->reader, function, questions, count);
	clear_solver(solver);
	code_destroy(code);
	return NULL;
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

struct error *solution_answer(struct worker *worker, struct question *questions, size_t count)
{
	struct function *function = NULL;

	if (worker->reader)
		RETURN_ERROR(debug_reader_function(worker->reader, questions[0].address, &function));
	struct error *error = solve(worker, function, questions, count);

	function_destroy(function);
	return error;
}
