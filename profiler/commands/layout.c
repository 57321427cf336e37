// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof layout: a layout of a record that would be faster, by how much, and why; or why there is
 * none.
 */

#include <math.h>

#include "base/memory.h"
#include "profiler/commands/check_rules.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/html.h"
#include "profiler/commands/layout_patch.h"
#include "profiler/commands/lock_reading.h"
#include "profiler/cli/sandbox.h"
#include "profiler/cli/input.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/cli/names.h"
#include "profiler/cli/trouble.h"
#include "profiler/machine/cached_costs.h"
#include "profiler/machine/run_visits.h"
#include "report/json.h"
#include "report/layout/advice.h"

#define UNSET       UINT64_MAX
#define TOP_DEFAULT 5 /* types */
#define TYPES_MAX   1000
#define TYPES_TRIED 20 /* at least: those with the best advice are shown */

enum emit_form { EMIT_C, EMIT_PATCH, EMIT_RULES, EMIT_PLACES, EMIT_SOURCE, EMIT_NONE };

static struct {
	struct input_options input;
	const char *type;
	const char *pids;
	const char *html, *output;
	struct sample_choice choice;
	unsigned int top;
	uint64_t cacheline;
	enum emit_form emit;
	enum advice_kind kind; /* --proposal; PROPOSAL_KINDS: the advised one */
	bool json, dot, even_if, replay;
} options = { .top = TOP_DEFAULT, .cacheline = UNSET, .emit = EMIT_NONE, .kind = PROPOSAL_KINDS };

// clang-format off
static const struct option_spec layout_options[] = {
	GROUP("Choosing the types"),
	OPTION(STRING, 0, "type", &options.type, "NAME", "types of this name (or all like 'list_*'); without it\nthe best advice of the 20 types with the most samples"),
	/* the word of dtprof annotate */
	OPTION(STRING, 0, "data-type", &options.type, "NAME", NULL),
	OPTION(UNSIGNED, 0, "top", &options.top, "N", "at most N types (5)"),
	OPTION(STRING, 'C', "cpu", &options.choice.cpu_list, "LIST", "use only samples on these processors, such as 0-3,8"),
	OPTION(STRING, 0, "time", &options.choice.time, "RANGES", "use only samples of these times, as in report"),
	OPTION(STRING, 0, "pid", &options.pids, "LIST", "use only samples of these processes"),
	GROUP("Output"),
	OPTION(ENUM, 0, "emit", WORDS(options.emit, "c", "patch", "rules", "places", "source"), "FORM", "print c: the advised record in C with assertions;\nsource: the same in its own language; patch: a patch\nof its source; rules: rules for dtprof check; or\nplaces: what a split changes"),
	{ OPTION_ENUM, 0, "proposal", &(struct option_words){ &options.kind, advice_kind_names }, "KIND", "with --emit=c, source or patch, take this proposal, advised or not: keep,\nreorder, shrink, split, peel, pad", NULL },
	FLAG(0, "even-if", &options.even_if, "with --emit=patch, make patches that are likely to break\nthe program, too"),
	FLAG(0, "replay", &options.replay, "measure the gains here: visit objects of the same shape\nin both layouts, for a few seconds"),
	FLAG(0, "dot", &options.dot, "print which fields are used together as a graph, for\nGraphviz"),
	FLAG(0, "json", &options.json, "print JSON (Documentation/json.md)"),
	OPTION(STRING, 0, "html", &options.html, "FILE", "write a page for browsers: the layouts before and after,\nand the fields that are used together"),
	OPTION(STRING, 'o', "output", &options.output, "FILE", "write this file"),
	OPTION(U64, 0, "cacheline", &options.cacheline, "BYTES", "assume cachelines of this size (the recorded machine's,\nor 64)"),
	GROUP("Input"),
	SOURCE_OPTION_SPEC(options.input),
	INPUT_OPTION_SPECS(options.input),
	OPTIONS_END,
};
// clang-format on

