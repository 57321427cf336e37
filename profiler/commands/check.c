// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof check: rules on layouts that a build, or a recording of it, must keep.
 *
 * Without -i the rules are checked against the debug information of the programs that are named.
 * With -i the programs are the objects of the recording that have samples, and rules on heat are
 * checked, too.
 */
#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/cursor.h"
#include "base/type_name.h"
#include "profiler/commands/check_rules.h"
#include "profiler/commands/commands.h"
#include "profiler/cli/input.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/cli/sandbox.h"
#include "profiler/objects/dso.h"
#include "profiler/resolve/layout_facts.h"
#include "report/json.h"
#include "report/layout/rules.h"

#define FILE_SIZE_MAX (16U << 20) /* of a file of rules */

static struct {
	struct input_options input;
	uint64_t cacheline;
	bool json;
} options;

/* The state of checking one file of rules. */
struct checking {
	const struct check_request *request;
	const char *path;
	struct layout_rules rules;
	struct rule_checker checker;
	struct json *json; /* NULL: text */
	size_t counts[RULE_VERDICTS];
	struct strbuf text;
};

static void print_verdict(struct checking *checking, const struct layout_rule *rule,
			  enum rule_verdict_kind verdict)
{
	static const char *const words[] = { "ok", "FAILED", "unknown" };
	static const char *const names[] = { "kept", "broken", "unknown" };
	const char *reason = checking->checker.reason.data;
	size_t start = checking->text.length;

	if (checking->json) {
		json_object(checking->json, NULL);
		json_unsigned(checking->json, "line", rule->line);
		json_string(checking->json, "rule", rule->text);
		json_string(checking->json, "verdict", names[verdict]);
		json_string(checking->json, "reason", reason);
		json_end(checking->json);
		return;
	}
	if (checking->request->input->quiet && verdict != RULE_BROKEN)
		return;
	strbuf_add_format(&checking->text, "%s:%u: %s: %s: %s", checking->path, rule->line,
			  words[verdict], rule->text, reason);
	strbuf_end_line(&checking->text, start);
}

static void check_all(struct checking *checking)
{
	array_each (const struct layout_rule, rule, checking->rules.items, checking->rules.count) {
		enum rule_verdict_kind verdict = rule_check(&checking->checker, rule);

		checking->counts[verdict]++;
		print_verdict(checking, rule, verdict);
	}
}

/* ---- input ---- */

static struct error *read_rules(struct checking *checking)
{
	_cleanup_close_ int fd = -1;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct stat status;

	if (strcmp(checking->path, "-") != 0)
		RETURN_ERROR(ordinary_file_open(checking->path, &fd, &status));
	if (!file_read_all(fd < 0 ? STDIN_FILENO : fd, FILE_SIZE_MAX, &text))
		return error_errno(errno, "cannot read %s", checking->path);
	if (text.length > FILE_SIZE_MAX)
		return error_other("%s has more than %u bytes: it is not a file of rules",
				   checking->path, FILE_SIZE_MAX);
	return layout_rules_parse(text.data, checking->path, &checking->rules);
}

/* Opens the debug information of the programs that are named. */
static struct error *open_programs(struct checking *checking, struct dso_table *table)
{
	const struct check_request *request = checking->request;

	for (int i = 0; i < request->count; i++) {
		_cleanup_free_ char *path = realpath(request->programs[i], NULL);

		if (!path)
			return error_errno(errno, "cannot open %s", request->programs[i]);
		RETURN_ERROR(
			rule_checker_add(&checking->checker,
					 dso_table_get(table, &(struct dso_origin){ .name = path }),
					 &request->input->dso, true));
	}
	return NULL;
}

/* Opens the recording: its objects with samples, and the facts of all types. */
static struct error *open_recording(struct checking *checking, struct input *input)
{
	const struct check_request *request = checking->request;

	RETURN_ERROR(input_open(request->input, input));
	RETURN_ERROR(input_resolve(
		request->input,
		&(struct input_needs){ .needs = LAYOUT_FACTS_NEEDS, .details = DETAILS_MAX },
		input));
	if (!request->cacheline)
		checking->checker.cacheline = input_cacheline(input);
	return rule_checker_record(&checking->checker, input, request->input);
}

