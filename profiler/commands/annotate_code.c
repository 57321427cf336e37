// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/annotate_code.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "annotate/annotator.h"
#include "profiler/base/memory.h"
#include "profiler/base/nearest.h"
#include "profiler/commands/code_function.h"
#include "profiler/commands/code_lines.h"
#include "profiler/commands/globals.h"
#include "report/annotated_machine.h"

unsigned int annotate_code_needs(const struct annotate_code_options *options)
{
	/* the stories are those of sampled instructions; the types of all the others are asked for later */
	bool stories = options->with_type && global_options.debug_type_profile;

	return NEED_SYMBOL | NEED_DSO | NEED_ADDRESS | (stories ? NEED_TYPE : 0);
}

/* ---- which functions ---- */

/* A counted entry that belongs to a function. */
struct hit {
	struct dso *dso;
	const char *symbol;
	uint64_t function;
	uint32_t group;
	struct code_sample sample;
};

struct hit_list {
	struct hit *items;
	size_t count, capacity;
};

static bool is_wanted(const struct word_list *symbols, const char *name, struct nearest *nearest)
{
	if (!symbols->count)
		return true;
	for (size_t i = 0; i < symbols->count; i++)
		if (!strcmp(symbols->words[i], name) || !fnmatch(symbols->words[i], name, 0))
			return true;
	nearest_consider(nearest, name);
	return false;
}

static int compare_functions(const struct hit *a, const struct hit *b)
{
	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->dso->id != b->dso->id)
		return a->dso->id < b->dso->id ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

static int compare_hits(const void *left, const void *right)
{
	const struct hit *a = left, *b = right;
	int order = compare_functions(a, b);

	return order ? order
		     : (a->sample.address > b->sample.address) - (a->sample.address < b->sample.address);
}

static void add_hit(struct hit_list *hits, const struct hit *hit)
{
	array_reserve(hits->items, hits->count, hits->capacity);
	hits->items[hits->count++] = *hit;
}

/* The function that late samples were taken in: that of the access they are charged to may be another one. */
static void find_sampled_function(const struct input *input, const struct annotate_code_options *options,
				  const struct counted *counted, struct result_place *place)
{
	const struct symbol *symbol = dso_symbol_at(counted->dso, &options->input->dso, counted->address);

	place->address = counted->address;
	place->symbol = symbol ? resolve_symbol_name(input->resolution, symbol->name) : NULL;
	place->symbol_address = symbol ? symbol->address : 0;
}

static void collect_hits(const struct input *input, const struct annotate_code_options *options,
			 const struct event_groups *groups, struct hit_list *hits, struct nearest *nearest)
{
	for (size_t i = 0; i < input->counts->count; i++) {
		const struct counted *counted = &input->counts->entries[i];
		struct result result = resolution_result(input->resolution, input->counts, i);
		const struct resolved_place *place =
			&input->resolution->places[input->resolution->place_of[i]];
		struct result_place sampled = *result.place;
		struct hit hit = {
			.dso = counted->dso,
			.group = groups->group_of[counted->event],
			.sample = { .event = groups->member_of[counted->event],
				    .count = { .samples = counted->samples, .period = counted->period } },
		};

		if (!counted->dso)
			continue;
		if (place->late && place->blame != BLAME_NOTHING && sampled.symbol) {
			hit.sample.charged = true;
			hit.symbol = sampled.symbol;
			hit.function = sampled.symbol_address;
			hit.sample.address = sampled.address;
			add_hit(hits, &hit);
		}
		if (place->late)
			find_sampled_function(input, options, counted, &sampled);
		result.place = &sampled;
		if (!sampled.symbol || !filter_accepts(options->filter, &result) ||
		    !is_wanted(options->symbols, sampled.symbol, nearest))
			continue;
		hit.sample.charged = false;
		hit.symbol = sampled.symbol;
		hit.function = sampled.symbol_address;
		hit.sample.address = counted->address;
		add_hit(hits, &hit);
	}
	if (hits->count)
		qsort(hits->items, hits->count, sizeof(*hits->items), compare_hits);
}

