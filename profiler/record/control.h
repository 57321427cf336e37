/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands to a running recording from the program that started it: perf record's --control. They
 * are lines in a descriptor or a fifo; each is answered by "ack\n" once it has been handled.
 */
#ifndef DTPROF_RECORD_CONTROL_H
#define DTPROF_RECORD_CONTROL_H

#include <signal.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/strbuf.h"

struct control {
	int command_fd;        /* -1: no --control */
	int acknowledgment_fd; /* -1: no answers are wanted */
	bool opened;           /* the descriptors were opened here, not inherited */
	struct strbuf pending; /* start of a line that is not complete yet */
};

#define CONTROL_INIT                                                                               \
	{                                                                                          \
		.command_fd = -1, .acknowledgment_fd = -1, .pending = STRBUF_INIT                  \
	}

enum control_verb {
	CONTROL_ENABLE,
	CONTROL_DISABLE,
	CONTROL_EVENT_LIST,
	CONTROL_SNAPSHOT,
	CONTROL_STOP,
	CONTROL_PING,
	CONTROL_UNKNOWN,
};

struct control_command {
	enum control_verb verb;
	char *argument; /* the name of an event, or NULL */
	char *line;     /* the whole line, for messages */
};

/* Opens "fd:COMMANDS[,ACKNOWLEDGMENTS]", inherited descriptors, or "fifo:PATH[,PATH]". */
struct error *control_open(const char *specification, struct control *control);
/* Reads what has arrived. *closed: no more will come. ERROR_FORMAT: too long a line. */
struct error *control_read(struct control *control, bool *closed);
/* Takes the next whole line; control_command_deinit() frees it. False: none has arrived. */
bool control_next(struct control *control, struct control_command *command);
void control_command_deinit(struct control_command *command);
/* Tells the other side that a command was handled. */
void control_acknowledge(const struct control *control);
void control_close(struct control *control);

/* ---- the recorded command: forked before the counters are opened, executed afterwards ---- */

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

#endif
