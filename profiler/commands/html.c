// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements html.h. */
#include "profiler/commands/html.h"

#include "base/memory.h"
#include "profiler/commands/annotate.h"
#include "profiler/cli/output.h"
#include "report/html/html_page.h"

/*
 * The most instructions of all functions in a page. The functions with the most samples come first:
 * a page with the code of a whole large program is slow to open and to send.
 */
#define HTML_INSNS_MAX 10000

/* The most types with advice on their layout in a page: those with the most samples. */
#define HTML_LAYOUTS_MAX 40

/* The most samples of a recording whose page has advice and shared cachelines. Both count samples
 * by address and time, which takes most of a minute and gigabytes for longer recordings. */
#define HTML_ADVICE_SAMPLES_MAX 1000000

static const struct name_list all_functions;

/* ---- any page ---- */

/* Adds lines of the file's header as pairs. */
static void add_recording(const struct session *session, struct json *json)
{
	static const char *const names[] = { "captured on", "hostname",      "os release",
					     "cpudesc",     "nrcpus online", "cmdline" };

	json_array(json, "recording");
	for (size_t i = 0; i < COUNT_OF(names); i++) {
		_cleanup_free_ char *value = header_value(session, names[i]);

		if (!value)
			continue;
		json_array(json, NULL);
		json_string(json, NULL, names[i]);
		json_string(json, NULL, value);
		json_end(json);
	}
	json_end(json);
}

struct error *html_open(struct html_document *document, const char *path, const char *command,
			const struct input *input)
{
	document->path = path;
	if (input)
		RETURN_ERROR(input_need_samples(input));
	RETURN_ERROR(html_page_open(path, input ? input->path : NULL, &document->page));
	progress_show("Writing", path);
	document->json = (struct json)JSON_INIT(html_page_add, document->page);
	document->json.compact = true;
	json_start(&document->json, NULL, "dtprof-html", 2);
	json_string(&document->json, "command", command);
	if (input)
		add_recording(input->session, &document->json);
	return NULL;
}

struct error *html_close(struct html_document *document, struct error *error, bool quiet)
{
	struct error *problem;

	json_finish(&document->json);
	problem = html_page_close(document->page, !error);
	progress_end();
	if (error) {
		error_destroy(problem);
		return error;
	}
	if (!problem && !quiet)
		printf("Wrote %s: open it in a browser.\n", document->path);
	return problem;
}

/* ---- types and code ---- */

static struct annotate_types_options types_options(const struct html_annotations *annotations)
{
	return (struct annotate_types_options){ .type = annotations->type,
						.layout = true,
						.parts = annotations->parts,
						.no_sharing = annotations->no_sharing,
						.elements = true,
						.quiet = true,
						.grouping = annotations->grouping,
						.filter = annotations->filter,
						.format = OUTPUT_JSON };
}

static struct annotate_code_options code_options(const struct html_annotations *annotations)
{
	return (struct annotate_code_options){ .symbols = annotations->symbols ?: &all_functions,
					       .with_type = true,
					       .source = true,
					       .source_in_json = true,
					       .skip_missing = true,
					       .insns_max = HTML_INSNS_MAX,
					       .grouping = annotations->grouping,
					       .filter = annotations->filter,
					       .format = OUTPUT_JSON,
					       .input = annotations->input };
}

uint64_t html_annotations_needs(const struct html_annotations *annotations)
{
	struct annotate_code_options code = code_options(annotations);

	return filter_needs(annotations->filter) | annotate_code_needs(&code);
}

/* Returns NULL in place of an error that means that there is nothing to show: a recording of code
 * without types or symbols has a table, but no types or functions. */
static struct error *drop_not_found(struct error *error, bool asked_for)
{
	if (!error || error->code != ERROR_NOT_FOUND || asked_for)
		return error;
	error_destroy(error);
	return NULL;
}

static struct error *add_code(const struct html_annotations *annotations, const struct input *input,
			      struct annotate_code_options *code, struct json *json)
{
	*code = code_options(annotations);
	code->json = json;
	return drop_not_found(annotate_code(input, code), code->symbols->count > 0);
}

