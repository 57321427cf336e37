// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof diff: what changed between recordings, by type, field or any sort keys, and whether the
 * samples can tell it from noise.
 */

#include "base/cursor.h"
#include "base/memory.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/html.h"
#include "profiler/cli/sandbox.h"
#include "profiler/cli/input.h"
#include "profiler/cli/names.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/cli/trouble.h"
#include "profiler/resolve/layout_facts.h"
#include "report/diff/diff.h"
#include "report/filter.h"
#include "report/json.h"
#include "report/key/keys.h"
#include "report/table.h"
#include "report/layout/advice.h"

#define DEFAULT_KEYS "typeoff"
#define CELL_WIDTH   4096 /* wide enough that no name is cut */

static struct {
	struct input_options input;
	int status; /* of what has been read */
	const char *sort;
	const char *layout_type; /* --layout */
	const char *per;
	struct filter filter;
	struct layout layout;
	struct diff_options diff;
	bool json, csv;
	const char *html;
} options = { .sort = DEFAULT_KEYS, .diff = { .order = 1 } };

/* ---- options ---- */

// clang-format off
static const struct option_spec diff_specs[] = {
	GROUP("Rows"),
	OPTION(STRING, 's', "sort", &options.sort, "KEYS", "match rows by these keys, as in report (typeoff)"),
	{ OPTION_CALL, 'd', "dsos", &options.filter.dsos, "LIST", "use only samples in these programs and libraries", parse_words_option },
	{ OPTION_CALL, 'c', "comms", &options.filter.comms, "LIST", "use only samples of these commands", parse_words_option },
	{ OPTION_CALL, 'S', "symbols", &options.filter.symbols, "LIST", "use only samples in these functions", parse_words_option },
	{ OPTION_CALL, 0, "types", &options.filter.types, "LIST", "use only samples of these types", parse_words_option },
	FLAG('b', "baseline-only", &options.diff.baseline_only, "show only rows that the first file has"),
	FLAG(0, "sure-only", &options.diff.sure_only, "show only rows whose difference is not within noise"),
	OPTION(PERCENT, 0, "percent-limit", &options.diff.percent_limit, "PERCENT", "leave out rows below this in all files"),
	GROUP("Columns"),
	OPTION(ENUM, 0, "unit", WORDS(options.diff.unit, "share", "samples", "period"), "UNIT", "share of the file (the default), samples or period"),
	OPTION(STRING, 0, "per", &options.per, "N[,N...]", "divide samples or periods by the work that was done: one\nnumber for all files, or one for each"),
	OPTION(UNSIGNED, 'o', "order", &options.diff.order, "N", "sort by the difference of the N-th file to the first (1)"),
	GROUP("Output"),
	OPTION(STRING, 0, "layout", &options.layout_type, "NAME", "show the layouts of this type in the first two files\nside by side"),
	FLAG(0, "json", &options.json, "print JSON (Documentation/json.md)"),
	FLAG(0, "csv", &options.csv, "print comma-separated values"),
	OPTION(STRING, 0, "html", &options.html, "FILE", "write a page for browsers: the rows, and the layouts of\n--layout"),
	GROUP("Input"),
	INPUT_OPTION_SPECS(options.input),
	OPTIONS_END,
};
// clang-format on

static const struct command_usage diff_usage = {
	.name = "diff",
	.synopsis = "[OPTIONS] [OLD NEW [NEW...]]",
	.summary = "Show what changed between recordings, by type and field or by any sort keys.",
	.options = diff_specs,
	.alternatives = (const char *const[]){ "html json csv", NULL },
};

/* Parses --per: the work of each file's program. One number is for all; the default is 1. */
static struct error *parse_per(size_t file_count)
{
	const char *text = options.per;
	size_t count = 0;

