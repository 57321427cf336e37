// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof record: the command line, and how it becomes the options of record_run()
 * (profiler/record/record.h).
 */
#include "profiler/commands/record.h"

#include <signal.h>
#include <strings.h>
#include <time.h>
#include <sys/wait.h>

#include "base/memory.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "profiler/commands/commands.h"
#include "profiler/cli/keep_objects.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/machine/cached_costs.h"
#include "profiler/record/attr.h"

/* ---- options ---- */

#define PACKING_THREADS_MAX 256
#define DEFAULT_USER_STACK  8192
/* perf_event_attr.sample_stack_user: a multiple of 8 below 64 KiB */
#define USER_STACK_MAX 65528

static struct error *add_events(void *value, const char *argument)
{
	struct strbuf *events = value;

	if (events->length)
		strbuf_add_char(events, ',');
	strbuf_add_string(events, argument);
	return NULL;
}

static struct error *set_registers(void *value, const char *argument)
{
	return registers_parse(argument, value);
}

static struct error *set_branches(void *value, const char *argument)
{
	return branch_filter_parse(argument, value);
}

/* Parses "512K": a whole number of bytes with its unit. */
static bool parse_size(const char *text, uint64_t *size)
{
	double number;

	if (!option_quantity(text, &option_sizes, &number) || number < 1)
		return false;
	*size = (uint64_t)number;
	return true;
}

/* Parses "30s" or "5m" into whole seconds. */
static bool parse_time(const char *text, unsigned int *seconds)
{
	double number;

	if (!option_quantity(text, &option_times, &number) || number < 1 || number > UINT_MAX)
		return false;
	*seconds = (unsigned int)number;
	return true;
}

static struct error *set_max_size(void *value, const char *argument)
{
	return parse_size(argument, value)
		       ? NULL
		       : error_other("'%s' is not a size such as 512K, 100M or 2G", argument);
}

static struct error *set_switch(void *value, const char *argument)
{
	struct record_options *record = value;

	if (!argument || strcmp(argument, "signal") == 0) {
		record->switch_on_signal = true;
		return NULL;
	}
	if (parse_size(argument, &record->switch_size) ||
	    parse_time(argument, &record->switch_seconds))
		return NULL;
	return error_other("'%s' is neither 'signal' nor a size (100M) nor a time (30s)", argument);
}

static struct error *set_clock(void *value, const char *argument)
{
	static const struct {
		const char *name;
		int32_t clock;
	} clocks[] = { { "realtime", CLOCK_REALTIME },
		       { "real", CLOCK_REALTIME },
		       { "monotonic", CLOCK_MONOTONIC },
		       { "mono", CLOCK_MONOTONIC },
		       { "monotonic_raw", CLOCK_MONOTONIC_RAW },
		       { "raw", CLOCK_MONOTONIC_RAW },
		       { "boottime", CLOCK_BOOTTIME },
		       { "boot", CLOCK_BOOTTIME },
		       { "tai", CLOCK_TAI } };
	struct attr_options *attr = value;
	const char *name = strncasecmp(argument, "CLOCK_", 6) ? argument : argument + 6;
	unsigned long long number;

	attr->has_clock = true;
	for (size_t i = 0; i < COUNT_OF(clocks); i++)
		if (!strcasecmp(name, clocks[i].name)) {
			attr->clock = clocks[i].clock;
			return NULL;
		}
	if (!option_number(argument, INT32_MAX, &number))
		return error_other(
			"'%s' is not realtime, monotonic, monotonic_raw, boottime or tai",
			argument);
	attr->clock = (int32_t)number;
	return NULL;
}

static struct error *set_compression(void *value, const char *argument)
{
	unsigned long long level = 1;

	if (argument && (!option_number(argument, 22, &level) || !level))
		return error_other("the level must be from 1 to 22, not '%s'", argument);
	*(int *)value = level;
	return NULL;
}

/* Parses -m 512 (pages) or -m 2M (bytes of each ring buffer). */
static struct error *parse_pages(const char *text, unsigned int *pages)
{
	uint64_t page = sysconf(_SC_PAGESIZE), size;
	unsigned long long number;

