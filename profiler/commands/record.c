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
#include "profiler/commands/options.h"
#include "profiler/record/record.h"

#define USAGE_STATUS    129 /* as perf's and git's */
#define DEFAULT_LATENCY 30

struct arguments {
	struct record_options record;
	struct strbuf events;
	const char *frequency;
	const char *pages;
	unsigned int verbose;
	bool quiet;
};

static struct error *add_events(void *value, const char *argument)
{
	struct strbuf *events = value;

	if (events->length)
		strbuf_add_char(events, ',');
	strbuf_add_string(events, argument);
	return NULL;
}

/* -m 512 (pages) or -m 2M (bytes of each ring buffer). */
static struct error *parse_pages(const char *text, unsigned int *pages)
{
	size_t length = strlen(text), page = sysconf(_SC_PAGESIZE);
	const char *const units = "BKMG";
	const char *unit = length ? strchr(units, text[length - 1]) : NULL;
	_cleanup_free_ char *digits = xstrndup(text, length - (unit != NULL));
	unsigned long long number;

	if (!length || !option_number(digits, 1ULL << 40, &number))
		return error_create(ERROR_OTHER,
				    "-m: '%s' is not a number of pages, nor a size as 512K or 2M", text);
	if (unit) {
		number <<= 10 * (unit - units);
		number = (number + page - 1) / page;
	}
	if (!number || number > 1 << 20)
		return error_create(ERROR_OTHER, "-m: %s is not between 1 page and 2^20 pages", text);
	/* The kernel wants a power of two. */
	for (*pages = 1; *pages < number; *pages *= 2)
		;
	return NULL;
}

static struct error *check_rates(struct arguments *arguments)
{
	struct record_options *record = &arguments->record;
	unsigned long long frequency;

	record->attr.frequency = DEFAULT_FREQUENCY;
	if (!arguments->frequency)
		return NULL;
	if (record->attr.period)
		return error_create(ERROR_OTHER,
				    "-c and -F exclude each other: a fixed period or a fixed frequency");
	record->frequency_given = true;
	record->maximum_frequency = strcmp(arguments->frequency, "max") == 0;
	if (record->maximum_frequency)
		return NULL;
	if (!option_number(arguments->frequency, 1ULL << 40, &frequency) || !frequency)
		return error_create(ERROR_OTHER, "-F: '%s' is not a number of samples a second, nor 'max'",
				    arguments->frequency);
	record->attr.frequency = frequency;
	return NULL;
}

static struct error *check_target(struct record_options *record)
{
	int given =
		(record->target.pids != NULL) + (record->target.tids != NULL) + (record->target.user != NULL);

	if (given > 1 || (given && record->target.system_wide))
		return error_create(ERROR_OTHER, "-a, -p, -t and -u exclude each other: whom to record?");
	/* As perf: without a target and without a command the whole machine is meant. */
	if (!target_given(&record->target) && (!record->workload || record->target.cpu_list))
		record->target.system_wide = true;
	return NULL;
}