	for (size_t i = 0; i < DIFF_FILES_MAX; i++)
		options.diff.per[i] = 1;
	if (!text)
		return NULL;
	if (options.diff.unit == DIFF_SHARE)
		return error_other("--per needs --unit=samples or --unit=period");
	while (count < file_count) {
		char *end;
		double value = strtod(text, &end);

		if (end == text || !(value > 0) || value > 1e18 || (*end && *end != ','))
			return error_other("--per takes numbers above 0, separated by commas");
		options.diff.per[count++] = value;
		text = end;
		if (!*text)
			break;
		text++;
	}
	for (size_t i = 1; count == 1 && i < file_count; i++)
		options.diff.per[i] = options.diff.per[0];
	return (count != 1 && count != file_count) || *text
		       ? error_other("--per takes one number, or one for each of the %zu files",
				     file_count)
		       : NULL;
}

/* ---- rows ---- */

/* The keys that rows are matched by: those of -s without figures. */
struct row_keys {
	const struct key *keys[LAYOUT_KEYS_MAX];
	const char *headers[LAYOUT_KEYS_MAX], *names[LAYOUT_KEYS_MAX];
	size_t count;
};

static struct error *choose_keys(struct row_keys *keys)
{
	struct layout_options layout = { .sort = options.sort, .default_sort = DEFAULT_KEYS };

	RETURN_ERROR(layout_parse(&layout, &options.layout));
	for (size_t i = 0; i < options.layout.order.count; i++) {
		const struct key *key = options.layout.order.keys[i];

		if (!key->identity)
			continue;
		keys->headers[keys->count] = key == &key_typeoff ? "Type and Field" : key->header;
		keys->names[keys->count] = key->name;
		keys->keys[keys->count++] = key;
	}
	if (!keys->count)
		return error_other("--sort needs a key that tells rows apart, such as type");
	return NULL;
}

/* Appends the value that a row is matched by. For the key typeoff it is the field's name without
 * its offset, which may differ between the files. */
static void add_cell(const struct key *key, const struct result *result, struct strbuf *text)
{
	const struct figures figures = { result->samples, result->period };
	const struct row_view view = { .result = result, .figures = &figures, .event_count = 1 };
	const struct cell_format format = { .width = CELL_WIDTH,
					    .separated = true,
					    .totals = &figures.period };

	if (key == &key_typeoff && result->place->typed && result->place->field) {
		strbuf_add_format(text, "%s %s", result->place->type, result->place->field);
		return;
	}
	key->cell(key, &view, &format, text);
	strbuf_trim(text, 0);
}

static void add_rows(struct diff *diff, size_t file, const struct row_keys *keys,
		     const struct input *input)
{
	bool offsets = any_of(i, 0, keys->count,
			      keys->keys[i] == &key_typeoff || keys->keys[i] == &key_field),
	     types = any_of(i, 0, keys->count, keys->keys[i]->needs & NEED_TYPE);
	struct strbuf cells[LAYOUT_KEYS_MAX];
	const char *texts[LAYOUT_KEYS_MAX];

	for (size_t k = 0; k < keys->count; k++)
		cells[k] = (struct strbuf)STRBUF_INIT;
	for (size_t i = 0; i < input->counts->count; i++) {
		struct result result = resolution_result(input->resolution, input->counts, i);

		if (!filter_accepts(&options.filter, &result)) {
			diff_add_total(diff, file, result.samples, result.period);
			continue;
		}
		for (size_t k = 0; k < keys->count; k++) {
			strbuf_reset(&cells[k]);
			add_cell(keys->keys[k], &result, &cells[k]);
			texts[k] = cells[k].data;
		}
		if (types && !result.place->typed) {
			diff_add_untyped(diff, file, texts, result.samples, result.period);
			continue;
		}
		diff_add(diff, file, texts,
			 offsets && result.place->typed && result.place->field
				 ? result.place->offset
				 : DIFF_NO_OFFSET,
			 result.samples, result.period);
	}
	for (size_t k = 0; k < keys->count; k++)
		strbuf_deinit(&cells[k]);
}

