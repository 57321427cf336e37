// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof lock: the locks that threads waited for, by struct and field, caller, address or thread.
 *
 * `lock contention` has the options and the text of perf lock contention; `lock report` shows the
 * same waits by lock. Both read the events that `lock record` records.
 */
#include "base/memory.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/cli/sandbox.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/lock_probes.h"
#include "profiler/commands/lock_reading.h"
#include "profiler/commands/record.h"
#include "profiler/record/attr.h"
#include "report/json.h"
#include "report/lock/lock_waits.h"

#define USER_STACK 2048 /* bytes of it that are recorded */

/* Entries of a chain of the kernel, for functions for locks and the callers that they are asked
 * of. Walking on, through the program, takes longer than all else of an event. */
#define KERNEL_CHAIN 24

static struct {
	struct input_options input;
	struct lock_table_options table;
	bool by_thread, by_address, by_cgroup, holders;
	/* perf's for what it records (-a, -M); a recording has its processors, and all locks */
	bool all_cpus;
	unsigned int most_locks;
	const char *key, *fields;
	const char *kinds, *locks, *functions, *cgroups; /* -Y, -L, -S, -G */
	struct sample_choice choice;
	uint64_t chosen_kinds;
	const char *pids, *tids, *output;
	unsigned int skip;
	bool blocked; /* waits for no lock count, too */
	bool json;
} options = { .table = { .sort = LOCK_WAIT_TOTAL, .headings = true, .depth = 8, .callers = 3 } };

/* ---- options ---- */

static void add_column(struct lock_table_options *table, enum lock_key key)
{
	if (!any_of(i, 0, table->column_count, table->columns[i] == key))
		table->columns[table->column_count++] = key;
}

static struct error *parse_columns(void)
{
	static const enum lock_key all[] = { LOCK_CONTENDED, LOCK_WAIT_TOTAL, LOCK_WAIT_MAX,
					     LOCK_AVG_WAIT };
	struct lock_table_options *table = &options.table;

	if (options.key && !lock_key_parse(options.key, strlen(options.key), &table->sort))
		return error_other("-k takes contended, wait_total, wait_max, wait_min or "
				   "avg_wait, not '%s'",
				   options.key);
	if (!options.fields) {
		memcpy(table->columns, all, sizeof(all));
		table->column_count = COUNT_OF(all);
	}
	each_word (word, length, options.fields) {
		enum lock_key key;

		if (!lock_key_parse(word, length, &key))
			return error_other("-F takes contended, wait_total, wait_max, wait_min "
					   "and avg_wait, not '%.*s'",
					   (int)length, word);
		add_column(table, key);
	}
	if (!table->column_count)
		return error_other("-F names no column");
	add_column(table, table->sort);
	return NULL;
}

static struct error *check_numbers(const char *option, const char *list)
{
	if (list && (!*list || list[strspn(list, "0123456789,")]))
		return error_other("%s takes numbers, not '%s'", option, list);
	return NULL;
}

static struct error *lock_check_options(enum lock_view view)
{
	const char *bad;

	options.table.view = options.by_thread    ? LOCK_BY_THREAD
			     : options.by_address ? LOCK_BY_ADDRESS
			     : options.by_cgroup  ? LOCK_BY_CGROUP
						  : view;
	options.table.holders = options.holders;
	if (options.by_thread + options.by_address + options.by_cgroup > 1)
		return error_other("-t, -l and --lock-cgroup exclude each other");
	if (options.holders && (options.by_address || options.table.times))
		return error_other("-o shows callers, threads or groups: no -l, no --histogram");
	if (options.kinds && !lock_kinds_parse(options.kinds, &options.chosen_kinds, &bad))
		return error_other("-Y takes semaphore, spinlock, rwlock, rwsem, rt-mutex, "
				   "rwlock-rt, percpu-rwsem, mutex, condition, barrier and "
				   "other, not "
				   "'%s'",
				   bad);
	RETURN_ERROR(check_numbers("-p", options.pids));
	RETURN_ERROR(check_numbers("--tid", options.tids));
	return parse_columns();
}

