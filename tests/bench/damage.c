// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * damage CUTS FLIPS WORK FILE... -- COMMAND...: runs the command over damaged copies of each file,
 * in the file WORK, whose name stands for "@" among the command's words: cut off at CUTS places,
 * and with single bytes changed, FLIPS times. Prints a line of sums (runs, done, refused, signals,
 * hangs) and the run that took longest, then a line for each thing that the command said first,
 * with how often. Fails where there was a signal or a hang.
 *
 * The damage depends on the file alone, so that two commands get the same.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Limits of processor time, which a busy machine does not affect, and of seconds, for a run that
 * waits for nothing. */
#define PROCESSOR_SECONDS 5
#define SECONDS_A_RUN     60
#define CLASSES           400

static struct {
	char text[200];
	unsigned long count;
} classes[CLASSES];
static size_t class_count;

static struct {
	unsigned long runs, done, refused, signals, hangs;
} sums;

/* The run that took most of the processor. */
static struct {
	double seconds;
	const char *file;
	const char *how;
	size_t at;
} longest;

static const char *work;
static char **command;

static void fail(const char *what)
{
	perror(what);
	exit(2);
}

/* Count a line under its words: names of files and numbers vary. */
static void classify(const char *kind, const char *line)
{
	char text[sizeof(classes->text)];
	size_t length = (size_t)snprintf(text, sizeof(text), "%s: ", kind);

	while (*line && *line != '\n' && length < sizeof(text) - 1) {
		size_t name = strlen(work);
		size_t digits = strspn(line, "0123456789abcdef");

		if (!strncmp(line, work, name)) {
			text[length++] = '@';
			line += name;
		} else if (*line >= '0' && *line <= '9') {
			text[length++] = 'N';
			line += line[0] == '0' && line[1] == 'x' ? 2 : digits;
			line += strspn(line, "0123456789abcdef");
		} else {
			text[length++] = *line >= ' ' && *line <= '~' ? *line : '?';
			line++;
		}
	}
	text[length] = '\0';
	for (size_t i = 0; i < class_count; i++)
		if (!strcmp(classes[i].text, text)) {
			classes[i].count++;
			return;
		}
	if (class_count == CLASSES)
		return;
	memcpy(classes[class_count].text, text, sizeof(text));
	classes[class_count++].count = 1;
}

static pid_t start(int *errors)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		fail("pipe");
	pid_t pid = fork();

	if (pid < 0)
		fail("fork");
	if (!pid) {
		int nothing = open("/dev/null", O_RDWR);

		setpgid(0, 0);
		setrlimit(RLIMIT_CPU, &(struct rlimit){ PROCESSOR_SECONDS, PROCESSOR_SECONDS + 1 });
		dup2(nothing, STDIN_FILENO);
		dup2(nothing, STDOUT_FILENO);
		dup2(ends[1], STDERR_FILENO);
		execvp(command[0], command);
		_exit(127);
	}
	setpgid(pid, pid);
	close(ends[1]);
	*errors = ends[0];
	return pid;
}

/* Reads the output, and keeps its beginning. False: the run did not end in time. */
static bool listen_to(int errors, char *said, size_t size)
{
	char rest[4096];
	size_t used = 0;
	int left = SECONDS_A_RUN * 1000;

	for (;;) {
		struct pollfd waited = { .fd = errors, .events = POLLIN };

		/* the limit counts tenths of a second without output */
		if (left <= 0)
			return false;
		if (!poll(&waited, 1, 100)) {
			left -= 100;
			continue;
		}
		ssize_t count = used + 1 < size ? read(errors, said + used, size - 1 - used)
						: read(errors, rest, sizeof(rest));

		if (count <= 0)
			break;
		if (used + 1 < size)
			used += (size_t)count;
		said[used] = '\0';
	}
	return true;
}

static double seconds_of(const struct rusage *usage)
{
	return (double)(usage->ru_utime.tv_sec + usage->ru_stime.tv_sec) +
	       (double)(usage->ru_utime.tv_usec + usage->ru_stime.tv_usec) / 1e6;
}

