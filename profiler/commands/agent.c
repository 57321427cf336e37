// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof agent: records for a short time again and again, and hands the recordings to a store, to a
 * receiver of OpenTelemetry's profiles, or to both.
 *
 * Each recording is first a file in a spool, whose name says who does not have it yet, and leaves
 * it when both have it. A store knows what it has, so a recording that is added twice, because the
 * agent was killed in between, counts once; profiles that are sent twice have the same names.
 * Recording and adding are processes of their own (this program): an error, or too much memory,
 * ends them and not the agent.
 */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "base/files.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "base/text.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/record.h"

#define PART ".part" /* a recording that is being made */
#define DONE ".data" /* one that is complete */
/* A recording that could not be added so often is given up. */
#define ATTEMPTS_MAX 10
#define SPOOLED_MAX  65536
#define MESSAGES_MAX 65536 /* bytes of one process */
#define SELF         "/proc/self/exe"
#define RATE         "99" /* samples a second, of each processor */
#define EXIT_MEMORY  2    /* there was not enough (base/memory.c) */

/* Recipients of recordings. */
enum recipient { RECIPIENT_STORE, RECIPIENT_OTLP, RECIPIENTS };

static const struct {
	const char *ending; /* of the name of a recording that this one alone does not have */
	const char *words[2];
	const char *option;   /* whose value is the place */
	const char *had_them; /* "N added to the store" */
} recipients[RECIPIENTS] = {
	[RECIPIENT_STORE] = { ".store" DONE, { "store", "add" }, "--store", "added to the store" },
	[RECIPIENT_OTLP] = { ".otlp" DONE, { "export", "--format=otlp" }, "--output", "sent" },
};

static struct {
	const char *places[RECIPIENTS]; /* NULL: none */
	const char *credentials[RECIPIENTS], *spool;
	const char *every, *period;
	const char *spool_limit, *memory;
	double budget; /* percent of one processor */
	unsigned int times;
	bool quiet;
} options = {
	.every = "5m", .period = "10s", .spool_limit = "100M", .memory = "150M", .budget = 1
};

struct agent {
	double every, period; /* seconds */
	uint64_t spool_limit, memory;
	char *spool;  /* its path */
	int folder;   /* the same, open */
	char **words; /* options of record */
	int word_count;
	bool whole_machine; /* they choose no processes, */
	bool rate;          /* or a rate of samples */
	double started;
	uint64_t recorded, taken[RECIPIENTS], lost, dropped, untyped, empty; /* recordings */
	bool silent; /* the last one has no samples */
	/* what handing over to each, and recording, printed last; NULL: nothing */
	char *told[RECIPIENTS + 1];
	struct spooled {
		char *name;
		unsigned int left; /* a bit for each recipient that does not have it yet */
		unsigned int attempts[RECIPIENTS];
		uint64_t size;
	} * items; /* in the order of their names, which is that of time */
	size_t count, capacity;
};

static const int ending[] = { SIGTERM, SIGINT };
static volatile sig_atomic_t agent_stopped;
static volatile pid_t agent_child;

static void note_stop(int number)
{
	agent_stopped = number;
	/* a recorder writes what it has, and ends */
	if (agent_child > 0)
		kill(agent_child, SIGINT);
}

static double agent_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- options ---- */

static struct error *parse_quantity(const char *option, const char *text,
				    const struct option_units *units, const char *example,
				    double *value)
{
	return option_quantity(text, units, value) && *value > 0
		       ? NULL
		       : error_other("--%s takes a number with a unit, such as %s, not '%s'",
				     option, example, text);
}

/* Returns a bit for each recipient that was named. */
static unsigned int wanted_recipients(void)
{
	unsigned int wanted = 0;

	for (int recipient = 0; recipient < RECIPIENTS; recipient++)
		wanted |= (unsigned int)(options.places[recipient] != NULL) << recipient;
	return wanted;
}

/* Checks the options of record before the first recording; without processes among them, the whole
 * machine is recorded, not the command that only measures the time. */