/* perf's options for what its BPF programs count. */
static struct error *refuse_live(void *reason, const char *argument _unused_)
{
	return error_other("%s", (const char *)reason);
}

#define PAGE "dtprof report --lock-time --html FILE makes a page of the same recording"
#define LIVE "it is for perf's BPF programs; dtprof reads what dtprof lock record recorded"

// clang-format off
#define LIVE_SPEC(letter, name, reason) \
	{ OPTION_CALL_OPTIONAL, letter, name, reason, NULL, NULL, refuse_live }

#define LOCK_OPTION_SPECS \
	GROUP("Rows"), \
	FLAG('t', "threads", &options.by_thread, "by thread"), \
	FLAG('l', "lock-addr", &options.by_address, "by the address of the lock"), \
	FLAG(0, "lock-cgroup", &options.by_cgroup, "by control group (lock record --all-cgroups)"), \
	FLAG('o', "lock-owner", &options.holders, "who had the lock before, and how long others waited then"), \
	OPTION(STRING, 'k', "key", &options.key, "KEY", \
	  "sort by contended, wait_total (the default), wait_max,\nwait_min or avg_wait"), \
	OPTION(UNSIGNED, 'E', "entries", &options.table.entries, "N", "show so many rows"), \
	OPTION(STRING, 'Y', "type-filter", &options.kinds, "TYPES", \
	  "only these types of locks: spinlock, rwsem, rwsem:R, mutex ..."), \
	OPTION(STRING, 'L', "lock-filter", &options.locks, "LOCKS", \
	  "only locks with these addresses or names"), \
	OPTION(STRING, 'S', "callstack-filter", &options.functions, "NAMES", \
	  "only waits with one of these in a function's name of their\ncallers"), \
	OPTION(STRING, 'G', "cgroup-filter", &options.cgroups, "GROUPS", \
	  "only threads of these control groups"), \
	FLAG(0, "blocked", &options.blocked, "also waits of programs that are for no lock: for input,\noutput, time"), \
	OPTION(STRING, 'p', "pid", &options.pids, "PIDS", "only threads of these processes"), \
	OPTION(STRING, 0, "tid", &options.tids, "TIDS", "only these threads"), \
	OPTION(STRING, 'C', "cpu", &options.choice.cpu_list, "CPUS", "only waits that begin on these processors"), \
	OPTION(STRING, 0, "time", &options.choice.time, "RANGES", "only waits that begin at these times, as in report"), \
	OPTION(UNSIGNED, 0, "stack-skip", &options.skip, "N", \
	  "leave out the N innermost frames when looking for callers (0)"), \
	OPTION(UNSIGNED, 0, "max-stack", &options.table.depth, "N", "show at most N frames with -v (8)"), \
	GROUP("Output"), \
	FLAG(0, "histogram", &options.table.times, "show how many waits of each row took how long"), \
	OPTION(STRING, 'F', "field", &options.fields, "KEYS", "show these columns, as -k has them"), \
	OPTION(STRING, 'x', "field-separator", &options.table.separator, "TEXT", \
	  "separate columns with this, times in ns"), \
	FLAG(0, "json", &options.json, "print JSON (Documentation/json.md)"), \
	OPTION(STRING, 0, "output", &options.output, "FILE", "write this file"), \
	FLAG('a', "all-cpus", &options.all_cpus, NULL), \
	LIVE_SPEC('b', "use-bpf", LIVE), \
	OPTION(UNSIGNED, 'M', "map-nr-entries", &options.most_locks, "N", NULL), \
	LIVE_SPEC('J', "inject-delay", LIVE), \
	LIVE_SPEC(0, "html", PAGE)
// clang-format on

/* -k and --threads are perf's: --vmlinux has no letter, the other --threads another name */
static const struct option_spec input_specs[] = {
	GROUP("Input"),
	INPUT_OPTION_SPECS(options.input),
	OPTION(UNSIGNED, 0, "worker-threads", &options.input.threads, "N",
	       "use N threads (one for each processor)"),
	OPTIONS_END,
};

static const struct option_spec contention_specs[] = {
	LOCK_OPTION_SPECS,
	OPTIONS_END,
};

