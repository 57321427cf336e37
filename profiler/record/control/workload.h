/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command that is recorded: forked before the counters are opened, executed when they are
 * ready.
 */
#ifndef DTPROF_RECORD_CONTROL_WORKLOAD_H
#define DTPROF_RECORD_CONTROL_WORKLOAD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "profiler/base/error.h"

struct workload {
	pid_t pid;      /* 0: none */
	int start_fd;   /* a byte written here lets it exec */
	int failure_fd; /* has the errno if exec failed, end of file if it succeeded */
	bool stopped;   /* by ptrace(2) at its exec, until workload_continue() */
	bool ended;
	int status; /* of waitpid(2), once ended */
};

struct workload_options {
	const sigset_t *mask; /* the signal mask of the command */
	bool stop;            /* stop it at its exec, when its program is mapped but has not run */
	bool divert_output;   /* to standard error: the recording uses standard output */
};

/* Forks. The child waits for workload_start(). */
struct error *workload_prepare(char *const *argv, const struct workload_options *options,
			       struct workload *workload);
/* Lets the child exec. The error says "Workload failed: No such file or directory" or the like. */
struct error *workload_start(struct workload *workload);
/* Lets the child run on if it is stopped at its exec. */
struct error *workload_continue(struct workload *workload);
/* Returns whether the child has ended; then reaps it. */
bool workload_poll(struct workload *workload);
/* Sends the child SIGTERM if it is still there. */
void workload_terminate(struct workload *workload);
/* Waits for the end of the child, but not much longer than `milliseconds`. */
void workload_wait_for(struct workload *workload, unsigned int milliseconds);
/* Waits for the end of the child. */
void workload_wait(struct workload *workload);

#endif
