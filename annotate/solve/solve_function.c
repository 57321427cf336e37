// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Solves one function, from its bytes to the answers: see solve_function.h. In order: edges that no
 * instruction shows (exception edges and static branches); decoding; questions and answers; samples
 * and their charges.
 */
#include "annotate/solve/solve_function.h"

#include <assert.h>

#include "annotate/answer/answer.h"
#include "annotate/companion/accesses.h"
#include "annotate/cxx/folded.h"
#include "annotate/facts/no_return.h"
#include "annotate/flow/flow.h"
#include "annotate/flow/solver.h"
#include "annotate/language/variants.h"
#include "annotate/objects/objects.h"
#include "annotate/rules/stages.h"
#include "annotate/solve/blame.h"
#include "annotate/facts/bulk.h"
#include "disasm/cfg.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- edges that no instruction shows */

/* The exception edges and static branches in all parts of a function. */
struct extra_edges {
	struct exception_edge *pads;
	size_t pad_count, pad_capacity;
	struct cfg_way *edges;
	size_t edge_count, edge_capacity;
	uint64_t *leaders; /* where exception edges lead */
};

/* The most landing pads of a function that are read. */
#define EXTRA_EDGE_MAX 1000000

static void read_part(struct worker *worker, uint64_t low, uint64_t high, struct extra_edges *extra)
{
	_cleanup_arena_ struct arena arena = { 0 };
	size_t count;
	const struct exception_edge *pads =
		debug_reader_exception_edges(worker->reader, low, &arena, &count);

	for (size_t i = 0; i < count && extra->pad_count < EXTRA_EDGE_MAX; i++)
		array_add(extra->pads, extra->pad_count, extra->pad_capacity) = pads[i];
	const struct static_branch *branches =
		static_branches_from(worker->static_branches, low, high, &count);

	for (size_t i = 0; i < count && extra->edge_count < EXTRA_EDGE_MAX; i++)
		array_add(extra->edges, extra->edge_count, extra->edge_capacity) =
			static_branch_way(&branches[i], worker->image);
}

/* Reads the edges of a function, or of a thunk of C++; other code has none. *extra is zeroed. */
static void extra_edges_read(struct worker *worker, const struct function *function,
			     uint64_t address, struct extra_edges *extra)
{
	const struct symbol *thunk =
		function || !worker->reader ? NULL : elf_image_function_at(worker->image, address);

	for (size_t i = 0; function && i < function->range_count; i++)
		read_part(worker, function->ranges[i].low, function->ranges[i].high, extra);
	if (thunk && starts_with(thunk->name, "_ZT"))
		read_part(worker, thunk->address, thunk->address + thunk->size, extra);
	extra->leaders = xcalloc(extra->pad_count + 1, sizeof(*extra->leaders));
	for (size_t i = 0; i < extra->pad_count; i++)
		extra->leaders[i] = extra->pads[i].pad;
}

static void extra_edges_deinit(struct extra_edges *extra)
{
	free_all(extra->pads, extra->edges, extra->leaders);
}

/* Returns the block that begins at an address; 0 if none does, or the first one does. */
static uint32_t block_at(const struct cfg *code, uint64_t address)
{
	int64_t insn = cfg_find(code, address);
	uint32_t block = insn >= 0 ? cfg_block_of(code, (size_t)insn) : 0;

	return block && code->blocks[block].first == (uint32_t)insn ? block : 0;
}

/* Tells the solver where an exception out of each call, and each static branch, continues. */
static void extra_edges_attach(struct solver *solver, const struct extra_edges *extra)
{
	const struct cfg *code = solver->code;

	if (!extra->pad_count && !extra->edge_count)
		return;
	solver->tables.extra_edges = xcalloc(code->insn_count, sizeof(*solver->tables.extra_edges));
	/* Call-site regions do not overlap. The budget keeps damaged ones that do from costing
	 * more. */
	size_t budget = code->insn_count;

	array_each (const struct exception_edge, pad, extra->pads, extra->pad_count) {
		uint32_t block = block_at(code, pad->pad);

		if (!block)
			continue;
		/* A call-site region begins with a call, or with instructions before it in its
		 * block. */
		for (int64_t at = cfg_find(code, pad->low);
		     at >= 0 && budget && (size_t)at < code->insn_count &&
		     code->insns[at].address >= pad->low && code->insns[at].address < pad->high;
		     at++, budget--)
			if (code->insns[at].operation == OP_CALL)
				solver->tables.extra_edges[at] = block;
	}
	for (size_t i = 0; i < extra->edge_count; i++) {
		int64_t from = cfg_find(code, extra->edges[i].from);

		if (from >= 0)
			solver->tables.extra_edges[from] = block_at(code, extra->edges[i].to);
	}
}

/* ---- the code of a function */

/* The function that is decoded, for the decoder's callbacks. */
struct decoding {
	struct worker *worker;
	struct caller caller;
};

static bool ask_no_return(void *data, uint64_t return_address, uint64_t target, uint64_t slot)
{
	const struct decoding *decoding = data;

	return slot ? call_through_never_returns(&decoding->caller, return_address, slot)
		    : call_never_returns(&decoding->caller, return_address, target);
}