static const struct option_spec lock_report_specs[] = {
	LOCK_OPTION_SPECS,
	OPTION(UNSIGNED, 0, "callers", &options.table.callers, "N",
	       "show the N callers of each lock that waited longest (3)"),
	OPTIONS_END,
};

/* ---- filters ---- */

/* Returns whether one of the words, separated by commas, is in the text. */
static bool has_word(const char *text, const char *words)
{
	each_word (word, length, words)
		if (length && memmem(text, strlen(text), word, length))
			return true;
	return false;
}

static bool is_listed_lock(const struct lock_wait *wait, const char *words)
{
	each_word (word, length, words) {
		char *end;

		if (strtoull(word, &end, 16) == wait->lock && end == word + length)
			return true;
	}
	return wait->name && has_word(wait->name, words);
}

static bool chain_has(const struct lock_reading *reading, uint32_t chain, const char *words)
{
	for (uint32_t frame = chain; frame; frame = reading->input->counts->frames[frame].caller) {
		const char *symbol =
			resolution_frame_place(reading->input->resolution, frame)->symbol;

		if (symbol && has_word(symbol, words))
			return true;
	}
	return false;
}

/* Returns whether a group is in one of the list, or is one. */
static bool is_in_cgroups(const char *cgroup, const char *list)
{
	each_word (word, length, list) {
		const char *within =
			cgroup && length && !strncmp(cgroup, word, length) ? cgroup + length : NULL;

		if (within && (!*within || *within == '/' || word[length - 1] == '/'))
			return true;
	}
	return false;
}

/* Leaves out the waits that the options do not choose. */
static void filter_waits(struct lock_reading *reading)
{
	struct lock_waits *waits = &reading->waits;
	size_t kept = 0;

	array_each (const struct lock_wait, wait, waits->items, waits->count) {
		if ((wait->call.maybe && !wait->name && !options.blocked) ||
		    (options.kinds && !lock_kind_is_in(wait->flags, options.chosen_kinds)) ||
		    (options.locks && !is_listed_lock(wait, options.locks)) ||
		    (options.functions && !chain_has(reading, wait->chain, options.functions)) ||
		    (options.cgroups && !is_in_cgroups(wait->cgroup, options.cgroups)))
			continue;
		waits->items[kept++] = *wait;
	}
	waits->count = kept;
	if (options.holders)
		lock_waits_of_holders(waits);
}

/* ---- output ---- */

/* -v: the frames of a chain, as lock_table_options.frame. */
static bool next_frame(void *data, uint32_t number, struct lock_frame *frame, uint32_t *next)
{
	struct lock_reading *reading = data;
	const struct counted_frame *counted = &reading->input->counts->frames[number];
	const char *name = lock_names_frame(reading->input->resolution, number);

	*frame = (struct lock_frame){ counted->ip, name ?: "[unknown]" };
	*next = counted->caller;
	return true;
}

static void print_waits(struct lock_reading *reading)
{
	const struct lock_waits *waits = &reading->waits;

	if (options.json) {
		struct json json = JSON_INIT(write_stdout, NULL);

		json_start(&json, NULL, "dtprof-lock", 1);
		json_unsigned(&json, "events", waits->events);
		json_unsigned(&json, "unfinished", waits->open);
		json_unsigned(&json, "begun_before", waits->unbegun);
		json_unsigned(&json, "ends_lost", waits->lost);
		lock_table_json(waits, &options.table, &json, "rows");
		json_finish(&json);
		return;
	}
	_cleanup_strbuf_ struct strbuf text = STRBUF_TEXT;

	options.table.headings = !options.input.quiet;
	if (!options.table.separator && !options.input.verbose && !options.output) {
		options.table.width = terminal_width();
		lock_table_fit(&options.table, options.fields);
	}
	if (options.input.verbose) {
		options.table.frame = next_frame;
		options.table.frame_data = reading;
	}
	lock_table_text(waits, &options.table, &text);
	pager_start();
	print_text(&text);
}

