/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command that is recorded: forked before the counters are opened, executed when they are ready. */
#ifndef DTPROF_RECORD_WORKLOAD_H
#define DTPROF_RECORD_WORKLOAD_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

#include "profiler/base/error.h"

struct workload {
	pid_t pid;      /* 0: none */
	int start_fd;   /* a byte lets it exec */
	int failure_fd; /* the errno of an exec that failed; end of file when it succeeded */
	bool stopped;   /* at its exec, by ptrace(2), until workload_continue() */
	bool ended;
	int status; /* of waitpid(2), once ended */
};

struct workload_options {
	const sigset_t *mask; /* the signal mask that the command shall have */
	bool stop;            /* when it has called exec: its program is mapped then, and has not run yet */
	bool divert_output;   /* its standard output to standard error: the recording takes the former */
};

/* Fork; the child waits. */
struct error *workload_prepare(char *const *argv, const struct workload_options *options,
			       struct workload *workload);
/* Let it exec. "Workload failed: No such file or directory". */
struct error *workload_start(struct workload *workload);
/* Let it run on from its exec, if it is stopped there. */
struct error *workload_continue(struct workload *workload);
/* Has it ended? Reaps it. */
bool workload_poll(struct workload *workload);
/* Tell it to end if it is still there, by SIGTERM. */
void workload_terminate(struct workload *workload);
/* Wait for its end, but not much longer than `milliseconds`. */
void workload_wait_for(struct workload *workload, unsigned int milliseconds);
/* Wait for its end. */
void workload_wait(struct workload *workload);

#endif
