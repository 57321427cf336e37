// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements browse.h. Entries are made of all counted samples before the browser opens; layouts
 * and code come from annotate_types() and annotate_code() when they are asked for, with the samples
 * of the view's zoom alone. Each event is browsed by itself, as with --no-group.
 */
#include "profiler/commands/browse.h"

#include "base/memory.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/cli/trouble.h"
#include "profiler/resolve/sharing_uses.h"
#include "profiler/cli/names.h"
#include "report/print/print.h"
#include "report/text.h"

/* ---- whether it opens ---- */

struct error *parse_tui_option(void *mode, const char *argument)
{
	bool truth;

	if (!option_truth(argument, &truth))
		return error_other("'%s' is not true or false", argument);
	/* tui.report = on, as in perf, only allows it */
	*(enum browse_mode *)mode = !truth ? BROWSE_NEVER : argument ? BROWSE_AUTO : BROWSE_FORCED;
	return NULL;
}

struct error *parse_stdio_option(void *mode, const char *argument)
{
	bool truth;

	if (!option_truth(argument, &truth))
		return error_other("'%s' is not true or false", argument);
	*(enum browse_mode *)mode = truth ? BROWSE_NEVER : BROWSE_AUTO;
	return NULL;
}

struct error *browse_decide(enum browse_mode mode, bool as_text, bool *opens)
{
	const char *pager = getenv("DTPROF_PAGER"), *why = NULL;
	bool works = mode != BROWSE_NEVER && browse_terminal_works(&why);

	*opens = false;
	if (mode == BROWSE_NEVER)
		return NULL;
	if (mode == BROWSE_FORCED && !works)
		return error_other("--tui: %s", why);
	if (mode == BROWSE_FORCED && as_text)
		return error_other("--tui cannot be combined with options that choose another "
				   "output, or keys that the browser does not have");
	/* a user who chose a pager for dtprof, or none, wants text */
	*opens = works && !as_text &&
		 (mode == BROWSE_FORCED || (!global_options.no_pager && !(pager && *pager)));
	return NULL;
}

/* ---- entries ---- */

struct browse_state {
	const struct browse_report *report;
	struct input *input;
	struct browse_event *events; /* those with samples */
	uint32_t *event_of;          /* index in `events` of each of the session's */
	size_t event_count;
	struct coverage *coverages; /* by index in `events` */
	struct browse_entry *entries;
	size_t entry_count, entry_capacity;
	bool has_latency;
	struct shown_samples shown;
	struct strbuf information;
	/* made when they are first asked for: */
	struct browse_shared_line *shared;
	size_t shared_count;
	struct arena shared_texts;
};

static void make_events(struct browse_state *state)
{
	size_t count;
	const struct event *events = session_events(state->input->session, &count);

	state->events = xcalloc(count + 1, sizeof(*state->events));
	state->event_of = xcalloc(count + 1, sizeof(*state->event_of));
	state->coverages = xcalloc(count + 1, sizeof(*state->coverages));
	for (size_t i = 0; i < count; i++) {
		if (!events[i].samples)
			continue;
		state->event_of[i] = (uint32_t)state->event_count;
		state->events[state->event_count].group = events[i].group_leader;
		state->events[state->event_count++].name = events[i].name;
	}
	/* a recording without samples has one empty table */
	if (!state->event_count)
		state->events[state->event_count++].name = count ? events[0].name : "no event";
}

static bool is_kernel(const struct result *result)
{
	return result->level == 'k' || result->level == 'g';
}

static void add_entry(struct browse_state *state, size_t index, const struct result *result)
{
	const struct access *access = &entry_place(state->input->resolution, index)->access;
	struct access_count count = count_accesses(&state->input->counts->entries[index], access);

	array_add(state->entries, state->entry_count, state->entry_capacity) =
		(struct browse_entry){ .event = state->event_of[result->event],
				       .tid = result->tid,
				       .comm = result->thread ?: result->comm,
				       .place = result->place,
				       .kernel = is_kernel(result),
				       .chain = result->chain,
				       .samples = count.samples,
				       .period = count.period,
				       .latency = count.weight,
				       .loads = count.loads,
				       .stores = count.stores };
	state->has_latency |= count.weight > 0;
}

static void make_entries(struct browse_state *state)
{
	const struct browse_report *report = state->report;
	const struct input *input = state->input;

	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);
		struct browse_event *event = &state->events[state->event_of[result.event]];
		bool accepted = filter_accepts(report->filter, &result);

		coverage_add(&state->coverages[state->event_of[result.event]], &result);
		if (report->memory_only && result.place->no_memory)
			continue;
		if (accepted || !report->relative)
			event->period += result.period;
		if (!accepted)
			continue;
		event->samples += result.samples;
		shown_samples_add(&state->shown, input, i);
		add_entry(state, i, &result);
	}
}