static struct code_function *make_functions(const struct hit_list *hits, size_t *count)
{
	struct code_function *functions = xcalloc(hits->count, sizeof(*functions));

	*count = 0;
	for (size_t start = 0, end; start < hits->count; start = end) {
		const struct hit *first = &hits->items[start];
		bool sampled = !first->sample.charged;

		for (end = start + 1; end < hits->count && !compare_functions(first, &hits->items[end]);
		     end++)
			sampled |= !hits->items[end].sample.charged;
		/* nothing but what was charged from elsewhere, or is not wanted */
		if (!sampled)
			continue;

		struct code_function *function = &functions[(*count)++];

		*function = (struct code_function){ .dso = first->dso,
						    .symbol = first->symbol,
						    .address = first->function,
						    .group = first->group,
						    .sample_count = end - start };
		function->samples = xcalloc(end - start, sizeof(*function->samples));
		for (size_t i = start; i < end; i++) {
			function->samples[i - start] = hits->items[i].sample;
			if (!hits->items[i].sample.charged)
				access_count_add(&function->total, &hits->items[i].sample.count);
		}
	}
	return functions;
}

/* Those with the most to show first, as perf's list of functions has them. */
static int compare_totals(const void *left, const void *right)
{
	const struct code_function *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->total.period != b->total.period)
		return a->total.period < b->total.period ? 1 : -1;
	if (a->total.samples != b->total.samples)
		return a->total.samples < b->total.samples ? 1 : -1;
	int order = strcmp(a->symbol, b->symbol);

	if (order)
		return order;
	if (a->dso->id != b->dso->id)
		return a->dso->id < b->dso->id ? -1 : 1;
	return (a->address > b->address) - (a->address < b->address);
}

/* ---- what is shown of them ---- */

struct view {
	const struct input *input;
	const struct annotate_code_options *options;
	const struct event_groups *groups;
	struct decoder *decoder;
	struct source_files sources;
	size_t missing;                      /* functions without code */
	const struct code_function *printed; /* the last one */
};

static void total_of(const struct view *view, const struct code_function *function,
		     struct access_count *totals)
{
	const struct event_group *group = &view->groups->groups[function->group];
	size_t event_count;
	const struct event *events = session_events(view->input->session, &event_count);

	for (size_t i = 0; i < function->sample_count && !view->options->global; i++)
		if (!function->samples[i].charged)
			access_count_add(&totals[function->samples[i].event], &function->samples[i].count);
	for (uint32_t i = 0; i < group->count && view->options->global; i++)
		totals[i] = (struct access_count){ .samples = events[group->events[i]].samples,
						   .period = events[group->events[i]].period };
}

static bool is_below_limit(const struct view *view, const struct code_function *function)
{
	const struct event_group *group = &view->groups->groups[function->group];
	size_t event_count;
	const struct event *events = session_events(view->input->session, &event_count);
	uint64_t whole = 0;

	for (uint32_t i = 0; i < group->count; i++)
		whole += events[group->events[i]].period;
	return whole &&
	       100.0 * (double)function->total.period / (double)whole < view->options->output.percent_limit;
}

static struct error *print_function(struct view *view, const struct code_function *function)
{
	const struct event_group *group = &view->groups->groups[function->group];
	struct strbuf events _cleanup_strbuf_ = STRBUF_INIT;
	struct strbuf text _cleanup_strbuf_ = STRBUF_INIT;
	struct access_count *totals _cleanup_free_ = xcalloc(group->count, sizeof(*totals));
	struct code_lines lines = { 0 };
	struct error *error = code_lines_make(
		function,
		&(struct code_lines_options){
			.event_count = group->count,
			.decoder = view->decoder,
			.syntax = view->options->syntax,
			.show_bytes = view->options->output.show_bytes,
			.full_paths = view->options->output.full_paths,
			.source = view->options->source && view->options->format == OUTPUT_TEXT,
			.prefix = view->options->prefix,
			.strip = view->options->strip,
			.dso = &view->options->input->dso,
			.sources = &view->sources,
		},
		&lines);