static bool find_thunk(void *data, uint64_t target, uint8_t *reg)
{
	struct worker *worker = ((struct decoding *)data)->worker;
	bool created;
	uint32_t *known = hash_map_insert(&worker->thunks, target, &created);

	if (created)
		*known = thunk_at(worker->image, target, reg) ? *reg + 1U : 0;
	*reg = (uint8_t)(*known - 1);
	return *known;
}

static bool read_constant(void *data, uint64_t address, void *buffer, size_t size)
{
	const struct decoding *decoding = data;

	return elf_image_read(decoding->worker->image, address, buffer, size, true);
}

/* Bytes of code that are decoded from an address that no function and no symbol covers. */
#define UNNAMED_CODE_SIZE 256

/* Finds the code of a range: the bytes that the file has. False if it has none. */
static bool code_range_of(const struct elf_image *image, uint64_t low, uint64_t high,
			  struct cfg_range *range)
{
	size_t available;
	const uint8_t *bytes = low < high ? elf_image_code(image, low, &available) : NULL;

	if (!bytes || !available)
		return false;
	*range = (struct cfg_range){ .address = low, .size = high - low, .bytes = bytes };
	lower_to(range->size, available);
	return true;
}

static struct error *function_code_decode(struct worker *worker, const struct function *function,
					  uint64_t address, const struct extra_edges *extra,
					  struct cfg **code)
{
	size_t count = function ? function->range_count : 1, used = 0;
	_cleanup_free_ struct cfg_range *ranges = xcalloc(count ? count : 1, sizeof(*ranges));

	if (function) {
		for (size_t i = 0; i < count; i++)
			used += code_range_of(worker->image, function->ranges[i].low,
					      function->ranges[i].high, &ranges[used]);
	} else {
		const struct symbol *symbol = elf_image_function_at(worker->image, address);
		struct elf_section section;

		if (symbol && address < symbol->address + symbol->size)
			used += code_range_of(worker->image, symbol->address,
					      symbol->address + symbol->size, ranges);
		else if (elf_image_section_at(worker->image, address, &section) &&
			 section.executable)
			/* without a symbol, the code that follows in a straight line is decoded */
			used += code_range_of(worker->image, address,
					      address + UNNAMED_CODE_SIZE <
							      section.address + section.size
						      ? address + UNNAMED_CODE_SIZE
						      : section.address + section.size,
					      ranges);
	}
	if (!used)
		return error_create(ERROR_NOT_FOUND, "no code at %#llx",
				    (unsigned long long)address);
	struct decoding decoding = {
		.worker = worker,
		.caller = {
			.image = worker->image,
			.reader = worker->reader,
			.decoder = worker->decoder,
			.function = function,
			.address = ranges[0].address,
			.named = &worker->named_returns,
		},
	};
	struct cfg_request request = {
		.ranges = ranges,
		.range_count = used,
		.leaders = extra->leaders,
		.leader_count = extra->pad_count,
		.ways = extra->edges,
		.way_count = extra->edge_count,
		.no_return = ask_no_return,
		.thunk = find_thunk,
		.traps_continue = worker->kernel,
		.read = read_constant,
		.data = &decoding,
	};

	return cfg_build(worker->decoder, &request, code);
}

/* ---- questions and answers */

/* A function is solved again at most this many times with the variants of the enums that it loads
 * pointers from. Each time, pointers are followed through one more enum. */
#define VARIANT_ROUNDS_MAX 3

/* Functions with more blocks are not solved, because their states would not fit in memory. Their
 * accesses stay unknown. */
#define BLOCK_MAX 100000

static void answer_all(struct access_question *questions, size_t count, uint8_t kind,
		       enum access_reason reason)
{
	for (size_t i = 0; i < count; i++)
		questions[i].answer = (struct access){ .address = questions[i].address,
						       .kind = kind,
						       .reason = (uint8_t)reason };
}

struct asking {
	struct access_question *questions; /* all of the function, sorted */
	size_t count;
	size_t next;   /* the next one that the walk over a block meets */
	uint64_t last; /* address of the last instruction of that block */
	struct trace *trace;
	struct exact_reader *exact;
	const struct solver *solver;
	bool fuse;             /* jumps have the answer of the comparison before them */
	bool undeclared;       /* there are no variables, so uses say more than declarations */
	bool undeclared_stack; /* there is memory on the stack without a variable */
};

/* True if a pointer to bytes may be room for an object: several paths or a call gave it. */
static bool is_given_room(const struct solver *solver, uint32_t id)
{
	const struct origin *origin = &solver->origins.items[id];
	uint32_t insn;

	return id && (origin_is_joined(origin) || (origin_insn(origin, &insn) &&
						   solver->code->insns[insn].operation == OP_CALL));
}

/* True if inference cannot change this answer: declared types win. */
static bool is_final(const struct asking *asking, const struct access_question *question)
{
	const struct access *answer = &question->answer;

	if (!question->asked || asking->undeclared)
		return false;
	if (answer->kind == ACCESS_UNKNOWN)
		return answer->reason == REASON_NO_GLOBAL ||
		       answer->reason == REASON_NO_THREAD_LOCAL ||
		       (answer->rule == RULE_WIDE_BYTE &&
			!is_given_room(asking->solver, question->object));
	return !asking->undeclared_stack || answer->memory != ACCESS_MEMORY_STACK;
}

