// SPDX-License-Identifier: GPL-2.0-or-later
/* dtprof record: see record_run() in profiler/record/record.h for what it does. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "profiler/base/memory.h"
#include "profiler/base/strbuf.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/record_options.h"

#define USAGE_STATUS 129 /* as perf's and git's */

static void say(void *data, enum record_notice notice, const char *message)
{
	const struct record_arguments *arguments = data;

	if ((notice == RECORD_DETAIL && !arguments->verbose) || (notice == RECORD_NOTE && arguments->quiet))
		return;
	fprintf(stderr, "dtprof record: %s%s\n", notice == RECORD_WARNING ? "warning: " : "", message);
}

static void print_losses(const struct record_result *result)
{
	uint64_t samples = result->lost_samples;

	if (!samples && !result->lost_records)
		return;
	if (samples)
		fprintf(stderr, "dtprof record: warning: %lu samples were lost, %.1f%% of all", samples,
			100.0 * samples / (samples + result->samples));
	else
		fprintf(stderr, "dtprof record: warning: %lu records were lost", result->lost_records);
	fprintf(stderr, ": the ring buffers were full; use larger ones (-m) or fewer samples (-F, -c)\n");
}

static void print_result(const struct record_arguments *arguments, const struct record_result *result)
{
	if (result->throttles && arguments->verbose)
		fprintf(stderr, "dtprof record: the kernel throttled sampling %lu times\n",
			result->throttles);
	if (result->filtered && !arguments->quiet)
		fprintf(stderr, "dtprof record: the filter dropped %lu samples\n", result->filtered);
	print_losses(result);
	if (arguments->quiet)
		return;
	fprintf(stderr, "[ dtprof record: Woken up %lu times to write data ]\n", result->wakeups);
	fprintf(stderr, "[ dtprof record: Captured and wrote %.3f MB %s", result->bytes / 1024.0 / 1024.0,
		arguments->record.output);
	if (arguments->record.switch_on_signal || arguments->record.switch_size ||
	    arguments->record.switch_seconds)
		fprintf(stderr, ".<timestamp>");
	if (result->uncompressed_bytes)
		fprintf(stderr, ", compressed (original %.3f MB, ratio is %.3f)",
			result->uncompressed_bytes / 1024.0 / 1024.0,
			(double)result->uncompressed_bytes / result->bytes);
	fprintf(stderr, " (%lu samples) ]\n", result->samples);
}

/* The command's own status; after a signal the same signal, so that a calling shell sees what happened. */
static int exit_status(const struct record_result *result)
{
	int signal_number = result->signal;

	if (!signal_number && result->workload_ended && WIFEXITED(result->workload_status))
		return WEXITSTATUS(result->workload_status);
	if (!signal_number && result->workload_ended && WIFSIGNALED(result->workload_status))
		signal_number = WTERMSIG(result->workload_status);
	if (!signal_number)
		return 0;
	fflush(NULL);
	signal(signal_number, SIG_DFL);
	raise(signal_number);
	return 128 + signal_number;
}

static int run(struct record_arguments *arguments)
{
	struct record_result result;
	_cleanup_error_ struct error *error = record_run(&arguments->record, &result);

	if (result.bytes)
		print_result(arguments, &result);
	if (!error)
		return exit_status(&result);
	fprintf(stderr, "dtprof record: %s\n", error->message);
	if (result.bytes && strcmp(arguments->record.output, "-"))
		fprintf(stderr, "dtprof record: %s is readable up to that point\n", arguments->record.output);
	return 1;
}

int command_record(int argc, char **argv)
{
	return command_record_as(argc, argv, NULL);
}

int command_record_as(int argc, char **argv, const struct record_variant *variant)
{
	struct record_arguments arguments;
	/* options_parse() moves arguments about. */
	_cleanup_free_ const char **command_line = xcalloc(argc + 2, sizeof(*command_line));
	enum options_outcome outcome;
	int status = 0;

	command_line[0] = "dtprof";
	memcpy(command_line + 1, argv, argc * sizeof(*argv));
	record_arguments_init(&arguments);
	arguments.record.say = say;
	arguments.record.argc = argc + 1;
	arguments.record.argv = command_line;
	arguments.record.say_data = &arguments;

	_cleanup_error_ struct error *error =
		record_arguments_parse(&arguments, argc, argv, variant, &outcome);

	if (error) {
		fprintf(stderr, "dtprof record: %s\n", error->message);
		status = USAGE_STATUS;
	} else if (outcome == OPTIONS_RUN && arguments.list) {
		list_events();
	} else if (outcome == OPTIONS_RUN) {
		status = run(&arguments);
	}
	record_arguments_release(&arguments);
	return status;
}