	if (parse_size(text, &size))
		number = (size + page - 1) / page;
	else if (!option_number(text, 1ULL << 40, &number))
		return error_other(
			"-m: '%s' is neither a number of pages nor a size such as 512K or 2M",
			text);
	if (!number || number > 1 << 20)
		return error_other("-m: %s is not between 1 page and 2^20 pages", text);
	/* the kernel requires a power of two */
	for (*pages = 1; *pages < number; *pages *= 2)
		;
	return NULL;
}

/* Parses -m: the size of a ring, and that of an AUX area after a comma. Either may be missing. */
static struct error *parse_ring_pages(const char *text, struct record_options *record)
{
	const char *comma = strchrnul(text, ',');
	_cleanup_free_ char *ring = xstrndup(text, comma - text);

	if (*ring || !*comma)
		RETURN_ERROR(parse_pages(ring, &record->pages));
	return *comma ? parse_pages(comma + 1, &record->aux_pages) : NULL;
}

static struct error *check_rates(struct record_arguments *arguments)
{
	struct record_options *record = &arguments->record;
	unsigned long long frequency;

	record->attr.frequency = DEFAULT_FREQUENCY;
	if (arguments->count) {
		unsigned long long period;

		/* 0 would mean no period, and the kernel rejects more than 63 bits */
		if (!option_number(arguments->count, INT64_MAX, &period) || !period)
			return error_other("-c takes a number of events, at least 1, not '%s'",
					   arguments->count);
		record->attr.period = period;
	}
	if (!arguments->frequency)
		return NULL;
	if (record->attr.period)
		return error_other("-c and -F cannot be combined: one fixes the "
				   "period, the other the frequency");
	record->frequency_given = true;
	record->maximum_frequency = strcmp(arguments->frequency, "max") == 0;
	if (record->maximum_frequency)
		return NULL;
	if (!option_number(arguments->frequency, 1ULL << 40, &frequency) || !frequency)
		return error_other("-F: '%s' is neither a number of samples a second nor 'max'",
				   arguments->frequency);
	record->attr.frequency = frequency;
	return NULL;
}

/* Checks --call-graph: "fp", "lbr", "dwarf" or "dwarf,SIZE". */
static struct error *check_call_graph(struct record_arguments *arguments)
{
	struct attr_options *attr = &arguments->record.attr;
	const char *mode = arguments->call_graph;
	unsigned long long size = DEFAULT_USER_STACK;

	if (!mode && !arguments->call_graph_flag)
		return NULL;
	attr->callchain = true;
	if (!mode || strcmp(mode, "fp") == 0)
		return NULL;
	/* where chains begin: perf's words after fp */
	if (strcmp(mode, "fp,user") == 0 || strcmp(mode, "fp,defer") == 0) {
		attr->no_kernel_callchain = mode[3] == 'u';
		return NULL;
	}
	if (strcmp(mode, "lbr") == 0) {
		if (attr->branches)
			return error_other("--call-graph lbr excludes -b and -j: the "
					   "processor keeps calls, or branches");
		attr->branches = BRANCH_CALL_STACK;
		return NULL;
	}
	if (!starts_with(mode, "dwarf") || (mode[5] && mode[5] != ','))
		return error_other("--call-graph: '%s' is not one of fp, dwarf[,SIZE], lbr", mode);
	if (mode[5] && (!option_number(mode + 6, USER_STACK_MAX, &size) || !size))
		return error_other(
			"--call-graph: the size of the stack must be from 8 to %d bytes, not '%s'",
			USER_STACK_MAX, mode + 6);
	attr->user_stack = round_up(size, 8);
	attr->user_registers |= registers_general();
	attr->no_user_callchain = true;
	return NULL;
}

/* Turns -a with -u into a filter: the whole machine is recorded, and only the user's samples are
 * kept, including those of processes that start later. */
static struct error *filter_user(struct record_arguments *arguments)
{
	struct record_options *record = &arguments->record;
	uid_t uid;

