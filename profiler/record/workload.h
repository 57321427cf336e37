/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorded command: it is forked before the counters are opened, and executed afterwards. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "base/error.h"

struct workload {
	pid_t pid;        /* 0: none */
	const char *name; /* of the command, which outlives this */
	int start_fd;     /* a byte written here lets it exec */
	int failure_fd;   /* has the errno if exec failed, end of file if it succeeded */
	bool stopped;     /* by ptrace(2) at its exec, until workload_continue() */
	bool ended;
	int status; /* of waitpid(2), once ended */
};

struct workload_options {
	const sigset_t *mask; /* the signal mask of the command */
	bool stop;            /* stop it at its exec, when its program is mapped but has not run */
	bool divert_output;   /* to standard error: the recording uses standard output */
};

/* Forks a child, which waits for workload_start(). */
struct error *workload_prepare(char *const *argv, const struct workload_options *options,
			       struct workload *workload);
/* Lets the child exec. The error says "Workload failed: No such file or directory" or the like. */
struct error *workload_start(struct workload *workload);
/* Lets the child run on if it is stopped at its exec. */
struct error *workload_continue(struct workload *workload);
/* Returns whether the child has ended, and reaps it if so. */
bool workload_poll(struct workload *workload);
/* Returns whether the child runs a program. False: it has begun to end. */
bool workload_runs(const struct workload *workload);
/* Sends the child SIGTERM if it is still there. */
void workload_terminate(struct workload *workload);
/* Waits for the end of the child, but not much longer than `milliseconds`. */
void workload_wait_for(struct workload *workload, unsigned int milliseconds);
/* Waits for the end of the child. */
void workload_wait(struct workload *workload);