static void make_coverages(struct browse_state *state)
{
	array_indexed (struct coverage, coverage, i, state->coverages, state->event_count) {
		coverage_sort(coverage);
		state->events[i].coverage =
			xasprintf("with code %.1f%%, accesses %.1f%%, typed %.1f%%",
				  percent_of(coverage->with_code, coverage->samples),
				  percent_of(coverage->accesses, coverage->with_code),
				  percent_of(coverage->typed, coverage->accesses));
	}
}

/* ---- information ---- */

static void add_coverage(const struct coverage *coverage, const char *event, struct strbuf *text)
{
	strbuf_add_format(text, "\n%s: ", event);
	text_add_grouped(text, coverage->samples);
	strbuf_add_string(text, " samples, ");
	text_add_grouped(text, coverage->accesses);
	strbuf_add_string(text, " of memory accesses, ");
	text_add_grouped(text, coverage->typed);
	strbuf_add_string(text, " with a type\n");
	if (coverage->charged)
		strbuf_add_format(text, "%6.1f%%  charged to the access that was waited for\n",
				  percent_of(coverage->charged, coverage->samples));
	if (coverage->held_back)
		strbuf_add_format(text, "%6.1f%%  held back while interrupts were off\n",
				  percent_of(coverage->held_back, coverage->samples));
	if (coverage->reason_count)
		strbuf_add_string(text, "Memory accesses without a type:\n");
	for (size_t i = 0; i < coverage->reason_count; i++) {
		size_t length;
		const char *reason = coverage_reason(coverage, i, &length);

		strbuf_add_format(text, "%6.1f%%  %.*s\n",
				  percent_of(coverage->reasons[i].samples, coverage->accesses),
				  (int)length, reason);
	}
}

static void make_information(struct browse_state *state)
{
	static const char *const names[] = { "captured on", "hostname",      "os release",
					     "cpudesc",     "nrcpus online", "cmdline" };
	const struct session *session = state->input->session;
	uint64_t lost = session_totals(session)->lost_samples;
	struct strbuf *text = &state->information;

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		_cleanup_free_ char *value = header_value(session, names[i]);

		if (value)
			strbuf_add_format(text, "%s: %s\n", names[i], value);
	}
	for (size_t i = 0; i < state->event_count; i++)
		add_coverage(&state->coverages[i], state->events[i].name, text);
	strbuf_add_char(text, '\n');
	if (lost) {
		text_add_grouped(text, lost);
		strbuf_add_string(text,
				  " samples were lost: record with a larger -m or a lower -F\n");
	}
	trouble_text(state->report->input, state->input, &state->shown, true, 0, text);
}

/* ---- layouts and code ---- */

/* The data of annotate's callbacks. */
struct browse_request {
	const struct browse_state *state;
	const struct browse_zoom *zoom;
	const struct result_place *place; /* code: of this function */
	void (*type)(void *into, const struct annotated_type *type);
	void (*code)(void *into, const struct code_listing *listing);
	void *into;
};

static bool accepts(void *data, const struct result *result)
{
	const struct browse_request *request = data;
	const struct result_place *wanted = request->place;

	if (wanted &&
	    (result->place->symbol_address != wanted->symbol_address ||
	     result->place->symbol != wanted->symbol || result->place->dso != wanted->dso))
		return false;
	return browse_zoom_accepts(request->zoom, result->place,
				   request->state->event_of[result->event], result->tid,
				   is_kernel(result));
}

static void take_type(void *data, const struct annotated_type *type)
{
	const struct browse_request *request = data;

	request->type(request->into, type);
}

static void take_code(void *data, const struct code_listing *listing)
{
	const struct browse_request *request = data;

	request->code(request->into, listing);
}

static const struct grouping single_events = { .none = true };

static struct error *open_type(void *data, const struct browse_zoom *zoom,
			       void (*receive)(void *into, const struct annotated_type *type),
			       void *into)
{
	const struct browse_state *state = data;
	/* a type's objects within others count, too, unless only some of its bytes were chosen */
	bool whole = zoom->first == zoom->end;
	struct browse_zoom wider = *zoom;
	struct browse_request request = {
		.state = state, .zoom = &wider, .type = receive, .into = into
	};
	struct annotate_receiver receiver = { .accepts = accepts,
					      .type = take_type,
					      .data = &request };
	struct annotate_types_options options = { .layout = true,
						  .type = whole ? zoom->type : NULL,
						  .exact = whole,
						  .quiet = true,
						  .grouping = &single_events,
						  .filter = state->report->filter,
						  .receiver = &receiver,
						  .format = OUTPUT_TEXT,
						  .output.cacheline =
							  input_cacheline(state->input) };

	if (whole)
		wider.type = NULL;
	return annotate_types(state->input, &state->report->input->dso, &options);
}

