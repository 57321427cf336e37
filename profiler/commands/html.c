// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Implements html.h. The page's JSON has the documents of `report --json` and `annotate --json` as
 * members, so a page shows their figures to the digit:
 *
 *   { "format": "dtprof-html", "version": 1,
 *     "recording": [["captured on", "..."], ...],
 *     "report": {...}, "annotate": { "types": [...], "functions": [...] },
 *     "code_left_out": { "functions": 12, "samples": 345 } }
 */
#include "profiler/commands/html.h"

#include <stdlib.h>

#include "profiler/base/memory.h"
#include "profiler/commands/annotate.h"
#include "report/html/html_page.h"

/*
 * Instructions of all functions in a page, at most. The functions with the most samples come first:
 * a page with the code of a whole large program is slow to open and to send.
 */
#define HTML_INSNS_MAX 10000

static const struct word_list all_functions;

static struct annotate_types_options types_options(const struct html_report *report)
{
	return (struct annotate_types_options){ .layout = true,
						.quiet = true,
						.grouping = report->grouping,
						.filter = report->filter,
						.format = OUTPUT_JSON };
}

static struct annotate_code_options code_options(const struct html_report *report)
{
	return (struct annotate_code_options){ .symbols = &all_functions,
					       .with_type = true,
					       .source = true,
					       .source_in_json = true,
					       .skip_missing = true,
					       .insns_max = HTML_INSNS_MAX,
					       .grouping = report->grouping,
					       .filter = report->filter,
					       .format = OUTPUT_JSON,
					       .input = report->input };
}

uint64_t html_needs(const struct html_report *report)
{
	struct annotate_types_options types = types_options(report);
	struct annotate_code_options code = code_options(report);

	return annotate_types_needs(&types) | annotate_code_needs(&code);
}

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

static struct error *add_annotations(const struct html_report *report, const struct input *input,
				     struct json *json)
{
	struct annotate_types_options types = types_options(report);
	struct annotate_code_options code = code_options(report);
	struct error *error;

	types.output.cacheline = input_cacheline(input);
	types.json = code.json = json;
	json_object(json, "annotate");
	json_string(json, "format", "dtprof-annotate");
	json_unsigned(json, "version", 1);
	error = annotate_types(input, &report->input->dso, &types);
	if (!error)
		error = annotate_code(input, &code);
	/* a recording of code without symbols has a table, but no functions */
	if (error && error->code == ERROR_NOT_FOUND) {
		error_destroy(error);
		error = NULL;
	}
	json_end(json);
	json_object(json, "code_left_out");
	json_unsigned(json, "functions", code.left_out_functions);
	json_unsigned(json, "samples", code.left_out_samples);
	json_end(json);
	return error;
}

struct error *html_write(const struct html_report *report, const struct input *input)
{
	struct html_page *page;

	RETURN_ERROR(html_page_open(report->path, &page));

	struct json json = JSON_INIT(html_page_add, page);

	json.compact = true;
	json_object(&json, NULL);
	json_string(&json, "format", "dtprof-html");
	json_unsigned(&json, "version", 1);
	add_recording(input->session, &json);
	json_object(&json, "report");
	report->add_report(report->data, &json);
	json_end(&json);

	struct error *error = add_annotations(report, input, &json);

	while (json.depth)
		json_end(&json);
	json_finish(&json);

	struct error *problem = html_page_close(page);

	if (!error)
		return problem;
	error_destroy(problem);
	return error;
}