static struct error *add_types(const struct html_annotations *annotations, struct input *input,
			       struct json *json)
{
	struct annotate_types_options types = types_options(annotations);
	struct input_options quiet = *annotations->input;

	quiet.quiet = true; /* the caller, which resolved the input, has printed what is missing */
	types.output.cacheline = input_cacheline(input);
	types.json = json;
	input_forget(input);
	RETURN_ERROR(input_resolve(
		&quiet,
		&(struct input_needs){
			.needs = filter_needs(annotations->filter) | annotate_types_needs(&types),
			.choice = annotations->choice,
			.details = DETAILS_MAX,
			.time_quantum =
				annotations->no_sharing ? 0 : annotate_time_quantum(input->session),
			.no_demangle = annotations->no_demangle },
		input));
	return drop_not_found(annotate_types(input, &annotations->input->dso, &types),
			      types.type != NULL);
}

struct error *html_add_annotations(const struct html_annotations *annotations, struct input *input,
				   struct json *json)
{
	struct annotate_code_options code;
	struct error *error;

	json_start(json, "annotate", "dtprof-annotate", 1);
	error = add_code(annotations, input, &code, json);
	if (!error)
		error = add_types(annotations, input, json);
	json_end(json);
	json_object(json, "code_left_out");
	json_unsigned(json, "functions", code.left_out_functions);
	json_unsigned(json, "samples", code.left_out_samples);
	json_end(json);
	return error;
}

/* ---- the page of report ---- */

static struct error *html_add_layout(const struct input_options *options, struct input *input,
				     struct json *json)
{
	struct layout_request request = { .input = options, .top = HTML_LAYOUTS_MAX };
	struct advice *advice;

	input_forget(input);
	RETURN_ERROR(layout_read(&request, input, &advice));
	layout_add_json(advice, json, "layout");
	layout_facts_destroy(advice);
	return NULL;
}

static struct error *add_annotations(const struct html_report *report, bool no_sharing,
				     const struct input_options *options, struct input *input,
				     struct json *json)
{
	struct html_annotations annotations = { .input = options,
						.filter = report->filter,
						.grouping = report->grouping,
						.choice = report->choice,
						.no_demangle = report->no_demangle,
						.parts = true,
						.no_sharing = no_sharing };

	input_forget(input);
	RETURN_ERROR(
		input_resolve(options,
			      &(struct input_needs){ .needs = html_annotations_needs(&annotations),
						     .charges = true,
						     .choice = report->choice,
						     .no_demangle = report->no_demangle },
			      input));
	return html_add_annotations(&annotations, input, json);
}

static struct error *add_sharing(const struct input_options *options, struct input *input,
				 struct json *json)
{
	if (!annotate_has_addresses(input->session))
		return NULL;
	input_forget(input);
	return c2c_add_json(options, input, json);
}

/* Returns whether the page has advice, and says why if it could have had it. */
static bool has_advice(const struct html_report *report, bool is_long)
{
	if (report->chooses)
		return false;
	if (!is_long)
		return true;
	if (!report->input->quiet)
		warning("there are more than %d samples: the page has no advice on layouts and no "
			"shared cachelines, which dtprof layout --html and dtprof c2c report "
			"--html have",
			HTML_ADVICE_SAMPLES_MAX);
	return false;
}

struct error *html_write(const struct html_report *report, struct input *input)
{
	bool is_long = session_totals(input->session)->samples > HTML_ADVICE_SAMPLES_MAX,
	     advice = has_advice(report, is_long);
	struct input_options quiet = *report->input;
	struct html_document document;
	struct error *error = NULL;

	quiet.quiet = true; /* what is missing was printed for the table */
	RETURN_ERROR(html_open(&document, report->path, "report", input));
	report->add_report(report->data, &document.json);
	/* as `dtprof layout` does: before samples are charged */
	if (advice)
		error = html_add_layout(&quiet, input, &document.json);
	if (!error)
		error = add_annotations(report, is_long, &quiet, input, &document.json);
	if (!error && advice)
		error = add_sharing(&quiet, input, &document.json);
	return html_close(&document, error, report->input->quiet);
}