/* ---- layouts side by side ---- */

/* Sets *result to the facts of the type alone, or to NULL if no sample accesses it. */
static struct error *read_layout(const struct input *input, struct advice **result)
{
	struct layout_facts_options facts = { .type = options.layout_type,
					      .most = 1,
					      .dso = &options.input.dso,
					      .no_infer = options.input.no_infer,
					      .threads = options.input.threads,
					      .cacheline = input_cacheline(input) };

	RETURN_ERROR(layout_facts_create(input->resolution, input->counts, &facts, result));
	if ((*result)->type_count) {
		advice_make(*result);
		return NULL;
	}
	layout_facts_destroy(*result);
	*result = NULL;
	return NULL;
}

static void print_layouts(struct advice *const advices[2], struct strbuf *text)
{
	for (int i = 0; i < 2; i++)
		if (!advices[i]) {
			strbuf_add_format(text,
					  "\nNo sample of %s is known to access a record '%s'.\n",
					  options.diff.files[i], options.layout_type);
			return;
		}
	strbuf_add_char(text, '\n');
	advice_print_layouts(&advices[0]->types[0], &advices[1]->types[0], &advices[0]->machine,
			     text);
}

/* ---- the command ---- */

/* Appends what is missing for a file, below its name. Does nothing with -q. */
static void add_trouble(const struct input *input, size_t file, struct strbuf *trouble)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	if (options.input.quiet)
		return;
	trouble_text(&options.input, input, NULL, true, options.diff.width, &text);
	if (text.length)
		strbuf_add_format(trouble, "\n%s:\n%s", options.diff.files[file], text.data);
}

/* Adds the results of one file to the diff. On a terminal, messages about missing objects are
 * appended to `trouble`; else they are printed at once. */
static struct error *diff_read_file(struct diff *diff, size_t file, const struct row_keys *keys,
				    struct advice **layout, struct strbuf *trouble)
{
	struct input input = { 0 };
	uint64_t needs = layout_needs(&options.layout) | filter_needs(&options.filter);
	bool wants_layout = options.layout_type && file < 2;
	struct error *error;

	options.input.path = options.diff.files[file];
	error = input_open(&options.input, &input);
	/* the error names the file */
	if (!error && options.html && (error = input_need_samples(&input))) {
		input_close(&input);
		return error;
	}
	if (!error)
		error = input_resolve(
			&options.input,
			&(struct input_needs){ .needs = needs |
							(wants_layout ? LAYOUT_FACTS_NEEDS : 0),
					       .tells_trouble = options.diff.width },
			&input);
	if (!error) {
		add_rows(diff, file, keys, &input);
		if (options.diff.width)
			add_trouble(&input, file, trouble);
		if (wants_layout)
			error = read_layout(&input, layout);
	}
	if (input_status(&input) != EXIT_SUCCESS)
		options.status = EXIT_FAILURE;
	input_close(&input);
	return error ? error_prefix(error, "%s", options.diff.files[file]) : NULL;
}

/* Adds the document of --json, as a member or without a name. `layouts` are those of --layout, or
 * NULL. */
static void add_json(const struct diff *diff, struct advice *const layouts[2], struct json *json,
		     const char *name)
{
	static const char *const units[] = { "share", "samples", "period" };

	json_start(json, name, "dtprof-diff", 1);
	json_string(json, "unit", units[options.diff.unit]);
	diff_print_json(diff, &options.diff, json);
	if (options.layout_type) {
		json_array(json, "layouts");
		for (int i = 0; i < 2; i++)
			if (layouts[i])
				advice_print_json(&layouts[i]->types[0], &layouts[i]->machine,
						  json);
			else
				json_null(json, NULL);
		json_end(json);
	}
	json_end(json);
}
static struct error *diff_write_html(const struct diff *diff, struct advice *const layouts[2])
{
	struct html_document document;