/* True if the question was asked, and inference could give it its first answer. */
static bool is_open(const struct asking *asking, const struct access_question *question)
{
	return question->answer.kind == ACCESS_UNKNOWN && question->asked &&
	       !is_final(asking, question);
}

/* True for a comparison that reads memory, with a conditional jump after it in its block. */
static bool solve_function_is_fused(const struct cfg *code, uint32_t insn)
{
	const struct insn *first = &code->insns[insn];

	if ((first->operation != OP_COMPARE && first->operation != OP_TEST) ||
	    !insn_memory(first, false))
		return false;
	const struct basic_block *block = &code->blocks[cfg_block_of(code, insn)];

	return insn + 1 < block->first + block->count && first[1].operation == OP_BRANCH &&
	       first[1].condition != CONDITION_NONE;
}

/* Answers the next questions, which are about the address of instruction `asked`, by the access
 * of instruction `insn`. */
static void answer_questions(struct solver *solver, const struct state *state, uint32_t insn,
			     uint32_t asked, struct asking *asking)
{
	uint64_t end = solver->code->insns[insn].address + solver->code->insns[insn].length;
	const char *members;

	for (; asking->next < asking->count &&
	       asking->questions[asking->next].address == solver->code->insns[asked].address;
	     asking->next++) {
		struct access_question *question = &asking->questions[asking->next];

		/* the last resort is for accesses without an answer: whether others of the function
		 * have none says nothing of this one */
		if (is_final(asking, question) ||
		    (solver->pass.last_resort && !is_open(asking, question)))
			continue;
		question->asked = true;
		if (question->bulk) {
			question->answer =
				solver_answer_argument(solver, state, insn, question->bulk,
						       question->argument, &question->source);
			continue;
		}
		question->answer = solver_answer(solver, state, insn, question->store);
		members = exact_apply(asking->exact, end, &question->answer);
		variants_find(solver, insn, question->store, &question->answer);
		question->origin = solver->result.unanswered;
		question->object = solver->result.unanswered_object;
		question->offset = solver->result.unanswered_offset;
		solver_judge_member(solver, state, insn, question->store, &question->answer);
		exact_narrow(members, &question->answer);
		question->shown = question->answer;
		if (solver->pass.last_resort &&
		    shown_record_find(solver, state, insn, question->store, &question->shown))
			solver_judge_member(solver, state, insn, question->store, &question->shown);
		strbuf_reset(&question->trace);
		if (asking->trace)
			trace_answer(asking->trace, state, insn, &question->shown,
				     &question->trace);
	}
}

/* Answers the questions about an instruction again by a later part, if only that one has a type: a
 * pair of stores may fill a spill slot and a variable. */
static void answer_by_part(struct solver *solver, const struct state *state, uint32_t insn,
			   struct asking *asking)
{
	const struct insn *part = &solver->code->insns[insn];
	uint64_t address = part->address - part->part;

	for (size_t i = part->part ? asking->next : 0;
	     i-- && asking->questions[i].address >= address;) {
		struct access_question *question = &asking->questions[i];
		struct access answer = solver_answer(solver, state, insn, question->store);

		if (question->address != address || question->answer.kind != ACCESS_SPILL ||
		    answer.kind != ACCESS_TYPE)
			continue;
		question->answer = answer;
		question->answer.address = address;
		solver_set_bits(solver, insn, question->store, &question->answer);
	}
}

/* Returns true if the block may have more questions. */
static bool answer_at(struct solver *solver, const struct state *state, uint32_t insn, void *data)
{
	struct asking *asking = data;
	uint64_t address = solver->code->insns[insn].address;

	while (asking->next < asking->count && asking->questions[asking->next].address < address)
		asking->next++;
	if (asking->trace)
		trace_instruction(asking->trace, state, insn);
	answer_questions(solver, state, insn, insn, asking);
	if (asking->fuse && solve_function_is_fused(solver->code, insn))
		answer_questions(solver, state, insn, insn + 1, asking);
	answer_by_part(solver, state, insn, asking);
	return (asking->next < asking->count &&
		asking->questions[asking->next].address <= asking->last) ||
	       (insn + 1 < solver->code->insn_count && solver->code->insns[insn + 1].part);
}

/* Visits the blocks that have questions without a final answer. With `ask`, answers the questions
 * there; otherwise only calls flow_want() for these blocks. */
static void each_block(struct worker *worker, struct asking *asking, bool ask)
{
	const struct cfg *code = worker->solver->code;
	uint32_t last = UINT32_MAX;

	array_indexed (const struct access_question, question, i, asking->questions,
		       asking->count) {
		int64_t insn = is_final(asking, question) ? -1 : cfg_find(code, question->address);
		uint32_t block = insn < 0 ? last : cfg_block_of(code, (size_t)insn);

		if (block == last)
			continue;
		last = block;
		if (!ask) {
			flow_want(worker->flow, block);
			continue;
		}
		if (asking->trace)
			trace_block(asking->trace, block);
		asking->next = i;
		asking->last =
			code->insns[code->blocks[block].first + code->blocks[block].count - 1]
				.address;
		flow_visit(worker->flow, block, answer_at, asking);
	}
}