static const struct command_usage layout_usage = {
	.name = "layout",
	.synopsis = "[--type=NAME] [--emit=FORM] [OPTIONS]",
	.summary =
		"Advise on the layout of the records that samples access, with the gain to expect.",
	.options = layout_options,
	.alternatives = (const char *const[]){ "html json dot emit", NULL },
};

/* Prints the patches of all types. */
static struct error *print_patches(const struct advice *advice)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	bool made = false;

	for (size_t i = 0; i < advice->type_count; i++)
		made |= layout_add_patch(advice, &advice->types[i], options.kind, options.even_if,
					 &text, NULL);
	print_text(&text);
	return made ? NULL
		    : error_create(ERROR_NOT_FOUND, "no patch was made: standard output says why");
}

/* Returns the proposal whose places are listed: the chosen, or the best with two records. */
static const struct advice_proposal *proposal_with_parts(const struct advice_type *type)
{
	const struct advice_proposal *best = layout_chosen(type, options.kind);

	for (size_t i = 0;
	     i < type->proposal_count && best->part_count < 2 && options.kind == PROPOSAL_KINDS;
	     i++)
		if (type->proposals[i].part_count > 1)
			best = &type->proposals[i];
	return best;
}

static struct error *print_places(const struct advice *advice)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	bool any = false;

	array_each (const struct advice_type, type, advice->types, advice->type_count)
		any |= places_print(type, proposal_with_parts(type), &text);
	print_text(&text);
	return any ? NULL
		   : error_create(ERROR_NOT_FOUND, "no places are known: standard output says why");
}

static void layout_print_type(const struct advice *advice, size_t index, struct strbuf *text)
{
	const struct advice_type *type = &advice->types[index];

	if (options.dot)
		affinity_print_dot(type, text);
	else if (options.emit == EMIT_C || options.emit == EMIT_SOURCE)
		(options.emit == EMIT_C ? emit_c : emit_source)(
			type, layout_chosen(type, options.kind), &advice->machine,
			advice->type_count > 1 ? index + 1 : 0, text);
	else
		advice_print(type, &advice->machine, text);
}

void layout_add_json(const struct advice *advice, struct json *json, const char *name)
{
	json_start(json, name, "dtprof-layout", 1);
	json_object(json, "caches");
	json_string(json, "source", advice->machine.source);
	json_unsigned(json, "l1", advice->machine.sizes[LEVEL_L1]);
	json_unsigned(json, "l2", advice->machine.sizes[LEVEL_L2]);
	json_unsigned(json, "l3", advice->machine.sizes[LEVEL_L3]);
	json_string(json, "costs", advice->machine.costs_source);
	json_end(json);
	json_array(json, "types");
	for (size_t i = 0; i < advice->type_count; i++)
		advice_print_json(&advice->types[i], &advice->machine, json);
	json_end(json);
	json_end(json);
}
static struct error *layout_write_html(const struct advice *advice, const struct input *input)
{
	struct html_document document;

	RETURN_ERROR(html_open(&document, options.html, "layout", input));
	layout_add_json(advice, &document.json, "layout");
	return html_close(&document, NULL, options.input.quiet);
}

static void print_machine(const struct advice_machine *machine)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	strbuf_add_format(&text,
			  "# caches: L1 %llu KB, L2 %llu KB, L3 %llu KB; lines of %llu bytes\n"
			  "#         (%s)\n# costs of lines: %s\n\n",
			  (unsigned long long)machine->sizes[LEVEL_L1] >> 10,
			  (unsigned long long)machine->sizes[LEVEL_L2] >> 10,
			  (unsigned long long)machine->sizes[LEVEL_L3] >> 10,
			  (unsigned long long)machine->cacheline, machine->source,
			  machine->costs_source);
	print_text(&text);
}