	RETURN_ERROR(html_open(&document, options.html, "diff", NULL));
	add_json(diff, layouts, &document.json, "diff");
	return html_close(&document, NULL, options.input.quiet);
}

static struct error *diff_run(size_t file_count)
{
	struct row_keys keys = { .count = 0 };
	struct advice *layouts[2] = { NULL, NULL };
	struct error *error = NULL;
	struct json json = JSON_INIT(write_stdout, NULL);
	struct diff *diff;
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT, trouble = STRBUF_TEXT;

	RETURN_ERROR(choose_keys(&keys));
	if (!options.json && !options.csv && !options.html)
		options.diff.width = terminal_width();
	options.diff.ellipsis = terminal_ellipsis();
	options.diff.headers = keys.headers;
	options.diff.names = keys.names;
	diff = diff_create(file_count, keys.count);
	for (size_t file = 0; file < file_count && !error; file++)
		error = diff_read_file(diff, file, &keys, file < 2 ? &layouts[file] : NULL,
				       &trouble);
	if (!error)
		diff_finish(diff, &options.diff);
	if (!error && options.html) {
		error = diff_write_html(diff, layouts);
	} else if (!error) {
		pager_start();
		if (options.json) {
			add_json(diff, layouts, &json, NULL);
			json_finish(&json);
		} else if (options.csv) {
			diff_print_csv(diff, &options.diff, &text);
		} else {
			diff_print(diff, &options.diff, &text);
		}
		if (options.layout_type && !options.json && !options.csv)
			print_layouts(layouts, &text);
		strbuf_add_text(&text, &trouble);
		print_text(&text);
	}
	for (int i = 0; i < 2; i++)
		layout_facts_destroy(layouts[i]);
	diff_destroy(diff);
	return error;
}

static struct error *diff_check_options(size_t file_count)
{
	if (options.input.path)
		return error_other("diff takes its files without -i: dtprof diff OLD NEW");
	if (file_count < 2)
		return error_other("diff takes at least two files: dtprof diff OLD NEW");
	if (file_count > DIFF_FILES_MAX)
		return error_other("diff takes at most %d files", DIFF_FILES_MAX);
	if (!options.diff.order || options.diff.order >= file_count)
		return error_other("-o takes the number of a new file, 1 to %zu", file_count - 1);
	for (size_t i = 0; options.html && i < file_count; i++)
		if (same_file(options.html, options.diff.files[i], false))
			return error_other("--html: '%s' is a recording that is read: the page "
					   "needs another name",
					   options.html);
	return parse_per(file_count);
}

/* Returns an error if a file does not exist, before the others are read. `by_default`: the command
 * had no arguments, and compares the recordings that `record` kept. */
static struct error *check_files(const char *const *files, size_t count, bool by_default)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(files[i], "-") || !access(files[i], F_OK) || (by_default && i))
			continue;
		if (!by_default)
			return error_errno(errno, "cannot open %s", files[i]);
		return error_create(ERROR_NOT_FOUND,
				    "there is no %s here (dtprof record gives this name to the "
				    "perf.data that it replaces): record once more, or name two "
				    "recordings (dtprof diff OLD NEW)",
				    files[i]);
	}
	return NULL;
}

int command_diff(int argc, char **argv)
{
	static const char *const default_files[] = { "perf.data.old", "perf.data" };
	struct error *error;
	int rest, status;
	size_t file_count;

	if (!command_begin(argc, argv, &diff_usage, OPTIONS_ANYWHERE, &rest, &status))
		return status;
	file_count = rest ? (size_t)rest : 2;
	options.diff.files = rest ? (const char *const *)argv : default_files;
	error = diff_check_options(file_count);
	if (error)
		return command_fail_usage(error);
	error = check_files(options.diff.files, file_count, !rest);
	if (error)
		return command_fail(error);
	sandbox_for(options.html, NULL, options.input.verbose);
	error = diff_run(file_count);
	status = error ? command_fail(error) : options.status;
	filter_deinit(&options.filter);
	return status;
}