/* True if gathering the uses of values could give more answers. */
static bool wants_more(struct worker *worker, struct asking *asking)
{
	bool unknown = false, on_stack = false;

	for (size_t i = 0; i < asking->count; i++) {
		const struct access *answer = &asking->questions[i].answer;

		on_stack |= answer->kind != ACCESS_STACK && answer->memory == ACCESS_MEMORY_STACK;
		unknown |= is_open(asking, &asking->questions[i]);
	}
	/* this may solve the whole function, so it comes last */
	asking->undeclared_stack |= on_stack && (flow_gives_away_unnamed(worker->flow) ||
						 go_may_have_unnamed(worker->solver));
	return asking->undeclared || asking->undeclared_stack || unknown;
}

/* The rules by which the places of each kind are believed. */
static const uint8_t rule_of[DISTANT_KIND_COUNT] = {
	[DISTANT_ARGUMENT] = RULE_DISTANT_ARGUMENT,
	[DISTANT_MEMBER] = RULE_DISTANT_MEMBER,
	[DISTANT_TAG] = RULE_TAG_VALUE,
	[DISTANT_UNION] = RULE_TAG_VALUE,
};

/* Adds the place to worker->wanted, unless its rule is off, and to it the access that wants it. The
 * entries of the function begin at `first`. */
static void want_place(struct worker *worker, size_t first, const struct distant_place *place,
		       const struct access_question *question)
{
	size_t i = first;
	struct distant_wanted *wanted;

	if (!rule_is_on(rule_of[place->kind]))
		return;
	while (i < worker->wanted_count && !distant_place_is_same(&worker->wanted[i].place, place))
		i++;
	if (i == worker->wanted_count) {
		array_add(worker->wanted, worker->wanted_count, worker->wanted_capacity) =
			(struct distant_wanted){ .function = worker->solver->code->insns[0].address,
						 .place = *place };
	}
	wanted = &worker->wanted[i];
	if (wanted->access_count < DISTANT_WANTED_MAX)
		wanted->accesses[wanted->access_count] =
			(struct distant_read){ question->offset, (uint32_t)question->answer.size };
	if (wanted->access_count <= DISTANT_WANTED_MAX)
		wanted->access_count++;
}

static void note_edge(void *data, uint32_t from, uint32_t to)
{
	struct worker *worker = data;

	flow_note_edge(worker->flow, from, to);
}

/* Adds the places of the tags that were tested before an access without an answer. They may tell
 * the type of the accessed object, or, if the pointer to it was loaded from an object, the type
 * that this pointer points to. */
static void want_tags(struct worker *worker, const struct access_question *question,
		      struct distant_places *places)
{
	struct solver *solver = worker->solver;
	int64_t at = cfg_find(solver->code, question->address);
	uint32_t insn = question->object ? (uint32_t)at : tags_load_of(solver, question->origin);

	if (at < 0 || insn == UINT32_MAX)
		return;
	tags_each_edge(solver, insn, note_edge, worker);
	if (question->object)
		tags_want_object(solver, question->object, insn, places);
	else
		tags_want_member(solver, question->origin, places);
}

/* Adds to worker->wanted the places that the addresses of accesses without an answer may come
 * from. */
static void want_places(struct worker *worker, struct access_question *questions, size_t count)
{
	size_t first = worker->wanted_count;

	for (size_t i = 0; i < count && !flow_is_too_large(worker->flow); i++) {
		struct distant_places places = { 0 };

		if (questions[i].answer.kind != ACCESS_UNKNOWN ||
		    (!questions[i].origin && !questions[i].object))
			continue;
		if (questions[i].origin)
			solver_distant_places(worker->solver, questions[i].origin, &places);
		want_tags(worker, &questions[i], &places);
		if (places.count)
			questions[i].distant = rule_of[places.items[0].kind];
		for (size_t k = 0; k < places.count; k++)
			want_place(worker, first, &places.items[k], &questions[i]);
		distant_places_deinit(&places);
	}
}

/* Solves the function until its answers teach nothing more. False if it is too large. */
static bool solve_and_ask(struct worker *worker, struct asking *asking)
{
	struct solver *solver = worker->solver;

	flow_start(worker->flow, asking->trace || asking->undeclared);
	do {
		each_block(worker, asking, false);
		flow_solve(worker->flow);
		for (int i = 0; i < VARIANT_ROUNDS_MAX && variants_ask_loads(solver); i++)
			flow_solve(worker->flow);
		if (flow_is_too_large(worker->flow))
			return false;
		each_block(worker, asking, true);
	} while (wants_more(worker, asking) &&
		 (flow_learn(worker->flow) || union_loads_tell(worker)));
	return !flow_is_too_large(worker->flow);
}

/* Adds the answers in unions whose members are not known to worker->unions. */
static void want_unions(struct worker *worker, const struct access_question *questions,
			size_t count)
{
	struct solver *solver = worker->solver;

	for (size_t i = 0; i < count; i++) {
		struct wanted_union wanted[TAGS_MAX];
		int64_t insn = questions[i].answer.union_candidates
				       ? cfg_find(solver->code, questions[i].address)
				       : -1;

		size_t used = insn < 0 ? 0
				       : tag_union_want(solver, (uint32_t)insn, questions[i].store,
							&questions[i].answer, wanted);

		for (size_t k = 0; k < used; k++)
			array_add(worker->unions, worker->union_count, worker->union_capacity) =
				wanted[k];
	}
}