/* Warns if names are missing, and chains were recorded shorter than lock record does. */
static void warn_of_short_chains(const struct lock_reading *reading)
{
	size_t count;
	const struct event *events = session_events(reading->input->session, &count);
	uint32_t entries =
		reading->begin.found ? events[reading->begin.event].attr.sample_max_stack : 0;
	uint64_t all = 0, unnamed = 0;

	array_each (const struct lock_wait, wait, reading->waits.items, reading->waits.count) {
		all += wait->sums.total;
		unnamed += wait->name ? 0 : wait->sums.total;
	}
	if (!options.input.quiet && entries && entries < KERNEL_CHAIN && unnamed > all / 100)
		warning("%.1f %% of the waiting time has no name, and chains have at most %u "
			"entries, so that callers may be missing: dtprof lock record keeps %d",
			100.0 * (double)unnamed / (double)all, entries, KERNEL_CHAIN);
}

/* The arguments of read_waits(). */
struct waits_to_read {
	struct lock_reading *reading;
	struct input *input;
	bool callers_only;
};

static struct error *read_waits(void *data)
{
	const struct waits_to_read *to = data;

	RETURN_ERROR(input_open(&options.input, to->input));
	RETURN_ERROR(sample_choice_init(&options.choice, to->input->session));

	struct error *error = lock_reading_read(
		to->reading, to->input, &options.input,
		&(struct lock_reading_options){
			.choice = &options.choice,
			.ahead = to->callers_only ? AHEAD_SYMBOLS : AHEAD_DEBUG,
			.pids = options.pids,
			.tids = options.tids,
			.timers = true,
			.kernel_only = !options.functions && !options.input.verbose,
			.blocked = options.blocked });

	sample_choice_deinit(&options.choice);
	return error;
}

static struct error *show_waits(struct lock_reading *reading, struct input *input)
{
	enum lock_view view = options.table.view;
	struct lock_names_options names = { .dso = options.input.dso,
					    .no_infer = options.input.no_infer,
					    .threads = options.input.threads,
					    .skip = options.skip,
					    .callers_only = view != LOCK_BY_FIELD &&
							    view != LOCK_BY_ADDRESS &&
							    !options.locks };
	struct error *error = input_read_with_kernel(
		&options.input, input, read_waits,
		&(struct waits_to_read){ reading, input, names.callers_only });

	names.callers_only &=
		!any_of(i, 0, reading->waits.count, reading->waits.items[i].call.maybe);
	if (!error)
		error = lock_names_find(&reading->waits, input->resolution, input->counts, &names);
	if (error)
		return error;
	if (!names.callers_only)
		warn_of_short_chains(reading);
	filter_waits(reading);
	if (reading->cut && !options.input.quiet && !options.blocked)
		warning("the callers of %zu waits in futex(2) are not known, and so their locks: "
			"a library lacks unwind information, as musl's libc does without debug "
			"information",
			reading->cut);
	else if (reading->goroutines && !reading->probes && !options.input.quiet &&
		 !options.blocked)
		warning("goroutines that wait for a lock stop no thread, so that their waits are "
			"not recorded: dtprof lock record --user does so as root; a timer (dtprof "
			"record -g) tells the time in Go's functions for locks");
	else if (!reading->waits.count && !options.input.quiet)
		warning("%s%s",
			options.holders ? "who had locks before others is not known here"
					: "no thread waited for a lock",
			reading->switches ? "; locks that only spin are not seen" : "");
	if ((options.by_cgroup || options.cgroups) && !options.input.quiet &&
	    all_of(i, 0, reading->waits.count, !reading->waits.items[i].cgroup))
		warning("the recording has no control groups: dtprof lock record --all-cgroups "
			"records them");
	if (options.output)
		RETURN_ERROR(redirect_stdout(options.output, input->path));
	else if (!strcmp(program_invocation_short_name, "perf"))
		/* perf's scripts, its own test among them, read what these commands print there */
		dup2(STDERR_FILENO, STDOUT_FILENO);
	print_waits(reading);
	return NULL;
}

