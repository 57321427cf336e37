// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof try: makes a proposed layout in a copy of the source, builds it, and says how much faster
 * it is than what was predicted.
 *
 * The recording is read by a process of its own, which is confined as that of `dtprof layout` is.
 * It sends the patch and the prediction, because this process has to start the commands of the
 * user.
 */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cursor.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/text.h"
#include "profiler/cli/input.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/cli/sandbox.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/html.h"
#include "profiler/commands/layout_patch.h"
#include "profiler/commands/try_runs.h"
#include "profiler/machine/cached_costs.h"
#include "report/json.h"
#include "report/layout/advice.h"

#define PAIRS_DEFAULT 15
#define PATCH_MAX     (16U << 20) /* bytes */

static struct {
	struct input_options input;
	const char *type, *source, *patch;
	unsigned int pairs;
	enum advice_kind kind;
	bool even_if, json, keep;
} options = { .pairs = PAIRS_DEFAULT, .kind = PROPOSAL_KINDS };

// clang-format off
static const struct option_spec try_options[] = {
	GROUP("The change"),
	OPTION(STRING, 0, "type", &options.type, "NAME", "change this record"),
	{ OPTION_ENUM, 0, "proposal", &(struct option_words){ &options.kind, advice_kind_names }, "KIND", "take this proposal, advised or not: reorder, shrink, split,\npeel, pad (the advised one)", NULL },
	FLAG(0, "even-if", &options.even_if, "make patches that are likely to break the program, too"),
	OPTION(STRING, 0, "patch", &options.patch, "FILE", "try this patch (as for patch -p1 in the source folder)\ninstead of a proposal"),
	GROUP("Building and running"),
	OPTION(STRING, 0, "source", &options.source, "DIR", "the folder to copy, in which both commands run (the\ncurrent one)"),
	OPTION(UNSIGNED, 0, "pairs", &options.pairs, "N", "run at most N times before and after the change (15)"),
	FLAG(0, "keep", &options.keep, "keep the copies"),
	FLAG(0, "json", &options.json, "print JSON (Documentation/json.md)"),
	GROUP("Input"),
	SOURCE_OPTION_SPEC(options.input),
	INPUT_OPTION_SPECS(options.input),
	OPTIONS_END,
};
// clang-format on

static const struct command_usage try_usage = {
	.name = "try",
	.synopsis = "--type=NAME [--proposal=KIND] [OPTIONS] -- BUILD... -- RUN...",
	.summary = "Measure a proposed layout in a copy of the source, against its prediction.",
	.options = try_options,
	.alternatives = (const char *const[]){ "type patch", "proposal patch", NULL },
};

/* The change, as the confined process sends it: these numbers, then the texts. */
struct try_sizes {
	double low, high;             /* of the prediction, times faster */
	uint32_t verdict;             /* enum advice_verdict */
	uint32_t kind;                /* enum advice_kind */
	uint32_t name, folder, patch; /* lengths of the texts */
};

struct try_change {
	struct try_sizes sizes;
	bool predicted;
	bool sent;    /* this is the confined process, which is done */
	char *name;   /* of the type, or of the file of the patch */
	char *folder; /* in which the patch is applied; NULL: the source folder */
	char *patch;
	size_t length; /* of the patch */
};

static void try_change_deinit(struct try_change *change)
{
	free_all(change->name, change->folder, change->patch);
}

/* ---- the confined process ---- */

static struct error *send_change(const struct advice *advice, int to)
{
	const struct advice_type *type = &advice->types[0];
	const struct advice_proposal *proposal = layout_chosen(type, options.kind);
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;
	struct layout_patched patched;

	if (!layout_add_patch(advice, type, options.kind, options.even_if, &text, &patched)) {
		const char *why = strstr(text.data, "no patch: ");

		return error_create(ERROR_NOT_FOUND, "%s: %.*s", type->name,
				    why ? (int)strcspn(why, "\n") : 8, why ?: "no patch");
	}
	_cleanup_free_ char *folder = patched.folder;
	struct try_sizes sizes = { .low = patched.range.low,
				   .high = patched.range.high,
				   .verdict = patched.verdict,
				   .kind = proposal->kind,
				   .name = (uint32_t)strlen(type->name),
				   .folder = (uint32_t)strlen(folder),
				   .patch = (uint32_t)text.length };