void worker_find_answers(struct worker *worker, struct access_question *questions, size_t count)
{
	struct solver *solver = worker->solver;
	struct asking asking = { .questions = questions,
				 .count = count,
				 .trace = worker->want_trace ? trace_create(solver) : NULL,
				 .exact = &worker->exact,
				 .solver = solver,
				 .fuse = worker->fused,
				 .undeclared = solver_has_no_variables(solver) };

	bool solved = solve_and_ask(worker, &asking);

	if (!solved)
		answer_all(questions, count, ACCESS_UNKNOWN, REASON_MAX);
	/* addresses that are no instruction's start */
	for (size_t i = 0; i < count; i++)
		if (cfg_find(solver->code, questions[i].address) < 0)
			answer_all(&questions[i], 1, ACCESS_NO_CODE, REASON_NO_CODE);
	if (solved && solver->options.infer && solver->function && !asking.undeclared &&
	    any_of(i, 0, asking.count, is_open(&asking, &asking.questions[i]))) {
		solver->pass.last_resort = true;
		each_block(worker, &asking, true);
		solver->pass.last_resort = false;
	}
	if (solved && solver->options.infer && solver->function && !solver->distant) {
		tags_restart(&solver->tags);
		want_places(worker, questions, count);
		want_unions(worker, questions, count);
	}
	for (size_t i = 0; i < count; i++)
		if (is_open(&asking, &questions[i]) && questions[i].shown.kind == ACCESS_TYPE)
			questions[i].answer = questions[i].shown;
	struct folded_functions folded;

	if (solved && folded_find(solver, &folded))
		for (size_t i = 0; i < count; i++)
			folded_decide(&folded, &questions[i].answer);
	flow_finish(worker->flow);
	trace_destroy(asking.trace);
}

/* Sets the reason of all unknown accesses whose instructions were decoded. */
static void set_reasons(struct access_question *questions, size_t count, enum access_reason reason)
{
	for (size_t i = 0; i < count; i++) {
		struct access *access = &questions[i].answer;

		if (access->kind == ACCESS_UNKNOWN && access->reason != REASON_NO_CODE &&
		    !questions[i].bulk)
			access->reason = (uint8_t)reason;
	}
}

/* Marks answers that come from BTF's types. Where BTF has no prototype of the function, makes that
 * the reason for unknown base registers. */
static void mark_format(const struct debug_reader *reader, const struct function *function,
			struct access_question *questions, size_t count)
{
	if (!reader || strcmp(debug_reader_format(reader), "btf") != 0)
		return;
	bool no_arguments = function && (!function->prototype || !function->prototype->prototyped);

	for (size_t i = 0; i < count; i++) {
		struct access *access = &questions[i].answer;

		if (access->kind == ACCESS_TYPE &&
		    (access->how == HOW_VARIABLE || access->how == HOW_TRACKED))
			access->how = HOW_BTF;
		if (no_arguments && access->kind == ACCESS_UNKNOWN &&
		    access->reason == REASON_NO_VALUE)
			access->reason = REASON_NO_ARGUMENTS;
	}
}

/* Makes that the unit describes no types the reason for unknown base registers, and for functions
 * that are not described. */
static void mark_no_types(struct debug_reader *reader, const struct function *function,
			  struct access_question *questions, size_t count)
{
	enum unit_types types = UNIT_HAS_TYPES;
	bool asked = false;

	for (size_t i = 0; reader && i < count; i++) {
		struct access *access = &questions[i].answer;

		if (access->kind != ACCESS_UNKNOWN || questions[i].bulk ||
		    access->reason != (function ? REASON_NO_VALUE : REASON_NO_FUNCTION))
			continue;
		if (!asked)
			types = debug_reader_unit_types(reader, questions[i].address);
		asked = true;
		if (types != UNIT_HAS_TYPES)
			access->reason =
				types == UNIT_LINES_ONLY ? REASON_LINES_ONLY : REASON_NO_TYPES;
	}
}

/* Finds the frame rows of code without a function DIE, which are allocated from `arena`. */
static void read_frame_rows(struct solver *solver, struct arena *arena)
{
	const struct insn *last = &solver->code->insns[solver->code->insn_count - 1];

	solver->frame.rows = debug_reader_frame_rows(solver->reader, solver->code->insns[0].address,
						     last->address + last->length, arena,
						     &solver->frame.row_count);
	if (!solver->frame.row_count && solver->options.kernel && solver->abi->assembly_frame)
		solver->abi->assembly_frame(solver, arena);
}

/* Gives the solver what the debug information says of the function. */
static void prepare_solver(struct solver *solver, const struct function *function,
			   const struct cfg *code, struct arena *arena)
{
	solver->function = function;
	solver->code = code;
	solver->abi = abi_of_function(abi_of(solver->arch), function);
	if (function)
		facts_build(&solver->facts, solver->abi, function, code);
	rules_believe(solver);
	if (function) {
		rules_name_nodes(solver);
		solver->frame.rows = function->frame_rows;
		solver->frame.row_count = function->frame_row_count;
		solver_stack_arguments(solver);
		variable_places_find(solver);
	}
	solver->thunk = (struct method_thunk){ 0 };
	/* LLVM describes a thunk if it has inlined the function there, but not `this` */
	if (solver->reader && (!function || !function->prototype ||
			       (!function->prototype->parameter_count && !function->name)))
		solver_find_thunk(solver);
	if (solver->reader && (!function || function->arguments_by_abi))
		read_frame_rows(solver, arena);
}

