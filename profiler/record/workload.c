// SPDX-License-Identifier: GPL-2.0-or-later
/* Implements workload.h. */
#include "profiler/record/workload.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/files.h"

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