static void say(void *data, enum record_notice notice, const char *message)
{
	const struct arguments *arguments = data;

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

static void print_result(const struct arguments *arguments, const struct record_result *result)
{
	if (result->throttles && arguments->verbose)
		fprintf(stderr, "dtprof record: the kernel throttled sampling %lu times\n",
			result->throttles);
	print_losses(result);
	if (arguments->quiet)
		return;
	fprintf(stderr, "[ dtprof record: Woken up %lu times to write data ]\n", result->wakeups);
	fprintf(stderr, "[ dtprof record: Captured and wrote %.3f MB %s (%lu samples) ]\n",
		result->bytes / 1024.0 / 1024.0, arguments->record.output, result->samples);
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

static int run(struct arguments *arguments)
{
	struct record_result result;
	_cleanup_error_ struct error *error = record_run(&arguments->record, &result);

	if (result.bytes)
		print_result(arguments, &result);
	if (!error)
		return exit_status(&result);
	fprintf(stderr, "dtprof record: %s\n", error->message);
	if (result.bytes)
		fprintf(stderr, "dtprof record: %s is readable up to that point\n", arguments->record.output);
	return 1;
}

static struct error *parse(int argc, char **argv, struct arguments *arguments, enum options_outcome *outcome)
{
	struct record_options *record = &arguments->record;
	const struct option_spec options[] = {
		{ .kind = OPTION_GROUP, .help = "Events" },
		{ OPTION_CALL, 'e', "event", &arguments->events, "EVENT",
		  "what to sample; several with commas or several -e\n"
		  "(default: the best memory event of this machine)",
		  add_events },
		{ OPTION_U64, 'c', "count", &record->attr.period, "N", "a sample every N events", NULL },
		{ OPTION_STRING, 'F', "freq", &arguments->frequency, "N",
		  "N samples a second, or 'max' (default: 4000)", NULL },
		{ OPTION_UNSIGNED, 0, "ldlat", &record->latency, "CYCLES",
		  "loads that take at least this long (Intel; default: 30)", NULL },
		{ .kind = OPTION_GROUP, .help = "Whom to record" },
		{ OPTION_STRING, 'p', "pid", &record->target.pids, "PID", "running processes, with commas",
		  NULL },
		{ OPTION_FLAG, 'a', "all-cpus", &record->target.system_wide, NULL, "the whole machine",
		  NULL },
		{ .kind = OPTION_GROUP, .help = "Output" },
		{ OPTION_STRING, 'o', "output", &record->output, "FILE",
		  "the file to write (default: perf.data)", NULL },
		{ OPTION_STRING, 'm', "mmap-pages", &arguments->pages, "PAGES",
		  "size of each ring buffer, in pages or as 512K, 2M", NULL },
		{ OPTION_COUNT, 'v', "verbose", &arguments->verbose, NULL, "say more", NULL },
		{ OPTION_FLAG, 'q', "quiet", &arguments->quiet, NULL, "say only what went wrong", NULL },
		{ .kind = OPTION_END },
	};
	const struct command_usage usage = { .name = "record",
					     .synopsis = "[OPTION...] [--] [COMMAND [ARGUMENT...]]",
					     .summary =
						     "Sample the memory accesses of a program into a file.",
					     .options = options };
	int rest = 0;

	RETURN_ERROR(options_parse(argc, argv, &usage, OPTIONS_FIRST, outcome, &rest));
	if (*outcome == OPTIONS_HELP) {
		options_print_help(&usage);
		return NULL;
	}
	argv[rest] = NULL;
	record->workload = rest ? argv : NULL;
	record->events = arguments->events.length ? arguments->events.data : NULL;
	if (arguments->pages)
		RETURN_ERROR(parse_pages(arguments->pages, &record->pages));
	RETURN_ERROR(check_rates(arguments));
	return check_target(record);
}

int command_record(int argc, char **argv)
{
	struct arguments arguments = { .record = { .root = "",
						   .latency = DEFAULT_LATENCY,
						   .output = "perf.data",
						   .version = "dtprof " DTPROF_VERSION,
						   .say = say },
				       .events = STRBUF_INIT };
	/* options_parse() moves arguments about. */
	_cleanup_free_ const char **command_line = xcalloc(argc + 2, sizeof(*command_line));
	enum options_outcome outcome;
	int status = 0;

	command_line[0] = "dtprof";
	memcpy(command_line + 1, argv, argc * sizeof(*argv));
	arguments.record.argc = argc + 1;
	arguments.record.argv = command_line;
	arguments.record.say_data = &arguments;

	_cleanup_error_ struct error *error = parse(argc, argv, &arguments, &outcome);

	if (error) {
		fprintf(stderr, "dtprof record: %s\n", error->message);
		status = USAGE_STATUS;
	} else if (outcome == OPTIONS_RUN) {
		status = run(&arguments);
	}
	strbuf_release(&arguments.events);
	return status;
}
