// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * dtprof try: makes a proposed layout in a copy of the source, builds it, and says how much faster
 * it is than what was predicted.
 *
 * The recording is read by a process of its own, which is confined as that of `dtprof layout` is.
 * It sends the patch and the prediction, because this process has to start the commands of the
 * user.
 */

#include <fcntl.h>
#include <math.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cursor.h"
#include "base/error.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "profiler/cli/input.h"
#include "profiler/cli/options.h"
#include "profiler/cli/output.h"
#include "profiler/cli/sandbox.h"
#include "profiler/commands/commands.h"
#include "profiler/commands/html.h"
#include "profiler/commands/layout_patch.h"
#include "profiler/machine/cached_costs.h"
#include "report/json.h"
#include "report/layout/advice.h"

/*
 * ---- two copies of a tree
 *
 * Two copies of a source tree, of which the second is changed by a patch: both are built, and then
 * run in turn until it is clear which is faster. Nothing outside of the copies is written, unless
 * the commands do so.
 *
 * Times are in seconds.
 */

enum try_copy { TRY_BEFORE, TRY_AFTER, TRY_COPIES };

/* By the clock, and as processors spent it on the command and on what it started, in its own code
 * and in the kernel. Other programs on the machine disturb the second less. */
enum try_clock { TRY_WALL, TRY_CPU, TRY_CLOCKS };

/* The words that messages and folders use: "before", "after". */
extern const char *const try_copy_names[TRY_COPIES];

/* The most pairs of runs. */
#define TRY_PAIRS_MAX 200

struct try_trees {
	char *root; /* a folder with one folder for each copy */
	bool keep;  /* try_trees_remove() leaves it */
};

struct try_times {
	double of[TRY_CLOCKS][TRY_COPIES][TRY_PAIRS_MAX];
	size_t pairs;
};

/* The factor by which the second copy is faster: the median, and its range of above 97 %. */
struct try_ratio {
	double middle, low, high;
	bool known; /* there are enough pairs for a range */
};

const char *const try_copy_names[TRY_COPIES] = { "before", "after" };

/* ---- commands ---- */

static const int caught[] = { SIGINT, SIGTERM, SIGHUP };
static volatile sig_atomic_t stopped_by;
static volatile pid_t running; /* the command, which gets the signals, too */
static const char *copies;     /* the folder to remove; NULL: none */

static void note_signal(int number)
{
	stopped_by = number;
	if (running > 0)
		kill(running, number);
}

/* From now on signals end the running command, with all that it started, in an error. */
static void try_catch_signals(void)
{
	/* without SA_RESTART, so that waiting ends */
	struct sigaction action = { .sa_handler = note_signal };

	for (size_t i = 0; i < COUNT_OF(caught); i++)
		sigaction(caught[i], &action, NULL);
	/* processes whose parent has ended become children of this one: see end_orphans() */
	prctl(PR_SET_CHILD_SUBREAPER, 1);
}

static struct error *stopped(void)
{
	return error_other("stopped by signal %d", (int)stopped_by);
}

