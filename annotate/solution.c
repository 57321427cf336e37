// SPDX-License-Identifier: GPL-2.0-or-later
/* One function from bytes to answers: see solution.h. */
#include "annotate/solution.h"

#include <elf.h>
#include <string.h>

#include "annotate/assembly.h"
#include "annotate/flow.h"
#include "annotate/no_return.h"
#include "annotate/story.h"
#include "annotate/used_bits.h"

/* Beyond this the states of a function's blocks would not fit in memory: what it accesses is then not known.
 */
#define BLOCK_LIMIT 100000

/* Landing pads of a function, after which no more are read. */
#define LANDING_LIMIT 1000000

static bool no_return(void *data, uint64_t call_address, uint64_t target)
{
	const struct worker *worker = data;

	return call_never_returns(worker->image, worker->reader, call_address, target);
}

static bool find_thunk(void *data, uint64_t target, uint8_t *reg)
{
	const struct worker *worker = data;
	const struct thunk *thunk = thunks_at(worker->thunks, target);

	if (thunk)
		*reg = thunk->reg;
	return thunk;
}

static bool read_constant(void *data, uint64_t address, void *buffer, size_t size)
{
	const struct worker *worker = data;

	return elf_image_read(worker->image, address, buffer, size, true);
}

/* The code of a range as far as the file has it; false: none of it. */
static bool code_range_of(const struct elf_image *image, uint64_t low, uint64_t high,
			  struct code_range *range)
{
	size_t available;
	const uint8_t *bytes = low < high ? elf_image_code(image, low, &available) : NULL;

	if (!bytes || !available)
		return false;
	*range = (struct code_range){ .address = low, .size = high - low, .bytes = bytes };
	if (range->size > available)
		range->size = available;
	return true;
}

/* Where control comes to in all parts of a function by no jump: landing pads, targets of static branches. */
struct landings {
	struct landing_pad *pads;
	size_t pad_count, pad_capacity;
	struct hidden_edge *edges;
	size_t edge_count, edge_capacity;
	uint64_t *leaders; /* of both */
	size_t leader_count;
};

static void read_part(struct worker *worker, uint64_t low, uint64_t high, struct landings *landings)
{
	_cleanup_arena_ struct arena arena = { 0 };
	size_t count;
	const struct landing_pad *pads = debug_reader_landing_pads(worker->reader, low, &arena, &count);

	for (size_t i = 0; i < count && landings->pad_count < LANDING_LIMIT; i++) {
		array_reserve(landings->pads, landings->pad_count, landings->pad_capacity);
		landings->pads[landings->pad_count++] = pads[i];
	}
	const struct hidden_edge *edges = hidden_edges_from(worker->hidden_edges, low, high, &count);

	for (size_t i = 0; i < count && landings->edge_count < LANDING_LIMIT; i++) {
		array_reserve(landings->edges, landings->edge_count, landings->edge_capacity);
		landings->edges[landings->edge_count++] = edges[i];
	}
}

static void read_landings(struct worker *worker, const struct function *function, struct landings *landings)
{
	for (size_t i = 0; function && i < function->range_count; i++)
		read_part(worker, function->ranges[i].low, function->ranges[i].high, landings);
	if (!landings->pad_count && !landings->edge_count)
		return;
	landings->leaders = xcalloc(landings->pad_count + landings->edge_count, sizeof(*landings->leaders));
	for (size_t i = 0; i < landings->pad_count; i++)
		landings->leaders[landings->leader_count++] = landings->pads[i].pad;
	for (size_t i = 0; i < landings->edge_count; i++)
		landings->leaders[landings->leader_count++] = landings->edges[i].to;
}

static void release_landings(struct landings *landings)
{
	free(landings->pads);
	free(landings->edges);
	free(landings->leaders);
}

/* The block that begins at an address; 0: none, or the first. */
static uint32_t block_at(const struct code *code, uint64_t address)
{
	int64_t insn = code_find(code, address);
	uint32_t block = insn >= 0 ? code_block_of(code, (size_t)insn) : 0;

	return block && code->blocks[block].first == (uint32_t)insn ? block : 0;
}