	RETURN_ERROR(user_find(record->target.user, &uid));
	record->target.user = NULL;
	free(arguments->user_filter);
	arguments->user_filter = record->filter ? xasprintf("%s, uid == %u", record->filter, uid)
						: xasprintf("uid == %u", uid);
	record->filter = arguments->user_filter;
	return NULL;
}

static struct error *check_target(struct record_arguments *arguments)
{
	struct record_options *record = &arguments->record;
	int given = (record->target.pids != NULL) + (record->target.tids != NULL) +
		    (record->target.user != NULL);

	if (given == 1 && record->target.system_wide && record->target.user) {
		RETURN_ERROR(filter_user(arguments));
		given = 0;
	}
	if (given > 1 || (given && record->target.system_wide))
		return error_other("-a, -p, -t and -u cannot be combined");
	/* as in perf, no target and no command mean the whole machine, or the CPUs of -C */
	if (!target_given(&record->target) && (!record->workload || record->target.cpu_list))
		record->target.system_wide = true;
	if (record->cgroups && !record->target.system_wide)
		return error_other("-G records CPUs: add -a or -C");
	if (record->per_thread && (record->target.system_wide || record->target.cpu_list))
		return error_other("--per-thread cannot be combined with -a or -C");
	/* the kernel maps no ring buffer for an inherited event that is not bound to a CPU */
	if (record->per_thread)
		record->attr.no_inherit = true;
	if (record->attr.exclude_user && record->attr.exclude_kernel)
		return error_other("--all-user and --all-kernel cannot be combined");
	return NULL;
}

/* Parses -D 500. */
static struct error *check_delay(struct record_arguments *arguments)
{
	struct record_options *record = &arguments->record;
	unsigned long long delay;

	if (!arguments->delay)
		return NULL;
	if (!option_number(arguments->delay, 1 << 30, &delay))
		return error_other("-D: '%s' is not a number of milliseconds up to 2^30",
				   arguments->delay);
	record->delay = delay;
	return NULL;
}

static struct error *check(struct record_arguments *arguments)
{
	struct record_options *record = &arguments->record;

	arguments->list = strcmp(arguments->events.data, "list") == 0;
	record->events = arguments->events.length ? arguments->events.data : NULL;
	if (strcmp(record->output, "-") == 0 &&
	    (record->switch_on_signal || record->switch_size || record->switch_seconds))
		return error_other("--switch-output cannot be combined with -o -");
	if (record->packing_threads > PACKING_THREADS_MAX)
		return error_other("--packing-threads: at most %d", PACKING_THREADS_MAX);
	RETURN_ERROR(check_delay(arguments));
	if (arguments->pages)
		RETURN_ERROR(parse_ring_pages(arguments->pages, record));
	if (arguments->branch_any && !record->attr.branches)
		RETURN_ERROR(branch_filter_parse(NULL, &record->attr.branches));
	record->attr.switches |= record->off_cpu;
	RETURN_ERROR(check_rates(arguments));
	RETURN_ERROR(check_call_graph(arguments));
	return check_target(arguments);
}