static void read_whole_function(struct worker *worker, uint64_t address, struct open_function *open)
{
	struct extra_edges extra = { 0 };

	if (worker->reader)
		open->function = debug_reader_function(worker->reader, address);
	extra_edges_read(worker, open->function, address, &extra);
	struct error *error =
		function_code_decode(worker, open->function, address, &extra, &open->code);

	assert(error || open->code);
	if (error) {
		open->none = (struct access){ .kind = ACCESS_NO_CODE, .reason = REASON_NO_CODE };
		error_destroy(error);
	} else if (open->code->block_count > BLOCK_MAX) {
		open->none = (struct access){ .kind = ACCESS_UNKNOWN, .reason = REASON_MAX };
		cfg_destroy(open->code);
		open->code = NULL;
	}
	extra_edges_deinit(&extra);
}

void worker_open_function(struct worker *worker, uint64_t address, struct open_function *open)
{
	struct extra_edges extra = { 0 };

	if (!open->code)
		read_whole_function(worker, address, open);
	if (!open->code || !worker->solver)
		return;
	prepare_solver(worker->solver, open->function, open->code, &open->arena);
	extra_edges_read(worker, open->function, address, &extra);
	extra_edges_attach(worker->solver, &extra);
	extra_edges_deinit(&extra);
}

void worker_leave_function(struct worker *worker, const struct open_function *open)
{
	if (open->code && worker->solver)
		solver_clear(worker->solver);
}

void open_function_deinit(struct open_function *open)
{
	if (open->code)
		cfg_destroy(open->code);
	function_destroy(open->function);
	arena_deinit(&open->arena);
	*open = (struct open_function){ 0 };
}

/* Makes the unknown caller the reason for each access without an answer in a bulk memory function.
 * There, and in code without a function in the debug information, notes the argument whose register
 * is the base of the access. No caller gives a constant address. */
static void mark_bulk(const struct worker *worker, const struct function *function,
		      struct access_question *questions, size_t count)
{
	const struct cfg *code = worker->solver->code;
	const struct convention *call = &worker->solver->arch->call;
	const struct symbol *symbol = elf_image_function_at(worker->image, code->insns[0].address);
	const char *name = symbol && code->insns[0].address < symbol->address + symbol->size
				   ? symbol->name
			   : function ? function->name
				      : NULL;
	bool bulk = name && bulk_function_named(name, worker->kernel);

	for (size_t i = 0; i < count && (bulk || !function); i++) {
		struct access *access = &questions[i].answer;
		int64_t insn = cfg_find(code, questions[i].address);
		const struct operand *operand =
			insn < 0 ? NULL : insn_memory(&code->insns[insn], questions[i].store);

		if (access->kind != ACCESS_UNKNOWN || !operand || operand->absolute ||
		    questions[i].bulk)
			continue;
		access->base_argument = convention_argument(call, operand->base);
		if (!bulk)
			continue;
		access->kind = ACCESS_BULK;
		access->reason = REASON_CALLER;
	}
}

COMPARISON(compare_questions, struct access_question,
	   ASCENDING(address) ASCENDING(store)
		   BY(a->bulk ? a->argument + 1 : 0, b->bulk ? b->argument + 1 : 0))

/* Sets what tells the question of a part apart from others, and nothing else. */
static void name_question(const struct worker *worker, const struct sampled_part *part,
			  struct access_question *question)
{
	const struct cfg *code = worker->solver->code;
	int64_t insn = part->argument ? cfg_find(code, part->address) : -1;

	question->address = part->address;
	question->store = part->store;
	question->bulk = NULL;
	question->argument = 0;
	if (insn < 0)
		return;
	question->bulk = type_resolver_bulk(worker->image, &code->insns[insn], worker->kernel);
	question->argument = part->argument - 1;
}

/* True if the access of a part is still to be found. With distant facts, only parts that these may
 * answer are asked for again. */
static bool solve_function_is_asked(const struct worker *worker, const struct sampled_part *part)
{
	return (part->answer.kind == ACCESS_UNKNOWN || part->answer.rule == RULE_SHOWN_RECORD) &&
	       !part->callee && (!worker->solver->distant || part->distant);
}

/* Takes the accesses of all parts from the companion. */
static void take_answers(const struct worker *worker, struct sampled *sampled, size_t count)
{
	for (size_t i = 0; i < count; i++)
		array_each (struct sampled_part, part, sampled[i].parts, sampled[i].part_count) {
			if (part->answer.kind == ACCESS_UNKNOWN && !part->callee)
				part->answer = companion_access(worker->answers, part->address,
								part->store, worker->fused);
		}
}

/* Asks the function for the accesses of all parts, each once. */
static void ask_function(struct worker *worker, const struct function *function,
			 struct sampled *sampled, size_t count)
{
	size_t part_count = 0, asked = 0;

