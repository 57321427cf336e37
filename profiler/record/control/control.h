/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Commands to a running recording from the program that started it: perf record's --control. They
 * are lines in a descriptor or a fifo; each is answered by "ack\n" once it has been handled.
 */
#ifndef DTPROF_RECORD_CONTROL_CONTROL_H
#define DTPROF_RECORD_CONTROL_CONTROL_H

#include <stdbool.h>

#include "profiler/base/error.h"
#include "profiler/base/strbuf.h"

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

/*
 * Opens "fd:COMMANDS[,ACKNOWLEDGMENTS]", numbers of inherited descriptors, or "fifo:PATH[,PATH]",
 * which must be fifos.
 */
struct error *control_open(const char *specification, struct control *control);
/* Reads the bytes that have arrived. *closed tells that no more will come. */
struct error *control_read(struct control *control, bool *closed);
/*
 * Takes the next whole line, to be freed with control_command_deinit(). Returns false if none is
 * there.
 */
bool control_next(struct control *control, struct control_command *command);
void control_command_deinit(struct control_command *command);
/* Tells the other side that a command was handled. */
void control_acknowledge(const struct control *control);
void control_close(struct control *control);

#endif
