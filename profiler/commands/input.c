// SPDX-License-Identifier: GPL-2.0-or-later
#include "profiler/commands/input.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dwarf/elf_core.h"
#include "dwarf/elf_image.h"
#include "profiler/base/printable.h"
#include "profiler/commands/globals.h"
#include "profiler/commands/progress.h"
#include "profiler/commands/story_print.h"

#define PROBLEMS_SHOWN 5

static void warn_of_file(void *data, const char *message)
{
	const struct input_options *options = data;

	if (options->quiet)
		return;
	progress_end();
	warning("%s", message);
}

struct error *parse_modules_option(void *dso_options, const char *argument)
{
	struct dso_options *options = dso_options;

	if (argument)
		options->modules = argument;
	return NULL;
}

struct error *parse_symfs_option(void *symfs, const char *argument)
{
	const char *comma = strrchr(argument, ',');

	if (comma && strcmp(comma, ",flat") != 0 && strcmp(comma, ",hierarchy") != 0)
		return error_create(ERROR_OTHER, "'%s' is no layout; there are hierarchy and flat",
				    comma + 1);
	if (comma == argument)
		return error_create(ERROR_OTHER, "there is no folder before '%s'", comma);
	*(const char **)symfs = argument;
	return NULL;
}

struct error *parse_blame_option(void *blame, const char *argument)
{
	static const char *const names[] = {
		[BLAME_AUTO] = "auto", [BLAME_RETIRED] = "retired", [BLAME_SAMPLED] = "sampled"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(argument, names[i])) {
			*(enum blame_mode *)blame = (enum blame_mode)i;
			return NULL;
		}
	return error_create(ERROR_OTHER, "--blame: '%s' is not auto, retired or sampled", argument);
}

/* Data addresses are those of the access that is charged, which types are looked for to find. */
static unsigned int needs_of(const struct input_options *options, const struct input_needs *needs,
			     const struct session *session)
{
	size_t count;
	const struct event *events = session_events(session, &count);

	if (options->blame == BLAME_SAMPLED || !(needs->charges || needs->needs & NEED_DATA_ADDRESS))
		return needs->needs;
	for (size_t i = 0; i < count; i++)
		if (event_is_late(&events[i]))
			return needs->needs | NEED_TYPE;
	return needs->needs;
}

/* Branches before late samples tell which way control came. */
static unsigned int count_fields(const struct input_options *options, unsigned int needs,
				 const struct session *session)
{
	unsigned int fields = resolve_count_fields(needs);
	size_t count;
	const struct event *events = session_events(session, &count);

	for (size_t i = 0; needs & NEED_TYPE && options->blame != BLAME_SAMPLED && i < count; i++)
		if (event_is_late(&events[i]) && events[i].attr.sample_type & PERF_SAMPLE_BRANCH_STACK)
			fields |= COUNT_CAME_FROM;
	return fields;
}

static const char *input_path(const struct input_options *options)
{
	struct stat status;

	if (options->path)
		return options->path;
	/* as perf: something that is piped in is meant to be read */
	if (!fstat(STDIN_FILENO, &status) && S_ISFIFO(status.st_mode))
		return "-";
	return "perf.data";
}

/* Whether it is the recorded kernel is seen when that is asked for. */
static struct error *check_vmlinux(const char *path)
{
	struct error *error = elf_is_core(path) ? NULL : elf_image_probe(path);

	return error ? error_prefix(error, "-k") : NULL;
}

struct error *input_open(const struct input_options *options, struct input *input)
{
	RETURN_ERROR(operands_init(&input->operands, &options->dso, options->blame != BLAME_SAMPLED));

	struct session_options session_options = { .force = options->dso.force,
						   .threads = options->threads,
						   .dso = options->dso,
						   .operands = operands_finder(&input->operands),
						   .warn = warn_of_file,
						   .warn_data = (void *)options };
	const char *path = input_path(options);
	struct error *error;

	/* what was asked for by name must not be missing in silence */
	if (options->dso.vmlinux)
		RETURN_ERROR(check_vmlinux(options->dso.vmlinux));
	if (options->dso.kallsyms && access(options->dso.kallsyms, R_OK) < 0)
		return error_errno(errno, "--kallsyms: cannot open %s", options->dso.kallsyms);
	progress_show("Reading", path);
	error = session_open(path, &session_options, &input->session);
	progress_end();
	if (error && error->code == ERROR_NOT_FOUND && !options->path)
		return error_prefix(error, "nothing to read here: 'dtprof record' makes a perf.data file, -i "
					   "FILE names another one");
	return error;
}

/* ---- what could not be had ---- */

static void warn_of_problems(const struct input_options *options, const struct resolution *resolution)
{
	size_t shown = options->verbose || resolution->problem_count < PROBLEMS_SHOWN
			       ? resolution->problem_count
			       : PROBLEMS_SHOWN;

	if (options->quiet)
		return;
	for (size_t i = 0; i < shown; i++)
		warning("%s", resolution->problems[i].message);
	if (shown < resolution->problem_count)
		warning("and %zu more objects without symbols or debug information (-v lists all)",
			resolution->problem_count - shown);
}

struct error *input_resolve(const struct input_options *options, const struct input_needs *needs,
			    struct input *input)
{
	unsigned int all_needs = needs_of(options, needs, input->session);
	struct resolve_options resolve_options = { .needs = all_needs,
						   .blame = options->blame,
						   .operands = &input->operands,
						   .dso = options->dso,
						   .no_infer = options->no_infer,
						   .no_inline = needs->no_inline,
						   .full_source_path = needs->full_source_path,
						   .parent = needs->parent,
						   .no_demangle = needs->no_demangle,
						   .ignore_callees = needs->ignore_callees,
						   .caller_first = needs->caller_first,
						   .traces = needs->traces,
						   .trace_count = needs->trace_count,
						   .threads = options->threads };
	struct story_teller teller = { 0 };

	if (global_options.debug_type_profile) {
		resolve_options.story_object = story_print_object;
		resolve_options.story = story_print;
		resolve_options.story_data = &teller;
	}

	struct count_options count = { .fields = count_fields(options, all_needs, input->session),
				       .time_quantum = needs->time_quantum,
				       .traces = needs->traces,
				       .trace_count = needs->trace_count,
				       .chain_limit = needs->chain_limit,
				       .raw_trace = needs->raw_trace };
	struct error *error;

	if (needs->choice)
		sample_choice_apply(needs->choice, &count);
	progress_show("Counting samples", NULL);
	error = session_count_by(input->session, &count, &input->counts);
	teller.counts = input->counts;
	if (!error)
		error = resolve(input->session, input->counts, &resolve_options, &input->resolution);
	story_teller_release(&teller);
	progress_end();
	if (!error)
		warn_of_problems(options, input->resolution);
	return error;
}

void input_close(struct input *input)
{
	resolution_destroy(input->resolution);
	if (input->counts)
		sample_counts_destroy(input->counts);
	if (input->session)
		session_close(input->session);
	operands_release(&input->operands);
}