static int lock_show(int argc, char **argv, struct command_usage usage, enum lock_view view)
{
	_cleanup_free_ struct option_spec *specs = options_combine(usage.options, input_specs);
	struct lock_reading reading = { 0 };
	struct input input = { 0 };
	struct error *error;
	int rest, status;

	usage.options = specs;
	if (!command_begin(argc, argv, &usage, OPTIONS_ANYWHERE, &rest, &status))
		return status;
	/* a companion's answers have neither the arguments of calls for locks nor prototypes; its
	 * BTF does */
	options.input.dso.companion_btf = !options.input.dso.no_companion;
	options.input.dso.no_companion = true;
	options.input.dso.separate_kernel = true;
	error = rest ? error_other("'%s' is no option; -i names the file", argv[0])
		     : lock_check_options(view);
	if (error)
		return command_fail_usage(error);
	sandbox_for(options.output, NULL, options.input.verbose);
	error = show_waits(&reading, &input);
	status = error ? command_fail(error) : input_status(&input);
	lock_reading_deinit(&reading);
	input_leave(&input);
	return status;
}

static int lock_contention(int argc, char **argv)
{
	static const struct command_usage usage = {
		.name = "lock contention",
		.synopsis = "[OPTIONS]",
		.summary = "Show waits for locks by caller, address or thread, as perf lock "
			   "contention does.",
		.options = contention_specs,
	};

	return lock_show(argc, argv, usage, LOCK_BY_CALLER);
}

static int lock_report(int argc, char **argv)
{
	static const struct command_usage usage = {
		.name = "lock report",
		.synopsis = "[OPTIONS]",
		.summary =
			"Show waits for locks by the variable, or the struct and field, that the "
			"lock is.",
		.options = lock_report_specs,
	};

	return lock_show(argc, argv, usage, LOCK_BY_FIELD);
}

/* ---- record ---- */

static bool record_user;

static void lock_prepare_record(struct record_arguments *arguments)
{
	struct record_options *record = &arguments->record;
	_cleanup_free_ char *reason = NULL;

	if (record_user)
		lock_probes_add(record, &reason);
	if (reason && !arguments->quiet)
		warning("waits of goroutines for sync.Mutex are not recorded: %s", reason);
	if (!record->events)
		record->events = record_user ? "context-switches" : EVENT_BEGIN "," EVENT_END;
	if (record_user) {
		record->attr.switches = true;
		/* the C library keeps no frame pointers */
		record->attr.no_user_callchain = true;
		record->attr.user_stack = record->attr.user_stack ?: USER_STACK;
		record->attr.user_registers |= registers_general();
	}
	if (!record_user && !arguments->call_graph && !arguments->call_graph_flag) {
		record->attr.no_user_callchain = true;
		record->attr.max_stack = record->attr.max_stack ?: KERNEL_CHAIN;
	}
	if (!record->attr.period && !record->frequency_given)
		record->attr.period = 1; /* each wait */
	record->attr.callchain = true;
	record->attr.cpu = true; /* idle threads are told apart by it */
}

static const struct option_spec record_specs[] = {
	GROUP("Locks"),
	FLAG(0, "user", &record_user,
	     "record waits for locks of programs (context switches with\nparts of the stack) in "
	     "place "
	     "of the kernel's"),
	OPTIONS_END,
};

static int lock_record(int argc, char **argv)
{
	static const struct record_variant variant = {
		.name = "lock record",
		.summary = "Record waits for locks of the kernel or of programs, with their "
			   "callers.",
		.options = record_specs,
		.prepare = lock_prepare_record,
	};

	return command_record_as(argc, argv, &variant);
}

/* ---- lock ---- */

int command_lock(int argc, char **argv)
{
	static const struct option_spec specs[] = {
		OPTIONS_END,
	};
	static const struct command_usage usage = {
		.name = "lock",
		.synopsis = "record|report|contention [OPTIONS]",
		.summary = "Record waits for locks, and show them by struct and field, caller, "
			   "address or thread ('dtprof lock record --help', 'dtprof lock report "
			   "--help', 'dtprof lock contention --help').",
		.options = specs,
	};

	if (argc > 1 && command_abbreviates(argv[1], "contention"))
		return lock_contention(argc - 1, argv + 1);
	return command_pair(argc, argv, &usage, lock_record, lock_report);
}
