// SPDX-License-Identifier: GPL-2.0-or-later
/* Commands to a running recording, and the command that is recorded: see control.h. */
#include "profiler/record/control.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"
#include "base/memory.h"

#define COMMAND_MAX 4096 /* bytes of a line */

static struct error *bad_specification(const char *specification)
{
	return error_other("--control: '%s' is neither fd:COMMANDS[,ACKS] nor fifo:COMMANDS[,ACKS]",
			   specification);
}

static struct error *inherited_descriptor(const char *text, int *fd)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(text, &end, 10);
	if (errno || end == text || *end || number < 0 || number > 1 << 20)
		return error_other("--control: '%s' is not the number of a descriptor", text);
	if (fcntl(number, F_GETFD) < 0)
		return error_errno(errno, "--control: descriptor %ld", number);
	*fd = number;
	return NULL;
}

/* Opens a fifo for reading and writing, so that opening does not wait for the other side, and
 * reading sees no end of file when that side closes it. */
static struct error *open_fifo(const char *path, int *fd)
{
	struct stat status;

	*fd = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (*fd < 0)
		return error_errno(errno, "--control: cannot open %s", path);
	if (fstat(*fd, &status) == 0 && S_ISFIFO(status.st_mode))
		return NULL;
	return error_other("--control: %s is not a fifo (mkfifo makes one)", path);
}

struct error *control_open(const char *specification, struct control *control)
{
	bool fifo = strncmp(specification, "fifo:", 5) == 0;

	if (!fifo && strncmp(specification, "fd:", 3))
		return bad_specification(specification);
	_cleanup_free_ char *command = xstrdup(strchr(specification, ':') + 1);
	char *acknowledgment = strchr(command, ',');

	if (acknowledgment)
		*acknowledgment++ = '\0';
	if (!*command || (acknowledgment && !*acknowledgment))
		return bad_specification(specification);
	control->opened = fifo;
	RETURN_ERROR(fifo ? open_fifo(command, &control->command_fd)
			  : inherited_descriptor(command, &control->command_fd));
	if (!acknowledgment)
		return NULL;
	return fifo ? open_fifo(acknowledgment, &control->acknowledgment_fd)
		    : inherited_descriptor(acknowledgment, &control->acknowledgment_fd);
}

struct error *control_read(struct control *control, bool *closed)
{
	char bytes[COMMAND_MAX];
	/* Read once, since an inherited descriptor may block. The caller has waited for it. */
	ssize_t count = read(control->command_fd, bytes, sizeof(bytes));

	*closed = count == 0;
	if (count < 0 && (errno == EINTR || errno == EAGAIN))
		return NULL;
	if (count < 0)
		return error_errno(errno, "--control: reading commands");
	strbuf_add(&control->pending, bytes, count);
	if (*closed && control->pending.length)
		strbuf_add_char(&control->pending, '\n');
	if (control->pending.length <= COMMAND_MAX ||
	    memchr(control->pending.data, '\n', control->pending.length))
		return NULL;
	return error_create(ERROR_FORMAT,
			    "--control: a line of more than %d bytes is not a command",
			    COMMAND_MAX);
}

static enum control_verb find_verb(const char *word)
{
	static const struct {
		const char *word;
		enum control_verb verb;
	} verbs[] = {
		{ "enable", CONTROL_ENABLE },     { "disable", CONTROL_DISABLE },
		{ "evlist", CONTROL_EVENT_LIST }, { "snapshot", CONTROL_SNAPSHOT },
		{ "stop", CONTROL_STOP },         { "ping", CONTROL_PING },
	};

	for (size_t i = 0; i < COUNT_OF(verbs); i++)
		if (strcmp(word, verbs[i].word) == 0)
			return verbs[i].verb;
	return CONTROL_UNKNOWN;
}

bool control_next(struct control *control, struct control_command *command)
{
	struct strbuf *pending = &control->pending;
	char *end = pending->length ? memchr(pending->data, '\n', pending->length) : NULL;

	if (!end)
		return false;
	size_t length = end - pending->data;

	command->line = xstrndup(pending->data, length);
	memmove(pending->data, end + 1, pending->length - length - 1);
	pending->length -= length + 1;
	pending->data[pending->length] = '\0';

	_cleanup_free_ char *word = xstrndup(command->line, strcspn(command->line, " \t\r"));
	const char *argument = command->line + strlen(word);

	argument += strspn(argument, " \t");
	command->verb = find_verb(word);
	command->argument = *argument ? xstrndup(argument, strcspn(argument, "\r")) : NULL;
	return true;
}

void control_command_deinit(struct control_command *command)
{
	free_all(command->line, command->argument);
	*command = (struct control_command){ .verb = CONTROL_UNKNOWN };
}

void control_acknowledge(const struct control *control)
{
	static const char word[] = "ack\n";

	/* Answers that nobody reads are lost, because the recording must not wait. */
	if (control->acknowledgment_fd >= 0 &&
	    write(control->acknowledgment_fd, word, sizeof(word) - 1) < 0)
		return;
}