/* Tell the solver which block an exception out of each call goes on at, and each static branch. */
static void place_landings(struct solver *solver, const struct landings *landings)
{
	const struct code *code = solver->code;

	if (!landings->leader_count)
		return;
	solver->landings = xcalloc(code->insn_count, sizeof(*solver->landings));
	/* regions do not overlap; damaged ones may not cost more than if that was so */
	size_t budget = code->insn_count;

	for (size_t i = 0; i < landings->pad_count; i++) {
		const struct landing_pad *pad = &landings->pads[i];
		uint32_t block = block_at(code, pad->pad);

		if (!block)
			continue;
		/* a call-site region begins with a call, or with what goes before it in the block */
		for (int64_t at = code_find(code, pad->low);
		     at >= 0 && budget && (size_t)at < code->insn_count &&
		     code->insns[at].address >= pad->low && code->insns[at].address < pad->high;
		     at++, budget--)
			if (code->insns[at].operation == OP_CALL)
				solver->landings[at] = block;
	}
	for (size_t i = 0; i < landings->edge_count; i++) {
		int64_t from = code_find(code, landings->edges[i].from);

		if (from >= 0)
			solver->landings[from] = block_at(code, landings->edges[i].to);
	}
}

static struct error *decode(struct worker *worker, const struct function *function, uint64_t address,
			    const struct landings *landings, struct code **code)
{
	size_t count = function ? function->range_count : 1, used = 0;
	_cleanup_free_ struct code_range *ranges = xcalloc(count ? count : 1, sizeof(*ranges));

	if (function) {
		for (size_t i = 0; i < count; i++)
			used += code_range_of(worker->image, function->ranges[i].low,
					      function->ranges[i].high, &ranges[used]);
	} else {
		const struct symbol *symbol = elf_image_function_at(worker->image, address);
		struct elf_section section;

		if (symbol && address < symbol->address + symbol->size)
			used += code_range_of(worker->image, symbol->address, symbol->address + symbol->size,
					      ranges);
		else if (elf_image_section_at(worker->image, address, &section) && section.executable)
			/* no symbol: what follows in a straight line */
			used += code_range_of(worker->image, address,
					      address + 256 < section.address + section.size
						      ? address + 256
						      : section.address + section.size,
					      ranges);
	}
	if (!used)
		return error_create(ERROR_NOT_FOUND, "no code at %#llx", (unsigned long long)address);
	struct code_request request = {
		.ranges = ranges,
		.range_count = used,
		.leaders = landings->leaders,
		.leader_count = landings->leader_count,
		.no_return = no_return,
		.thunk = worker->thunks->count ? find_thunk : NULL,
		.traps_continue = worker->kernel,
		.read = read_constant,
		.data = worker,
	};

	return code_decode(worker->decoder, &request, code);
}

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
	size_t next; /* that the walk over a block comes to */
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
	const struct block *block = &code->blocks[code_block_of(code, insn)];

	return (first->operation == OP_COMPARE || first->operation == OP_TEST) && insn_memory(first, false) &&
	       insn + 1 < block->first + block->count && first[1].operation == OP_BRANCH &&
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

static void visit(struct solver *solver, const struct state *state, uint32_t insn, void *data)
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

static void find_answers(struct worker *worker, struct question *questions, size_t count)
{
	struct solver *solver = worker->solver;
	struct asking asking = { .questions = questions,
				 .count = count,
				 .story = worker->want_story ? story_create(solver) : NULL,
				 .fuse = worker->fused,
				 .undeclared = solver->function && solver->function->arguments_by_abi };

	/* what is no instruction's start */
	for (size_t i = 0; i < count; i++)
		if (code_find(solver->code, questions[i].address) < 0)
			answer_all(&questions[i], 1, ACCESS_NO_CODE, REASON_NO_CODE);
	flow_start(worker->flow);
	do {
		each_block(worker, &asking, false);
		flow_solve(worker->flow);
		each_block(worker, &asking, true);
	} while (wants_more(worker, &asking) && flow_learn(worker->flow));
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

	read_landings(worker, function, &landings);
	struct error *error = decode(worker, function, questions[0].address, &landings, &code);

	if (error) {
		release_landings(&landings);
		error_free(error);
		answer_all(questions, count, ACCESS_NO_CODE, REASON_NO_CODE);
		return NULL;
	}
	if (code->block_count > BLOCK_LIMIT) {
		answer_all(questions, count, ACCESS_UNKNOWN, REASON_LIMIT);
		release_landings(&landings);
		code_destroy(code);
		return NULL;
	}
	tell_solver(solver, function, code, &arena);
	place_landings(solver, &landings);
	release_landings(&landings);
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
		free(worker->solver);
	}
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