/* Starts a command in a folder, with standard output and error in the file `output`. */
static void __attribute__((noreturn))
start(char *const *command, const char *folder, const char *input, const char *output)
{
	int from = open(input ?: "/dev/null", O_RDONLY);
	int to = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW, 0600);

	if (from < 0 || to < 0 || dup2(from, STDIN_FILENO) < 0 || dup2(to, STDOUT_FILENO) < 0 ||
	    dup2(to, STDERR_FILENO) < 0 || chdir(folder))
		_exit(126);
	for (size_t i = 0; i < COUNT_OF(caught); i++)
		signal(caught[i], SIG_DFL);
	signals_hold(caught, COUNT_OF(caught), false);
	execvp(command[0], command);
	_exit(127);
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static double seconds_of(const struct timeval *time)
{
	return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

/* Ends one process that was left behind. A daemon, which has a session of its own, may serve others
 * and goes on. Returns false if there is none. */
static bool end_orphan(void)
{
	_cleanup_free_ char *path = xasprintf("/proc/self/task/%d/children", (int)getpid());
	FILE *children = fopen(path, "re");
	int process = 0;

	while (children && fscanf(children, "%d", &process) == 1 && getsid(process) != getsid(0))
		process = 0;
	if (children)
		fclose(children);
	return process && !kill(process, SIGKILL) && waitpid(process, NULL, 0) == process;
}

/* Waits for the process. If a signal came, which has ended it, ends what it leaves behind. */
static int wait_for(pid_t process, struct rusage *usage)
{
	siginfo_t ended;
	int status = 0;

	/* its number stays its own until it was waited for */
	while (waitid(P_PID, (id_t)process, &ended, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	running = 0;
	while (wait4(process, &status, 0, usage) < 0 && errno == EINTR)
		;
	while (stopped_by && end_orphan())
		;
	return status;
}

/* Runs a command to its end. Sets *status as wait(2) does, and the seconds, if wanted. */
static struct error *run(char *const *command, const char *folder, const char *input,
			 const char *output, int *status, double *seconds)
{
	double begin = seconds_now();
	struct rusage usage = { 0 };
	pid_t process;

	fflush(NULL);
	signals_hold(caught, COUNT_OF(caught), true);
	process = stopped_by ? -1 : fork();
	if (!process)
		start(command, folder, input, output);
	running = process;
	signals_hold(caught, COUNT_OF(caught), false);
	if (stopped_by && process < 0)
		return stopped();
	if (process < 0)
		return error_errno(errno, "cannot start %s", command[0]);
	*status = wait_for(process, &usage);
	if (seconds) {
		seconds[TRY_WALL] = seconds_now() - begin;
		seconds[TRY_CPU] = seconds_of(&usage.ru_utime) + seconds_of(&usage.ru_stime);
	}
	return stopped_by ? stopped() : NULL;
}

/* Appends the last line of a file that has something in it. */
static void add_last_line(const char *path, struct strbuf *line)
{
	char text[2048];
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	off_t size = file < 0 ? 0 : lseek(file, 0, SEEK_END);
	off_t from = size > (off_t)sizeof(text) - 1 ? size - (off_t)sizeof(text) + 1 : 0;
	size_t length = file < 0 ? 0 : file_read_at(file, text, sizeof(text) - 1, from);

	if (file >= 0)
		close(file);
	while (length && strchr("\n\r ", text[length - 1]))
		length--;
	if (!length)
		return;
	text[length] = 0;

	const char *last = strrchr(text, '\n');

	strbuf_add_string(line, last ? last + 1 : text);
}

/* Returns the error of a command that ended with `status`, or NULL. The output is kept. */
static struct error *failure(struct try_trees *trees, const char *what, char *const *command,
			     enum try_copy copy, int status, const char *output)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;

	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return NULL;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		strbuf_add_format(&line, "%s: no such program%s", command[0],
				  strchr(command[0], ' ') ? " (one word: leave out the quotes)"
							  : "");
	else
		add_last_line(output, &line);
	trees->keep = true;
	return error_other("%s '%s' failed in the copy %s the change (%s %d)%s%s; see %s", what,
			   command[0], try_copy_names[copy],
			   WIFSIGNALED(status) ? "signal" : "exit status",
			   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status),
			   line.length ? ": " : "", line.length ? line.data : "", output);
}

/* ---- copies ---- */

static char *try_folder(const struct try_trees *trees, enum try_copy copy)
{
	return xasprintf("%s/%s", trees->root, try_copy_names[copy]);
}

static char *try_output(const struct try_trees *trees, enum try_copy copy, const char *name)
{
	return xasprintf("%s/%s.%s", trees->root, try_copy_names[copy], name);
}

/* Removes the copies by a program, as there may be no memory for it here. It says what is left. */
static void remove_copies(void)
{
	char *command[] = { "rm", "-rf", "--one-file-system", "--", (char *)copies, NULL };
	pid_t process;
	int status = 0;

	if (!copies)
		return;
	signals_hold(caught, COUNT_OF(caught), true);
	process = fork();
	if (!process) {
		execvp(command[0], command);
		_exit(127);
	}
	while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR)
		;
	signals_hold(caught, COUNT_OF(caught), false);
	copies = NULL;
	if (process < 0 || status)
		warning("%s could not be removed", command[4]);
}