struct error *record_arguments_parse(struct record_arguments *arguments, int argc, char **argv,
				     const struct record_variant *variant,
				     enum options_outcome *outcome)
{
	struct record_options *record = &arguments->record;
	struct attr_options *attr = &record->attr;
	// clang-format off
	const struct option_spec options[] = {
		{ .kind = OPTION_GROUP, .help = "Events" },
		{ OPTION_CALL, 'e', "event", &arguments->events, "EVENT", "sample these events, separated by commas; 'list' lists them\n(default: the best memory event of this machine)", add_events },
		OPTION(STRING, 'c', "count", &arguments->count, "N", "take a sample every N events"),
		OPTION(STRING, 'F', "freq", &arguments->frequency, "N", "take N samples a second, or 'max' (default: 4000)"),
		OPTION(UNSIGNED, 0, "ldlat", &record->latency, "CYCLES", "sample loads that take at least this long (default: 30 on Intel and Arm, all on AMD)"),
		OPTION(STRING, 0, "filter", &record->filter, "EXPR", "keep only samples for which this holds, such as 'cpu == 0 || cpu == 1, period > 1000'"),
		FLAG('U', "all-user", &attr->exclude_kernel, "record only user space"),
		FLAG('K', "all-kernel", &attr->exclude_user, "record only the kernel"),
		{ .kind = OPTION_GROUP, .help = "Choosing processes" },
		OPTION(STRING, 'p', "pid", &record->target.pids, "PID", "running processes, separated by commas"),
		OPTION(STRING, 't', "tid", &record->target.tids, "TID", "running threads, separated by commas"),
		OPTION(STRING, 'u', "uid", &record->target.user, "USER", "a user's processes"),
		FLAG('a', "all-cpus", &record->target.system_wide, "the whole machine"),
		OPTION(STRING, 'C', "cpu", &record->target.cpu_list, "CPUS", "record only these CPUs, such as 0-3,8"),
		FLAG('i', "no-inherit", &attr->no_inherit, "do not record children and threads created later"),
		FLAG(0, "per-thread", &record->per_thread, "use a ring buffer for each thread, not for each CPU"),
		OPTION(STRING, 'G', "cgroup", &record->cgroups, "GROUPS", "record only tasks of this control group (with -a or -C), or a group for each event"),
		OPTION(STRING, 'D', "delay", &arguments->delay, "MS", "begin after this many milliseconds"),
		{ .kind = OPTION_GROUP, .help = "Contents of samples" },
		FLAG('d', "data", &attr->data_address, "the data's address and source"),
		FLAG('W', "weight", &attr->weight, "the weight (latency)"),
		FLAG(0, "phys-data", &attr->physical_address, "the data's physical address"),
		FLAG(0, "data-page-size", &attr->data_page_size, "the page size of the data's address"),
		FLAG(0, "code-page-size", &attr->code_page_size, "the page size of the code's address"),
		FLAG(0, "no-data-maps", &attr->no_data_maps, "leave out maps of data, which layout and c2c need"),
		FLAG(0, "sample-cpu", &attr->cpu, "the CPU"),
		FLAG(0, "all-cgroups", &attr->cgroup, "the control group"),
		FLAG(0, "off-cpu", &record->off_cpu, "also the time that threads sleep, with their call chains"),
		FLAG(0, "switch-events", &attr->switches, "context switches, as records of their own"),
		FLAG('b', "branch-any", &arguments->branch_any, "the last taken branches"),
		{ OPTION_CALL, 'j', "branch-filter", &attr->branches, "FILTER", "branches that pass the filter, such as any_call,u", set_branches },
		FLAG('P', "period", &attr->period_field, "the period, even if it is fixed"),
		FLAG('R', "raw-samples", &attr->raw, "the raw data of the event"),
		{ OPTION_CALL_OPTIONAL, 'I', "intr-regs", &attr->interrupt_registers, "REGISTERS", "registers at the interrupt, such as ax,bx (default: all)", set_registers },
		{ OPTION_CALL_OPTIONAL, 0, "user-regs", &attr->user_registers, "REGISTERS", "registers of user space", set_registers },
		FLAG(0, "user-callchains", &attr->no_kernel_callchain, NULL),
		FLAG(0, "kernel-callchains", &attr->no_user_callchain, NULL),
		FLAG('g', "call-chain", &arguments->call_graph_flag, "call chains by frame pointers"),
		OPTION(STRING, 0, "call-graph", &arguments->call_graph, "MODE", "call chains: fp, dwarf[,BYTES] (a copy of the stack), or lbr (kept by the processor)"),
		FLAG(0, "no-callers", &attr->no_callers, "leave out the return address that samples without call\nchains have"),
		{ .kind = OPTION_GROUP, .help = "Output" },
		OPTION(STRING, 'o', "output", &record->output, "FILE", "write this file, '-' for a pipe (default: perf.data)"),
		OPTION(STRING, 'm', "mmap-pages", &arguments->pages, "PAGES[,AUX]", "size of each ring buffer, in pages or as 512K, 2M,\nand of each area for the trace of Arm's SPE"),
		{ OPTION_CALL_OPTIONAL, 'z', "compression-level", &record->compression, "LEVEL", "compress the records with zstd (default level: 1)", set_compression },
		OPTION(UNSIGNED, 0, "packing-threads", &record->packing_threads, "N", "compress with N threads (default: one for each 16 CPUs)"),
		{ OPTION_CALL, 0, "max-size", &record->max_size, "SIZE", "end when the file reaches this size, such as 100M", set_max_size },
		{ OPTION_CALL_OPTIONAL, 0, "switch-output", record, "WHEN", "begin a new file on SIGUSR2 ('signal', the default),\nat a size (100M), or after a time (30s)", set_switch },
		OPTION(UNSIGNED, 0, "switch-max-files", &record->switch_files, "N", "keep only the last N files"),
		FLAG(0, "overwrite", &attr->overwrite, "keep the newest records in memory; write them at the end,\nor with each new file"),
		FLAG('B', "no-buildid", &record->no_build_ids, "do not collect build ids at the end"),
		FLAG('N', "no-buildid-cache", &arguments->no_cache, "do not copy programs and libraries into the cache (~/.debug)"),
		{ OPTION_CALL, 'k', "clockid", attr, "CLOCK", "take times from this clock: monotonic, monotonic_raw,\nrealtime, boottime or tai", set_clock },
		FLAG(0, "namespaces", &attr->namespaces, "the namespaces of processes, as records of their own"),
		FLAG(0, "buildid-all", &arguments->all_objects, NULL),
		FLAG(0, "fail-empty", &arguments->fail_empty, "without samples, say why, also with -q, and end with status 4"),
		OPTION(COUNT, 'v', "verbose", &arguments->verbose, NULL, "print more messages"),
		FLAG('q', "quiet", &arguments->quiet, "print only errors"),
		{ .kind = OPTION_END },
	};
	// clang-format on
	_cleanup_free_ struct option_spec *both =
		variant ? options_combine(variant->options, options) : NULL;
	const struct command_usage usage = {
		.name = variant ? variant->name : "record",
		.synopsis = "[OPTION...] [--] [COMMAND [ARGUMENT...]]",
		.summary = variant ? variant->summary
				   : "Sample the memory accesses of a program into a file.",
		.options = variant ? both : options,
		.alternatives =
			(const char *const[]){ "count freq", "pid tid uid", "all-cpus pid",
					       "all-cpus tid", "per-thread all-cpus",
					       "per-thread cpu", "all-user all-kernel", NULL }
	};
	int rest = 0;

