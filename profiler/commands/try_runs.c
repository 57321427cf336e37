// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements try_runs.h. */
#include "profiler/commands/try_runs.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "base/files.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/signals.h"
#include "base/strbuf.h"
#include "profiler/cli/output.h"

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

void try_catch_signals(void)
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

struct error *try_trees_make(const char *source, struct try_trees *trees)
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

void try_trees_remove(struct try_trees *trees)
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

struct error *try_trees_patch(const struct try_trees *trees, const char *folder, const char *patch,
			      size_t length)
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

struct error *try_trees_build(struct try_trees *trees, char *const *command)
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

double try_median(const struct try_times *times, enum try_clock clock, enum try_copy copy)
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

struct try_ratio try_ratio_of(const struct try_times *times, enum try_clock clock)
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

struct error *try_trees_run(struct try_trees *trees, char *const *command, size_t most,
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