static void print_advice(const struct advice *advice)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	if (options.json) {
		struct json json = JSON_INIT(write_stdout, NULL);

		layout_add_json(advice, &json, NULL);
		json_finish(&json);
		return;
	}
	if (!options.dot && options.emit == EMIT_NONE && !options.input.quiet)
		print_machine(&advice->machine);
	for (size_t i = 0; i < advice->type_count; i++) {
		bool page = !options.dot && options.emit == EMIT_NONE;

		if (page && advice_is_later_instance(advice, i))
			continue;
		layout_print_type(advice, i, &text);
		if (page)
			advice_print_instances(advice, i, &text);
		print_text(&text);
		strbuf_reset(&text);
	}
	if (options.dot || options.emit != EMIT_NONE)
		return;
	advice_print_sources(advice, &text);
	print_text(&text);
}

/* Prints the rules of all types, but for those that this recording itself does not keep. */
static struct error *print_rules(const struct advice *advice, const struct input *input)
{
	struct rule_checker checker = { .cacheline = advice->machine.cacheline,
					.reason = STRBUF_INIT };
	struct error *error = rule_checker_record(&checker, input, &options.input);
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	for (size_t i = 0; i < advice->type_count && !error; i++) {
		const struct advice_type *type = &advice->types[i];
		_cleanup_strbuf_ struct strbuf rules = STRBUF_INIT;

		emit_rules(type, &advice->machine, &rules);
		rules_add_kept(&checker, rules.data, type->name, type->object, &text);
	}
	if (!error && text.length)
		print_text(&text);
	rule_checker_deinit(&checker);
	return error;
}

static struct error *no_type(const struct input *input)
{
	if (!session_totals(input->session)->samples)
		return error_create(ERROR_NOT_FOUND, "%s has no samples", input->path);
	if (options.type) {
		_cleanup_free_ char *instead = NULL;

		RETURN_ERROR(name_check(NAME_TYPE, "", options.type, input, &instead));
		return error_create(ERROR_NOT_FOUND,
				    "'%s' is no record: it has no members to lay out",
				    options.type);
	}
	return error_create(
		ERROR_NOT_FOUND,
		"no sample is known to access a record (dtprof annotate --type-stat says why)");
}

/* Sets the costs of the recorded machine, and where they come from: the recording has them, or it
 * is of this machine, where they are cached or are measured now. Otherwise they are not known. */
static void find_costs(const struct session *session, struct memory_costs *costs,
		       struct layout_facts_options *facts)
{
	const char *recorded = session_memory_costs(session);

	facts->costs = costs;
	*costs = (struct memory_costs){ 0 };
	if (recorded && memory_costs_parse(recorded, costs)) {
		facts->costs_source = "measured on the recorded machine";
		return;
	}
	if (!session_is_here(session))
		return;
	facts->costs_source = "measured on this machine, which was recorded";
	if (!cached_costs_read(costs)) {
		progress_show("Measuring what memory costs (once)", NULL);
		(void)costs_measurer_ask(costs);
		progress_end();
	}
}

/* Reads the types that samples access, and what there is to say about them. */
static struct error *read_types(const struct layout_request *request, struct input *input,
				struct advice **advice)
{
	struct layout_facts_options facts = { .type = request->type,
					      .most = request->top > TYPES_TRIED ? request->top
										 : TYPES_TRIED,
					      .dso = &request->input->dso,
					      .no_infer = request->input->no_infer,
					      .threads = request->input->threads };
	_cleanup_free_ char *instead = NULL;
	struct memory_costs costs;
	struct error *error;