/* Runs the command on `file`, damaged in this way at that byte. */
static void run(const char *file, const char *how, size_t at)
{
	char said[1024] = "";
	struct rusage usage;
	int errors, status;
	pid_t pid = start(&errors);
	bool in_time = listen_to(errors, said, sizeof(said));

	if (!in_time)
		kill(-pid, SIGKILL);
	close(errors);
	if (wait4(pid, &status, 0, &usage) < 0)
		fail("wait4");
	sums.runs++;
	if (seconds_of(&usage) > longest.seconds) {
		longest.seconds = seconds_of(&usage);
		longest.file = file;
		longest.how = how;
		longest.at = at;
	}
	if (WIFSIGNALED(status) ? WTERMSIG(status) == SIGXCPU
				: WEXITSTATUS(status) == 128 + SIGXCPU)
		in_time = false;
	/* a shell in between reports a signal by its status */
	bool by_signal = WIFSIGNALED(status) || WEXITSTATUS(status) == 128 + SIGSEGV ||
			 WEXITSTATUS(status) == 128 + SIGABRT ||
			 WEXITSTATUS(status) == 128 + SIGBUS || WEXITSTATUS(status) == 128 + SIGFPE;

	if (!in_time) {
		sums.hangs++;
		classify("HANG", said);
	} else if (by_signal) {
		sums.signals++;
		classify("SIGNAL", said);
	} else if (status) {
		sums.refused++;
		classify("refused", *said ? said : "(without a word)");
	} else {
		sums.done++;
		classify("done", *said ? said : "(without a word)");
	}
}

static void damage(const char *path, unsigned long cuts, unsigned long flips)
{
	int from = open(path, O_RDONLY);
	int to = open(work, O_RDWR | O_CREAT | O_TRUNC, 0600);
	struct stat status;

	if (from < 0 || to < 0 || fstat(from, &status) < 0)
		fail(path);
	size_t size = (size_t)status.st_size;
	uint8_t *data = malloc(size ? size : 1);
	uint64_t random = size;

	if (!data || read(from, data, size) != status.st_size ||
	    write(to, data, size) != status.st_size)
		fail(path);
	for (unsigned long i = 0; i < flips; i++) {
		random = random * 6364136223846793005ULL + 1442695040888963407ULL;
		/* Half of the changes are in headers and attributes: these are short, and much
		 * depends on them. */
		size_t at = (size_t)(random >> 16) % (i % 2 || size < 4096 ? size : 4096);
		uint8_t byte = (uint8_t)(data[at] ^ (1 + (random >> 8 & 0xfe)));

		if (pwrite(to, &byte, 1, (off_t)at) != 1)
			fail(work);
		run(path, "changed", at);
		if (pwrite(to, &data[at], 1, (off_t)at) != 1)
			fail(work);
	}
	for (unsigned long i = cuts; i-- > 0;) {
		if (ftruncate(to, (off_t)(size * i / cuts)) < 0)
			fail(work);
		run(path, "cut off", size * i / cuts);
	}
	free(data);
	close(from);
	close(to);
	unlink(work);
}

static int compare_classes(const void *left, const void *right)
{
	unsigned long a = *(const unsigned long *)((const char *)left + sizeof(classes->text));
	unsigned long b = *(const unsigned long *)((const char *)right + sizeof(classes->text));

	return a > b ? -1 : a < b;
}

int main(int argc, char **argv)
{
	int files = 4;

	while (files < argc && strcmp(argv[files], "--") != 0)
		files++;
	if (argc < 6 || files + 1 >= argc) {
		fprintf(stderr, "usage: %s CUTS FLIPS WORK FILE... -- COMMAND...\n", argv[0]);
		return 2;
	}
	work = argv[3];
	command = argv + files + 1;
	for (char **word = command; *word; word++)
		if (!strcmp(*word, "@"))
			*word = argv[3];
	for (int i = 4; i < files; i++)
		damage(argv[i], strtoul(argv[1], NULL, 10), strtoul(argv[2], NULL, 10));
	qsort(classes, class_count, sizeof(*classes), compare_classes);
	printf("%8lu runs, %lu done, %lu refused, %lu signals, %lu hangs\n", sums.runs, sums.done,
	       sums.refused, sums.signals, sums.hangs);
	if (longest.file)
		printf("         at most %.2f s of the processor: %s, %s at byte %zu\n",
		       longest.seconds, longest.file, longest.how, longest.at);
	for (size_t i = 0; i < class_count; i++)
		printf("%8lu %s\n", classes[i].count, classes[i].text);
	return sums.signals || sums.hangs;
}