void control_close(struct control *control)
{
	if (control->opened) {
		closep(&control->command_fd);
		closep(&control->acknowledgment_fd);
	}
	strbuf_deinit(&control->pending);
	*control = (struct control)CONTROL_INIT;
}

/* ---- the recorded command ---- */

static void run_child(char *const *argv, const struct workload_options *options, int start_fd,
		      int failure_fd)
{
	char start;

	/* The process has this name until exec; perf's is named "perf-exec". */
	prctl(PR_SET_NAME, "dtprof-exec");
	/* If there is no byte, the recorder has ended. */
	if (read(start_fd, &start, 1) != 1)
		_exit(1);
	sigprocmask(SIG_SETMASK, options->mask, NULL);
	if (options->divert_output)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	if (options->stop)
		ptrace(PTRACE_TRACEME);
	execvp(argv[0], argv);

	int error_number = errno;
	ssize_t written = write(failure_fd, &error_number, sizeof(error_number));

	_exit(written == sizeof(error_number) ? 127 : 126);
}

struct error *workload_prepare(char *const *argv, const struct workload_options *options,
			       struct workload *workload)
{
	int start[2], failure[2];

	if (pipe2(start, O_CLOEXEC))
		return error_errno(errno, "cannot make a pipe to the workload");
	if (pipe2(failure, O_CLOEXEC)) {
		struct error *error = error_errno(errno, "cannot make a pipe to the workload");

		close(start[0]);
		close(start[1]);
		return error;
	}
	fflush(NULL);
	*workload = (struct workload){ .name = argv[0],
				       .start_fd = start[1],
				       .failure_fd = failure[0],
				       .stopped = options->stop };
	workload->pid = fork();
	if (workload->pid == 0) {
		close(start[1]);
		close(failure[0]);
		run_child(argv, options, start[0], failure[1]);
	}
	close(start[0]);
	close(failure[1]);
	if (workload->pid > 0)
		return NULL;

	struct error *error = error_errno(errno, "cannot fork the workload");

	close(workload->start_fd);
	close(workload->failure_fd);
	*workload = (struct workload){ 0 };
	return error;
}

/* Waits for the SIGTRAP of ptrace(2) after exec, before the program's first instruction. */
static struct error *wait_for_stop(struct workload *workload)
{
	int status;

	while (waitpid(workload->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return error_errno(errno, "cannot wait for the workload");
	}
	if (WIFSTOPPED(status))
		return NULL;
	workload->ended = true;
	workload->status = status;
	return error_other("the workload ended before it could be stopped at its start");
}

struct error *workload_start(struct workload *workload)
{
	int error_number = 0;
	ssize_t length;

	if (write(workload->start_fd, "", 1) != 1)
		error_number = errno;
	close(workload->start_fd);
	workload->start_fd = -1;
	do {
		length = read(workload->failure_fd, &error_number, sizeof(error_number));
	} while (length < 0 && errno == EINTR);
	close(workload->failure_fd);
	workload->failure_fd = -1;
	if (error_number)
		return error_errno(error_number, "Workload failed: %s", workload->name);
	return workload->stopped ? wait_for_stop(workload) : NULL;
}

struct error *workload_continue(struct workload *workload)
{
	if (!workload->stopped)
		return NULL;
	workload->stopped = false;
	return ptrace(PTRACE_DETACH, workload->pid, NULL, NULL)
		       ? error_errno(errno, "cannot let the workload run")
		       : NULL;
}

bool workload_poll(struct workload *workload)
{
	int status;

	if (!workload->pid || workload->ended ||
	    waitpid(workload->pid, &status, WNOHANG) != workload->pid)
		return workload->ended;
	/* waitpid() also reports stops of a traced process. */
	workload->ended = !WIFSTOPPED(status);
	workload->status = status;
	return workload->ended;
}

/* A process that has begun to end is marked first, and loses its counters and its memory later: in
 * this order before Linux 6.16, or the counters first since then. */
bool workload_runs(const struct workload *workload)
{
	uint64_t flags;

	return workload->pid && !workload->ended &&
	       process_stat(workload->pid, PROCESS_STAT_FLAGS, &flags) &&
	       !(flags & PROCESS_EXITING);
}

void workload_terminate(struct workload *workload)
{
	if (!workload->pid || workload->ended)
		return;
	/* It was not started: it ends by itself when the pipe closes. */
	if (workload->start_fd > 0)
		close(workload->start_fd);
	else if (!workload_poll(workload))
		kill(workload->pid, workload->stopped ? SIGKILL : SIGTERM);
	if (workload->failure_fd > 0)
		close(workload->failure_fd);
	workload->start_fd = workload->failure_fd = -1;
}

void workload_wait_for(struct workload *workload, unsigned int milliseconds)
{
	while (workload->pid && !workload_poll(workload) && milliseconds--)
		usleep(1000);
}

void workload_wait(struct workload *workload)
{
	while (workload->pid && !workload->ended) {
		int status;
		pid_t pid = waitpid(workload->pid, &status, 0);

		if (pid == workload->pid && !WIFSTOPPED(status))
			workload->status = status;
		workload->ended = pid == workload->pid ? !WIFSTOPPED(status) : errno != EINTR;
	}
}