	RETURN_ERROR(input_resolve(request->input,
				   &(struct input_needs){ .needs = LAYOUT_FACTS_NEEDS |
								   LAYOUT_SHARING_NEEDS |
								   LAYOUT_COPIES_NEEDS,
							  .choice = request->choice,
							  .details = DETAILS_MAX,
							  .tells_trouble = request->tells_trouble },
				   input));
	if (request->type)
		error_destroy(name_check(NAME_TYPE, "", request->type, input, &instead));
	if (instead) {
		warning("no type '%s' is accessed: taking '%s'", request->type, instead);
		facts.type = instead;
	}
	facts.cacheline = request->cacheline ?: input_cacheline(input);
	find_costs(input->session, &costs, &facts);
	RETURN_ERROR(layout_facts_create(input->resolution, input->counts, &facts, advice));
	error = layout_find_sharing(input->resolution, input->counts, &input->operands,
				    facts.cacheline, *advice);
	if (error) {
		layout_facts_destroy(*advice);
		return error;
	}
	advice_make(*advice);
	lower_to((*advice)->type_count, request->top);
	return NULL;
}

struct error *layout_read(const struct layout_request *request, struct input *input,
			  struct advice **advice)
{
	struct named_waits waiting;
	struct error *error = named_waits_read(&waiting, input, request->input, request->choice);

	if (!error)
		error = read_types(request, input, advice);
	if (!error)
		advice_take_locks(*advice, &waiting.reading.waits);
	named_waits_deinit(&waiting);
	return error;
}

/* ---- replay ---- */

#define REPLAYED_MAX 2   /* proposals of a type */
#define MANY_OBJECTS 1.5 /* times the least number: the most is replayed, too */

/* Measures one proposal with this many objects, and adds what it finds to `visits`. */
static void replay_with(const struct advice *advice, const struct advice_type *type,
			const struct advice_proposal *proposal, double count,
			struct visit_plan *plan, struct replayed_visit visits[VISIT_REGIONS])
{
	struct replayed_visit more[VISIT_REGIONS] = { 0 };

	visit_plan_make(type, &advice->machine, proposal, count, run_visits_room(), plan);
	if (plan->refusal)
		return;
	if (!run_visits(plan, more)) {
		plan->refusal = "there is too little free memory";
		return;
	}
	array_indexed (const struct visit_program, program, i, plan->programs,
		       plan->program_count) {
		more[i].old_lines = visit_lines(plan, program, 0, advice->machine.cacheline);
		more[i].new_lines = visit_lines(plan, program, 1, advice->machine.cacheline);
		replayed_visit_add(&visits[i], &more[i]);
	}
}

/* Returns the proposal that may gain most of those that were not replayed: one that is advised
 * before the others, and those with no gain last. NULL: there is none. */
static struct advice_proposal *next_to_replay(const struct advice_type *type)
{
	struct advice_proposal *best = NULL;
	double most = -1;

	array_each (struct advice_proposal, proposal, type->proposals, type->proposal_count) {
		const struct advice_prediction *prediction = &proposal->prediction;
		double gain = prediction->verdict == VERDICT_GAIN      ? INFINITY
			      : prediction->verdict == VERDICT_NO_GAIN ? 0
								       : prediction->whole.high;

		if (prediction->replay.tried || gain <= most)
			continue;
		most = gain;
		best = proposal;
	}
	return best;
}

/* Measures a proposal that pads the type, by two threads. */
static void replay_pad(struct advice *advice, const struct advice_type *type,
		       struct advice_proposal *proposal)
{
	struct thread_plan plan;
	struct replayed_visit visits[2] = { 0 };

	thread_plan_make(type, &advice->machine, proposal, &plan);
	if (!plan.refusal)
		plan.refusal = run_threads(&plan, visits);
	thread_plan_judge(type, &plan, visits, proposal, &advice->arena);
}

/* Measures the best proposals of each type. */
static void replay_proposals(struct advice *advice)
{
	_cleanup_free_ struct visit_plan *plan = xcalloc(1, sizeof(*plan));

	array_each (struct advice_type, type, advice->types, advice->type_count) {
		const struct advice_objects *objects = &type->objects;
		double many = advice_most_factor(objects, objects->estimate * (double)type->size);

		progress_show("Replaying", type->name);
		for (int done = 0; done < REPLAYED_MAX; done++) {
			struct replayed_visit visits[VISIT_REGIONS] = { 0 };
			struct advice_proposal *proposal = next_to_replay(type);

			if (!proposal)
				break;
			if (proposal->kind == PROPOSAL_PAD) {
				replay_pad(advice, type, proposal);
				continue;
			}
			replay_with(advice, type, proposal, objects->estimate, plan, visits);
			if (many > MANY_OBJECTS && !plan->refusal)
				replay_with(advice, type, proposal, objects->estimate * many, plan,
					    visits);
			visit_judge(type, plan, visits, proposal, &advice->arena);
		}
		advice_sort_proposals(type);
	}
	progress_end();
}