/* Copies `source`, with modes, times and links, twice. */
static struct error *try_trees_make(const char *source, struct try_trees *trees)
{
	const char *temporary = getenv("TMPDIR");
	const char *in = temporary && *temporary == '/' ? temporary : "/tmp";
	const char *why = folder_distrust(in, true);
	_cleanup_free_ char *root = xasprintf("%s/dtprof-try-XXXXXX", in);

	/* who may replace the copies chooses what is built and run */
	if (why)
		return error_create(ERROR_PERMISSION,
				    "the copies are not made in %s: it, or a folder around it, is "
				    "%s (set $TMPDIR)",
				    in, why);
	if (!mkdtemp(root))
		return error_errno(errno, "cannot make a folder for the copies, %s", root);
	copies = trees->root = root;
	memory_end_with(remove_copies);
	root = NULL;
	for (enum try_copy copy = 0; copy < TRY_COPIES; copy++) {
		_cleanup_free_ char *folder = try_folder(trees, copy);
		_cleanup_free_ char *output = try_output(trees, copy, "copy");
		char *command[] = { "cp", "-a", "--", (char *)source, folder, NULL };
		_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
		int status;

		RETURN_ERROR(run(command, "/", NULL, output, &status, NULL));
		if (WIFEXITED(status) && !WEXITSTATUS(status))
			continue;
		/* a part of a copy is of no use, and may have filled the disk */
		add_last_line(output, &line);
		return error_other("%s cannot be copied: %s", source,
				   line.length ? line.data : "there is no program 'cp'");
	}
	return NULL;
}

static void try_trees_remove(struct try_trees *trees)
{
	if (trees->keep)
		copies = NULL;
	remove_copies();
	free(trees->root);
	*trees = (struct try_trees){ 0 };
}

/* ---- the patch ---- */

static struct error *write_patch(const char *path, const char *patch, size_t length)
{
	int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	int number = file < 0 ? errno : file_write_all(file, patch, length, -1);

	if (file >= 0)
		close(file);
	return number ? error_errno(number, "cannot write %s", path) : NULL;
}

/* Applies the patch in a folder of the second copy ("" is the copy itself). */
static struct error *try_trees_patch(const struct try_trees *trees, const char *folder,
				     const char *patch, size_t length)
{
	_cleanup_free_ char *copy = try_folder(trees, TRY_AFTER);
	_cleanup_free_ char *below = xasprintf("%s/%s", copy, folder);
	_cleanup_free_ char *input = try_output(trees, TRY_AFTER, "patch");
	_cleanup_free_ char *output = try_output(trees, TRY_AFTER, "patching");
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	char *command[] = { "patch", "-p1", "--batch", "--forward", NULL };
	int status;

	RETURN_ERROR(write_patch(input, patch, length));
	RETURN_ERROR(run(command, below, input, output, &status, NULL));
	if (WIFEXITED(status) && !WEXITSTATUS(status))
		return NULL;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		return error_create(ERROR_NOT_FOUND,
				    "there is no program 'patch' (Debian: apt-get install patch)");
	add_last_line(output, &line);
	return error_other(
		"the patch does not apply, so the source is not that of the recorded program: %s",
		line.length ? line.data : "patch says nothing");
}

/* ---- building and running ---- */