	if (worker->answers) {
		take_answers(worker, sampled, count);
		return;
	}
	for (size_t i = 0; i < count; i++)
		part_count += sampled[i].part_count;

	_cleanup_free_ struct access_question *questions =
		xrealloc_array(NULL, part_count + 1, sizeof(*questions));

	for (size_t i = 0; i < count; i++)
		array_each (const struct sampled_part, part, sampled[i].parts,
			    sampled[i].part_count) {
			if (!solve_function_is_asked(worker, part))
				continue;
			questions[asked] = (struct access_question){ .trace = STRBUF_INIT };
			name_question(worker, part, &questions[asked++]);
		}
	if (!asked)
		return;
	sort_unless_sorted(questions, asked, sizeof(*questions), compare_questions);
	part_count = asked;
	asked = 1;
	for (size_t i = 1; i < part_count; i++)
		if (compare_questions(&questions[asked - 1], &questions[i]) && asked++ != i)
			questions[asked - 1] = questions[i];
	worker_find_answers(worker, questions, asked);
	if (!worker->reader)
		set_reasons(questions, asked, REASON_NO_DEBUG_INFO);
	else if (!function)
		set_reasons(questions, asked, REASON_NO_FUNCTION);
	mark_format(worker->reader, function, questions, asked);
	mark_no_types(worker->reader, function, questions, asked);
	mark_bulk(worker, function, questions, asked);
	struct access_question key;

	for (size_t i = 0; i < count; i++)
		array_each (struct sampled_part, part, sampled[i].parts, sampled[i].part_count) {
			if (!solve_function_is_asked(worker, part))
				continue;
			name_question(worker, part, &key);
			struct access_question *question =
				bsearch(&key, questions, asked, sizeof(key), compare_questions);

			strbuf_deinit(&part->trace);
			part->trace = question->trace;
			part->answer = question->answer;
			if (part->answer.kind == ACCESS_UNKNOWN ||
			    part->answer.rule == RULE_SHOWN_RECORD)
				part->distant = question->distant;
			else if (!part->answer.rule)
				part->answer.rule = part->distant;
			question->trace = (struct strbuf)STRBUF_INIT;
		}
}

static void add_part(struct sampled *sampled, const struct sampled_part *part)
{
	size_t count = sampled->part_count++;

	if (!count) {
		sampled->parts = &sampled->first;
	} else if (count == 1) {
		sampled->parts = xrealloc_array(NULL, 2, sizeof(*part));
		sampled->parts[0] = sampled->first;
	} else {
		sampled->parts = xrealloc_array(sampled->parts, count + 1, sizeof(*part));
	}
	sampled->parts[count] = *part;
	sampled->parts[count].trace = (struct strbuf)STRBUF_INIT;
}

/* Charges all samples to the sampled instruction's own access. */
static void charge_sampled(struct sampled *sampled, const struct access *answer)
{
	struct sampled_part part = { .samples = sampled->sample.samples,
				     .address = sampled->sample.address,
				     .store = sampled->sample.store,
				     .argument = sampled->sample.argument,
				     .answer = *answer };

	part.answer.address = sampled->sample.address;
	add_part(sampled, &part);
}

static struct sampled_part part_of(const struct cfg *code, const struct blame_charge *charge)
{
	struct sampled_part part = { .how = charge->how };
	const struct insn *insn = &code->insns[charge->insn];