	return text.length <= PATCH_MAX && !file_write_all(to, &sizes, sizeof(sizes), -1) &&
			       !file_write_all(to, type->name, sizes.name, -1) &&
			       !file_write_all(to, folder, sizes.folder, -1) &&
			       !file_write_all(to, text.data, sizes.patch, -1)
		       ? NULL
		       : error_other("the patch is too large");
}

static struct error *read_and_send(struct input *input, int to)
{
	const struct layout_request request = { .input = &options.input,
						.type = options.type,
						.top = 1 };
	struct advice *advice;
	struct error *error;

	RETURN_ERROR(input_open(&options.input, input));
	RETURN_ERROR(layout_read(&request, input, &advice));
	error = advice->type_count
			? send_change(advice, to)
			: error_create(ERROR_NOT_FOUND, "no sample of %s accesses a type '%s'",
				       input->path, options.type);
	layout_facts_destroy(advice);
	return error;
}

/* The confined process. Returns its status. */
static int confined(int to)
{
	_cleanup_input_ struct input input = { 0 };
	struct error *error;

	costs_measurer_start();
	sandbox_for(NULL, NULL, options.input.verbose);
	error = read_and_send(&input, to);
	costs_measurer_stop();

	int status = error ? command_fail(error) : 0;

	close(to);
	return status;
}

/* Reads all bytes; false: the process ended before. */
static bool receive_all(int from, void *bytes, size_t length)
{
	char *at = bytes;

	while (length) {
		ssize_t received = read(from, at, length);

		if (received < 0 && errno == EINTR)
			continue;
		if (received <= 0)
			return false;
		at += received;
		length -= (size_t)received;
	}
	return true;
}

/* Receives a text of this length, or returns NULL. */
static char *receive_text(int from, uint32_t length)
{
	char *text = length > PATCH_MAX ? NULL : xcalloc(length + 1, 1);

	if (text && receive_all(from, text, length))
		return text;
	free(text);
	return NULL;
}

static bool receive_change(int from, struct try_change *change)
{
	struct try_sizes *sizes = &change->sizes;

	if (!receive_all(from, sizes, sizeof(*sizes)) || sizes->kind >= PROPOSAL_KINDS ||
	    sizes->verdict > VERDICT_CANNOT_TELL)
		return false;
	change->name = receive_text(from, sizes->name);
	change->folder = change->name ? receive_text(from, sizes->folder) : NULL;
	change->patch = change->folder ? receive_text(from, sizes->patch) : NULL;
	change->length = sizes->patch;
	change->predicted = true;
	return change->patch;
}

/* Gets the proposal's change from a confined process. Returns 0, or its status. */
static int ask_for_change(struct try_change *change)
{
	int ends[2], status = 0;
	pid_t process;

	if (pipe(ends))
		return command_fail(error_errno(errno, "cannot make a pipe"));
	fflush(NULL);
	process = fork();
	if (process < 0)
		return command_fail(error_errno(errno, "cannot start a process"));
	if (!process) {
		close(ends[0]);
		change->sent = true;
		return confined(ends[1]);
	}
	close(ends[1]);

	bool received = receive_change(ends[0], change);

	close(ends[0]);
	while (waitpid(process, &status, 0) < 0 && errno == EINTR)
		;
	if (received)
		return 0;
	return WIFEXITED(status) && WEXITSTATUS(status)
		       ? WEXITSTATUS(status)
		       : command_fail(error_other("reading the recording failed"));
}

static struct error *read_patch(struct try_change *change)
{
	struct stat status;
	int file;

	RETURN_ERROR(ordinary_file_open(options.patch, &file, &status));
	change->name = xstrdup(options.patch);
	if (status.st_size > PATCH_MAX || status.st_size <= 0) {
		close(file);
		return error_create(ERROR_FORMAT, "%s: empty, or larger than 16 MB", options.patch);
	}
	change->length = (size_t)status.st_size;
	change->patch = xcalloc(change->length + 1, 1);

	bool whole = receive_all(file, change->patch, change->length);

	close(file);
	return whole ? NULL : error_other("%s: cannot be read", options.patch);
}

/* ---- the result ---- */

struct try_result {
	const struct try_change *change;
	const struct try_times *times;
	struct try_ratio ratio; /* by the clock */
	bool differs;           /* in what the copies print */
};