static struct error *open_code(void *data, const struct browse_zoom *zoom,
			       const struct result_place *place,
			       void (*receive)(void *into, const struct code_listing *listing),
			       void *into)
{
	static const struct name_list all_functions;
	const struct browse_state *state = data;
	struct browse_zoom wider = *zoom;
	struct browse_request request = {
		.state = state, .zoom = &wider, .place = place, .code = receive, .into = into
	};
	struct annotate_receiver receiver = { .accepts = accepts,
					      .code = take_code,
					      .data = &request };
	struct annotate_code_options options = { 0 };

	if (state->report->code)
		options = *state->report->code;
	else
		options.source = true;
	options.symbols = &all_functions;
	options.with_type = true;
	options.grouping = &single_events;
	options.filter = state->report->filter;
	options.receiver = &receiver;
	options.format = OUTPUT_TEXT;
	options.input = state->report->input;
	/* the type only chooses the line that the cursor is on */
	wider.type = NULL;
	return annotate_code(state->input, &options);
}

/* ---- shared cachelines ---- */

static const char *use_field(const struct sharing_use *use, struct arena *texts)
{
	if (!use->type)
		return arena_strdup(texts, use->variable ?: "");
	return arena_format(texts, "%s%s%s", use->type, use->field ? " " : "", use->field ?: "");
}

/* Returns the fields of a line, each once. */
static const char *line_fields(const struct browse_use *uses, size_t count, struct arena *texts)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < count; i++)
		if (*uses[i].field && !any_of(k, 0, i, !strcmp(uses[k].field, uses[i].field)))
			strbuf_add_format(&text, "%s%s", text.length ? ", " : "", uses[i].field);
	return arena_strdup(texts, text.length ? text.data : "");
}

static struct browse_use make_use(const struct sharing *sharing, const struct sharing_line *line,
				  const struct sharing_row *row, struct arena *texts)
{
	const struct sharing_use *use = row->first;
	bool latent = line->verdict == SHARING_LATENT_PLACE;

	return (struct browse_use){ .offset = latent ? use->address - line->base
						     : use->address % sharing->cacheline,
				    .size = use->size,
				    .tid = use->tid,
				    .samples = row->samples,
				    .loads = row->loads,
				    .stores = row->stores,
				    .field = use_field(use, texts),
				    .function = arena_strdup(texts, use->function ?: "[unknown]"),
				    .source = arena_strdup(texts, use->source ?: "") };
}

static void add_shared_line(struct browse_state *state, const struct sharing *sharing,
			    const struct sharing_line *line)
{
	struct arena *texts = &state->shared_texts;
	struct browse_use *uses = arena_alloc(texts, line->row_count * sizeof(*uses));

	for (size_t i = 0; i < line->row_count; i++)
		uses[i] = make_use(sharing, line, &line->rows[i], texts);
	state->shared[state->shared_count++] =
		(struct browse_shared_line){ .verdict = sharing_verdict_name(line->verdict),
					     .fields = line_fields(uses, line->row_count, texts),
					     .percent = percent_of(line->cost, sharing->cost),
					     .samples = line->samples,
					     .hitm = line->hitm,
					     .threads = line->thread_count,
					     .address = line->address,
					     .uses = uses,
					     .use_count = line->row_count };
}

/* Makes the lines of a recording that was counted and resolved with the needs of verdicts. */
static struct error *make_shared_lines(struct browse_state *state)
{
	const struct input *input = state->input;
	uint64_t cacheline = input_cacheline(input);
	struct sharing_uses uses;
	struct sharing *sharing;

	cacheline = cacheline < SHARING_LINE_MAX ? cacheline : SHARING_LINE_MAX;
	struct error *error = sharing_uses_init(&uses, input->session, input->resolution,
						input->counts, &state->input->operands, cacheline);

	if (!error) {
		sharing = sharing_uses_judge(&uses);
		state->shared = xcalloc(sharing->line_count + 1, sizeof(*state->shared));
		for (size_t i = 0; i < sharing->line_count; i++)
			add_shared_line(state, sharing, &sharing->lines[i]);
		sharing_destroy(sharing);
	}
	sharing_uses_deinit(&uses);
	return error;
}

/* Verdicts need times and addresses, which would keep most samples of the tables apart. So samples
 * are counted again for them, as `dtprof c2c report` does. */
static struct error *find_shared_lines(struct browse_state *state)
{
	struct input_options quiet = *state->report->input;
	struct input *input = state->input;
	struct sample_counts *counts = input->counts;
	struct resolution *resolution = input->resolution;
	struct error *error;