	RETURN_ERROR(config_apply(argc, argv, &usage, OPTIONS_FIRST));
	RETURN_ERROR(options_parse(argc, argv, &usage, OPTIONS_FIRST, outcome, &rest));
	if (*outcome == OPTIONS_HELP) {
		options_print_help(&usage);
		return NULL;
	}
	record->workload = rest ? argv : NULL;
	RETURN_ERROR(check(arguments));
	if (variant)
		variant->prepare(arguments);
	return NULL;
}

void record_arguments_init(struct record_arguments *arguments)
{
	*arguments = (struct record_arguments){
		.record = { .root = "",
			    .output = "perf.data",
			    .version = "dtprof " DTPROF_VERSION },
		.events = STRBUF_INIT,
	};
}

void record_arguments_deinit(struct record_arguments *arguments)
{
	for (size_t i = 0; i < arguments->record.probe_count; i++)
		free(arguments->record.probes[i].path);
	strbuf_deinit(&arguments->events);
	free_all(arguments->user_filter, arguments->record.probes);
}

/* ---- the command ---- */

static void say(void *data, enum record_notice notice, const char *message)
{
	const struct record_arguments *arguments = data;

	if ((notice == RECORD_DETAIL && !arguments->verbose) ||
	    (notice == RECORD_NOTE && arguments->quiet))
		return;
	if (notice == RECORD_WARNING)
		warning("%s", message);
	else
		note("%s", message);
}