/* Runs a command in both copies. An error has its last line, and the copies are kept. */
static struct error *try_trees_build(struct try_trees *trees, char *const *command)
{
	for (enum try_copy copy = 0; copy < TRY_COPIES; copy++) {
		_cleanup_free_ char *folder = try_folder(trees, copy);
		_cleanup_free_ char *output = try_output(trees, copy, "build");
		int status;

		progress_show("Building the copy ", try_copy_names[copy]);
		RETURN_ERROR(run(command, folder, NULL, output, &status, NULL));
		RETURN_ERROR(failure(trees, "the build", command, copy, status, output));
	}
	progress_end();
	return NULL;
}

/* Returns a hash of a file's bytes; 0 if it cannot be read. */
static uint64_t hash_of_file(const char *path)
{
	_cleanup_close_ int file = open(path, O_RDONLY | O_CLOEXEC);
	uint64_t hash = 1;
	char bytes[65536];
	ssize_t length;

	if (file < 0)
		return 0;
	do {
		size_t filled = 0;

		/* the hash is of whole blocks, however they are read */
		while (filled < sizeof(bytes) &&
		       ((length = read(file, bytes + filled, sizeof(bytes) - filled)) > 0 ||
			(length < 0 && errno == EINTR)))
			filled += length > 0 ? (size_t)length : 0;
		hash = hash_combine(hash, hash_bytes(bytes, filled));
	} while (length > 0);
	return length < 0 ? 0 : hash | 1;
}

/* Refuses a program that is not in the copies, or the same in both: no change would show. */
static struct error *check_program(const struct try_trees *trees, const char *name)
{
	uint64_t hashes[TRY_COPIES];

	if (!strchr(name, '/'))
		return NULL; /* found in $PATH: a shell, make, an interpreter */
	if (*name == '/')
		return error_other("%s is not in the copies: give the program that is to run "
				   "relative to the source folder, as ./NAME",
				   name);
	for (enum try_copy copy = 0; copy < TRY_COPIES; copy++) {
		_cleanup_free_ char *folder = try_folder(trees, copy);
		_cleanup_free_ char *path = xasprintf("%s/%s", folder, name);

		hashes[copy] = hash_of_file(path);
		if (!hashes[copy])
			return error_errno(errno, "the build made no %s", name);
	}
	return hashes[TRY_BEFORE] != hashes[TRY_AFTER]
		       ? NULL
		       : error_other("both copies have the same %s: the build does not build what "
				     "is in its own folder, or the program does not use the type",
				     name);
}

static struct error *run_copy(struct try_trees *trees, char *const *command, enum try_copy copy,
			      double *seconds, uint64_t *printed)
{
	_cleanup_free_ char *folder = try_folder(trees, copy);
	_cleanup_free_ char *output = try_output(trees, copy, "run");
	int status;

	RETURN_ERROR(run(command, folder, NULL, output, &status, seconds));
	RETURN_ERROR(failure(trees, "the run of", command, copy, status, output));
	*printed = hash_of_file(output);
	return *printed ? NULL : error_errno(errno, "cannot read %s", output);
}

COMPARISON(compare_numbers, double, BY_VALUE)

static double middle_of(const double *sorted, size_t count)
{
	return count % 2 ? sorted[count / 2] : (sorted[count / 2 - 1] + sorted[count / 2]) / 2;
}

static double try_median(const struct try_times *times, enum try_clock clock, enum try_copy copy)
{
	double sorted[TRY_PAIRS_MAX];

	memcpy(sorted, times->of[clock][copy], times->pairs * sizeof(*sorted));
	array_sort(sorted, times->pairs, compare_numbers);
	return times->pairs ? middle_of(sorted, times->pairs) : 0;
}

/* The probability that is left for a median outside of the range, on both sides. */
#define DOUBT 0.03

/*
 * Returns how many of the lowest and of the highest pairs are outside of the range of the median:
 * the most for which this is improbable. Each pair is above or below the true median with the same
 * probability, whatever the distribution of times, so the number below it is that of heads in
 * throws of a coin. 0: there are not enough pairs.
 */