static struct error *check_record_options(struct agent *agent)
{
	_cleanup_free_ char **words = xcalloc((size_t)agent->word_count + 2, sizeof(*words));
	struct record_arguments arguments;
	enum options_outcome outcome;

	words[0] = (char *)"record";
	memcpy(words + 1, agent->words, (size_t)agent->word_count * sizeof(*words));
	record_arguments_init(&arguments);

	const struct record_options *record = &arguments.record;
	struct error *error =
		record_arguments_parse(&arguments, agent->word_count + 1, words, NULL, &outcome);

	if (!error && record->workload)
		error = error_other("'%s' is no option of dtprof record: an agent starts no "
				    "command, and records what runs (-a, -p, -u, -G)",
				    *record->workload);
	if (!error && (outcome != OPTIONS_RUN || arguments.list || record->switch_on_signal ||
		       record->switch_size || record->switch_seconds))
		error = error_other("an agent makes one file of each recording, and names it: "
				    "--switch-output, --help and -e list are for dtprof "
				    "record");
	agent->whole_machine = record->target.system_wide;
	agent->rate = arguments.frequency || arguments.count;
	record_arguments_deinit(&arguments);
	return error;
}

static struct error *parse_agent_options(struct agent *agent)
{
	double limit, memory;

	RETURN_ERROR(parse_quantity("every", options.every, &option_times, "5m", &agent->every));
	RETURN_ERROR(parse_quantity("for", options.period, &option_times, "10s", &agent->period));
	RETURN_ERROR(
		parse_quantity("spool-limit", options.spool_limit, &option_sizes, "100M", &limit));
	RETURN_ERROR(parse_quantity("memory", options.memory, &option_sizes, "150M", &memory));
	agent->spool_limit = (uint64_t)limit;
	agent->memory = (uint64_t)memory;
	if (agent->period > agent->every)
		return error_other("--for=%s is longer than --every=%s", options.period,
				   options.every);
	if (!wanted_recipients() || !options.spool)
		return error_other("--store (or --otlp) and --spool name the store and the folder "
				   "of recordings that it does not have yet");
	return check_record_options(agent);
}

/* ---- processes ---- */

/* Returns whether messages differ in numbers alone, such as times and names of recordings. */
static bool says_the_same(const char *a, const char *b)
{
	while (*a || *b) {
		a += strspn(a, "0123456789");
		b += strspn(b, "0123456789");
		if (*a != *b)
			return false;
		a += *a != 0;
		b += *b != 0;
	}
	return true;
}

/* Passes messages of a process on, unless they are those of the last time. */
static void tell_new(int messages, char **told)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	bool read = !lseek(messages, 0, SEEK_SET) && file_read_all(messages, MESSAGES_MAX, &text);

	if (!read || (*told && text.length && says_the_same(*told, text.data)))
		return;
	if (text.length)
		fputs(text.data, stderr);
	free(*told);
	*told = text.length ? strbuf_detach(&text) : NULL;
}

/* Runs this program with the words; its output goes to standard error when it has ended, unless it
 * is *told. Returns its exit status; 128 and more: it was ended by a signal. */