	part.address = part.answer.address = insn->address - insn->part;
	switch ((enum blame_what)charge->what) {
	case BLAME_ACCESS:
		/* an instruction that only writes is a store */
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

/* Turns shares of samples into numbers of samples, by largest remainders. The first
 * of several equal shares gets more. */
static void share_out(struct sampled *sampled, const struct cfg *code,
		      const struct blame_charge *charges, size_t count)
{
	uint64_t total = sampled->sample.samples, given = 0;

	/* the usual case, without arrays on the heap */
	if (count == 1) {
		struct sampled_part part = part_of(code, &charges[0]);

		part.samples = total;
		if (total)
			add_part(sampled, &part);
		return;
	}

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

static uint64_t *late_samples(const struct cfg *code, const struct sampled *sampled, size_t count)
{
	uint64_t *samples = xcalloc(code->insn_count, sizeof(*samples));

	for (size_t i = 0; i < count; i++) {
		int64_t insn =
			sampled[i].sample.late ? cfg_find(code, sampled[i].sample.address) : -1;

		if (insn >= 0)
			samples[insn] += sampled[i].sample.samples;
	}
	return samples;
}

static bool enables_interrupts(const struct worker *worker, uint64_t function)
{
	const struct symbol *symbol =
		worker->kernel ? elf_image_function_at(worker->image, function) : NULL;

	return symbol && symbol->address == function &&
	       blame_enables_interrupts(symbol->name, false);
}

/* Charges the samples after a call that only enabled interrupts to no access: they were held back
 * until then. */
static void mark_held_back(const struct worker *worker, struct sampled *sampled)
{
	array_each (struct sampled_part, part, sampled->parts, sampled->part_count) {
		if (!part->callee || !enables_interrupts(worker, part->callee))
			continue;
		part->callee = 0;
		part->how = BLAME_NOTHING;
		part->address = sampled->sample.address;
		part->answer = (struct access){ .address = sampled->sample.address,
						.kind = ACCESS_INTERRUPTS_OFF };
	}
}

static void blame_all(struct worker *worker, const struct cfg *code, struct sampled *sampled,
		      size_t count)
{
	static const struct access not_yet = { .kind = ACCESS_UNKNOWN };
	_cleanup_free_ uint64_t *samples = NULL;
	struct blame_charges charges = { 0 };
	struct blame blame;

	for (size_t i = 0; i < count; i++) {
		int64_t insn =
			sampled[i].sample.late ? cfg_find(code, sampled[i].sample.address) : -1;

		if (insn < 0) {
			charge_sampled(&sampled[i], &not_yet);
			continue;
		}
		if (!samples) {
			samples = late_samples(code, sampled, count);
			blame_init(&blame, code, samples, worker->kernel);
			blame.enables_interrupts =
				enables_interrupts(worker, code->insns[0].address);
		}
		charges.count = 0;
		blame_sampled(&blame, (uint32_t)insn, sampled[i].sample.came_from, &charges);
		share_out(&sampled[i], code, charges.items, charges.count);
		mark_held_back(worker, &sampled[i]);
	}
	blame_charges_deinit(&charges);
	if (!samples)
		return;
	blame_measure(&blame, &worker->skid);
	blame_deinit(&blame);
}

void worker_open(struct worker *worker, const struct elf_image *image, struct debug_object *debug,
		 bool no_infer, bool want_trace)
{
	if (worker->decoder)
		return;
	if (debug && !worker->reader)
		worker->reader = debug_reader_open(debug);
	const struct abi *abi = abi_of_image(image);

	worker->decoder = decoder_create(abi->arch);
	worker->image = image;
	worker->want_trace = want_trace;
	if (companion_of(debug)) {
		worker->answers = xmalloc(sizeof(*worker->answers));
		companion_answers_open(worker->answers, companion_of(debug));
		companion_reader_omit_names(worker->reader);
		return;
	}
	worker->solver = xmalloc(sizeof(*worker->solver));
	solver_init(worker->solver, abi, image, worker->reader,
		    &(struct solver_options){
			    .infer = !no_infer,
			    .kernel = worker->kernel,
			    .check = worker->check,
			    .bit_work = worker->bit_work,
			    /* relocatable files are relocated to where they are */
			    .image_is_fixed = elf_image_type(image) != ET_DYN,
		    });
	worker->flow = flow_create(worker->solver);
}

void worker_close(struct worker *worker)
{
	companion_answers_destroy(worker->answers);
	exact_reader_deinit(&worker->exact);
	flow_destroy(worker->flow);
	if (worker->solver) {
		solver_deinit(worker->solver);
		free(worker->solver);
	}
	hash_map_deinit(&worker->named_returns);
	hash_map_deinit(&worker->thunks);
	free_all(worker->wanted, worker->unions);
	if (worker->reader)
		debug_reader_close(worker->reader);
	if (worker->decoder)
		decoder_destroy(worker->decoder);
}

void solve_function_answer(struct worker *worker, struct open_function *open,
			   struct sampled *sampled, size_t count)
{
	worker_open_function(worker, sampled[0].sample.address, open);
	if (open->code) {
		blame_all(worker, open->code, sampled, count);
		ask_function(worker, open->function, sampled, count);
	}
	for (size_t i = 0; i < count && !open->code; i++)
		charge_sampled(&sampled[i], &open->none);
	worker_leave_function(worker, open);
}

void solve_function_refuse(struct sampled *sampled, size_t count)
{
	static const struct access none = { .kind = ACCESS_UNKNOWN, .reason = REASON_MAX };

	for (size_t i = 0; i < count; i++)
		charge_sampled(&sampled[i], &none);
}

void solve_function_again(struct worker *worker, struct open_function *open,
			  struct sampled *sampled, size_t count, const struct distant_facts *facts)
{
	worker_open_function(worker, sampled[0].sample.address, open);
	if (open->code) {
		worker->solver->distant = facts;
		worker->solver->tags.on = open->function && tags_may_show(worker->solver, facts, 0);
		ask_function(worker, open->function, sampled, count);
		worker->solver->distant = NULL;
	}
	worker_leave_function(worker, open);
}

void solve_function_returned(struct worker *worker, struct open_function *open,
			     const struct sampled *sampled, size_t count, struct sampled *returned)
{
	worker_open_function(worker, returned->sample.address, open);
	if (open->code) {
		_cleanup_free_ uint64_t *samples = late_samples(open->code, sampled, count);
		struct blame_charges charges = { 0 };
		struct blame blame;

		blame_init(&blame, open->code, samples, worker->kernel);
		blame_returned(&blame, returned->sample.samples, &charges);
		if (charges.count)
			share_out(returned, open->code, charges.items, charges.count);
		blame_charges_deinit(&charges);
		blame_deinit(&blame);
		ask_function(worker, open->function, returned, 1);
	}
	worker_leave_function(worker, open);
}

void sampled_deinit(struct sampled *sampled)
{
	for (size_t i = 0; i < sampled->part_count; i++)
		strbuf_deinit(&sampled->parts[i].trace);
	if (sampled->parts != &sampled->first)
		free(sampled->parts);
	sampled->parts = NULL;
	sampled->part_count = 0;
}