static size_t outside_of_range(size_t pairs)
{
	double chance = pow(0.5, (double)pairs), sum = 0;
	size_t outside = 0;

	for (size_t i = 0; i < pairs / 2; i++) {
		sum += chance;
		if (2 * sum > DOUBT)
			break;
		outside = i + 1;
		chance = chance * (double)(pairs - i) / (double)(i + 1);
	}
	return outside;
}

static struct try_ratio try_ratio_of(const struct try_times *times, enum try_clock clock)
{
	double ratios[TRY_PAIRS_MAX];
	size_t pairs = times->pairs, outside = outside_of_range(pairs);
	struct try_ratio ratio = { .known = outside };

	if (!pairs)
		return ratio;
	for (size_t i = 0; i < pairs; i++)
		ratios[i] = times->of[clock][TRY_BEFORE][i] / times->of[clock][TRY_AFTER][i];
	array_sort(ratios, pairs, compare_numbers);
	ratio.middle = middle_of(ratios, pairs);
	ratio.low = ratios[outside ? outside - 1 : 0];
	ratio.high = ratios[outside ? pairs - outside : pairs - 1];
	return ratio;
}

/* Returns whether more pairs would change nothing: one copy is faster, or none is by 1 %. */
static bool is_clear(const struct try_ratio *ratio)
{
	return ratio->known &&
	       (ratio->low > 1 || ratio->high < 1 || (ratio->low > 0.99 && ratio->high < 1.01));
}

/* Runs a pair: even ones begin with the old copy, odd ones with the other, against drift. */
static struct error *run_pair(struct try_trees *trees, char *const *command, size_t pair,
			      double seconds[TRY_COPIES][TRY_CLOCKS], uint64_t printed[TRY_COPIES])
{
	enum try_copy first = pair % 2 ? TRY_AFTER : TRY_BEFORE;

	RETURN_ERROR(run_copy(trees, command, first, seconds[first], &printed[first]));
	first = first == TRY_BEFORE ? TRY_AFTER : TRY_BEFORE;
	return run_copy(trees, command, first, seconds[first], &printed[first]);
}

/*
 * Runs a command in both copies in turn, after one run of each that does not count, until it is
 * clear which is faster by the clock, or that both are the same within 1 %, or for `most` pairs.
 * *differs: the copies print different things, though each prints the same again.
 */
static struct error *try_trees_run(struct try_trees *trees, char *const *command, size_t most,
				   struct try_times *times, bool *differs)
{
	uint64_t first[TRY_COPIES], printed[TRY_COPIES];
	bool repeats = true;
	double ignored[TRY_COPIES][TRY_CLOCKS];

	*times = (struct try_times){ 0 };
	RETURN_ERROR(check_program(trees, command[0]));
	progress_show("Running both copies once", NULL);
	RETURN_ERROR(run_pair(trees, command, 0, ignored, first));
	while (times->pairs < most) {
		_cleanup_free_ char *number = xasprintf("%zu", times->pairs + 1);
		double seconds[TRY_COPIES][TRY_CLOCKS];

		progress_show("Running pair ", number);
		RETURN_ERROR(run_pair(trees, command, times->pairs, seconds, printed));
		for (enum try_copy copy = 0; copy < TRY_COPIES; copy++) {
			for (enum try_clock clock = 0; clock < TRY_CLOCKS; clock++)
				times->of[clock][copy][times->pairs] = seconds[copy][clock];
			repeats = repeats && printed[copy] == first[copy];
		}
		times->pairs++;

		struct try_ratio ratio = try_ratio_of(times, TRY_WALL);

		if (is_clear(&ratio))
			break;
	}
	progress_end();
	*differs = repeats && first[TRY_BEFORE] != first[TRY_AFTER];
	return NULL;
}

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