static void check_print_json(struct checking *checking)
{
	struct json json = JSON_INIT(write_stdout, NULL);

	json_start(&json, NULL, "dtprof-check", 1);
	json_array(&json, "rules");
	checking->json = &json;
	check_all(checking);
	checking->json = NULL;
	json_finish(&json);
}

static void print_findings(struct checking *checking)
{
	check_all(checking);
	if (!checking->request->input->quiet)
		strbuf_add_format(&checking->text,
				  "%zu rule%s: %zu kept, %zu broken, %zu unknown\n",
				  checking->rules.count, checking->rules.count == 1 ? "" : "s",
				  checking->counts[RULE_KEPT], checking->counts[RULE_BROKEN],
				  checking->counts[RULE_UNKNOWN]);
	print_text(&checking->text);
}

/* ---- the command ---- */

static const struct option_spec check_specs[] = {
	OPTION(U64, 0, "cacheline", &options.cacheline, "BYTES",
	       "assume cachelines of this size (the recorded machine's,\nor 64)"),
	FLAG(0, "json", &options.json, "print JSON (Documentation/json.md)"),

	GROUP("Input"),
	INPUT_OPTION_SPECS(options.input),
	OPTIONS_END,
};

static const struct command_usage check_usage = {
	.name = "check",
	.synopsis = "[OPTIONS] RULES [PROGRAM...]",
	.summary = "Check that layouts keep the rules of a file. Status 1: a rule is broken.",
	.options = check_specs,
};

static struct error *check_run(struct checking *checking, struct dso_table *table,
			       struct input *input)
{
	const struct check_request *request = checking->request;

	RETURN_ERROR(read_rules(checking));
	if (request->input->path)
		RETURN_ERROR(open_recording(checking, input));
	RETURN_ERROR(open_programs(checking, table));
	if (request->add_heat)
		RETURN_ERROR(request->add_heat(&checking->checker, request->data));
	if (request->json)
		check_print_json(checking);
	else
		print_findings(checking);
	return NULL;
}

struct error *check_files(const struct check_request *request, bool *broken, bool *incomplete)
{
	struct checking checking = { .request = request,
				     .path = request->rules,
				     .text = STRBUF_TEXT,
				     .checker = { .reason = STRBUF_TEXT,
						  .cacheline = request->cacheline
								       ?: CACHELINE_DEFAULT } };
	struct dso_table table = { 0 };
	struct input input = { 0 };
	struct error *error = check_run(&checking, &table, &input);

	*broken = checking.counts[RULE_BROKEN] != 0;
	if (incomplete)
		*incomplete = input_status(&input) != EXIT_SUCCESS;
	rule_checker_deinit(&checking.checker);
	layout_rules_deinit(&checking.rules);
	strbuf_deinit(&checking.text);
	dso_table_deinit(&table);
	input_close(&input);
	return error;
}

static struct error *check_check_options(int rest)
{
	if (!rest)
		return error_other("a file of rules is missing: dtprof check RULES PROGRAM...");
	if (rest < 2 && !options.input.path)
		return error_other("nothing to check: name a program, or a recording with -i");
	if (options.cacheline && (options.cacheline < 8 || options.cacheline > 4096 ||
				  (options.cacheline & (options.cacheline - 1))))
		return error_other("--cacheline takes a power of two from 8 to 4096");
	return NULL;
}

int command_check(int argc, char **argv)
{
	bool broken = false, incomplete = false;
	struct error *error;
	int rest, status;

	if (!command_begin(argc, argv, &check_usage, OPTIONS_ANYWHERE, &rest, &status))
		return status;
	options.input.dso.build_id_folder = global_options.build_id_folder;
	error = check_check_options(rest);
	if (error)
		return command_fail_usage(error);
	sandbox_for(NULL, NULL, options.input.verbose);
	error = check_files(&(struct check_request){ .input = &options.input,
						     .rules = argv[0],
						     .programs = argv + 1,
						     .count = rest - 1,
						     .cacheline = options.cacheline,
						     .json = options.json },
			    &broken, &incomplete);
	/* 1 is for broken rules */
	return error        ? (command_fail(error), 2)
	       : broken     ? EXIT_FAILURE
	       : incomplete ? 2
			    : EXIT_SUCCESS;
}