	quiet.quiet = true;
	input->counts = NULL;
	input->resolution = NULL;
	progress_hold(true);
	error = input_resolve(&quiet,
			      &(struct input_needs){ .needs = SHARING_USES_NEEDS | NEED_SOURCE_LINE,
						     .details = DETAILS_MAX },
			      input);
	if (!error)
		error = make_shared_lines(state);
	progress_hold(false);
	input_forget(input);
	input->counts = counts;
	input->resolution = resolution;
	return error;
}

static struct error *open_sharing(void *data, const struct browse_shared_line **lines,
				  size_t *count)
{
	struct browse_state *state = data;

	if (!annotate_has_addresses(state->input->session))
		return error_create(ERROR_NOT_FOUND,
				    "The samples have no data addresses: dtprof c2c record");
	if (!state->shared)
		RETURN_ERROR(find_shared_lines(state));
	*lines = state->shared;
	*count = state->shared_count;
	return NULL;
}

/* ---- running it ---- */

uint64_t browse_needs(const struct filter *filter, const struct session *session)
{
	/* Addresses and times, by which false sharing is found, would keep most samples apart and
	 * make the first table three times as late. */
	return filter_needs(filter) | (session_has_chains(session) ? NEED_CHAIN : 0) | NEED_TYPE |
	       NEED_FIELD_NAME | NEED_ELEMENT | NEED_SYMBOL | NEED_DSO | NEED_ADDRESS | NEED_COMM |
	       NEED_PID | NEED_TID | NEED_WEIGHT | NEED_DATA_SOURCE;
}

static void state_deinit(struct browse_state *state)
{
	for (size_t i = 0; i < state->event_count; i++)
		free((char *)state->events[i].coverage);
	free_all(state->events, state->event_of, state->coverages, state->entries, state->shared);
	arena_deinit(&state->shared_texts);
	shown_samples_deinit(&state->shown);
	strbuf_deinit(&state->information);
}

static struct error *open_first(struct browser *browser, const struct browse_report *report,
				const struct input *input)
{
	if (report->type && !browser_open_type(browser, report->type))
		return name_unknown(NAME_TYPE, report->type, input);
	if (report->function && !browser_open_function(browser, report->function))
		return name_unknown(NAME_SYMBOL, report->function, input);
	return NULL;
}

/* Returns the weight of the first view. As in the report, each sample counts without one. */
static enum browse_weight first_weight(const struct browse_state *state)
{
	enum browse_weight weight = state->report->weight;

	return weight == WEIGH_LATENCY && !state->has_latency ? WEIGH_SAMPLES : weight;
}

/* Returns an error if the options that choose samples leave none: the screen would be empty. */
static struct error *check_entries(const struct browse_report *report, const struct input *input,
				   const struct browse_state *state)
{
	const char *part = report->filter->symbol_part;

	if (state->entry_count || !input->counts->count)
		return NULL;
	if (part)
		return error_create(ERROR_NOT_FOUND,
				    "--symbol-filter: no sample is in a function whose name "
				    "contains '%s' (dtprof report -s sym lists the functions)",
				    part);
	return error_create(ERROR_NOT_FOUND,
			    "the options that choose samples leave none to be shown");
}

struct error *browse_run(const struct browse_report *report, struct input *input)
{
	struct browse_state state = { .report = report,
				      .input = input,
				      .information = STRBUF_INIT };
	struct browse_source source;
	struct browser *browser;
	struct error *error;
	uint64_t typed = 0;

	make_events(&state);
	make_entries(&state);
	error = check_entries(report, input, &state);
	if (error) {
		progress_end();
		state_deinit(&state);
		return error;
	}
	make_coverages(&state);
	make_information(&state);
	source = (struct browse_source){ .events = state.events,
					 .event_count = state.event_count,
					 .entries = state.entries,
					 .entry_count = state.entry_count,
					 .frames = session_has_chains(input->session)
							   ? input->resolution->frames
							   : NULL,
					 .has_latency = state.has_latency,
					 .cacheline = input_cacheline(input),
					 .information = state.information.data,
					 .open_type = open_type,
					 .open_code = open_code,
					 .open_sharing = open_sharing,
					 .data = &state };
	typed = sum_over(uint64_t, i, 0, state.event_count, state.coverages[i].typed);
	browser = browser_create(&source,
				 report->chooses && !typed ? BROWSE_FUNCTIONS : report->start,
				 first_weight(&state));
	error = open_first(browser, report, input);
	progress_end();
	if (!error)
		error = browse_terminal(browser, terminal_colour());
	browser_destroy(browser);
	state_deinit(&state);
	return error;
}