/* Returns how the measurement compares with the prediction, as the end of a sentence. */
static const char *compared(const struct try_result *result)
{
	const struct try_sizes *sizes = &result->change->sizes;

	if (!result->ratio.known)
		return "not measured";
	if (sizes->verdict == VERDICT_CANNOT_TELL)
		return "nothing was promised";
	if (result->ratio.high < sizes->low)
		return "less than predicted";
	return result->ratio.low > sizes->high ? "more than predicted" : "as predicted";
}

/* Appends how much faster the second copy is, as "1.52 times faster (1.48 to 1.56)". */
static void add_ratio(const struct try_ratio *ratio, struct strbuf *text)
{
	bool slower = ratio->high < 1;

	if (ratio->low > 1 || slower)
		strbuf_add_format(text, "%.2f times %s (%.2f to %.2f)",
				  slower ? 1 / ratio->middle : ratio->middle,
				  slower ? "slower" : "faster",
				  slower ? 1 / ratio->high : ratio->low,
				  slower ? 1 / ratio->low : ratio->high);
	else
		strbuf_add_format(text, "no clear difference (%.2f to %.2f times faster)",
				  ratio->low, ratio->high);
}

static void add_measured(const struct try_result *result, struct strbuf *text)
{
	struct try_ratio cpu = try_ratio_of(result->times, TRY_CPU);

	strbuf_add_string(text, "measured   ");
	if (!result->ratio.known) {
		strbuf_add_format(text, "nothing: %zu pairs are too few\n", result->times->pairs);
		return;
	}
	add_ratio(&result->ratio, text);
	strbuf_add_format(text, ", %zu pairs\n           by processor time ", result->times->pairs);
	add_ratio(&cpu, text);
	strbuf_add_string(text, "\n");
}

static void add_predicted(const struct try_result *result, struct strbuf *text)
{
	const struct try_sizes *sizes = &result->change->sizes;

	if (!result->change->predicted)
		return;
	if (sizes->verdict == VERDICT_GAIN)
		strbuf_add_format(text, "predicted  %.2f to %.2f times faster: %s\n", sizes->low,
				  sizes->high, compared(result));
	else
		strbuf_add_format(text, "predicted  %s (%.2f to %.2f times faster): %s\n",
				  advice_verdict_names[sizes->verdict], sizes->low, sizes->high,
				  compared(result));
}

static void try_print(const struct try_result *result)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	if (result->change->predicted)
		strbuf_add_format(&text, "%s: %s\n\n", result->change->name,
				  advice_kind_names[result->change->sizes.kind]);
	else
		strbuf_add_format(&text, "%s\n\n", result->change->name);
	strbuf_add_string(&text, "           by the clock   processor time\n");
	for (enum try_copy copy = 0; copy < TRY_COPIES; copy++)
		strbuf_add_format(&text, "%-10s %10.3f s %14.3f s\n", try_copy_names[copy],
				  try_median(result->times, TRY_WALL, copy),
				  try_median(result->times, TRY_CPU, copy));
	strbuf_add_string(&text, "\n");
	add_measured(result, &text);
	add_predicted(result, &text);
	print_text(&text);
}

static void add_clock(const struct try_result *result, enum try_clock clock, struct json *json)
{
	struct try_ratio ratio = try_ratio_of(result->times, clock);

	json_object(json, clock == TRY_WALL ? "clock" : "processor");
	for (enum try_copy copy = 0; copy < TRY_COPIES; copy++) {
		json_array(json, try_copy_names[copy]);
		for (size_t i = 0; i < result->times->pairs; i++)
			json_double(json, NULL, result->times->of[clock][copy][i]);
		json_end(json);
	}
	if (ratio.known) {
		json_object(json, "faster");
		json_double(json, "middle", ratio.middle);
		json_double(json, "low", ratio.low);
		json_double(json, "high", ratio.high);
		json_end(json);
	}
	json_end(json);
}

static void try_print_json(const struct try_result *result)
{
	const struct try_change *change = result->change;
	struct json json = JSON_INIT(write_stdout, NULL);

	json_start(&json, NULL, "dtprof-try", 1);
	json_string(&json, change->predicted ? "type" : "patch", change->name);
	if (change->predicted) {
		json_string(&json, "proposal", advice_kind_names[change->sizes.kind]);
		json_object(&json, "predicted");
		json_string(&json, "verdict", advice_verdict_names[change->sizes.verdict]);
		json_double(&json, "low", change->sizes.low);
		json_double(&json, "high", change->sizes.high);
		json_end(&json);
	}
	for (enum try_clock clock = 0; clock < TRY_CLOCKS; clock++)
		add_clock(result, clock, &json);
	json_bool(&json, "same_output", !result->differs);
	json_finish(&json);
}