#define RING_ADVICE ": the ring buffers were full; use larger ones (-m) or fewer samples (-F, -c)"

static void print_losses(const struct record_result *result)
{
	uint64_t samples = result->lost_samples;

	if (!samples && !result->lost_records)
		return;
	if (samples)
		warning("%lu samples were lost, %.1f%% of all" RING_ADVICE, samples,
			100.0 * samples / (samples + result->samples));
	else
		warning("%lu records were lost" RING_ADVICE, result->lost_records);
}

static void print_result(const struct record_arguments *arguments,
			 const struct record_result *result)
{
	if (result->throttles && arguments->verbose)
		note("the kernel throttled sampling %lu times", result->throttles);
	if (result->filtered && !arguments->quiet)
		note("the filter dropped %lu samples", result->filtered);
	print_losses(result);
	if (arguments->quiet)
		return;
	fprintf(stderr, "[ dtprof record: Woken up %lu times to write data ]\n", result->wakeups);
	fprintf(stderr, "[ dtprof record: Captured and wrote %.3f MB %s",
		result->bytes / 1024.0 / 1024.0, arguments->record.output);
	if (arguments->record.switch_on_signal || arguments->record.switch_size ||
	    arguments->record.switch_seconds)
		fprintf(stderr, ".<timestamp>");
	if (result->uncompressed_bytes)
		fprintf(stderr, ", compressed (original %.3f MB, ratio is %.3f)",
			result->uncompressed_bytes / 1024.0 / 1024.0,
			(double)result->uncompressed_bytes / result->bytes);
	/* samples of AUX data are made by readers */
	_cleanup_free_ char *content =
		result->trace_bytes ? xasprintf("%.3f MB of AUX data",
						result->trace_bytes / (double)BYTES_PER_MB)
				    : xasprintf("%lu samples", result->samples);

	fprintf(stderr, " (%s) ]\n", content);
}

/* Returns the recorded command's status; dies of its signal, for a calling shell. */
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

/* Bytes that one recording adds to the cache of objects, at most. A recording of the whole machine
 * gets less, because it has many more objects. */
#define CACHE_BYTES_MAX        (UINT64_C(2) << 30)
#define CACHE_BYTES_SYSTEM_MAX (UINT64_C(256) << 20)

/* Returns whether objects are copied into the cache at the end. */
static bool keeps_objects(const struct record_arguments *arguments)
{
	const struct record_options *record = &arguments->record;

	return !arguments->no_cache && !record->no_build_ids && strcmp(record->output, "-") != 0 &&
	       !record->switch_on_signal && !record->switch_size && !record->switch_seconds;
}

static int find_held(const void *held, const struct build_id *id)
{
	return held_files_find(held, id);
}

/* Makes companions of what was recorded, in a process of its own: their cache is all that it may
 * write. It waits, because the next command uses them. */
static void index_objects(const struct record_arguments *arguments, char **objects, size_t count)
{
	_cleanup_free_ char **words = xcalloc(count + 4, sizeof(*words));
	size_t used = 0;
	int status;

	words[used++] = (char[]){ "index" };
	words[used++] = (char[]){ "--cache" };
	words[used++] = (char[]){ "--quiet" };
	for (size_t i = 0; i < count; i++)
		words[used++] = objects[i];
	fflush(NULL);
	pid_t child = fork();

	if (!child)
		_exit(command_index((int)used, words));
	if (child < 0 || waitpid(child, &status, 0) != child)
		return;
	if (!status && !arguments->quiet)
		note("%zu companions were made (index.auto)", count);
}