	if (error)
		return error;
	event_group_name(group, view->input->session, &events);
	total_of(view, function, totals);

	struct code_listing listing = { .symbol = function->symbol,
					.object = function->dso->long_name,
					.events = events.data,
					.event_count = group->count,
					.plural = group->plural,
					.address = function->address,
					.samples = function->total.samples,
					.period = function->total.period,
					.totals = totals,
					.lines = lines.items,
					.line_count = lines.count };

	switch (view->options->format) {
	case OUTPUT_JSON: print_code_listing_json(&listing, view->options->json); break;
	case OUTPUT_CSV:
		print_code_listing_csv(&listing,
				       !view->options->input->quiet &&
					       (!view->printed || view->printed->group != function->group),
				       &text);
		break;
	case OUTPUT_TEXT: print_code_listing(&listing, &view->options->output, &text);
	}
	view->printed = function;
	fwrite(text.data, 1, text.length, stdout);
	code_lines_release(&lines);
	return NULL;
}

static struct error *print_functions(struct view *view, struct code_function *functions, size_t count)
{
	const struct annotate_code_options *options = view->options;
	size_t kept = 0;

	for (size_t i = 0; i < count; i++) {
		struct code_function *function = &functions[i];

		if (is_below_limit(view, function))
			continue;
		code_function_decode(function, view->decoder, &options->input->dso);
		if (function->insn_count)
			kept++;
		else if (!options->skip_missing && !options->input->quiet &&
			 (options->symbols->count || options->input->verbose))
			warning("cannot show the code of %s: %s", function->symbol, function->problem);
		else
			view->missing++;
	}
	if (options->with_type)
		RETURN_ERROR(code_functions_resolve(functions, count, &options->input->dso,
						    options->input->no_infer, options->input->threads));
	if (options->format == OUTPUT_JSON)
		json_array(options->json, "functions");
	for (size_t i = 0; i < count; i++)
		if (functions[i].insn_count)
			RETURN_ERROR(print_function(view, &functions[i]));
	if (options->format == OUTPUT_JSON)
		json_end(options->json);
	if (view->missing && !options->skip_missing && !options->input->quiet)
		warning("the code of %zu functions could not be had (-v lists them)", view->missing);
	if (!kept && options->symbols->count)
		return error_create(ERROR_NOT_FOUND, "there is no code to show");
	return NULL;
}

static struct error *no_such_function(const struct annotate_code_options *options,
				      const struct nearest *nearest)
{
	const char *name = options->symbols->words[0];

	if (nearest->best)
		return error_create(ERROR_NOT_FOUND, "no sample is in a function '%s'; did you mean '%s'?",
				    name, nearest->best);
	return error_create(ERROR_NOT_FOUND,
			    "no sample is in a function '%s' (dtprof report -s sym lists the functions)",
			    name);
}

struct error *annotate_code(const struct input *input, struct annotate_code_options *options)
{
	struct event_groups groups;
	struct hit_list hits = { 0 };
	struct nearest nearest = { .word = options->symbols->count ? options->symbols->words[0] : "" };
	struct error *error;
	struct view view = { .input = input, .options = options, .groups = &groups };
	size_t count;

	RETURN_ERROR(decoder_create(&view.decoder));
	event_groups_init(&groups, input->session, options->grouping);
	collect_hits(input, options, &groups, &hits, &nearest);

	struct code_function *functions = make_functions(&hits, &count);

	if (count) {
		qsort(functions, count, sizeof(*functions), compare_totals);
		error = print_functions(&view, functions, count);
	} else {
		error = options->symbols->count
				? no_such_function(options, &nearest)
				: error_create(ERROR_NOT_FOUND, "no sample is in a function that has a name");
	}
	for (size_t i = 0; i < count; i++)
		code_function_release(&functions[i]);
	free(functions);
	free(hits.items);
	source_files_release(&view.sources);
	event_groups_release(&groups);
	decoder_destroy(view.decoder);
	return error;
}