/* Prints what is asked for. `width` is a terminal's, which gets the troubles, or 0. */
static struct error *print_wanted(const struct advice *advice, struct input *input,
				  unsigned int width)
{
	if (options.output)
		RETURN_ERROR(redirect_stdout(options.output, input->path));
	if (!advice->type_count) {
		return no_type(input);
	} else if (options.emit == EMIT_PATCH) {
		return print_patches(advice);
	} else if (options.emit == EMIT_PLACES) {
		return print_places(advice);
	} else if (options.emit == EMIT_C &&
		   !any_of(i, 0, advice->type_count, !emit_c_refusal(&advice->types[i]))) {
		print_advice(advice);
		return error_create(ERROR_NOT_FOUND, "no record was written in C: %s: %s",
				    advice->types[0].name, emit_c_refusal(&advice->types[0]));
	} else if (options.emit == EMIT_RULES) {
		return print_rules(advice, input);
	} else if (options.html) {
		return layout_write_html(advice, input);
	} else {
		pager_start();
		print_advice(advice);
		if (width)
			trouble_print(&options.input, input, width);
	}
	return NULL;
}

static struct error *layout_run(struct input *input)
{
	unsigned int width = options.output ? 0 : terminal_width();
	bool at_end = width && !options.json && !options.html && !options.dot &&
		      options.emit == EMIT_NONE;
	struct layout_request request = { .input = &options.input,
					  .tells_trouble = at_end,
					  .choice = &options.choice,
					  .type = options.type,
					  .top = options.top,
					  .cacheline = options.cacheline != UNSET
							       ? options.cacheline
							       : 0 };
	struct advice *advice;
	struct error *error;

	RETURN_ERROR(input_open(&options.input, input));
	RETURN_ERROR(sample_choice_init(&options.choice, input->session));
	RETURN_ERROR(sample_choice_set_pids(&options.choice, options.pids));
	RETURN_ERROR(layout_read(&request, input, &advice));
	if (options.replay)
		replay_proposals(advice);
	error = print_wanted(advice, input, at_end ? width : 0);
	layout_facts_destroy(advice);
	return error;
}

static struct error *layout_check_options(int rest, char **argv)
{
	if (options.even_if && options.emit != EMIT_PATCH)
		return error_other("--even-if is for --emit=patch");
	if (rest)
		return error_other("'%s' is not an option (for a type use --type='%s')", argv[0],
				   argv[0]);
	if (!options.top || options.top > TYPES_MAX)
		return error_other("--top takes a number from 1 to %d", TYPES_MAX);
	if (options.cacheline != UNSET &&
	    (options.cacheline < 8 || options.cacheline > 4096 || !has_one_bit(options.cacheline)))
		return error_other("--cacheline takes a power of two from 8 to 4096");
	return NULL;
}

int command_layout(int argc, char **argv)
{
	_cleanup_input_ struct input input = { 0 };
	struct error *error;
	int rest, status;

	if (!command_begin(argc, argv, &layout_usage, OPTIONS_ANYWHERE, &rest, &status))
		return status;
	error = layout_check_options(rest, argv);
	if (error)
		return command_fail_usage(error);
	costs_measurer_start();
	sandbox_for(options.output, options.html, options.input.verbose);
	error = layout_run(&input);
	costs_measurer_stop();
	status = error ? command_fail(error) : input_status(&input);
	sample_choice_deinit(&options.choice);
	return status;
}