/* Copies the objects with samples into the cache, in case that they change. */
static void keep_recorded_objects(const struct record_arguments *arguments,
				  const struct record_result *result)
{
	const struct record_options *record = &arguments->record;
	uint64_t limit = record->target.system_wide ? CACHE_BYTES_SYSTEM_MAX : CACHE_BYTES_MAX;
	struct kept_objects kept;

	if (!keeps_objects(arguments))
		return;
	/* if `ulimit -f` does not allow a copy, copying fails, and the program goes on */
	signal(SIGXFSZ, SIG_IGN);
	_cleanup_error_ struct error *error =
		keep_objects(record->output,
			     &(struct keep_options){ .all = arguments->all_objects,
						     .unindexed = global_options.index_auto,
						     .limit = limit,
						     .find_held = find_held,
						     .held = &result->held },
			     &kept);

	if (error && arguments->verbose)
		note("%s", error->message);
	if (!error && arguments->verbose && kept.added)
		note("%u files (%.1f MB) were added to the cache of objects", kept.added,
		     (double)kept.bytes / BYTES_PER_MB);
	if (!error && kept.left && !arguments->quiet)
		note("%u files (%.0f MB) were left out of the cache of objects, which takes %.0f "
		     "MB of a recording",
		     kept.left, (double)kept.left_bytes / BYTES_PER_MB,
		     (double)limit / BYTES_PER_MB);
	if (!error && kept.nameless && !arguments->quiet)
		note("%s is gone, and no copy of it was kept, since it has no build id: link it "
		     "with -Wl,--build-id",
		     kept.nameless);
	free(kept.nameless);
	if (kept.unindexed_count)
		index_objects(arguments, kept.unindexed, kept.unindexed_count);
	for (size_t i = 0; i < kept.unindexed_count; i++)
		free(kept.unindexed[i]);
	free(kept.unindexed);
}

/* Says what begins before somebody ends it, and what follows then. */
static void announce(const struct record_arguments *arguments)
{
	const struct target *target = &arguments->record.target;
	bool open_ended = !arguments->record.workload;

	if (open_ended && target->user)
		note("what user %s runs is recorded: Ctrl-C ends it", target->user);
	else if (open_ended && target->system_wide)
		note("%s is recorded: Ctrl-C ends it",
		     target->cpu_list ? "what these CPUs do" : "the whole system");
	if (target->system_wide && keeps_objects(arguments))
		note("%s at most %.0f MB of its programs are copied into the cache (-N: none)",
		     open_ended ? "then" : "at the end",
		     (double)CACHE_BYTES_SYSTEM_MAX / BYTES_PER_MB);
}

static int record_main(struct record_arguments *arguments)
{
	struct record_result result;
	struct memory_costs costs;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (cached_costs_read(&costs)) {
		memory_costs_print(&costs, &text);
		arguments->record.memory_costs = text.data;
	}
	if (!arguments->quiet)
		announce(arguments);
	arguments->record.hold_files = keeps_objects(arguments);
	_cleanup_error_ struct error *error = record_run(&arguments->record, &result);

	if (result.bytes)
		print_result(arguments, &result);
	if (result.bytes && (result.samples || result.trace_bytes || arguments->all_objects))
		keep_recorded_objects(arguments, &result);
	held_files_deinit(&result.held);
	bool empty = result.no_samples && arguments->fail_empty;

	if (result.no_samples && (empty || !arguments->quiet))
		note("no samples: %s", result.no_samples);
	free(result.no_samples);
	if (!error) {
		int status = exit_status(&result);

		return empty && !status ? EXIT_EMPTY : status;
	}
	note("%s", error->message);
	if (result.bytes && strcmp(arguments->record.output, "-"))
		note("%s is readable up to that point", arguments->record.output);
	return 1;
}

int command_record(int argc, char **argv)
{
	return command_record_as(argc, argv, NULL);
}

int command_record_as(int argc, char **argv, const struct record_variant *variant)
{
	struct record_arguments arguments;
	/* options_parse() reorders argv */
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
		note("%s", error->message);
		status = EXIT_USAGE;
	} else if (outcome == OPTIONS_RUN && arguments.list) {
		(variant && variant->list ? variant->list : list_events)();
	} else if (outcome == OPTIONS_RUN) {
		status = record_main(&arguments);
	}
	record_arguments_deinit(&arguments);
	return status;
}