/* ---- the command ---- */

/* Finds the folder of the copy in which the patch is applied, "" for the copy itself, to be freed.
 * Its own may be given by debug information, so it must be in the source folder. */
static struct error *folder_in_copy(const char *source, const char *folder, char **below)
{
	size_t length = strlen(source);
	_cleanup_free_ char *real = folder ? realpath(folder, NULL) : xstrdup(source);

	if (!real)
		return error_errno(errno, "the folder that the patch is for, %s", folder);
	if (strncmp(real, source, length) != 0 || (real[length] && real[length] != '/'))
		return error_other(
			"the source is in %s, which is not below %s: name the folder with --source",
			folder, source);
	*below = xstrdup(real + length + (real[length] == '/'));
	return NULL;
}

static struct error *measure(struct try_trees *trees, const struct try_change *change,
			     const char *below, char *const *build, char *const *command,
			     const char *source)
{
	struct try_times times;
	struct try_result result = { .change = change, .times = &times };

	RETURN_ERROR(try_trees_make(source, trees));
	RETURN_ERROR(try_trees_patch(trees, below, change->patch, change->length));
	RETURN_ERROR(try_trees_build(trees, build));
	RETURN_ERROR(try_trees_run(trees, command, options.pairs, &times, &result.differs));
	result.ratio = try_ratio_of(&times, TRY_WALL);
	if (options.json)
		try_print_json(&result);
	else
		try_print(&result);
	if (options.keep) {
		trees->keep = true;
		if (!options.input.quiet)
			warning("the copies are in %s", trees->root);
	}
	return result.differs ? error_other("the changed program prints something "
					    "else: the patch may break it")
			      : NULL;
}

/* Finds the two commands in the arguments: BUILD... -- RUN... Ends the first with a NULL. */
static struct error *split_commands(int rest, char **argv, char ***build, char ***command)
{
	for (int i = 0; i < rest; i++) {
		if (strcmp(argv[i], "--") != 0)
			continue;
		argv[i] = NULL;
		*build = argv;
		*command = argv + i + 1;
		if (i && i + 1 < rest)
			return NULL;
		break;
	}
	return error_other(
		"two commands are needed: ... -- BUILD... -- RUN..., such as -- make -- ./bench");
}

static struct error *try_check_options(void)
{
	if (!options.type == !options.patch)
		return error_other("name the record with --type, or a patch with --patch");
	if (!options.pairs || options.pairs > TRY_PAIRS_MAX)
		return error_other("--pairs takes a number from 1 to %d", TRY_PAIRS_MAX);
	return NULL;
}

static int try_change(struct try_change *change, const char *source, char *const *build,
		      char *const *command)
{
	struct try_trees trees = { 0 };
	_cleanup_free_ char *below = NULL;
	struct error *error;
	int status = options.patch ? 0 : ask_for_change(change);

	if (status || change->sent)
		return status;
	error = options.patch ? read_patch(change) : NULL;
	if (!error)
		error = folder_in_copy(source, change->folder, &below);
	try_catch_signals();
	if (!error)
		error = measure(&trees, change, below, build, command, source);
	status = error ? command_fail(error) : 0;
	try_trees_remove(&trees);
	return status;
}

int command_try(int argc, char **argv)
{
	struct try_change change = { 0 };
	char **build, **command;
	struct error *error;
	int rest, status;

	if (!command_begin(argc, argv, &try_usage, OPTIONS_FIRST, &rest, &status))
		return status;
	options.input.dso.build_id_folder = global_options.build_id_folder;
	error = try_check_options();
	if (!error)
		error = split_commands(rest, argv, &build, &command);
	if (error)
		return command_fail_usage(error);

	const char *folder = options.source ?: ".";
	_cleanup_free_ char *source = realpath(folder, NULL);

	if (!source)
		return command_fail(error_errno(errno, "%s", folder));
	status = try_change(&change, source, build, command);
	try_change_deinit(&change);
	return status;
}