static int run_self(char *const *words, uint64_t memory, char **told)
{
	_cleanup_close_ int messages = memfd_create("messages", MFD_CLOEXEC);
	const struct rlimit limit = { memory, memory };
	siginfo_t ended;
	int status = 0;
	pid_t child;

	signals_hold(ending, COUNT_OF(ending), true);
	child = agent_stopped ? -1 : fork();
	if (!child) {
		for (size_t i = 0; i < COUNT_OF(ending); i++)
			signal(ending[i], SIG_DFL);
		signals_hold(ending, COUNT_OF(ending), false);
		if (messages >= 0)
			dup2(messages, STDERR_FILENO);
		dup2(STDERR_FILENO, STDOUT_FILENO);
		if (memory)
			setrlimit(RLIMIT_DATA, &limit);
		execv(SELF, words);
		_exit(127);
	}
	agent_child = child;
	signals_hold(ending, COUNT_OF(ending), false);
	/* its number stays its own until it was waited for */
	while (child > 0 && waitid(P_PID, (id_t)child, &ended, WEXITED | WNOWAIT) < 0 &&
	       errno == EINTR)
		;
	agent_child = 0;
	if (child < 0 || waitpid(child, &status, 0) < 0)
		return 127;
	tell_new(messages, told);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Returns the processor time of the agent and of all that it ran, in seconds. */
static double processor_time(void)
{
	struct rusage own, children;

	getrusage(RUSAGE_SELF, &own);
	getrusage(RUSAGE_CHILDREN, &children);

	const struct timeval *const parts[] = { &own.ru_utime, &own.ru_stime, &children.ru_utime,
						&children.ru_stime };

	return sum_over(double, i, 0, COUNT_OF(parts),
			(double)parts[i]->tv_sec + 1e-6 * (double)parts[i]->tv_usec);
}

/* ---- the spool ---- */

/* Recordings are written by their paths, so nobody else may replace the folder. */
static struct error *open_spool(struct agent *agent)
{
	const char *distrust;

	if (mkdir(options.spool, 0700) && errno != EEXIST)
		return error_errno(errno, "cannot make the folder %s", options.spool);
	agent->spool = realpath(options.spool, NULL);
	agent->folder =
		agent->spool ? open(agent->spool, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
			     : -1;
	if (agent->folder < 0)
		return error_errno(errno, "cannot open the folder %s", options.spool);
	distrust = folder_distrust(agent->spool, false);
	if (distrust)
		return error_create(ERROR_PERMISSION, "%s, or a folder around it, is %s",
				    options.spool, distrust);
	if (flock(agent->folder, LOCK_EX | LOCK_NB))
		return error_other("%s is the spool of another agent, which runs", options.spool);
	return NULL;
}

COMPARISON(compare_spooled, struct spooled, BY_TEXT(name))

static void add_spooled(struct agent *agent, const char *name)
{
	struct stat status;

	unsigned int left = wanted_recipients();

	if (fstatat(agent->folder, name, &status, AT_SYMLINK_NOFOLLOW) || !S_ISREG(status.st_mode))
		return;
	for (int recipient = 0; recipient < RECIPIENTS; recipient++)
		if (ends_with(name, recipients[recipient].ending))
			left &= 1U << recipient;
	/* it is left for one that this agent has no place of */
	if (!left) {
		agent->dropped++;
		unlinkat(agent->folder, name, 0);
		return;
	}
	array_add(agent->items, agent->count, agent->capacity) = (struct spooled){
		.name = xstrdup(name), .left = left, .size = (uint64_t)status.st_size
	};
}

/* Takes what a stopped agent left: recordings to store, and a part of one, which is lost. */
static struct error *read_spool(struct agent *agent)
{
	_cleanup_close_ int folder = dup(agent->folder);
	DIR *spool = folder < 0 ? NULL : fdopendir(folder);

	if (!spool)
		return error_errno(errno, "cannot read the folder %s", agent->spool);
	folder = -1; /* closedir() closes it */
	for (struct dirent *entry; (entry = readdir(spool)) && agent->count < SPOOLED_MAX;) {
		if (ends_with(entry->d_name, DONE)) {
			add_spooled(agent, entry->d_name);
		} else if (ends_with(entry->d_name, PART)) {
			agent->lost++;
			unlinkat(agent->folder, entry->d_name, 0);
		}
	}
	closedir(spool);
	array_sort(agent->items, agent->count, compare_spooled);
	return NULL;
}

static void remove_spooled(struct agent *agent, size_t index)
{
	unlinkat(agent->folder, agent->items[index].name, 0);
	free(agent->items[index].name);
	agent->count--;
	memmove(&agent->items[index], &agent->items[index + 1],
		(agent->count - index) * sizeof(*agent->items));
}

/* Removes the oldest recordings while the spool is too large. */
static void limit_spool(struct agent *agent)
{
	uint64_t size = sum_over(uint64_t, i, 0, agent->count, agent->items[i].size);

	while (agent->count && size > agent->spool_limit) {
		size -= agent->items[0].size;
		remove_spooled(agent, 0);
		agent->dropped++;
	}
}

/* ---- a round ---- */

/* Counts a recording, whose process ended so; says when there are samples again. */
static void count_recording(struct agent *agent, bool empty)
{
	agent->recorded++;
	agent->empty += empty;
	if (agent->silent && !empty && !options.quiet)
		note("the recordings have samples again");
	agent->silent = empty;
}

/* Records into the spool; a recording without samples is for the store alone. Returns whether there
 * is a recording. */
static bool record_once(struct agent *agent)
{
	struct timespec now;
	_cleanup_free_ char *sleep = xasprintf("%.3f", agent->period);

	clock_gettime(CLOCK_REALTIME, &now);

	_cleanup_free_ char *name =
		xasprintf("%012" PRId64 ".%09ld", (int64_t)now.tv_sec, now.tv_nsec);
	_cleanup_free_ char *part = xasprintf("%s/%s" PART, agent->spool, name);
	_cleanup_free_ char *part_name = xasprintf("%s" PART, name);
	/* small ones, so that the spool holds more; no recipient asks whose data an address is */
	const char *const first[] = {
		"dtprof",        "record",         "--compression-level=9",
		"--all-cgroups", "--no-data-maps", agent->rate ? "--quiet" : "--freq=" RATE
	};
	/* the last output wins */
	const char *const last[] = { agent->whole_machine ? "-a" : "--quiet",
				     "--quiet",
				     "--fail-empty",
				     "--output",
				     part,
				     "--",
				     "sleep",
				     sleep,
				     NULL };
	size_t count = (size_t)agent->word_count;
	_cleanup_free_ char **words =
		xcalloc(COUNT_OF(first) + count + COUNT_OF(last), sizeof(*words));

	memcpy(words, first, sizeof(first));
	memcpy(words + COUNT_OF(first), agent->words, count * sizeof(*words));
	memcpy(words + COUNT_OF(first) + count, last, sizeof(last));

	int status = run_self(words, 0, &agent->told[RECIPIENTS]);
	bool empty = status == EXIT_EMPTY, kept = !empty || options.places[RECIPIENT_STORE];
	_cleanup_free_ char *done =
		xasprintf("%s%s", name, empty ? recipients[RECIPIENT_STORE].ending : DONE);

	if ((status && !empty) ||
	    (kept && renameat(agent->folder, part_name, agent->folder, done))) {
		unlinkat(agent->folder, part_name, 0);
		agent->lost += !agent_stopped;
		return false;
	}
	if (kept)
		add_spooled(agent, done);
	else
		unlinkat(agent->folder, part_name, 0);
	count_recording(agent, empty);
	return true;
}

/* Hands one recording to a recipient; functions alone if there is too little memory for types.
 * Returns the status of that command. */
static int hand_over(struct agent *agent, enum recipient recipient, const char *name)
{
	_cleanup_free_ char *path = xasprintf("%s/%s", agent->spool, name);
	const char *credentials = options.credentials[recipient];
	const char *words[] = { "dtprof",
				recipients[recipient].words[0],
				recipients[recipient].words[1],
				"-q",
				"--threads",
				"1",
				recipients[recipient].option,
				options.places[recipient],
				"--input",
				path,
				credentials ? "--credentials" : "-q",
				credentials ?: "-q",
				NULL,
				NULL };
	char **told = &agent->told[recipient];
	int status = run_self((char *const *)words, agent->memory, told);

	if (status != EXIT_MEMORY)
		return status;
	if (!options.quiet)
		note("--memory=%s is too little for the debug information that a recording needs: "
		     "its types are left out; companions (dtprof index) need less",
		     options.memory);
	words[COUNT_OF(words) - 2] = "--no-types";
	status = run_self((char *const *)words, agent->memory, told);
	agent->untyped += !status;
	return status;
}

/* Notes that a recipient has a recording, in its name; without another recipient it leaves the
 * spool. Returns whether it did. */
static bool note_taken(struct agent *agent, enum recipient recipient, size_t index)
{
	struct spooled *item = &agent->items[index];

	item->left &= ~(1U << recipient);
	if (!item->left) {
		remove_spooled(agent, index);
		return true;
	}
	/* TIME.NANOSECONDS.data; a name that stays costs another attempt alone */
	for (int other = 0; other < RECIPIENTS; other++) {
		_cleanup_free_ char *name =
			xasprintf("%.*s%s", (int)(strlen(item->name) - strlen(DONE)), item->name,
				  recipients[other].ending);

		if (item->left != 1U << other ||
		    renameat(agent->folder, item->name, agent->folder, name))
			continue;
		free(item->name);
		item->name = name;
		name = NULL;
	}
	return false;
}

/* Hands a recipient what it does not have, the oldest first. All of it stays while the recipient
 * cannot be asked; a recording that it cannot take otherwise is tried again, and given up in the
 * end. */
static void hand_all(struct agent *agent, enum recipient recipient)
{
	for (size_t i = 0; i < agent->count && !agent_stopped;) {
		int status = agent->items[i].left & 1U << recipient
				     ? hand_over(agent, recipient, agent->items[i].name)
				     : -1;

		if (status == EXIT_LATER)
			return;
		agent->taken[recipient] += !status;
		if (status < 0 ||
		    (status && ++agent->items[i].attempts[recipient] < ATTEMPTS_MAX)) {
			i++;
			continue;
		}
		agent->lost += status != 0;
		i += !note_taken(agent, recipient, i);
	}
}

static void tell_round(const struct agent *agent)
{
	double used = processor_time(), elapsed = agent_seconds() - agent->started;

	_cleanup_strbuf_ struct strbuf taken = STRBUF_INIT;
	_cleanup_free_ char *empty =
		agent->empty ? xasprintf(", %" PRIu64 " without samples", agent->empty) : NULL;

	for (int recipient = 0; recipient < RECIPIENTS; recipient++)
		if (options.places[recipient])
			strbuf_add_format(&taken, "%" PRIu64 " %s, ", agent->taken[recipient],
					  recipients[recipient].had_them);
	if (agent->untyped)
		strbuf_add_format(&taken, "%" PRIu64 " of them without types, ", agent->untyped);
	if (!options.quiet)
		note("%" PRIu64 " recordings, %s%zu in the spool, %" PRIu64
		     " dropped from it, %" PRIu64 " lost%s; %.2f s of processor time (%.2f %% of "
		     "one)",
		     agent->recorded, taken.data, agent->count, agent->dropped, agent->lost,
		     empty ?: "", used, elapsed > 0 ? 100 * used / elapsed : 0);
}

/* Waits for the next round: the interval, or as long as the budget of processor time asks for. */
static void wait_for_next(const struct agent *agent, double begun)
{
	double due = agent->started + processor_time() / (options.budget / 100),
	       now = agent_seconds();

	if (due < begun + agent->every)
		due = begun + agent->every;
	else if (due > now && !options.quiet)
		note("the next recording waits %.0f s, because of --budget=%g%%", due - now,
		     options.budget);
	sigset_t none;

	sigemptyset(&none);
	signals_hold(ending, COUNT_OF(ending), true);
	while (!agent_stopped && (now = agent_seconds()) < due) {
		double left = due - now;
		struct timespec time = { .tv_sec = (time_t)left,
					 .tv_nsec = (long)(1e9 * (left - (double)(time_t)left)) };

		ppoll(NULL, 0, &time, &none);
	}
	signals_hold(ending, COUNT_OF(ending), false);
}

static struct error *run_agent(struct agent *agent)
{
	struct sigaction action = { .sa_handler = note_stop };

	for (size_t i = 0; i < COUNT_OF(ending); i++)
		sigaction(ending[i], &action, NULL);
	agent->started = agent_seconds();
	RETURN_ERROR(open_spool(agent));
	RETURN_ERROR(read_spool(agent));
	for (unsigned int round = 1; !agent_stopped; round++) {
		double begun = agent_seconds();
		bool recorded = record_once(agent);

		limit_spool(agent);
		for (enum recipient recipient = 0; recipient < RECIPIENTS; recipient++)
			if (options.places[recipient])
				hand_all(agent, recipient);
		tell_round(agent);
		/* the spool was handed over by now; it may have been what filled the disk */
		if (round == 1 && !recorded && !agent_stopped)
			return error_other("the first recording failed");
		if (round == options.times)
			break;
		wait_for_next(agent, begun);
	}
	return NULL;
}

/* ---- the command ---- */

// clang-format off
static const struct option_spec agent_specs[] = {
	GROUP("Recording (after --: options of dtprof record; -a unless they choose processes, -F " RATE ")"),
	OPTION(STRING, 0, "every", &options.every, "TIME", "begin a recording so often: 30s, 5m (the default), 1h"),
	OPTION(STRING, 0, "for", &options.period, "TIME", "how long each one is (10s)"),
	OPTION(UNSIGNED, 0, "times", &options.times, "N", "end after N recordings (never)"),
	GROUP("Results"),
	OPTION(STRING, 0, "store", &options.places[RECIPIENT_STORE], "FILE|URL", "the store that they are added to (dtprof store)"),
	OPTION(STRING, 0, "otlp", &options.places[RECIPIENT_OTLP], "URL", "the receiver of OpenTelemetry's profiles that they are\nsent to (dtprof export)"),
	OPTION(STRING, 0, "credentials", &options.credentials[RECIPIENT_STORE], "FILE", "user and password for a store's server (dtprof store)"),
	OPTION(STRING, 0, "otlp-credentials", &options.credentials[RECIPIENT_OTLP], "FILE", "user and password for the receiver"),
	OPTION(STRING, 0, "spool", &options.spool, "DIR", "the folder of recordings that these do not have yet"),
	GROUP("Budgets"),
	OPTION(PERCENT, 0, "budget", &options.budget, "PERCENT", "of one processor's time; when it is used up, recordings\nwait (1)"),
	OPTION(STRING, 0, "memory", &options.memory, "SIZE", "for adding a recording (150M)"),
	OPTION(STRING, 0, "spool-limit", &options.spool_limit, "SIZE", "of the spool; the oldest recordings are dropped (100M)"),
	GROUP("Output"),
	FLAG('q', "quiet", &options.quiet, "print errors alone"),
	OPTIONS_END,
};
// clang-format on

int command_agent(int argc, char **argv)
{
	static const struct command_usage usage = {
		.name = "agent",
		.synopsis = "--store=FILE --spool=DIR [OPTIONS] [-- RECORD-OPTIONS]",
		.summary = "Record for a short time again and again, and add the recordings to a "
			   "store, or send them to a receiver.",
		.options = agent_specs,
	};
	struct agent agent = { .folder = -1 };
	struct error *error;
	int rest, status;

	if (!command_begin(argc, argv, &usage, OPTIONS_FIRST, &rest, &status))
		return status;
	agent.words = argv;
	agent.word_count = rest;
	error = parse_agent_options(&agent);
	if (!error && !(options.budget > 0))
		error = error_other("--budget takes more than 0 %%");
	if (error)
		return command_fail_usage(error);
	error = run_agent(&agent);
	status = error ? command_fail(error) : EXIT_SUCCESS;
	if (agent.folder >= 0)
		close(agent.folder);
	for (size_t i = 0; i < agent.count; i++)
		free(agent.items[i].name);
	for (size_t i = 0; i < COUNT_OF(agent.told); i++)
		free(agent.told[i]);
	free_all(agent.items, agent.spool);
	return status;
}
